// SOCKS5, questions, limits, listeners and real clients, over sockets on loopback.

import { execFile, spawn, spawnSync } from 'node:child_process';
import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectionRequest, Decision } from './decision.ts';
import { proxyEnvironment } from './environment.ts';
import type { FilteringProxy, ProxyOptions } from './proxy.ts';
import { createProxy } from './proxy.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'hardshell-proxy-'));
const open = new Set<{ close: () => unknown }>();
let hits = 0;
let port = 0;

/** Answers every request of a connection with the same response. */
const origin: Server = createServer((socket) => {
  hits++;
  socket.on('error', () => {});
  socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  port = (origin.address() as AddressInfo).port;
});
afterAll(() => {
  origin.close();
  rmSync(FOLDER, { recursive: true });
});
afterEach(async () => {
  for (const each of open) await each.close();
  open.clear();
  hits = 0;
});

type Started = FilteringProxy & { at: number; decisions: Decision[] };

async function start(options: Partial<ProxyOptions> = {}): Promise<Started> {
  const decisions: Decision[] = [];
  const proxy = await createProxy({
    listen: { port: 0 },
    domains: { allow: ['good.test:*'], deny: ['denied.test'] },
    allowAddresses: ['127.0.0.1'],
    resolve: async () => ['127.0.0.1'],
    onDecision: (decision) => decisions.push(decision),
    ...options,
  });
  open.add(proxy);
  return Object.assign(proxy, { at: proxy.port as number, decisions });
}

/** Sends portions, each after an answer to the previous one; returns the data until the end or `count` bytes. */
function talk(
  place: { port: number } | { path: string },
  portions: (Buffer | string)[],
  count = Infinity,
): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect(place);
    const rest = [...portions];
    let got = Buffer.alloc(0);
    open.add({ close: () => socket.destroy() });
    const next = () => rest.length > 0 && socket.write(rest.shift() as Buffer);
    socket.on('error', () => {});
    socket.on('connect', next);
    socket.on('data', (data) => {
      got = Buffer.concat([got, data]);
      next();
      if (got.length >= count) resolve(got);
    });
    socket.on('close', () => resolve(got));
  });
}

const get = (host: string, extra = '') =>
  `GET http://${host}:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${extra}\r\n`;
const status = async (proxy: Started, host: string, extra = '') =>
  Number((await talk({ port: proxy.at }, [get(host, extra)])).toString().slice(9, 12));

