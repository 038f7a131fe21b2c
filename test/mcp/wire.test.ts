// Standard input and output as bytes: what is no message, what is too long, the greeting, and how the server ends.

import { PassThrough } from 'node:stream';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterAll, expect, test } from 'vitest';
import { PROFILES } from '../../src/core/profile-names.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { CAPABILITIES, instructionsFor, readIdentity } from '../../src/surfaces/mcp/identity.ts';
import { greet } from '../../src/surfaces/mcp/stdio/greeting.ts';
import { LineTransport } from '../../src/surfaces/mcp/stdio/line-transport.ts';
import { processesWith, type Raw, Surroundings, uniqueSeconds, until } from './subject.ts';

const place = new Surroundings();
afterAll(() => place.close());

async function isAlive(server: Raw): Promise<boolean> {
  const id = `ping ${server.messages.length}`;
  server.send({ id, method: 'ping' });
  return (await server.answerTo(id)).result !== undefined;
}

function callBash(server: Raw, id: string, command: string, more: object = {}): void {
  server.send({ id, method: 'tools/call', params: { name: 'bash', arguments: { command, ...more } } });
}

test('what is no message is answered with an error, and the server lives', async () => {
  const server = place.start();
  const rows: [line: string, id: string | null, code: number][] = [
    ['{"jsonrpc":', null, -32_700],
    ['[]', null, -32_600],
    ['42', null, -32_600],
    ['{"jsonrpc":"1.0","id":"old","method":"ping"}', 'old', -32_600],
    ['{"jsonrpc":"2.0","id":"odd","method":7}', 'odd', -32_600],
    ['{"jsonrpc":"2.0","id":"listed","method":"ping","params":[]}', 'listed', -32_600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32_600],
  ];
  server.greet();
  await server.answerTo('greeting');
  for (const [line, id, code] of rows) {
    const before = server.messages.length;
    server.write(`${line}\n`);
    const answer = await until(() => server.messages.slice(before).find((message) => message.id === id));
    expect([line, answer.error?.code]).toEqual([line, code]);
  }
  for (const [id, method, params] of [
    ['a', 'tools/sing', {}],
    ['b', 'resources/list', {}],
    ['c', 'completion/complete', {}],
  ] as const) {
    server.send({ id, method, params });
    expect((await server.answerTo(id)).error?.code).toBe(-32_601);
  }
  server.send({ id: 'd', method: 'tools/call', params: { name: 7 } });
  expect((await server.answerTo('d')).error?.code).toBe(-32_602);
  server.send({ method: 'notifications/nothing-we-know' });
  expect(await isAlive(server)).toBe(true);
});

test('a line that is too long is refused while it comes, and the next one is served', async () => {
  const server = place.start();
  server.greet();
  await server.answerTo('greeting');
  server.write(`{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"`);
  for (let i = 0; i < 5; i += 1) server.write('y'.repeat(1 << 20));
  expect((await server.answerTo(null)).error?.code).toBe(-32_600);
  server.write('"}}\n');
  expect(await isAlive(server)).toBe(true);
  expect(server.messages.filter(({ id }) => id === 'big' || id === null)).toHaveLength(1);
});

test('a message may come in pieces, and several in one', async () => {
  const server = place.start();
  server.greet();
  const text = `${JSON.stringify({ jsonrpc: '2.0', id: 'ü1', method: 'ping' })}\n`;
  const bytes = Buffer.from(text + text.replace('ü1', 'ü2'));
  const cut = bytes.indexOf(0xc3) + 1;
  server.child.stdin?.write(bytes.subarray(0, cut));
  await server.answerTo('greeting');
  server.child.stdin?.write(bytes.subarray(cut));
  await server.answerTo('ü1');
  await server.answerTo('ü2');
});

test('nothing but messages of the protocol is on stdout', async () => {
  const server = place.start();
  server.greet();
  callBash(server, 'noise', 'echo out; echo err >&2; seq 3');
  await server.answerTo('noise');
  for (const message of server.messages) expect(message).toMatchObject({ jsonrpc: '2.0' });
});

