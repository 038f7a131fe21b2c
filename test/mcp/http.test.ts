// HTTP as bytes: who is let in, what is too much, whose folder is whose, how sessions and the server end.

import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type HttpServer, KINDS, processesWith, Surroundings, uniqueSeconds, until } from './subject.ts';

const place = new Surroundings();
let server: HttpServer;
beforeAll(async () => {
  server = await place.startHttp();
}, 60_000);
afterAll(() => place.close());

const [OLD, MODERN] = [KINDS[1], KINDS[5]];

interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** `undefined` leaves a header away. */
  readonly headers?: Record<string, string | undefined>;
  readonly body?: string | Buffer;
  readonly to?: HttpServer;
}

/** Node's own client: `fetch` does not let a Host header through. */
function send({ method = 'POST', path = '/mcp', headers = {}, body = '', to = server }: Sent): Promise<Reply> {
  const all = {
    authorization: `Bearer ${to.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port: to.url.port, method, path, headers: given }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

const GREETING = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1' } },
});

test('a greeting with the right token is served', async () => {
  const { status, headers } = await send({ body: GREETING });
  expect(status).toBe(200);
  expect(headers['mcp-session-id']).toMatch(/^[0-9a-f-]{36}$/);
});

describe('who is not let in', () => {
  const port = (): string => server.url.port;
  test.each<[string, () => Sent, number]>([
    ['no token', () => ({ headers: { authorization: undefined } }), 401],
    ['a wrong token', () => ({ headers: { authorization: `Bearer ${'0'.repeat(64)}` } }), 401],
    ['a token that only begins well', () => ({ headers: { authorization: `Bearer ${server.token}0` } }), 401],
    ['another scheme', () => ({ headers: { authorization: `Basic ${server.token}` } }), 401],
    [
      'a token in the address',
      () => ({ path: `/mcp?token=${server.token}`, headers: { authorization: undefined } }),
      401,
    ],
    ['another Host', () => ({ headers: { host: 'evil.example' } }), 403],
    ['another Host with our port', () => ({ headers: { host: `evil.example:${port()}` } }), 403],
    ['our Host with another port', () => ({ headers: { host: '127.0.0.1:1' } }), 403],
    ['a Host that begins like ours', () => ({ headers: { host: `127.0.0.1:${port()}.evil.example` } }), 403],
    ['another Origin', () => ({ headers: { origin: 'https://evil.example' } }), 403],
    ['the Origin null', () => ({ headers: { origin: 'null' } }), 403],
    ['the Origin of another port', () => ({ headers: { origin: 'http://localhost:1' } }), 403],
    ['another path', () => ({ path: '/' }), 404],
    ['a path above', () => ({ path: '/mcp/../mcp' }), 404],
    ['another method', () => ({ method: 'PUT' }), 405],
    ['a form', () => ({ headers: { 'content-type': 'text/plain' } }), 415],
  ])('%s', async (_, make, status) => {
    const reply = await send({ body: GREETING, ...make() });
    expect(reply.status).toBe(status);
    expect(reply.headers['mcp-session-id']).toBeUndefined();
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    if (status === 401) expect(reply.headers['www-authenticate']).toContain('Bearer');
  });

  test('our own Origin and the other name of this machine are let in', async () => {
    const headers = { origin: `http://127.0.0.1:${port()}`, host: `localhost:${port()}` };
    expect((await send({ body: GREETING, headers })).status).toBe(200);
  });

  test('other addresses of this machine are not listened on', async (context) => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal);
    if (outside === undefined) return context.skip('this machine has no address but loopback');
    const error = await new Promise((resolve) => {
      const socket = connectTcp(Number(port()), outside.address, () => resolve(null));
      socket.on('error', resolve);
    });
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('what is no proper request', () => {
  test.each<[string, Sent, number]>([
    ['no JSON', { body: '{"jsonrpc":' }, 400],
    ['no body', { body: '' }, 400],
    ['no session', { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }, 400],
    ['a session that there is not', { body: GREETING, headers: { 'mcp-session-id': 'nope' } }, 404],
    ['a folder that there is not', { body: GREETING, path: '/mcp?cwd=/nowhere/at/all' }, 400],
    ['a folder that is not absolute', { body: GREETING, path: '/mcp?cwd=work' }, 400],
    ['too much', { body: Buffer.alloc((4 << 20) + 1, 'x') }, 413],
    ['an end of no session', { method: 'DELETE' }, 400],
  ])('%s', async (_, sent, status) => {
    const reply = await send(sent).catch((error: NodeJS.ErrnoException) => error);
    // What is too much is not read to its end: the client may see the reply, or that the connection is closed.
    if (status === 413 && reply instanceof Error) expect(reply.code).toMatch(/EPIPE|ECONNRESET/);
    else expect(reply).toMatchObject({ status });
    expect((await send({ body: GREETING })).status).toBe(200);
  });

  test('more than was announced, in pieces without an end', async () => {
    const status = await new Promise((resolve) => {
      const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
      const request = httpRequest({ host: '127.0.0.1', port: server.url.port, method: 'POST', path: '/mcp', headers });
      request.on('response', (response) => resolve(response.statusCode));
      request.on('error', () => resolve(413));
      for (let i = 0; i < 5; i += 1) request.write(Buffer.alloc(1 << 20, 'x'));
    });
    expect(status).toBe(413);
  });
});

