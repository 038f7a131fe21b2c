// Real sockets on loopback. Every name resolves to the origin server of the test, so a request that gets through is counted.

import { createServer as createHttpServer, get as httpGet, request as httpRequest } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as tlsConnect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Decision } from './decision.ts';
import type { FilteringProxy, ProxyOptions } from './proxy.ts';
import { createProxy } from './proxy.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

const seen: Seen[] = [];
const raw: Buffer[] = [];
const open = new Set<{ close: () => unknown }>();
let origin = 0;
let rawOrigin = 0;
const servers: Server[] = [];

/** Echoes the request. */
const http = createHttpServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('error', () => {});
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    if (request.url === '/redirect') {
      response.writeHead(302, { location: `http://evil.test:${origin}/` }).end();
    } else if (request.url === '/chunks') {
      response.write('one,');
      response.end('two');
    } else if (request.url === '/hop') {
      response.writeHead(200, {
        connection: 'x-secret, close',
        'x-secret': '1',
        'keep-alive': 'timeout=5',
        'x-kept': '1',
      });
      response.end('hop');
    } else response.end(`${request.method} ${body}`);
  });
});
/** Sends first and echoes its input. */
const echo = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    raw.push(chunk);
    socket.write(chunk);
  });
  socket.write('hello ');
});

const listen = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return (server.address() as AddressInfo).port;
};

beforeAll(async () => {
  origin = await listen(http);
  rawOrigin = await listen(echo);
});
afterAll(() => {
  http.closeAllConnections();
  for (const server of servers) server.close();
});
afterEach(async () => {
  for (const each of open) await each.close();
  open.clear();
  seen.length = 0;
  raw.length = 0;
});

type Started = FilteringProxy & { at: number; decisions: Decision[] };

async function start(options: Partial<ProxyOptions> = {}): Promise<Started> {
  const decisions: Decision[] = [];
  const proxy = await createProxy({
    listen: { port: 0 },
    domains: {
      allow: ['good.test:*', '*.wild.test:*', 'plain.test', 'xn--bcher-kva.test:*'],
      deny: ['bad.wild.test'],
    },
    allowAddresses: ['127.0.0.1'],
    resolve: async () => ['127.0.0.1'],
    onDecision: (decision) => decisions.push(decision),
    ...options,
  });
  open.add(proxy);
  return Object.assign(proxy, { at: proxy.port as number, decisions });
}

/** Sends bytes and returns everything until the other side is done. */
function send(port: number, bytes: string | Buffer, options: { isHalfClosed?: boolean } = {}): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    open.add({ close: () => socket.destroy() });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(Buffer.concat(chunks)));
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    if (options.isHalfClosed) socket.end();
  });
}

const CLOSE = 'Connection: close\r\n';
const fill = (text: string) => text.replaceAll('PORT', String(origin));
const get = (url: string, extra = CLOSE) => `GET ${url} HTTP/1.1\r\nHost: good.test\r\n${extra}\r\n`;
const statusOf = (answer: Buffer) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1'))?.[1] ?? 0);

