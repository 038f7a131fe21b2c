// The connection to the server: requests with the key of this browser, and event streams that reconnect.
// Not EventSource: it cannot send the key, and the cookie alone gives no access.

const KEY = 'hardshell-key';

export class Failed extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Removes the token from the address, before anything else can see it, and exchanges it. */
export async function enter(): Promise<void> {
  const token = /^#enter=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', '/');
  const { key } = await call<{ key: string }>('enter', { token });
  localStorage.setItem(KEY, key);
}

/** With a body it is a POST. */
export async function call<T>(path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const response = await ask(path, body, signal);
  return (await response.json()) as T;
}

async function ask(path: string, body?: object, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { 'x-hardshell-key': localStorage.getItem(KEY) ?? '' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await fetch(`/api/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  const said = (await response.json().catch(() => null)) as {
    error?: { message?: string; hint?: string | null };
  } | null;
  const words = [said?.error?.message ?? 'The server gave no reason.', said?.error?.hint ?? ''];
  throw new Failed(response.status, words.join(' ').trim());
}

/** Every event of one stream, until it ends. */
export async function listen<T>(path: string, signal: AbortSignal, onOpen: () => void, onEvent: (event: T) => void) {
  const response = await ask(path, undefined, signal);
  if (response.body === null) return;
  onOpen();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop() ?? '';
    for (const text of events) if (text.startsWith('data: ')) onEvent(JSON.parse(text.slice(6)) as T);
  }
}

export function messageOf(error: unknown): string {
  if (error instanceof Failed) return error.message;
  return 'The dashboard cannot be reached. Is `hardshell dashboard` still running?';
}
