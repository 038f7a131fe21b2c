// Hosts that no rule matches → an answer from outside, one question at a time for each host and port.
// Everything except a clear yes in time is a no; a later answer is ignored.

export type Answer = 'allow' | 'deny' | 'no-answer' | 'no-one-to-ask';

/** Thrown by `ask`: the question reached no one. */
export class NoOneToAsk extends Error {}

export interface QuestionOptions<Request> {
  readonly ask: (request: Request, signal: AbortSignal) => Promise<'allow' | 'deny'>;
  readonly timeoutMs: number;
  /** Whether an answer applies as long as the proxy runs. */
  readonly isRemembered: boolean;
  readonly maxOpen: number;
}

export interface Questions<Request> {
  ask(key: string, request: Request): Promise<Answer>;
  close(): void;
}

export function createQuestions<Request>(options: QuestionOptions<Request>): Questions<Request> {
  const open = new Map<string, Promise<Answer>>();
  const known = new Map<string, Answer>();
  const closing = new AbortController();

  const put = async (request: Request): Promise<Answer> => {
    const waiting = new AbortController();
    const { promise, resolve } = settleOnce<Answer>();
    const giveUp = () => resolve('no-answer');
    const timer = setTimeout(giveUp, options.timeoutMs);
    closing.signal.addEventListener('abort', giveUp);
    const answered = Promise.resolve().then(() => options.ask(request, waiting.signal));
    answered.then(
      (answer) => resolve(answer === 'allow' ? 'allow' : 'deny'),
      (error) => resolve(error instanceof NoOneToAsk ? 'no-one-to-ask' : 'no-answer'),
    );
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      closing.signal.removeEventListener('abort', giveUp);
      waiting.abort();
    }
  };

  return {
    async ask(key, request) {
      const before = known.get(key) ?? open.get(key);
      if (before !== undefined) return before;
      if (closing.signal.aborted || open.size >= options.maxOpen) return 'no-answer';
      const pending = put(request);
      open.set(key, pending);
      const answer = await pending;
      open.delete(key);
      if (options.isRemembered && (answer === 'allow' || answer === 'deny')) known.set(key, answer);
      return answer;
    },
    close: () => closing.abort(),
  };
}

function settleOnce<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
