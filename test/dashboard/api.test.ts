// The server without a browser: who is let in, what is refused, what is too much, and that the numbers are right.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HistoryPage, Statistics, Task, Understanding } from '../../src/surfaces/dashboard/wire.ts';
import { type Dashboard, letIn, ROOT, requestRecords, Surroundings, send, until } from './subject.ts';

const place = new Surroundings();
let server: Dashboard;
let inside: Record<string, string>;
beforeAll(async () => {
  await place.record([
    ...requestRecords('bash-aaaa', 'git push origin main', 'allow', 100),
    ...requestRecords('bash-bbbb', 'git push origin dev', 'allow', 300),
    ...requestRecords('bash-cccc', 'rm -rf /', 'deny', null),
    ...requestRecords('bash-dddd', 'npm install left-pad', 'ask', 50),
  ]);
  server = await place.dashboard();
  inside = await letIn(server);
});
afterAll(() => place.close());

async function get<T>(path: string): Promise<T> {
  const { status, text } = await send(server.port, { path, headers: inside });
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return JSON.parse(text) as T;
}

const API = [
  ['GET', 'events'],
  ['POST', 'answer'],
  ['GET', 'matches'],
  ['GET', 'output?task=bash-aaaa'],
  ['POST', 'stop'],
  ['GET', 'history'],
  ['GET', 'command?task=bash-aaaa'],
  ['GET', 'changes?task=bash-aaaa'],
  ['POST', 'act'],
  ['GET', 'statistics'],
  ['GET', 'policy'],
  ['POST', 'try'],
  ['POST', 'doctor'],
] as const;

