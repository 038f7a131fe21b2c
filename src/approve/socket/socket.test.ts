// The socket against clients of every kind, and against other processes.

import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPlace, type Place, startHost, withKey } from '../../../test/approving/process.ts';
import { makeRequest } from '../../../test/approving/subject.ts';
import { type Broker, createBroker } from '../broker.ts';
import { answerPending, listPending } from './socket-client.ts';
import { type ApprovalSocket, openApprovalSocket } from './socket-server.ts';
import { type WatchEvent, watchPending } from './socket-watch.ts';

let place: Place;
let broker: Broker;
let socket: ApprovalSocket;
beforeEach(async () => {
  place = createPlace();
  broker = createBroker();
  socket = await openApprovalSocket(broker, { env: place.env, timeout: 200 });
});
afterEach(async () => {
  broker.close();
  await socket.close();
  place.remove();
});

const code = (): string => broker.pending()[0]?.code as string;

/** The server's response to these bytes before it closes the connection; requests get the key of the socket. */
function sendRaw(bytes: string | Buffer, open: (client: Socket) => void = () => {}): Promise<string> {
  return new Promise((resolve) => {
    const client = connect(socket.path, () => {
      client.write(typeof bytes === 'string' ? withKey(bytes, socket.path) : bytes);
      open(client);
    });
    let text = '';
    client.on('data', (chunk) => {
      text += chunk;
    });
    client.on('error', () => {});
    client.on('close', () => resolve(text));
  });
}

describe('within one process', () => {
  test('pending requests are listed completely, and answered', async () => {
    expect(await listPending({ env: place.env })).toEqual({ pending: [], problems: [] });
    const asked = broker.ask(makeRequest());
    const { pending } = await listPending({ env: place.env });
    const name = socket.path.slice(socket.path.lastIndexOf('/') + 1, -'.sock'.length);
    const host = { name, pid: process.pid, path: socket.path };
    expect(pending).toEqual([{ ...broker.pending()[0], host, longCode: `${code()}@${name}` }]);
    const [short] = pending.map((one) => one.code);
    const report = await answerPending(short?.toUpperCase() as string, { verdict: 'allow' }, { env: place.env });
    expect(await asked).toMatchObject({ verdict: 'allow', by: 'socket' });
    expect(report).toEqual({ status: 'accepted', answer: await asked, problem: null });
    expect(await answerPending(short as string, { verdict: 'deny' }, { env: place.env })).toEqual({
      status: 'already-answered',
      answer: await asked,
    });
  });

  test('the program that answers is recorded', async () => {
    for (const by of ['cli', 'dashboard'] as const) {
      const asked = broker.ask(makeRequest());
      await answerPending(code(), { verdict: 'allow' }, { env: place.env, by });
      expect(await asked).toMatchObject({ verdict: 'allow', by });
    }
  });

  test('for an unknown code, the pending codes are listed', async () => {
    const asked = broker.ask(makeRequest());
    expect(await answerPending('9999', { verdict: 'allow' }, { env: place.env })).toMatchObject({
      status: 'unknown-code',
      pending: [{ code: code() }],
    });
    broker.close();
    expect(await asked).toMatchObject({ verdict: 'deny' });
  });

  test('a reply that the broker refuses leaves it waiting', async () => {
    void broker.ask(makeRequest());
    const reply = { verdict: 'allow', scope: 'session', rule: 'Bash(*)' } as const;
    expect(await answerPending(code(), reply, { env: place.env })).toMatchObject({ status: 'refused' });
    expect(broker.pending()).toHaveLength(1);
  });

  test('a watcher sees pending, new and answered requests', async () => {
    const first = broker.ask(makeRequest());
    const controller = new AbortController();
    const events: WatchEvent[] = [];
    const heard = new Map<number, () => void>();
    const until = (count: number) => new Promise<void>((resolve) => heard.set(count, resolve));
    const [one, two, three] = [until(1), until(2), until(3)];
    const watching = watchPending(
      (event) => {
        events.push(event);
        heard.get(events.length)?.();
      },
      { env: place.env, signal: controller.signal, interval: 5 },
    );
    await one;
    void broker.ask(makeRequest({ command: 'ls' }));
    await two;
    await broker.answer(code(), { verdict: 'deny', reason: 'no' });
    await three;
    controller.abort();
    await watching;
    await first;
    expect(events.map((event) => (event.is === 'pending' ? event.approval.request.command : event.is))).toEqual([
      'git push origin main',
      'ls',
      'answered',
    ]);
  });
});