describe('refused by name', () => {
  test.each([
    ['a host that no rule names', 'http://evil.test:PORT/', 'unknown-host'],
    ['in capitals', 'HTTP://EVIL.TEST:PORT/', 'unknown-host'],
    ['with a final dot', 'http://evil.test.:PORT/', 'unknown-host'],
    ['an allowed name in front', 'http://good.test.evil.test:PORT/', 'unknown-host'],
    ['an allowed name at the end', 'http://notgood.test:PORT/', 'unknown-host'],
    ['an allowed name in the path', 'http://evil.test:PORT/good.test', 'unknown-host'],
    ['an allowed name in the query', 'http://evil.test:PORT?@good.test', 'unknown-host'],
    ['below a name without a star', 'http://www.good.test:PORT/', 'unknown-host'],
    ['the name itself where the rule has a star', 'http://wild.test:PORT/', 'unknown-host'],
    ['a denied name below an allowed star', 'http://bad.wild.test:PORT/', 'denied'],
    ['a denied name in capitals with a dot', 'http://BAD.Wild.Test.:PORT/', 'denied'],
    ['a port that the rule does not name', 'http://plain.test:PORT/', 'port'],
    ['a public address although its name is allowed', 'http://93.184.216.34:PORT/', 'unknown-host'],
    ['another encoded name', 'http://xn--bchr-1oa.test:PORT/', 'unknown-host'],
  ])('%s', async (_, url, reason) => {
    const proxy = await start();
    for (const request of [
      get(fill(url)),
      `CONNECT ${fill(url).replace(/^http:\/\/([^/?]*).*/i, '$1')} HTTP/1.1\r\nHost: good.test\r\n\r\n`,
    ]) {
      const answer = (await send(proxy.at, request)).toString('latin1');
      expect(answer).toMatch(/^HTTP\/1\.1 403 hardshell: \S+:\d+ is (?:not allowed[,;]|denied by) [ -~]+\r\n/);
      expect(answer).toMatch(new RegExp(`\\r\\nx-hardshell-denied: \\S+:${origin} ${reason}\\r\\n`));
      expect(answer).toContain('hardshell refused the connection to');
    }
    expect(proxy.decisions.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ['deny', reason],
      ['deny', reason],
    ]);
    expect(proxy.statistics().refused).toBe(2);
    expect([seen, raw]).toEqual([[], []]);
  });

  test('a refused name is not even looked up: the question itself would carry data out', async () => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ['127.0.0.1'];
    };
    const proxy = await start({ resolve, onUnknown: async () => 'deny' });
    for (const host of ['secret.evil.test', 'bad.wild.test', 'plain.test'])
      await send(proxy.at, get(`http://${host}:${origin}/`));
    expect(asked).toEqual([]);
  });

  test('the answer says how to allow the host', async () => {
    const proxy = await start();
    const answer = (
      await send(proxy.at, get('http://evil.test/x?token=secret', `${CLOSE}Cookie: secret\r\n`))
    ).toString();
    expect(answer).toContain(
      "hardshell refused the connection to evil.test:80: no rule allows this host.\nTo allow it: hardshell config add allow 'Network(evil.test)'\n",
    );
    expect(JSON.stringify(proxy.decisions)).not.toContain('secret');
  });

  test.each([
    ['evil.test:8080', 'evil.test:8080 is not allowed; add it to domains.allow'],
    ['bad.wild.test:443', 'bad.wild.test:443 is denied by "bad.wild.test" in domains.deny'],
    ['plain.test:81', 'plain.test:81 is not allowed, only other ports of this host are; add it to domains.allow'],
    [
      '10.0.0.1:443',
      '10.0.0.1:443 is not allowed; 10.0.0.1 is an address of a private network; add the address to sandbox.network.allowAddresses',
    ],
  ])('the status line has the reason too, since many programs show nothing else: %s', async (place, phrase) => {
    const proxy = await start();
    const tunnel = (await send(proxy.at, `CONNECT ${place} HTTP/1.1\r\nHost: x\r\n\r\n`)).toString('latin1');
    const plain = (await send(proxy.at, get(`http://${place}/`))).toString('latin1');
    for (const answer of [tunnel, plain]) expect(answer.split('\r\n')[0]).toBe(`HTTP/1.1 403 hardshell: ${phrase}`);
  });

  test('a rule cannot put anything else into the answer', async () => {
    const proxy = await start({ domains: { allow: [], deny: ['bücher.test'] } });
    const answer = (await send(proxy.at, get('http://xn--bcher-kva.test/'))).toString('latin1');
    expect(answer.split('\r\n')[0]).toBe(
      'HTTP/1.1 403 hardshell: xn--bcher-kva.test:80 is denied by "b?cher.test" in domains.deny',
    );
  });

  test('by redirect: the client follows and is stopped', async () => {
    const proxy = await start();
    const first = (await send(proxy.at, get(`http://good.test:${origin}/redirect`))).toString();
    const location = /location: (\S+)/i.exec(first)?.[1] as string;
    expect(statusOf(await send(proxy.at, get(location)))).toBe(403);
    expect(seen.map(({ url }) => url)).toEqual(['/redirect']);
  });

  test.each([
    ['a length', 'Content-Length: 4000\r\n', ''],
    ['chunks', 'Transfer-Encoding: chunked\r\n', 'fa0\r\n'],
  ])('the body of a refused request with %s is not a request', async (_, header, begin) => {
    const proxy = await start();
    const post = `POST http://evil.test:${origin}/ HTTP/1.1\r\nHost: x\r\n${header}\r\n${begin}`;
    const answer = await send(proxy.at, post + get(`http://good.test:${origin}/smuggled`), { isHalfClosed: true });
    expect(answer.toString().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403']);
    expect(seen).toEqual([]);
  });

  test('the second request on a kept connection is checked again', async () => {
    const proxy = await start();
    const answer = await send(proxy.at, get(`http://good.test:${origin}/a`, '') + get(`http://evil.test:${origin}/b`));
    expect(answer.toString().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
    expect(seen.map(({ url }) => url)).toEqual(['/a']);
  });

  test('the Host header decides nothing and is rewritten', async () => {
    const proxy = await start();
    const spoof = `GET http://evil.test:${origin}/ HTTP/1.1\r\nHost: good.test:${origin}\r\n${CLOSE}\r\n`;
    expect(statusOf(await send(proxy.at, spoof))).toBe(403);
    const front = `GET http://good.test:${origin}/ HTTP/1.1\r\nHost: evil.test\r\n${CLOSE}\r\n`;
    expect(statusOf(await send(proxy.at, front))).toBe(200);
    expect(seen.map(({ headers }) => headers.host)).toEqual([`good.test:${origin}`]);
  });
});

const socks = (host: string | number[], port: number, { command = 1, methods = [0] as number[] } = {}) => {
  const place =
    typeof host === 'string'
      ? [3, Buffer.byteLength(host), ...Buffer.from(host)]
      : [host.length === 4 ? 1 : 4, ...host];
  return Buffer.from([5, methods.length, ...methods, 5, command, 0, ...place, port >> 8, port & 255]);
};

