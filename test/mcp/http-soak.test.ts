// What a server over HTTP keeps of requests that are over: nothing. Counts objects, descriptors and streams, not bytes.

import { readdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import v8 from 'node:v8';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpServer, Surroundings, until } from './subject.ts';

const REQUESTS = 200;
/** Of the SDK or of requests that are not quite over. */
const FEW = 20;

const place = new Surroundings();
let server: HttpServer;
beforeAll(async () => {
  place.setSettings({ mode: 'bypass' });
  const probe = join(place.folder, 'probe.cjs');
  writeFileSync(
    probe,
    `process.on('SIGUSR2', () => {
  const count = require('node:v8').queryObjects(Request, { format: 'count' });
  process.stderr.write('requests: ' + count + ';\\n');
});\n`,
  );
  place.env.NODE_OPTIONS = `--require ${probe}`;
  server = await place.startHttp();
});
afterAll(() => place.close());

interface Reply {
  readonly status: number;
  readonly session: string;
  readonly text: string;
}

function post(message: object, session?: string, to = server): Promise<Reply> {
  const headers = {
    authorization: `Bearer ${to.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
  };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: to.url.port, method: 'POST', path: '/mcp', headers };
    const request = httpRequest({ ...options, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, session: String(response.headers['mcp-session-id']), text }),
      );
    });
    request.on('error', reject);
    request.end(JSON.stringify(message));
  });
}

async function greet(to = server): Promise<string> {
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'bare', version: '1' } };
  const { session } = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, undefined, to);
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session, to);
  return session;
}

const call = (id: number, command: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'bash', arguments: { command } },
});
const cancel = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
const descriptors = () => readdirSync(`/proc/${server.raw.child.pid}/fd`).length;

test('a request that was answered is forgotten', async (context) => {
  if (!('queryObjects' in v8)) return context.skip('this Node cannot count objects');
  const session = await greet();
  for (let id = 1; id <= REQUESTS; id++) await post({ jsonrpc: '2.0', id, method: 'ping' }, session);
  const count = async (): Promise<number> => {
    const before = server.raw.stderr.length;
    server.raw.child.kill('SIGUSR2');
    await until(() => /requests: \d+;/.test(server.raw.stderr.slice(before)));
    return Number(/requests: (\d+);/.exec(server.raw.stderr.slice(before))?.[1]);
  };
  expect(await count()).toBeLessThan(FEW);
});

test.skipIf(process.platform !== 'linux')(
  'the stream of a cancelled call ends, and its descriptor is closed',
  async () => {
    const session = await greet();
    const before = descriptors();
    for (let id = 1; id <= 5; id++) {
      const waiting = post(call(id, `sleep 60; echo late`), session);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await post(cancel(id), session);
      expect(await waiting).toMatchObject({ status: 200, text: expect.not.stringContaining('late') });
    }
    await until(() => descriptors() <= before + 2);
  },
);

test('a cancelled call does not take the answers of others in the same message with it', async () => {
  const session = await greet();
  const waiting = post([call(1, 'sleep 60'), call(2, 'sleep 1; echo "other answer"')], session);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await post(cancel(1), session);
  expect((await waiting).text).toContain('other answer');
});

test('a session whose last call was cancelled expires', async () => {
  const short = await place.startHttp(['--idle-minutes', '0.03']);
  const session = await greet(short);
  const waiting = post(call(1, 'sleep 60'), session, short);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await post(cancel(1), session, short);
  await waiting;
  await new Promise((resolve) => setTimeout(resolve, 4000));
  expect((await post({ jsonrpc: '2.0', id: 2, method: 'ping' }, session, short)).status).toBe(404);
});