describe('clients that send invalid data are disconnected, and nothing else happens', () => {
  test.each<[string, string | Buffer]>([
    ['no JSON', 'allow it\n'],
    ['no object', '5\n'],
    ['null', 'null\n'],
    ['no verb', '{"v":1}\n'],
    ['another verb', '{"v":1,"do":"close"}\n'],
    ['no code', '{"v":1,"do":"answer","reply":{"verdict":"allow"}}\n'],
    ['no reply', '{"v":1,"do":"answer","code":"CODE"}\n'],
    [
      'a line beyond the limit',
      `{"v":1,"do":"answer","code":"CODE","reply":{"verdict":"allow"},"x":"${'y'.repeat(20_000)}"}\n`,
    ],
    ['endless bytes', Buffer.alloc(100_000, 'x')],
    ['NUL and invalid UTF-8', Buffer.from([0, 255, 254, 10])],
    ['deep JSON', `${'['.repeat(16_000)}\n`],
  ])('%s', async (_, bytes) => {
    void broker.ask(makeRequest());
    const sent = typeof bytes === 'string' ? bytes.replace('CODE', code()) : bytes;
    expect(await sendRaw(sent)).toBe('');
    expect(broker.pending()).toHaveLength(1);
  });

  test.each([
    ['none', ''],
    ['an empty one', '"key":"",'],
    ['another', `"key":"${'0'.repeat(64)}",`],
    ['a list', '"key":["x"],'],
  ])('a client without the key is refused, and sees nothing: %s', async (_, key) => {
    void broker.ask(makeRequest());
    const answer = `"do":"answer","code":"${code()}","reply":{"verdict":"allow"}`;
    for (const request of ['"do":"list"', '"do":"watch"', `"do":"find","code":"${code()}"`, answer]) {
      const said = await sendRaw(`{${key} "v":1,${request}}\n`);
      expect(JSON.parse(said)).toEqual({ is: 'error', message: expect.stringMatching(/^Permission denied: .* key /) });
    }
    expect(broker.pending()).toHaveLength(1);
  });

  test('the key is private to this user, and removed with the socket', async () => {
    const file = socket.path.replace(/sock$/, 'key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await socket.close();
    expect(existsSync(file)).toBe(false);
  });

  test('a client of another version is told which one', async () => {
    expect(await sendRaw('{"v":2,"do":"list"}\n')).toMatch(/"is":"error".*version 1 of the approval protocol, not 2/);
  });

  test('a reply that is not an approval does not allow', async () => {
    void broker.ask(makeRequest());
    for (const reply of ['{"verdict":"ALLOW"}', '{"verdict":["allow"]}', '[]', '{"__proto__":{"verdict":"allow"}}']) {
      const said = await sendRaw(`{"v":1,"do":"answer","code":"${code()}","reply":${reply}}\n`);
      expect(JSON.parse(said)).toMatchObject({ receipt: { status: 'refused' } });
    }
    expect(broker.pending()).toHaveLength(1);
  });

  test.each<[string, string, string]>([
    ['hardshell approve', '"cli"', 'cli'],
    ['the dashboard', '"dashboard"', 'dashboard'],
    ['nothing', 'null', 'socket'],
    // Surfaces of the host process, and denials without an answer, cannot be claimed from outside.
    ['a surface of the host', '"terminal"', 'socket'],
    ['another one', '"mcp"', 'socket'],
    ['not a surface', '"timeout"', 'socket'],
    ['a cancellation', '"cancelled"', 'socket'],
    ['other text', '"cli\\u001b[2J\\n"', 'socket'],
    ['other case', '"CLI"', 'socket'],
    ['a name that every object has', '"constructor"', 'socket'],
    ['a list', '["cli"]', 'socket'],
    ['an object', '{"toString":"cli"}', 'socket'],
  ])('a client that claims to be %s is recorded by a name of ours', async (_, by, recorded) => {
    const asked = broker.ask(makeRequest());
    await sendRaw(`{"v":1,"do":"answer","code":"${code()}","reply":{"verdict":"deny"},"by":${by}}\n`);
    expect(await asked).toMatchObject({ verdict: 'deny', by: recorded });
  });

  test('a second request on one connection, a silent client, and one that drips', async () => {
    expect(await sendRaw('{"v":1,"do":"watch"}\n{"v":1,"do":"list"}\n')).not.toContain('receipt');
    expect(await sendRaw('')).toBe('');
    const drip = await sendRaw('{', (client) => {
      const timer = setInterval(() => client.write(' '), 20);
      client.on('close', () => clearInterval(timer));
    });
    expect(drip).toBe('');
  });

  test('fifty answers at once: one counts, all are notified', async () => {
    const asked = broker.ask(makeRequest());
    const [open] = [code()];
    const reports = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        answerPending(open, { verdict: i % 2 === 0 ? 'allow' : 'deny' }, { env: place.env }),
      ),
    );
    const accepted = reports.filter(({ status }) => status === 'accepted');
    expect(accepted).toHaveLength(1);
    const answer = await asked;
    expect(accepted[0]).toMatchObject({ answer });
    for (const report of reports) expect(report).toMatchObject({ answer });
  });
});