describe('special addresses are refused in every spelling and protocol, although every name is allowed', () => {
  const LITERALS = [
    '127.0.0.1',
    '127.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[fe80::1%25eth0]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fd00:ec2::254]',
    '169.254.169.254',
    '0xa9fea9fe',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '127.255.255.254',
    // Names that resolve to them.
    'localhost',
    'localhost.',
    'LOCALHOST',
    'rebound.test',
  ];
  test.each(LITERALS)('%s', async (host) => {
    const proxy = await start({
      domains: { allow: ['*:*'], deny: [] },
      allowAddresses: [],
      resolve: async () => ['127.0.0.1', '::1'],
    });
    expect(statusOf(await send(proxy.at, get(`http://${host}:${origin}/`)))).toBe(403);
    expect(statusOf(await send(proxy.at, `CONNECT ${host}:${origin} HTTP/1.1\r\nHost: x\r\n\r\n`))).toBe(403);
    expect([...(await send(proxy.at, socks(host, origin)))].slice(0, 4)).toEqual([5, 0, 5, 2]);
    expect(proxy.decisions.map(({ reason }) => reason)).toEqual(['address', 'address', 'address']);
    expect([seen, raw]).toEqual([[], []]);
  });

  test.each([
    ['127.0.0.1', [127, 0, 0, 1]],
    ['a mapped address', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]],
    ['::1', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
    ['0.0.0.0', [0, 0, 0, 0]],
  ])('SOCKS5 with the bytes of %s', async (_, bytes) => {
    const proxy = await start({ domains: { allow: ['*:*'], deny: [] }, allowAddresses: [] });
    expect([...(await send(proxy.at, socks(bytes, origin)))]).toEqual([5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
    expect(seen).toEqual([]);
  });

  test('an invalid address is not looked up', async () => {
    const asked: string[] = [];
    const proxy = await start({
      domains: { allow: ['*:*'], deny: [] },
      resolve: async (host) => {
        asked.push(host);
        return ['127.0.0.1'];
      },
    });
    for (const host of ['1.2.3.4.5', '256.256.256.256', '08.0.0.1', 'a..test', 'x.0x1', '[127.0.0.1]', '[::g]']) {
      expect(statusOf(await send(proxy.at, get(`http://${host}:${origin}/`)))).toBe(400);
    }
    expect(asked).toEqual([]);
  });
});

describe('the name server cannot be used against us', () => {
  test('a second answer is never asked for', async () => {
    let count = 0;
    const resolve = async () => (count++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']);
    const proxy = await start({ resolve });
    expect(statusOf(await send(proxy.at, get(`http://good.test:${origin}/`)))).toBe(200);
    expect([count, proxy.decisions[0]?.address]).toEqual([1, '127.0.0.1']);
    // The next connection gets the other answer and is checked against it.
    expect(statusOf(await send(proxy.at, get(`http://good.test:${origin}/`)))).toBe(403);
    expect(proxy.decisions[1]).toMatchObject({ verdict: 'deny', reason: 'address', address: '127.0.0.2' });
  });

  test('of a mixed answer only the allowed addresses are tried, in order', async () => {
    const proxy = await start({ resolve: async () => ['10.0.0.1', '169.254.169.254', '127.0.0.1', '::1'] });
    expect(statusOf(await send(proxy.at, get(`http://good.test:${origin}/`)))).toBe(200);
    expect(proxy.decisions).toMatchObject([{ verdict: 'allow', address: '127.0.0.1' }]);
  });

  test('an address that does not answer gives way to the next', async () => {
    const proxy = await start({ resolve: async () => ['127.0.0.9', '127.0.0.1'], allowAddresses: ['127.0.0.0/8'] });
    expect(statusOf(await send(proxy.at, get(`http://good.test:${origin}/`)))).toBe(200);
    expect(proxy.decisions).toMatchObject([{ address: '127.0.0.1' }]);
  });

  test.each<[string, () => Promise<string[]>, number]>([
    ['a name instead of an address', async () => ['localhost'], 502],
    ['nothing', async () => [], 502],
    ['an error', async () => Promise.reject(new Error('no')), 502],
    ['no answer', () => new Promise(() => {}), 502],
    ['a mapped address', async () => ['::ffff:10.0.0.1'], 403],
  ])('%s', async (_, resolve, status) => {
    const proxy = await start({ resolve, limits: { resolveTimeoutMs: 50 } });
    expect(statusOf(await send(proxy.at, get(`http://good.test:${origin}/`)))).toBe(status);
    expect(seen).toEqual([]);
  });

  test('a denied network counts for names that resolve into it', async () => {
    const proxy = await start({ domains: { allow: ['good.test:*'], deny: ['127.0.0.0/8'] } });
    expect(statusOf(await send(proxy.at, get(`http://good.test:${origin}/`)))).toBe(403);
    expect(proxy.decisions).toMatchObject([{ reason: 'address', rule: '127.0.0.0/8' }]);
  });

  test('the addresses of this machine are refused', async () => {
    const proxy = await start({ resolve: async () => ['8.8.8.8'], ownAddresses: () => ['8.8.8.8'] });
    expect(statusOf(await send(proxy.at, get(`http://good.test:${origin}/`)))).toBe(403);
  });
});

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const POST = 'POST http://good.test:PORT/ HTTP/1.1';
const HOST = 'Host: good.test';

describe('requests that two parsers could read differently', () => {
  test.each([
    ['length and chunks', `${head(POST, HOST, 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`, 400],
    ['chunks and length', `${head(POST, HOST, 'Transfer-Encoding: chunked', 'Content-Length: 4')}0\r\n\r\n`, 400],
    ['two lengths', `${head(POST, HOST, 'Content-Length: 4', 'Content-Length: 5')}abcde`, 400],
    ['twice the same length', `${head(POST, HOST, 'Content-Length: 4', 'Content-Length: 4')}abcd`, 400],
    ['a list of lengths', `${head(POST, HOST, 'Content-Length: 4, 4')}abcd`, 400],
    ['a length with a sign', `${head(POST, HOST, 'Content-Length: +4')}abcd`, 400],
    ['a negative length', head(POST, HOST, 'Content-Length: -4'), 400],
    ['a hexadecimal length', `${head(POST, HOST, 'Content-Length: 0x4')}abcd`, 400],
    ['an endless length', head(POST, HOST, 'Content-Length: 99999999999999999999'), 400],
    ['an unknown coding', `${head(POST, HOST, 'Transfer-Encoding: xchunked')}0\r\n\r\n`, 400],
    ['two codings', `${head(POST, HOST, 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`, 400],
    ['chunks twice', `${head(POST, HOST, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}0\r\n\r\n`, 400],
    [
      'identity after chunks',
      `${head(POST, HOST, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity')}0\r\n\r\n`,
      400,
    ],
    ['a coding with a control character', `${head(POST, HOST, 'Transfer-Encoding: \u000bchunked')}0\r\n\r\n`, 400],
    ['a blank before the colon', `${head(POST, HOST, 'Transfer-Encoding : chunked')}0\r\n\r\n`, 400],
    ['a folded header', head(POST, HOST, 'X: a', ' Transfer-Encoding: chunked'), 400],
    ['a header folded by a tab', head(POST, HOST, 'X: a', '\tb'), 400],
    ['a bare LF between headers', `${POST}\r\n${HOST}\nX: y\r\n\r\n`, 400],
    ['a bare LF at the end', `${POST}\r\n${HOST}\r\nX: y\n\n\r\n\r\n`, 400],
    ['a bare CR in a header', head(POST, HOST, 'X: a\rTransfer-Encoding: chunked'), 400],
    ['a NUL in a header', head(POST, HOST, 'X: a\0b'), 400],
    ['a header without a colon', head(POST, HOST, 'Nothing'), 400],
    ['a header without a name', head(POST, HOST, ': x'), 400],
    [
      'chunks in HTTP/1.0',
      `${head('POST http://good.test:PORT/ HTTP/1.0', HOST, 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      400,
    ],
    ['two hosts', head('GET http://good.test:PORT/ HTTP/1.1', HOST, 'Host: evil.test'), 400],
    ['no host', head('GET http://good.test:PORT/ HTTP/1.1', 'X: y'), 400],
    ['an unknown version', head('GET http://good.test:PORT/ HTTP/2.0', HOST), 400],
    ['no version', head('GET http://good.test:PORT/'), 400],
    ['two blanks', head('GET  http://good.test:PORT/ HTTP/1.1', HOST), 400],
    ['a tab', head('GET\thttp://good.test:PORT/ HTTP/1.1', HOST), 400],
    ['a blank in the target', head('GET http://good.test:PORT/a b HTTP/1.1', HOST), 400],
    ['a byte above 127 in the target', head('GET http://good.test:PORT/\u00e9 HTTP/1.1', HOST), 400],
    ['a NUL in the host', head('GET http://evil\0.good.test:PORT/ HTTP/1.1', HOST), 400],
    ['a user name', head('GET http://good.test@evil.test:PORT/ HTTP/1.1', HOST), 400],
    ['a user name and a password', head('GET http://u:p@good.test:PORT/ HTTP/1.1', HOST), 400],
    ['an encoded @', head('GET http://good.test%40evil.test:PORT/ HTTP/1.1', HOST), 400],
    ['a backslash', head('GET http://evil.test:PORT\\@good.test/ HTTP/1.1', HOST), 400],
    ['a fragment', head('GET http://evil.test:PORT#@good.test/ HTTP/1.1', HOST), 400],
    ['no host in the URL', head('GET http:///x HTTP/1.1', HOST), 400],
    ['one slash', head('GET http:/good.test/ HTTP/1.1', HOST), 400],
    ['https in the clear', head('GET https://good.test:PORT/ HTTP/1.1', HOST), 400],
    ['ftp', head('GET ftp://good.test:PORT/ HTTP/1.1', HOST), 400],
    ['file', head('GET file:///etc/passwd HTTP/1.1', HOST), 400],
    ['a path only', head('GET / HTTP/1.1', HOST), 400],
    ['a star', head('OPTIONS * HTTP/1.1', HOST), 400],
    ['port 0', head('GET http://good.test:0/ HTTP/1.1', HOST), 400],
    ['port 65536', head('GET http://good.test:65536/ HTTP/1.1', HOST), 400],
    ['CONNECT without a port', head('CONNECT good.test HTTP/1.1', HOST), 400],
    ['CONNECT with a URL', head('CONNECT http://good.test:PORT/ HTTP/1.1', HOST), 400],
    ['CONNECT with a body', `${head('CONNECT good.test:PORT HTTP/1.1', HOST, 'Content-Length: 4')}abcd`, 400],
    ['CONNECT with a user name', head('CONNECT u@good.test:PORT HTTP/1.1', HOST), 400],
    ['CONNECT with a NUL', head('CONNECT evil.test\0.good.test:PORT HTTP/1.1', HOST), 400],
    ['an invalid chunk size', `${head(POST, HOST, 'Transfer-Encoding: chunked')}zz\r\nab\r\n0\r\n\r\n`, 400],
    ['a chunk size with a sign', `${head(POST, HOST, 'Transfer-Encoding: chunked')}+2\r\nab\r\n0\r\n\r\n`, 400],
    ['a chunk size with 0x', `${head(POST, HOST, 'Transfer-Encoding: chunked')}0x2\r\nab\r\n0\r\n\r\n`, 400],
    ['a chunk size that overflows', `${head(POST, HOST, 'Transfer-Encoding: chunked')}fffffffffffffffff\r\nab`, 400],
    ['a chunk that is too long', `${head(POST, HOST, 'Transfer-Encoding: chunked')}2\r\nabc\r\n0\r\n\r\n`, 400],
    ['a chunk without its end', `${head(POST, HOST, 'Transfer-Encoding: chunked')}2\r\nabXX0\r\n\r\n`, 400],
    ['a chunk line that ends in LF', `${head(POST, HOST, 'Transfer-Encoding: chunked')}2\nab\r\n0\r\n\r\n`, 400],
    [
      'a chunk line that ends in a blank and LF',
      `${head(POST, HOST, 'Transfer-Encoding: chunked')}2 \nab\r\n0\r\n\r\n`,
      400,
    ],
    ['LF inside a chunk extension', `${head(POST, HOST, 'Transfer-Encoding: chunked')}2;x\ny\r\nab\r\n0\r\n\r\n`, 400],
    ['an endless chunk extension', `${head(POST, HOST, 'Transfer-Encoding: chunked')}2;${'x'.repeat(5000)}`, 400],
    ['a head that is too long', head(POST, HOST, ...Array.from({ length: 10 }, () => `X: ${'y'.repeat(8000)}`)), 431],
    ['a head without an end', `GET http://good.test/ HTTP/1.1\r\n${'X: y\r\n'.repeat(20_000)}`, 431],
    ['a header that is too long', head(POST, HOST, `X: ${'y'.repeat(17_000)}`), 431],
    ['too many headers', head(POST, HOST, ...Array.from({ length: 300 }, () => 'X: y')), 431],
    ['a URL that is too long', head(`GET http://good.test/${'x'.repeat(17_000)} HTTP/1.1`, HOST), 414],
  ])('%s', async (_, bytes, status) => {
    const proxy = await start();
    const smuggled = `${fill(bytes)}GET http://evil.test:${origin}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
    const answer = await send(proxy.at, smuggled);
    expect(answer.toString('latin1').match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(proxy.statistics().malformed).toBe(1);
    expect([seen, raw]).toEqual([[], []]);
  });

  test.each([
    ['binary garbage', Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7 + 128) & 255)), ''],
    ['TLS to the proxy itself', Buffer.from('16030100050100000100', 'hex'), ''],
    ['a small method', Buffer.from('get http://good.test/ HTTP/1.1\r\n\r\n'), ''],
    ['an empty line first', Buffer.from('\r\nGET http://good.test/ HTTP/1.1\r\n\r\n'), ''],
    ['SOCKS4', Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0]), '005b000000000000'],
    ['SOCKS4a', Buffer.from([4, 1, 0, 80, 0, 0, 0, 1, 0, ...Buffer.from('good.test'), 0]), '005b000000000000'],
  ])('%s', async (_, bytes, expected) => {
    const proxy = await start();
    expect((await send(proxy.at, bytes)).toString('hex')).toBe(expected);
    expect([seen, proxy.decisions]).toEqual([[], []]);
  });
});

describe('HTTP that is allowed', () => {
  test('hop-by-hop headers are not forwarded, in both directions', async () => {
    const proxy = await start();
    const extra =
      'Connection: close, X-Mine\r\nX-Mine: 1\r\nProxy-Connection: x\r\nProxy-Authorization: Basic c2VjcmV0\r\nTE: gzip\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nKeep-Alive: 5\r\nX-Kept: 1\r\n';
    const answer = (await send(proxy.at, get(`http://good.test:${origin}/hop`, extra))).toString();
    expect(Object.keys(seen[0]?.headers ?? {}).sort()).toEqual(['connection', 'host', 'x-kept']);
    expect(answer).toContain('x-kept: 1\r\n');
    expect(answer).not.toMatch(/x-secret|keep-alive/i);
    expect(answer).toContain('3\r\nhop\r\n');
  });

  test.each([
    ['a length', 'Content-Length: 3\r\n', 'abc'],
    ['chunks', 'Transfer-Encoding: chunked\r\n', '1\r\na\r\n2;x=y\r\nbc\r\n0\r\nTrailer: x\r\n\r\n'],
  ])('bodies with %s arrive, and the next request too', async (_, header, body) => {
    const proxy = await start();
    const first = `POST http://good.test:${origin}/p HTTP/1.1\r\nHost: x\r\n${header}\r\n${body}`;
    const answer = (await send(proxy.at, first + get(`http://good.test:${origin}/chunks`))).toString();
    expect(seen.map(({ url, body }) => [url, body])).toEqual([
      ['/p', 'abc'],
      ['/chunks', ''],
    ]);
    expect(answer).toContain('POST abc');
    expect(answer).toContain('4\r\none,\r\n3\r\ntwo\r\n0\r\n\r\n');
    expect(proxy.decisions.map(({ verdict, rule }) => [verdict, rule])).toEqual([
      ['allow', 'good.test:*'],
      ['allow', 'good.test:*'],
    ]);
  });

  test('HTTP/1.0 gets no chunks', async () => {
    const proxy = await start();
    const answer = (await send(proxy.at, `GET http://good.test:${origin}/chunks HTTP/1.0\r\n\r\n`)).toString();
    expect(answer).toMatch(/\r\n\r\none,two$/);
  });

  test('HEAD has a length and no body', async () => {
    const proxy = await start();
    const answer = (
      await send(proxy.at, `HEAD http://good.test:${origin} HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`)
    ).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(seen[0]?.url).toBe('/');
  });

  test('a client that has sent everything and closed its side still gets the answer', async () => {
    const proxy = await start();
    const answer = await send(proxy.at, get(`http://good.test:${origin}/`, ''), { isHalfClosed: true });
    expect(statusOf(answer)).toBe(200);
  });

  test('Expect: 100-continue', async () => {
    const proxy = await start();
    const body = await new Promise<string>((resolve, reject) => {
      const request = httpRequest({
        port: proxy.at,
        method: 'POST',
        path: `http://good.test:${origin}/e`,
        headers: { expect: '100-continue', 'content-length': '4', host: 'good.test' },
      });
      request.on('continue', () => request.end('body'));
      request.on('response', (response) => response.on('data', (data) => resolve(String(data))));
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(body).toBe('POST body');
  });

  test('a large body in both directions is complete', async () => {
    const proxy = await start();
    const sent = 'x'.repeat(5_000_000);
    const body = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(
        { port: proxy.at, method: 'PUT', path: `http://good.test:${origin}/` },
        (response) => {
          let text = '';
          response.on('data', (data) => {
            text += data;
          });
          response.on('end', () => resolve(text));
        },
      );
      request.on('error', reject).end(sent);
    });
    expect(body === `PUT ${sent}`).toBe(true);
    expect(proxy.statistics().bytesFromClients).toBeGreaterThan(sent.length);
  });

  test.each([
    ['closes at once', ''],
    ['sends no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['sends two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['folds a header', 'HTTP/1.1 200 OK\r\nA: b\r\n c: d\r\n\r\n'],
    ['switches the protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ])('a server that %s becomes 502', async (_, answer) => {
    const port = await listen(createServer((socket) => socket.on('error', () => {}).end(answer)));
    const proxy = await start();
    expect(statusOf(await send(proxy.at, get(`http://good.test:${port}/`)))).toBe(502);
  });

  test('a server that stops in the middle does not look complete', async () => {
    const port = await listen(createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')));
    const proxy = await start();
    const result = await new Promise((resolve) => {
      httpGet({ port: proxy.at, path: `http://good.test:${port}/` }, (response) => {
        response
          .on('error', () => resolve('cut'))
          .on('end', () => resolve('whole'))
          .resume();
      }).on('error', () => resolve('cut'));
    });
    expect(result).toBe('cut');
  });

  test('a body without a length ends with the connection, also for a keep-alive client', async () => {
    const port = await listen(
      createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\nrest')),
    );
    const proxy = await start();
    const answer = await send(proxy.at, get(`http://good.test:${port}/`, ''));
    expect(answer.toString()).toBe('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nrest');
  });

  test('a kept connection that the server has closed is reopened', async () => {
    const sockets: Socket[] = [];
    const port = await listen(
      createServer((socket) => {
        sockets.push(socket);
        socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')).on('error', () => {});
      }),
    );
    const proxy = await start();
    const client = connect(proxy.at, '127.0.0.1');
    open.add({ close: () => client.destroy() });
    const answer = () => new Promise<string>((resolve) => client.once('data', (data) => resolve(String(data))));
    client.write(get(`http://good.test:${port}/`, ''));
    expect(await answer()).toContain('200 OK');
    sockets[0]?.destroy();
    client.write(get(`http://good.test:${port}/`, ''));
    expect(await answer()).toContain('200 OK');
    expect(sockets.length).toBe(2);
  });

  test('after an answer that came before the body, the rest of the body is not a request', async () => {
    const port = await listen(
      createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
      }),
    );
    const proxy = await start();
    const socket = connect({ port: proxy.at, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.write(`POST http://good.test:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n`);
    socket.on('data', (data) => {
      if (answer === '') socket.write(get(`http://good.test:${origin}/smuggled`));
      answer += data;
    });
    await new Promise((resolve) => socket.on('end', resolve));
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok$/);
    expect(seen).toEqual([]);
  });

  test('unsolicited data of a server is not the response to the next request', async () => {
    let count = 0;
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n';
    const port = await listen(
      createServer((socket) => {
        const own = ++count;
        socket.on('error', () => {}).on('data', () => socket.write(`${answer}${own}${answer}!`));
      }),
    );
    const proxy = await start();
    const got = await send(proxy.at, get(`http://good.test:${port}/`, '') + get(`http://good.test:${port}/`));
    expect(got.toString().match(/(?<=\r\n\r\n)./g)).toEqual(['1', '2']);
  });

  test('many servers over one kept connection leave nothing behind', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.name);
    process.on('warning', onWarning);
    const proxy = await start();
    const all = Array.from({ length: 30 }, (_, i) => get(`http://n${i}.wild.test:${origin}/`, ''));
    const answer = await send(proxy.at, all.join('') + get(`http://good.test:${origin}/`));
    expect(answer.toString().match(/HTTP\/1\.1 200/g)?.length).toBe(31);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('no server: 502 with the reason', async () => {
    const proxy = await start({ resolve: async () => ['127.0.0.7'], allowAddresses: ['127.0.0.7'] });
    const answer = (await send(proxy.at, get(`http://good.test:${origin}/`))).toString();
    expect(answer).toContain('HTTP/1.1 502 hardshell: good.test is allowed but could not be reached (refused)\r\n');
    expect(answer).toContain('good.test is allowed but could not be reached (refused).\n');
  });

  test.each([
    ['GET', get('http://good.test:PORT/')],
    ['CONNECT', 'CONNECT good.test:PORT HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('an allowed host without an address: the status line of %s says so, unlike a refusal', async (_, text) => {
    const proxy = await start({ resolve: async () => Promise.reject(new Error('no')) });
    const answer = (await send(proxy.at, text.replace('PORT', String(origin)))).toString();
    const line = 'HTTP/1.1 502 hardshell: good.test is allowed but could not be resolved on this machine';
    expect(answer.split('\r\n')[0]).toBe(line);
    expect(answer).not.toContain('x-hardshell-denied');
  });
});

/** Opens a tunnel, sends the bytes, and waits until `count` bytes came back or the end. */
async function tunnel(proxy: Started, bytes: Buffer | string, count: number, host = 'good.test'): Promise<string> {
  const socket = connect(proxy.at, '127.0.0.1');
  open.add({ close: () => socket.destroy() });
  let text = '';
  socket.on('error', () => {});
  socket.write(`CONNECT ${host}:${rawOrigin} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const done = new Promise<string>((resolve) => {
    socket.on('data', (data) => {
      const isFirst = text === '';
      text += data.toString('latin1');
      if (isFirst) socket.write(bytes);
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      if (body.length >= count) resolve(body);
    });
    socket.on('close', () => resolve(text.slice(text.indexOf('\r\n\r\n') + 4)));
  });
  return done;
}

/** The first message of a TLS client. */
function clientHello(servername: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .once('data', (data) => {
          resolve(data);
          socket.destroy();
          server.close();
        }),
    );
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      tlsConnect({ port, host: '127.0.0.1', servername }).on('error', () => {});
    });
  });
}

/** The same message in records of a few bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const body = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    records.push(Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

describe('tunnels', () => {
  test('bytes pass in both directions, the server first', async () => {
    const proxy = await start();
    expect(await tunnel(proxy, 'ping', 10)).toBe('hello ping');
    expect(proxy.decisions).toMatchObject([
      { verdict: 'allow', protocol: 'connect', host: 'good.test', address: '127.0.0.1' },
    ]);
  });

  test('half-closing passes through', async () => {
    const port = await listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        let text = '';
        socket.on('data', (data) => {
          text += data;
        });
        socket.on('end', () => socket.end(`got ${text}`));
      }),
    );
    const proxy = await start();
    const answer = await send(proxy.at, `CONNECT good.test:${port} HTTP/1.1\r\nHost: x\r\n\r\nabc`, {
      isHalfClosed: true,
    });
    expect(answer.toString()).toBe('HTTP/1.1 200 Connection established\r\n\r\ngot abc');
  });

  test.each<[string, string, (hello: Buffer) => Buffer, boolean]>([
    ['the same name', 'good.test', (hello) => hello, true],
    ['the same name in capitals', 'GOOD.Test', (hello) => hello, true],
    ['another allowed name', 'a.wild.test', (hello) => hello, true],
    ['no name', '', (hello) => hello, true],
    ['the same name, cut into small records', 'good.test', (hello) => inRecords(hello, 40), true],
    ['a forbidden name', 'evil.test', (hello) => hello, false],
    ['a denied name', 'bad.wild.test', (hello) => hello, false],
    ['a name that ends in the allowed one', 'evilgood.test', (hello) => hello, false],
    ['a forbidden name, cut into small records', 'evil.test', (hello) => inRecords(hello, 40), false],
    ['a forbidden name, cut into tiny records', 'evil.test', (hello) => inRecords(hello, 1), false],
    [
      'a broken greeting',
      'good.test',
      (hello) => Buffer.concat([hello.subarray(0, 50), Buffer.alloc(hello.length - 50, 255)]),
      false,
    ],
    [
      'an alert inside the greeting',
      'good.test',
      (hello) => Buffer.concat([inRecords(hello, 40).subarray(0, 45), Buffer.from('15030100020100', 'hex')]),
      false,
    ],
    ['a wrong version', 'good.test', (hello) => Buffer.concat([Buffer.from([0x16, 9]), hello.subarray(2)]), false],
  ])('a TLS greeting with %s', async (_, name, change, isPassed) => {
    const proxy = await start();
    const hello = change(await clientHello(name));
    const answer = await tunnel(proxy, hello, 6 + hello.length);
    expect(answer.length > 6).toBe(isPassed);
    expect(Buffer.concat(raw).equals(isPassed ? hello : Buffer.alloc(0))).toBe(true);
    const isNamed = /forbidden|denied|ends in/.test(_) && !_.includes('tiny');
    expect(proxy.decisions.filter(({ verdict }) => verdict === 'deny')).toMatchObject(
      isNamed ? [{ host: name, reason: 'domain-fronting', protocol: 'connect', port: rawOrigin }] : [],
    );
  });

  test('a greeting that comes byte by byte is read', async () => {
    const proxy = await start();
    const hello = await clientHello('evil.test');
    const socket = connect({ port: proxy.at, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(`CONNECT good.test:${rawOrigin} HTTP/1.1\r\nHost: x\r\n\r\n`);
    socket.resume();
    for (const byte of hello) {
      if (!socket.writable) break;
      socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
    expect(raw).toEqual([]);
    expect(proxy.decisions.at(-1)?.reason).toBe('domain-fronting');
  });

  test('if the server closes, so does the client, and vice versa', async () => {
    const sockets: Socket[] = [];
    const port = await listen(createServer((socket) => void sockets.push(socket.on('error', () => {}).resume())));
    const proxy = await start();
    const [first, second] = [connect(proxy.at, '127.0.0.1'), connect(proxy.at, '127.0.0.1')];
    for (const socket of [first, second]) {
      socket.on('error', () => {}).write(`CONNECT good.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await new Promise((resolve) => socket.once('data', resolve));
      // Both directions are active, not only the check of the first bytes.
      socket.write('x');
      await expect.poll(() => sockets.at(-1)?.bytesRead).toBe(1);
    }
    const gone = new Promise((resolve) => first.on('close', resolve));
    sockets[0]?.resetAndDestroy();
    await gone;
    const serverGone = new Promise((resolve) => sockets[1]?.resume().on('close', resolve));
    second.resetAndDestroy();
    await serverGone;
    expect(sockets.length).toBe(2);
  });
});

test('no small change to a refused request gets it through, or stops the proxy', async () => {
  const proxy = await start({ limits: { headTimeoutMs: 100 } });
  const bases = [
    Buffer.from(get(`http://evil.test:${origin}/`)),
    Buffer.from(
      head(`POST http://evil.test:${origin}/ HTTP/1.1`, HOST, 'Transfer-Encoding: chunked', 'Connection: close'),
    ),
    Buffer.from(`CONNECT evil.test:${origin} HTTP/1.1\r\nHost: good.test\r\n\r\n`),
    socks('evil.test', origin),
    socks([127, 0, 0, 2], origin),
  ];
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  const change = (base: Buffer): Buffer => {
    const at = random(base.length);
    const byte = Buffer.from([random(3) === 0 ? '\r\n\0 @:/.#\\%'.charCodeAt(random(12)) : random(256)]);
    const cut = random(3);
    return Buffer.concat([
      base.subarray(0, at),
      cut === 0 ? Buffer.alloc(0) : byte,
      base.subarray(at + (cut === 1 ? 0 : 1)),
    ]);
  };
  for (let round = 0; round < 12; round++) {
    const changed = Array.from({ length: 40 }, (_, i) => change(change(bases[i % bases.length] as Buffer)));
    await Promise.all(changed.map((bytes) => send(proxy.at, bytes, { isHalfClosed: true })));
  }
  expect([seen, raw]).toEqual([[], []]);
  expect(statusOf(await send(proxy.at, get(`http://good.test:${origin}/`)))).toBe(200);
});

test('IPv6, where this machine has it', async (context) => {
  const hasV6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
  context.skip(!hasV6, 'this machine has no IPv6');
  const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const proxy = await start({ allowAddresses: [`[::1]:${port}`], resolve: async () => ['::1'] });
  expect(statusOf(await send(proxy.at, get(`http://[0:0::1]:${port}/`)))).toBe(200);
  expect(statusOf(await send(proxy.at, get(`http://good.test:${port}/`)))).toBe(200);
  expect(proxy.decisions.map(({ address }) => address)).toEqual(['::1', '::1']);
});