describe('who is let in', () => {
  test.each(API)('%s %s needs a session', async (method, name) => {
    const body = method === 'POST' ? '{"command":"ls"}' : undefined;
    const sent = { method, path: `/api/${name}`, ...(body === undefined ? {} : { body }) };
    expect((await send(server.port, sent)).status).toBe(401);
  });

  test('this list of requests is the one of the server', () => {
    const text = readFileSync(join(ROOT, 'src/surfaces/dashboard/http/routes.ts'), 'utf8');
    const named = [...text.matchAll(/'((?:GET|POST) \/api\/\w+)':/g)].map((match) => match[1]);
    expect(named).toEqual(API.map(([method, name]) => `${method} /api/${name.replace(/\?.*/, '')}`));
  });

  test.each([
    ['the cookie alone', ['cookie']],
    ['the key alone', ['x-hardshell-key']],
  ])('%s is not enough', async (_, names) => {
    const headers = Object.fromEntries(names.map((name) => [name, inside[name]]));
    expect((await send(server.port, { path: '/api/policy', headers })).status).toBe(401);
  });

  test('the halves of two sessions are none', async () => {
    const other = await place.dashboard();
    const theirs = await letIn(other);
    const mixed = { cookie: inside.cookie, 'x-hardshell-key': theirs['x-hardshell-key'] };
    expect((await send(server.port, { path: '/api/policy', headers: mixed })).status).toBe(401);
    expect((await send(server.port, { path: '/api/policy', headers: theirs })).status).toBe(401);
    await other.end();
  });

  test('the token works once, and a wrong one does not use it up', async () => {
    const other = await place.dashboard();
    const enter = (token: unknown) => send(other.port, { path: '/api/enter', body: { token } });
    for (const wrong of ['', 'x', 7, null, {}, other.token.slice(1), other.token.toUpperCase()])
      expect((await enter(wrong)).status).toBe(401);
    const { status, headers } = await enter(other.token);
    expect(status).toBe(200);
    expect(headers['set-cookie']?.[0]).toMatch(
      /^hardshell-\d+=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    expect((await enter(other.token)).status).toBe(401);
    await other.end();
  });

  test('a browser stays let in when the dashboard is started again on the same port; the file holds no secret', async () => {
    const first = await place.dashboard();
    const session = await letIn(first);
    await first.end();
    const file = join(place.folder, 'run/dashboard', `${first.port}.sessions`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secret = session.cookie?.split('=')[1] as string;
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
    expect(readFileSync(file, 'utf8')).not.toContain(session['x-hardshell-key']);
    const second = await place.dashboard(['--port', String(first.port)]);
    expect((await send(second.port, { path: '/api/policy', headers: session })).status).toBe(200);
    expect((await send(second.port, { path: '/api/enter', body: { token: first.token } })).status).toBe(401);
    await second.end();
  });

  test('it listens on this machine alone', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal);
    if (outside === undefined) return;
    const problem = await new Promise((resolve) => {
      const socket = connect(server.port, outside.address, () => resolve(null));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    expect(problem).toBe('ECONNREFUSED');
  });
});

describe('what is refused', () => {
  test.each([
    ['another name (DNS rebinding)', { host: 'evil.example' }],
    ['another name with our port', { host: 'evil.example:PORT' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['no port', { host: '127.0.0.1' }],
    ['the page of another site', { origin: 'https://evil.example' }],
    ['the page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without a name', { origin: 'null' }],
    ['the other name of this machine', { host: 'localhost:PORT', origin: 'http://127.0.0.1:PORT' }],
    ['a picture in a page of another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
    ['a script in a page of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['a link from another page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('%s', async (_, headers) => {
    const filled = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(server.port))]);
    const all = { ...inside, ...Object.fromEntries(filled) };
    expect((await send(server.port, { path: '/api/policy', headers: all })).status).toBe(403);
  });

  test('a link from another site may open the page itself, which contains no data', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await send(server.port, { path: '/', headers })).status).toBe(200);
  });

  test.each([
    ['PUT', '/api/answer', 405],
    ['DELETE', '/', 405],
    ['OPTIONS', '/api/answer', 405],
    ['GET', '/api/answer', 405],
    ['POST', '/api/history', 405],
    ['GET', '/api/nothing', 404],
    ['GET', '/api/../../etc/passwd', 404],
    ['GET', '/..%2f..%2fpackage.json', 404],
    ['GET', '//evil.example/x', 404],
    ['GET', '/api/history?verdict=maybe', 400],
    ['GET', '/api/history?since=yesterday', 400],
    ['GET', '/api/history?path=relative', 400],
    ['GET', '/api/history?after=nonsense', 400],
    ['GET', '/api/statistics?span=century', 400],
    ['GET', '/api/statistics?span=constructor', 400],
    ['GET', '/api/command?task=bash-none', 404],
    ['GET', '/api/output?task=../../etc/passwd', 404],
    ['GET', '/api/output?task=bash-aaaa&cursor=-1', 400],
    ['GET', '/api/matches?code=x&rule=Bash', 404],
  ])('%s %s is %i', async (method, path, status) => {
    const reply = await send(server.port, { method, path, headers: inside });
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text).error.message).toMatch(/\.$/);
  });

  test('an address that is too long', async () => {
    const { status } = await send(server.port, { path: `/${'x'.repeat(5_000)}`, headers: inside });
    expect(status).toBe(414);
  });

  test.each([
    ['a body that is too long', { body: JSON.stringify({ command: 'x'.repeat(70_000) }) }, 413],
    ['a form', { body: 'command=ls', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['plain text', { body: '{"command":"ls"}', headers: { 'content-type': 'text/plain' } }, 415],
    ['no JSON', { body: '{' }, 400],
    ['a list', { body: '[]' }, 400],
    ['no command', { body: '{}' }, 400],
  ])('%s', async (_, sent, status) => {
    const { headers = {}, body } = sent as { headers?: Record<string, string>; body: string };
    const reply = await send(server.port, { path: '/api/try', body, headers: { ...inside, ...headers } });
    expect(reply.status).toBe(status);
  });

  test('an answer to an unknown question', async () => {
    const body = { code: 'aaaa@1-bbbbbb', verdict: 'allow' };
    const { text } = await send(server.port, { path: '/api/answer', body, headers: inside });
    expect(JSON.parse(text).status).toBe('unknown-code');
    const short = await send(server.port, { path: '/api/answer', body: { ...body, code: 'aaaa' }, headers: inside });
    expect(short.status).toBe(400);
  });

  test('every reply forbids what the page does not need', async () => {
    for (const path of ['/', '/page.js', '/page.css', '/icon.svg', '/api/policy', '/nothing']) {
      const { headers } = await send(server.port, { path });
      const policy = String(headers['content-security-policy']);
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/);
      expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

describe('what it says', () => {
  test('history with filters', async () => {
    const tasksOf = async (query: string) =>
      (await get<HistoryPage>(`/api/history?${query}`)).rows.map(({ task }) => task);
    expect(await tasksOf('')).toEqual(['bash-dddd', 'bash-cccc', 'bash-bbbb', 'bash-aaaa']);
    expect(await tasksOf('command=GIT%20push')).toEqual(['bash-bbbb', 'bash-aaaa']);
    expect(await tasksOf('command=%25')).toEqual([]);
    expect(await tasksOf('verdict=deny')).toEqual(['bash-cccc']);
    expect(await tasksOf('session=other')).toEqual([]);
  });

  test('the numbers of the plots', async () => {
    const { totals, programs, buckets } = await get<Statistics>('/api/statistics?span=hour');
    expect(totals).toEqual({ allow: 2, ask: 1, deny: 1, violations: 0 });
    expect(programs).toEqual([
      { name: 'git', count: 2, refused: 0 },
      { name: 'npm', count: 1, refused: 0 },
      { name: 'rm', count: 1, refused: 1 },
    ]);
    // All of them were recorded within a moment, which may still fall into two buckets.
    const used = buckets.filter(({ medianMs }) => medianMs !== null);
    expect(Math.max(...used.map(({ p95Ms }) => p95Ms ?? 0))).toBe(300);
    if (used.length === 1) expect(used[0]).toMatchObject({ medianMs: 100, p95Ms: 300 });
  });

  test('a command that is tried is judged and not run', async () => {
    const file = join(place.work, 'made');
    const body = { command: `touch ${file}; rm -rf /` };
    const { text } = await send(server.port, { path: '/api/try', body, headers: inside });
    const said = JSON.parse(text) as Understanding;
    expect(said.verdict.decision).toBe('deny');
    expect(said.commands.map(({ name }) => name)).toEqual(['touch', 'rm']);
    expect(existsSync(file)).toBe(false);
  });

  test('a thousand records are a few events', async () => {
    let open: () => void = () => {};
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    const countOf = (text: string): number =>
      [...text.matchAll(/"is":"records","count":(\d+)/g)].reduce((sum, match) => sum + Number(match[1]), 0);
    const stream = send(server.port, {
      path: '/api/events',
      headers: inside,
      until(text) {
        open();
        return countOf(text) >= 1_000;
      },
    });
    // Only what comes after the stream was opened counts.
    await isOpen;
    const entries = Array.from({ length: 600 }, (_, index) =>
      requestRecords(`bash-x${index}`, `echo ${index}`, 'allow', 1),
    );
    await place.record(entries.flat());
    const { text } = await stream;
    expect(text.split('"is":"records"').length).toBeLessThan(60);
    expect(Buffer.byteLength(text)).toBeLessThan(1 << 20);
  });

  test('the output of a command in the foreground is shown afterwards, without secrets', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9'.repeat(2)}`;
    writeFileSync(join(place.work, 'notes.txt'), `first\ntoken=${secret}\nlast without end`);
    const { task } = JSON.parse(place.cli('run', '--json', 'cat notes.txt')) as { task: string };
    const page = await send(server.port, { path: `/api/command?task=${task}`, headers: inside });
    expect(JSON.parse(page.text)).toMatchObject({ output: 'kept', outcome: { status: 'exited', exit: 0 } });
    const { text } = await send(server.port, { path: `/api/output?task=${task}`, headers: inside });
    const events = text
      .split('\n\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as { is: string; text?: string; isWhole?: boolean });
    const shown = events.map((event) => event.text ?? '').join('');
    expect(shown).toMatch(/^first\ntoken=\[redacted:[^\]]+\]\nlast without end$/);
    expect(events.at(-1)).toEqual({ is: 'end', isWhole: true });
  });

  test('binary output is named', async () => {
    writeFileSync(join(place.work, 'data.bin'), Buffer.from([0x89, 0x50, 0, 1, 2, 255]));
    const { task } = JSON.parse(place.cli('run', '--json', 'cat data.bin')) as { task: string };
    const { text } = await send(server.port, { path: `/api/output?task=${task}`, headers: inside });
    expect(text).toContain('Binary output, 6 bytes. Save it with: hardshell tasks logs');
  });

  test('switched off, there is no output to show', async () => {
    const settings = join(place.folder, 'off.json');
    writeFileSync(settings, '{ "keepOutput": false }');
    const { task } = JSON.parse(place.cli('run', '--settings', settings, '--json', 'echo hi')) as { task: string };
    const page = await send(server.port, { path: `/api/command?task=${task}`, headers: inside });
    expect(JSON.parse(page.text)).toMatchObject({ output: 'none' });
    expect((await send(server.port, { path: `/api/output?task=${task}`, headers: inside })).status).toBe(404);
  });

  test('a task is listed with what it uses, its output comes as it is written, and it can be ended', async () => {
    const made = JSON.parse(
      place.cli(
        'run',
        '--background',
        '--yes',
        '--json',
        'for i in 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 600; done',
      ),
    ) as { task: string };
    const events = await send(server.port, {
      path: '/api/events',
      headers: inside,
      until: (text) => text.includes(made.task) && /"samples":\[\{/.test(text),
    });
    const last = events.text.split('\n\n').findLast((text) => text.includes('"is":"tasks"')) as string;
    const { tasks } = JSON.parse(last.slice(6)) as { tasks: Task[] };
    const task = tasks.find(({ id }) => id === made.task);
    expect(task).toMatchObject({ state: 'running' });
    expect(task?.samples[0]?.memoryBytes).toBeGreaterThan(0);
    const path = `/api/output?task=${made.task}`;
    const output = await send(server.port, { path, headers: inside, until: (text) => text.includes('line 1') });
    expect(output.headers['content-type']).toMatch(/^text\/event-stream/);
    const stopped = await send(server.port, { path: '/api/stop', body: { task: made.task }, headers: inside });
    expect(JSON.parse(stopped.text)).toEqual({ isStopped: true });
    // Now the stream has an end.
    expect((await send(server.port, { path, headers: inside })).text).toContain('"is":"end"');
  });
});

test('the page is small: at most 60 KB gzipped in all', () => {
  const folder = join(ROOT, 'dist/surfaces/dashboard/assets');
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(sizes.length).toBeGreaterThanOrEqual(4);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60 * 1_024);
});

test.each([
  [['--port', '70000'], /number from 0 to 65535/],
  [['--cwd', '/nonexistent'], /Not a directory/],
])('%j is refused with what to do', async (args, message) => {
  const child = place.spawn(['dashboard', ...args]);
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, text }).toEqual({ code: 2, text: expect.stringMatching(message) });
});

test('on a terminal Enter prints another link, the one before no longer works, and Ctrl-C ends it', async (context) => {
  if (spawnSync('script', ['--version']).status !== 0) return context.skip('no script(1) to make a terminal');
  const words = [process.execPath, join(ROOT, 'bin/hardshell.js'), 'dashboard', '--port', '0'];
  const child = spawn('script', ['-qec', `exec ${words.join(' ')}`, '/dev/null'], { env: place.env, cwd: place.work });
  place.onClose(() => child.kill('SIGKILL'));
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const links = () => [...text.matchAll(/http:\/\/127\.0\.0\.1:(\d+)\/#enter=([0-9a-f]{64})/g)];
  await until(() => links().length === 1 && text.includes('press Enter'));
  child.stdin.write('\r');
  await until(() => links().length === 2);
  const [first, second] = links().map((match) => ({ port: Number(match[1]), token: match[2] }));
  const enter = async (link: typeof first) =>
    (await send(link?.port ?? 0, { path: '/api/enter', body: { token: link?.token } })).status;
  expect([await enter(first), await enter(second)]).toEqual([401, 200]);
  child.stdin.write('\x03');
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
});

test('a port that is taken is refused when it was named', async () => {
  const child = place.spawn(['dashboard', '--port', String(server.port)]);
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(2);
  expect(text).toMatch(/cannot be used.*\n.*--port/);
});