describe('sessions', () => {
  test.each([OLD, KINDS[3], MODERN])('two clients have their own folders and tasks ($name)', async (kind) => {
    const folder = join(place.folder, 'elsewhere');
    mkdirSync(folder, { recursive: true });
    const one = await connect(place, kind, { server, name: 'one' });
    const two = await connect(place, kind, { server, name: 'two', query: `?cwd=${encodeURIComponent(folder)}` });
    const three = await connect(place, kind, { server, name: 'one', query: '?session=third' });
    const pwd = async (client: typeof one): Promise<unknown> =>
      (await client.call('bash', { command: 'pwd' })).structuredContent?.output;
    await one.call('bash', { command: 'cd /usr' });
    expect([await pwd(one), await pwd(two)]).toEqual([`${place.work}\n`, `${folder}\n`]);
    const started = await one.call('bash', { command: 'sleep 60', run_in_background: true });
    const id = started.structuredContent?.task_id;
    for (const other of [two, three])
      expect(JSON.stringify((await other.call('task_list', {})).structuredContent)).not.toContain(id);
    expect((await three.call('task_output', { task_id: id })).isError).toBe(true);
    expect((await one.call('task_stop', { task_id: id })).isError).toBe(false);
    for (const client of [one, two, three]) await client.close();
  });

  test('more clients than there is room for push out those that are idle; refused greetings take no room', async () => {
    const first = (await send({ body: GREETING })).headers['mcp-session-id'] as string;
    const headers = { 'mcp-session-id': first };
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    const refused = { body: GREETING, headers: { 'content-type': 'text/plain' } };
    for (let i = 0; i < 101; i += 1) expect((await send(refused)).status).toBe(415);
    expect((await send({ body: list, headers })).status).toBe(200);
    for (let i = 0; i < 101; i += 1) expect((await send({ body: GREETING })).status).toBe(200);
    expect((await send({ body: list, headers })).status).toBe(404);
  });

  test('a session that is not used for long is forgotten, with what it was granted; one that works is not', async () => {
    const short = await place.startHttp(['--idle-minutes', '0.01']);
    const id = (await send({ body: GREETING, to: short })).headers['mcp-session-id'] as string;
    const call = (command: string): string =>
      JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'bash', arguments: { command } } });
    const headers = { 'mcp-session-id': id };
    expect((await send({ body: call('sleep 2; echo worked'), headers, to: short })).text).toContain('worked');
    let status = 0;
    while (status !== 404) {
      // Each look would keep it alive: they are further apart than its time.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      status = (await send({ body: call('true'), headers, to: short })).status;
    }
  });

  test('DELETE ends a session and what runs in it', async () => {
    const seconds = uniqueSeconds();
    const id = (await send({ body: GREETING })).headers['mcp-session-id'] as string;
    const headers = { 'mcp-session-id': id };
    const params = { name: 'bash', arguments: { command: `sleep ${seconds}` } };
    const call = send({ body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params }), headers });
    call.catch(() => {});
    await until(() => processesWith(seconds).length > 0);
    expect((await send({ method: 'DELETE', headers })).status).toBe(200);
    await until(() => processesWith(seconds).length === 0);
    expect((await send({ body: GREETING, headers })).status).toBe(404);
  });
});