describe('SOCKS5', () => {
  const GREETING = Buffer.from([5, 1, 0]);
  const ask = (command: number, type: number, place: Buffer | string, to = port, reserved = 0) =>
    Buffer.concat([Buffer.from([5, command, reserved, type]), Buffer.from(place), Buffer.from([to >> 8, to & 255])]);
  const name = (text: string) => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
  const HTTP = 'GET / HTTP/1.1\r\n\r\n';

  test.each<[string, () => Buffer]>([
    ['a name', () => ask(1, 3, name('good.test'))],
    ['a name in capitals with a dot', () => ask(1, 3, name('GOOD.test.'))],
    ['an address that is allowed', () => ask(1, 1, Buffer.from([127, 0, 0, 1]))],
    ['an address as text', () => ask(1, 3, name('127.0.0.1'))],
    ['a mapped address', () => ask(1, 4, Buffer.from('00000000000000000000ffff7f000001', 'hex'))],
  ])('%s is connected', async (_, request) => {
    const proxy = await start({ allowAddresses: [`127.0.0.1:${port}`] });
    const answer = await talk({ port: proxy.at }, [GREETING, request(), HTTP], 52);
    expect(answer.subarray(0, 12).toString('hex')).toBe('050005000001000000000000');
    expect(answer.toString('latin1', 12)).toBe('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    expect(proxy.decisions).toMatchObject([{ verdict: 'allow', protocol: 'socks5', address: '127.0.0.1', port }]);
  });

  test.each<[string, () => Buffer, number]>([
    ['a forbidden name', () => ask(1, 3, name('evil.test')), 2],
    ['a denied name', () => ask(1, 3, name('denied.test')), 2],
    ['NUL in a name', () => ask(1, 3, name('evil.test\0.good.test')), 2],
    ['NUL after a name', () => ask(1, 3, name('good.test\0')), 2],
    ['an empty name', () => ask(1, 3, name('')), 2],
    ['a name with a port', () => ask(1, 3, name('good.test:80')), 2],
    [
      'a name that is not UTF-8',
      () => ask(1, 3, Buffer.concat([Buffer.from([3]), Buffer.from([0xff, 0xfe, 0x41])])),
      2,
    ],
    ['another address', () => ask(1, 1, Buffer.from([127, 0, 0, 2])), 2],
    ['::1', () => ask(1, 4, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])), 2],
    ['port 0', () => ask(1, 3, name('good.test'), 0), 2],
    ['BIND', () => ask(2, 3, name('good.test')), 7],
    ['UDP ASSOCIATE', () => ask(3, 1, Buffer.alloc(4)), 7],
    ['an unknown command', () => ask(9, 3, name('good.test')), 7],
    ['an unknown kind of address', () => ask(1, 2, name('good.test')), 8],
    ['a reserved byte that is not zero', () => ask(1, 3, name('good.test'), port, 1), 1],
    ['a port without a listener', () => ask(1, 3, name('good.test'), 1), 5],
  ])('%s is refused', async (_, request, reply) => {
    const proxy = await start();
    const answer = await talk({ port: proxy.at }, [GREETING, request()]);
    expect([...answer]).toEqual([5, 0, 5, reply, 0, 1, 0, 0, 0, 0, 0, 0]);
    expect(hits).toBe(0);
  });

  test.each([
    ['no methods', [5, 0], '05ff'],
    ['unknown methods', [5, 2, 1, 3], '05ff'],
    ['user and password if none are required', [5, 1, 2], '0502'],
    ['both', [5, 2, 2, 0], '0500'],
  ])('%s', async (_, greeting, expected) => {
    const proxy = await start();
    expect((await talk({ port: proxy.at }, [Buffer.from(greeting)], 2)).toString('hex')).toBe(expected);
  });

  const login = (user: string, password: string) => Buffer.concat([Buffer.from([1]), name(user), name(password)]);
  test.each([
    ['the right password', 'u', 'p:ä', '0502010005000001000000000000'],
    ['a wrong password', 'u', 'x', '05020101'],
    ['a wrong user', 'x', 'p:ä', '05020101'],
    ['an empty password', 'u', '', '05020101'],
  ])('%s', async (_, user, password, expected) => {
    const proxy = await start({ credentials: { user: 'u', password: 'p:ä' } });
    const portions = [Buffer.from([5, 2, 0, 2]), login(user, password), ask(1, 3, name('good.test'))];
    expect((await talk({ port: proxy.at }, portions, 14)).toString('hex')).toBe(expected);
  });

  test('no password if one is required', async () => {
    const proxy = await start({ credentials: { user: 'u', password: 'p' } });
    expect((await talk({ port: proxy.at }, [GREETING])).toString('hex')).toBe('05ff');
  });

  test('a handshake that ends early leaves nothing behind', async () => {
    const proxy = await start({ limits: { headTimeoutMs: 50 } });
    expect((await talk({ port: proxy.at }, [Buffer.from([5, 200, 0])])).length).toBe(0);
    await expect.poll(() => proxy.statistics()).toMatchObject({ open: 0, malformed: 1 });
  });
});