test('the end of input ends the server and what runs in the foreground, and leaves tasks', async () => {
  const [foreground, background] = [uniqueSeconds(), uniqueSeconds()];
  const server = place.start();
  server.greet();
  callBash(server, 'task', `sleep ${background}`, { run_in_background: true });
  const { structuredContent } = (await server.answerTo('task')).result as { structuredContent: { task_id: string } };
  callBash(server, 'call', `sleep ${foreground}`);
  await until(() => processesWith(foreground).length > 0);
  server.child.stdin?.end();
  expect(await server.exited).toEqual([0, null]);
  expect(processesWith(foreground)).toEqual([]);
  expect(processesWith(background)).not.toEqual([]);
  await place.cli('tasks', 'stop', structuredContent.task_id);
  await until(() => processesWith(background).length === 0);
});

test('the end of input before anything was said ends the server', async () => {
  const server = place.start();
  server.child.stdin?.end();
  expect(await server.exited).toEqual([0, null]);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends a running command, which is answered, and then the server',
  async (signal) => {
    const seconds = uniqueSeconds();
    const server = place.start();
    server.greet();
    callBash(server, 'call', `sleep ${seconds}`);
    await until(() => processesWith(seconds).length > 0);
    server.child.kill(signal);
    expect(await server.exited).toEqual([0, null]);
    expect(processesWith(seconds)).toEqual([]);
    expect(server.messages.find(({ id }) => id === 'call')?.result).toMatchObject({ isError: true });
  },
);

test('a client that stops reading and goes away does not keep the server', async () => {
  const server = place.start();
  server.greet();
  await server.answerTo('greeting');
  server.child.stdout?.destroy();
  server.child.stdin?.end();
  expect(await server.exited).toEqual([0, null]);
});

const CLIENT = { capabilities: {}, clientInfo: { name: 'c', version: '1' } };

test.each([
  ['2025-11-25'],
  ['2025-06-18'],
  ['2025-03-26'],
  ['2024-11-05'],
  ['2024-10-07'],
  ['1999-01-01'],
  ['2026-07-28'],
])('the early greeting for %s is word for word that of the SDK', async (protocolVersion) => {
  const params = { protocolVersion, ...CLIENT };
  const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const input = new PassThrough();
  const lines: string[] = [];
  const transport = new LineTransport({
    input,
    write(text, done) {
      lines.push(text);
      done();
    },
  });
  const handle = serveStdio(
    () => new Server({ ...readIdentity() }, { capabilities: CAPABILITIES, instructions: instructionsFor('mcp-guide') }),
    { transport },
  );
  input.write(`${JSON.stringify(message)}\n`);
  const line = await until(() => lines[0]);
  await handle.close();
  expect(greet(message, readIdentity(), 'mcp-guide')).toEqual(JSON.parse(line).result);
});

test.each([
  [{ method: 'ping', id: 1 }],
  [{ method: 'initialize', params: { protocolVersion: '2025-06-18', ...CLIENT } }],
  [{ method: 'initialize', id: 1, params: { protocolVersion: 7, ...CLIENT } }],
  [{ method: 'initialize', id: 1, params: { protocolVersion: '2025-06-18', capabilities: {} } }],
  [{ method: 'initialize', id: 1 }],
])('only a whole greeting is answered early: %j', (message) => {
  expect(greet({ jsonrpc: '2.0', ...message }, readIdentity(), 'standard')).toBeNull();
});

test.each([...PROFILES, null])('the instructions fit the tools of the profile %s', (profile) => {
  const tools = profileOf(profile).tools.map(({ name }) => name);
  const hasTasks = tools.some((name) => /^task_?output$/i.test(name));
  expect(instructionsFor(profile ?? 'standard').includes('id of its task')).toBe(hasTasks);
});