describe('between processes', () => {
  test('one waits, the other answers', async () => {
    const host = startHost(['git push -f'], place.env);
    const { codes } = await host.ready;
    const { pending } = await listPending({ env: place.env });
    expect(pending.map(({ host: { pid }, request }) => [pid, request.command])).toEqual([
      [host.child.pid, 'git push -f'],
    ]);
    await answerPending(codes[0] as string, { verdict: 'allow' }, { env: place.env });
    expect(await host.all('answer')).toMatchObject([{ verdict: 'allow', by: 'socket' }]);
    expect(await host.ended).toBe(0);
    // The socket of this process, and its key.
    expect(readdirSync(join(place.folder, 'run/approvals'))).toHaveLength(2);
  });

  test('a code that two processes use needs its long form', async () => {
    const hosts = [startHost(['--same-code', 'a1'], place.env), startHost(['--same-code', 'b1'], place.env)];
    await Promise.all(hosts.map(({ ready }) => ready));
    const report = await answerPending('3333', { verdict: 'allow' }, { env: place.env });
    if (report.status !== 'ambiguous') throw new Error(`it is ${report.status}`);
    const chosen = report.candidates.find(({ request }) => request.command === 'b1');
    expect(await answerPending(chosen?.longCode as string, { verdict: 'allow' }, { env: place.env })).toMatchObject({
      status: 'accepted',
    });
    expect(await hosts[1]?.all('answer')).toMatchObject([{ verdict: 'allow' }]);
    // Only one is left: the short form is enough.
    await answerPending('3333', { verdict: 'deny' }, { env: place.env });
    expect(await hosts[0]?.all('answer')).toMatchObject([{ verdict: 'deny' }]);
  });

  test('the socket of a process that was killed is removed by the next process that finds it', async () => {
    const host = startHost(['--crash', 'ls'], place.env);
    await host.ended;
    const left = () =>
      readdirSync(join(place.folder, 'run/approvals')).filter((file) => file.startsWith(`${host.child.pid}-`));
    expect(left()).toEqual([expect.stringMatching(/\.key$/), expect.stringMatching(/\.sock$/)]);
    expect(await listPending({ env: place.env })).toEqual({ pending: [], problems: [] });
    expect(left()).toEqual([]);
  });

  test('other files are not touched, and the socket of a live process is kept', async () => {
    const folder = join(place.folder, 'run/approvals');
    writeFileSync(join(folder, 'notes.txt'), '');
    writeFileSync(join(folder, `${process.pid}-abc.sock`), '');
    await listPending({ env: place.env });
    expect(readdirSync(folder)).toHaveLength(4);
  });

  test('a host that sends garbage, or hangs up, is reported and not fatal', async () => {
    const folder = join(place.folder, 'run/approvals');
    const says = ['', 'hello\n', '{"v":1,"is":"pending","pending":{}}\n', `${'x'.repeat(5_000_000)}\n`];
    const servers = says.map((text, i) => {
      const server = createServer((client) => client.on('error', () => {}).end(text));
      return new Promise<typeof server>((resolve) => {
        server.listen(join(folder, `${process.pid}-fake${i}.sock`), () => resolve(server));
      });
    });
    void broker.ask(makeRequest());
    const opened = await Promise.all(servers);
    const { pending, problems } = await listPending({ env: place.env });
    expect(pending).toHaveLength(1);
    expect(problems).toHaveLength(says.length);
    for (const server of opened) server.close();
  });
});