describe('the token', () => {
  test('is in a private file, and is deleted at the end', async () => {
    const own = await place.startHttp();
    const file = /also in (\S+)\)/.exec(own.raw.stderr)?.[1] ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(own.raw.stdout).toBe('');
    own.raw.child.kill('SIGTERM');
    expect(await own.raw.exited).toEqual([0, null]);
    expect(existsSync(file)).toBe(false);
  });

  test('cannot be read by a command in the sandbox', async (context) => {
    const file = /also in (\S+)\)/.exec(server.raw.stderr)?.[1] ?? '';
    const client = await connect(place, OLD, {
      server,
      elicit: () => ({ action: 'accept', content: { decision: 'allow once' } }),
    });
    const { structuredContent = {} } = await client.call('bash', { command: `cat ${file}` });
    await client.close();
    const { tier } = structuredContent.enforcement as { tier: string };
    if (structuredContent.status === 'exited' && tier === 'none') context.skip('there is no sandbox on this machine');
    expect(existsSync(file)).toBe(true);
    expect(structuredContent).toMatchObject({ status: 'exited', is_error: true });
    expect(structuredContent.output).not.toContain(server.token);
  });

  const file = join(place.folder, 'token');
  test.each([
    ['open to others', 'a'.repeat(40), 0o640, 'its mode must be 600'],
    ['too short', 'abc', 0o600, 'at least 32'],
    ['of several lines', `${'a'.repeat(40)}\n${'b'.repeat(40)}`, 0o600, 'one line'],
  ])('a file that is %s is refused', async (_, text, mode, message) => {
    writeFileSync(file, text);
    chmodSync(file, mode);
    const { exited, stderr } = await refusedWith(file);
    expect(exited).toEqual([2, null]);
    expect(stderr).toContain(message);
  });

  test('a file that is private is used, and never printed', async () => {
    const token = 'a1'.repeat(20);
    writeFileSync(file, `${token}\n`);
    chmodSync(file, 0o600);
    const raw = place.start(['--http', '--token-file', file]);
    const url = /listening on (\S+)/.exec(await raw.untilStderr('using the token in'))?.[1] ?? '';
    expect((await send({ body: GREETING, to: { raw, url: new URL(url), token } })).status).toBe(200);
    expect(raw.stderr).not.toContain(token);
  });

  test('a folder for the token that others can open ends the server, and says which to set', async () => {
    const open = new Surroundings();
    mkdirSync(join(open.folder, 'run'));
    chmodSync(join(open.folder, 'run'), 0o755);
    const raw = open.start(['--http']);
    const exited = await raw.exited;
    expect([exited, raw.stderr]).toEqual([
      [expect.any(Number), null],
      expect.stringMatching(/mode 755, must be 700[\s\S]*HARDSHELL_RUNTIME_DIR/),
    ]);
    await open.close();
  });

  async function refusedWith(path: string): Promise<{ exited: unknown; stderr: string }> {
    const raw = place.start(['--http', '--token-file', path]);
    return { exited: await raw.exited, stderr: raw.stderr };
  }
});

test.each([OLD, MODERN])('SIGTERM ends a running command and the server, and leaves tasks ($name)', async (kind) => {
  const [foreground, background] = [uniqueSeconds(), uniqueSeconds()];
  const client = await connect(place, kind);
  const task = await client.call('bash', { command: `sleep ${background}`, run_in_background: true });
  const call = client.call('bash', { command: `sleep ${foreground}` }).catch(() => null);
  await until(() => processesWith(foreground).length > 0);
  client.server?.child.kill('SIGTERM');
  expect(await client.server?.exited).toEqual([0, null]);
  await call;
  expect(processesWith(foreground)).toEqual([]);
  expect(processesWith(background)).not.toEqual([]);
  await place.cli('tasks', 'stop', task.structuredContent?.task_id as string);
});

test('a port that is taken is said so', async () => {
  const raw = place.start(['--http', '--port', server.url.port]);
  expect(await raw.exited).toEqual([2, null]);
  expect(raw.stderr).toContain(`The port ${server.url.port} cannot be used`);
});