describe('large streams pass a tunnel unchanged', () => {
  const SIZE = 24 * 1024 * 1024;
  // No portion looks like another, so a buffer that is reused too early is detected.
  const bytes = Buffer.alloc(SIZE);
  for (let i = 0; i < SIZE; i += 4) bytes.writeUInt32LE(i, i);
  const digest = (hash: Hash) => hash.digest('hex');
  const expected = createHash('sha256').update(bytes).digest('hex');

  test.each([
    ['to a client that reads at once', 0],
    ['to a client that pauses sometimes', 400],
  ])('down, %s', async (_, stops) => {
    const server = createServer((socket) => socket.on('error', () => {}).end(bytes));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.add(server);
    const proxy = await start();
    const socket = connect(proxy.at, '127.0.0.1');
    const hash = createHash('sha256');
    let head = '';
    let portions = 0;
    socket.write(`CONNECT good.test:${(server.address() as AddressInfo).port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    socket.on('data', (data) => {
      if (head === '') {
        const at = data.indexOf('\r\n\r\n') + 4;
        head = data.toString('latin1', 0, at);
        hash.update(data.subarray(at));
      } else hash.update(data);
      if (portions++ >= stops || portions % 8 !== 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), 1);
    });
    await new Promise((resolve) => socket.on('end', resolve));
    expect(digest(hash)).toBe(expected);
  });

  test('up', async () => {
    const hash = createHash('sha256');
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {}).on('data', (data) => hash.update(data));
      socket.on('end', () => socket.end('thanks'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.add(server);
    const proxy = await start();
    const socket = connect({ port: proxy.at, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.write(`CONNECT good.test:${(server.address() as AddressInfo).port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    socket.end(bytes);
    await new Promise((resolve) => socket.on('end', resolve));
    expect([answer.endsWith('thanks'), digest(hash)]).toEqual([true, expected]);
  });
});

describe('HTTP with credentials', () => {
  const basic = (text: string) => `Proxy-Authorization: Basic ${Buffer.from(text).toString('base64')}\r\n`;
  test.each([
    ['right', basic('u:p'), 200],
    ['none', '', 407],
    ['wrong', basic('u:x'), 407],
    ['twice', basic('u:p') + basic('u:p'), 407],
    ['another scheme', 'Proxy-Authorization: Bearer x\r\n', 407],
  ])('%s', async (_, header, expected) => {
    const proxy = await start({ credentials: { user: 'u', password: 'p' } });
    expect(await status(proxy, 'good.test', header)).toBe(expected);
    expect(hits).toBe(expected === 200 ? 1 : 0);
  });
});

describe('hosts that no rule names', () => {
  type Ask = NonNullable<ProxyOptions['onUnknown']>;
  test.each<[string, Ask, number, string]>([
    ['yes', async () => 'allow', 200, 'approved'],
    ['no', async () => 'deny', 403, 'not-approved'],
    ['something else', async () => 'yes' as never, 403, 'not-approved'],
    ['an error', async () => Promise.reject(new Error('x')), 403, 'no-answer'],
    [
      'an error at once',
      () => {
        throw new Error('x');
      },
      403,
      'no-answer',
    ],
    ['silence', () => new Promise(() => {}), 403, 'no-answer'],
  ])('answered with %s', async (_, onUnknown, expected, reason) => {
    const proxy = await start({ onUnknown, unknownTimeoutMs: 50 });
    expect(await status(proxy, 'new.test')).toBe(expected);
    expect(proxy.decisions).toMatchObject([{ host: 'new.test', reason }]);
    expect(hits).toBe(expected === 200 ? 1 : 0);
  });

  test.each<[string, Ask, string]>([
    ['no', async () => 'deny', 'permission was asked for and denied'],
    ['silence', () => new Promise(() => {}), 'permission was asked for and not answered'],
  ])('the status line has the result of a question answered with %s', async (_, onUnknown, phrase) => {
    const proxy = await start({ onUnknown, unknownTimeoutMs: 50 });
    const answer = (
      await talk({ port: proxy.at }, ['CONNECT new.test:443 HTTP/1.1\r\nHost: new.test\r\n\r\n'])
    ).toString();
    expect(answer.split('\r\n')[0]).toBe(`HTTP/1.1 403 hardshell: new.test:443 is not allowed; ${phrase}`);
  });

  test('an answer after the time is up changes nothing, and its question is withdrawn', async () => {
    const answers: ((answer: 'allow') => void)[] = [];
    const signals: AbortSignal[] = [];
    const onUnknown: Ask = (_, signal) => {
      signals.push(signal);
      return new Promise((resolve) => answers.push(resolve));
    };
    const proxy = await start({ onUnknown, unknownTimeoutMs: 50 });
    expect(await status(proxy, 'new.test')).toBe(403);
    expect(signals[0]?.aborted).toBe(true);
    answers[0]?.('allow');
    expect(await status(proxy, 'new.test')).toBe(403);
    expect([answers.length, hits]).toEqual([2, 0]);
  });

  test('the same host is asked about once, different hosts in parallel', async () => {
    const asked: ConnectionRequest[] = [];
    let answer: (value: 'allow') => void = () => {};
    const wait = new Promise<'allow'>((resolve) => {
      answer = resolve;
    });
    const proxy = await start({
      onUnknown: (request) => {
        if (asked.push(request) === 2) answer('allow');
        return wait;
      },
    });
    const all = ['new.test', 'NEW.test.', 'new.test', 'other.test'].map((host) => status(proxy, host));
    expect(await Promise.all(all)).toEqual([200, 200, 200, 200]);
    expect(asked.map(({ host }) => host).sort()).toEqual(['new.test', 'other.test']);
    expect(await status(proxy, 'new.test')).toBe(200);
    expect(asked.length).toBe(2);
  });

  test('answers are not kept if keeping is disabled', async () => {
    let asked = 0;
    const proxy = await start({ rememberAnswers: false, onUnknown: async () => (++asked > 1 ? 'deny' : 'allow') });
    expect([await status(proxy, 'new.test'), await status(proxy, 'new.test')]).toEqual([200, 403]);
  });

  test.each([
    ['a denied host', 'denied.test'],
    ['a private address', '10.0.0.1'],
    ['the metadata of a cloud', '169.254.169.254'],
  ])('no question about %s', async (_, host) => {
    let asked = 0;
    const proxy = await start({
      onUnknown: async () => {
        asked++;
        return 'allow';
      },
    });
    expect([await status(proxy, host), asked]).toEqual([403, 0]);
  });

  test('an answer may take longer than a connection may be silent', async () => {
    const onUnknown: Ask = () => new Promise((resolve) => setTimeout(() => resolve('allow'), 300));
    const proxy = await start({ onUnknown, limits: { idleMs: 100 } });
    expect(await status(proxy, 'new.test')).toBe(200);
  });

  test('a yes does not open private addresses', async () => {
    const proxy = await start({ onUnknown: async () => 'allow', resolve: async () => ['10.0.0.1'] });
    expect(await status(proxy, 'new.test')).toBe(403);
    expect(proxy.decisions).toMatchObject([{ reason: 'address', address: '10.0.0.1' }]);
  });

  test('closing the proxy ends the wait', async () => {
    let begun: () => void = () => {};
    const isAsked = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const proxy = await start({
      onUnknown: () => {
        begun();
        return new Promise(() => {});
      },
    });
    const answer = talk({ port: proxy.at }, [get('new.test')]);
    await isAsked;
    await proxy.close();
    await answer;
    expect(hits).toBe(0);
  });
});

describe('limits', () => {
  test.each([
    ['says nothing', '', ''],
    ['stops in the request line', 'GET http://go', '408'],
    ['stops in the headers', 'GET http://good.test/ HTTP/1.1\r\nHost: x\r\nX-', '408'],
    ['stops in a SOCKS greeting', Buffer.from([5]), ''],
  ])('a client that %s is closed', async (_, bytes, expected) => {
    const proxy = await start({ limits: { headTimeoutMs: 50 } });
    const answer = await talk({ port: proxy.at }, bytes === '' ? [] : [bytes]);
    expect(answer.toString().slice(9, 12)).toBe(expected);
    await expect.poll(() => proxy.statistics().open).toBe(0);
  });

  test('a client that sends a head letter by letter gets no extra time', async () => {
    const proxy = await start({ limits: { headTimeoutMs: 80 } });
    const socket = connect(proxy.at, '127.0.0.1');
    const timer = setInterval(() => socket.write('X'), 5);
    await new Promise((resolve) =>
      socket
        .on('error', () => {})
        .resume()
        .on('close', resolve),
    );
    clearInterval(timer);
    await expect.poll(() => proxy.statistics().open).toBe(0);
  });

  test('a body that never comes, a tunnel without a byte: closed after the idle timeout', async () => {
    const proxy = await start({ limits: { idleMs: 50 } });
    await talk({ port: proxy.at }, [`POST http://good.test:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n`]);
    await talk({ port: proxy.at }, [`CONNECT good.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`]);
    await expect.poll(() => proxy.statistics().open).toBe(0);
  });

  test('a TLS greeting that stops half-way is closed', async () => {
    const proxy = await start({ limits: { headTimeoutMs: 50 } });
    await talk({ port: proxy.at }, [
      `CONNECT good.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`,
      Buffer.from([0x16, 3, 1, 2, 0, 1]),
    ]);
    await expect.poll(() => proxy.statistics().open).toBe(0);
  });

  test('200 clients at once', async () => {
    const proxy = await start();
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, i) => status(proxy, i % 2 === 0 ? 'good.test' : 'evil.test')),
    );
    expect(all.filter((each) => each === 200).length).toBe(100);
    expect(all.filter((each) => each === 403).length).toBe(100);
    expect(proxy.statistics()).toMatchObject({ connections: 200, allowed: 100, refused: 100, dropped: 0 });
  });

  test('clients above the limit are closed, the others continue', async () => {
    const proxy = await start({ limits: { connections: 2 } });
    const held = [connect(proxy.at, '127.0.0.1'), connect(proxy.at, '127.0.0.1')];
    for (const socket of held) {
      socket.write(`CONNECT good.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await new Promise((resolve) => socket.once('data', resolve));
    }
    expect((await talk({ port: proxy.at }, [get('good.test')])).length).toBe(0);
    expect(proxy.statistics()).toMatchObject({ open: 2, dropped: 1 });
    for (const socket of held) {
      socket.destroy();
      await new Promise((resolve) => socket.on('close', resolve));
    }
    await expect.poll(() => proxy.statistics().open).toBe(0);
    expect(await status(proxy, 'good.test')).toBe(200);
  });

  test('closing ends active connections', async () => {
    const proxy = await start();
    const pending = talk({ port: proxy.at }, [`CONNECT good.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`]);
    await expect.poll(() => proxy.statistics().allowed).toBe(1);
    await proxy.close();
    await pending;
    expect(proxy.statistics().open).toBe(0);
    expect((await talk({ port: proxy.at }, [get('good.test')])).length).toBe(0);
  });

  test('a listener that throws changes nothing', async () => {
    const proxy = await start({
      onDecision: () => {
        throw new Error('x');
      },
    });
    expect(await status(proxy, 'good.test')).toBe(200);
    expect(await status(proxy, 'evil.test')).toBe(403);
  });
});

describe('listeners', () => {
  test('a socket file', async () => {
    const path = join(FOLDER, 'proxy.sock');
    const proxy = await start({ listen: { path } });
    expect(proxy.port).toBe(null);
    expect((await talk({ path }, [get('evil.test')])).toString()).toContain('403 hardshell: evil.test:');
  });

  test('a server that is already listening', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = await start({ listen: { server } });
    expect(await status(proxy, 'good.test')).toBe(200);
    await proxy.close();
    expect(server.listening).toBe(false);
  });

  test('a server that another process opened and handed over', async () => {
    const code = `const server = require('node:net').createServer();
      server.listen(0, '127.0.0.1', () => process.send(server.address().port, server, () => process.exit()));`;
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [at, server] = await new Promise<[number, Server]>((resolve) =>
      child.on('message', (message, handle) => resolve([message as number, handle as Server])),
    );
    const proxy = await start({ listen: { server } });
    expect(proxy.port).toBe(at);
    expect(await status(proxy, 'good.test')).toBe(200);
    expect(await status(proxy, 'evil.test')).toBe(403);
  });

  test('a port that is taken is reported as such', async () => {
    await expect(createProxy({ listen: { port }, domains: { allow: [], deny: [] } })).rejects.toThrow(
      'The proxy cannot listen.',
    );
  });

  test('an invalid pattern is an error, not a missing rule', async () => {
    const domains = { allow: [], deny: ['*evil.test'] };
    await expect(createProxy({ listen: { port: 0 }, domains })).rejects.toThrow('is not valid');
  });

  test('with an empty allow list nothing is reachable', async () => {
    const proxy = await start({ domains: { allow: [], deny: [] } });
    expect([await status(proxy, 'good.test'), await status(proxy, '1.1.1.1'), hits]).toEqual([403, 403, 0]);
  });
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe('curl', () => {
  beforeEach((context) => context.skip(!hasCurl, 'curl is not installed'));
  const curl = async (environment: Record<string, string>, ...words: string[]) => {
    const env = { PATH: process.env.PATH ?? '', ...environment };
    const options = ['-sS', '-m', '10', '-w', '\\n%{http_code}', ...words];
    return promisify(execFile)('curl', options, { env }).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr.trim(),
    );
  };

  test.each<[string, string, RegExp]>([
    ['an allowed host', 'http://good.test:PORT/', /^ok\n200$/],
    ['a refused host', 'http://evil.test:PORT/', /^hardshell refused the connection to evil\.test:\d+: .*\n.*\n\n403$/],
    ['a refused tunnel', 'https://evil.test:PORT/', /CONNECT tunnel failed, response 403/],
  ])('%s through the variables', async (_, url, expected) => {
    const proxy = await start();
    const printed = await curl(proxyEnvironment({ port: proxy.at }), url.replace('PORT', String(port)));
    expect(printed).toMatch(expected);
  });

  test.each([
    ['socks5h', 'good.test', 'ok\n200'],
    ['socks5h', 'evil.test', 'curl: (97) '],
    ['socks5', '127.0.0.1', 'ok\n200'],
  ])('%s to %s', async (scheme, host, expected) => {
    const proxy = await start({ allowAddresses: [`127.0.0.1:${port}`] });
    const printed = await curl({}, '-x', `${scheme}://127.0.0.1:${proxy.at}`, `http://${host}:${port}/`);
    expect(printed.startsWith(expected) ? expected : printed).toBe(expected);
  });

  test('over a socket file', async () => {
    const path = join(FOLDER, 'with blank.sock');
    await start({ listen: { path } });
    const printed = await curl(proxyEnvironment({ path }), `http://good.test:${port}/`);
    expect(printed).toBe('ok\n200');
  });
});
