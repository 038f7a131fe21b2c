// `hardshell mcp --http` shows its metrics at /metrics, only with the token.

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROMETHEUS_TYPE } from '../../src/host.ts';
import { connect, type HttpServer, KINDS, Surroundings } from '../mcp/subject.ts';
import { readPrometheus } from './readers/prometheus-reader.ts';

const place = new Surroundings();
let server: HttpServer;
beforeAll(async () => {
  server = await place.startHttp();
}, 60_000);
afterAll(() => place.close());

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function ask(more: { method?: string; path?: string; headers?: Record<string, string> } = {}): Promise<Reply> {
  const { method = 'GET', path = '/metrics', headers = { authorization: `Bearer ${server.token}` } } = more;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port: server.url.port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    request.on('error', reject);
    request.end();
  });
}

test.each<[string, Parameters<typeof ask>[0], number]>([
  ['no token', { headers: {} }, 401],
  ['a wrong token', { headers: { authorization: `Bearer ${'0'.repeat(64)}` } }, 401],
  ['the token in the address', { headers: {}, path: '/metrics?token=x' }, 401],
  ['another method', { method: 'POST' }, 405],
  ['a path below', { path: '/metrics/x' }, 404],
])('%s is not served', async (_, given, status) => {
  const reply = await ask(given);
  expect(reply.status).toBe(status);
  expect(reply.text).not.toContain('hardshell_requests_total');
});

test('another Host is not served, also with the token', async () => {
  const headers = { authorization: `Bearer ${server.token}`, host: 'evil.example' };
  expect((await ask({ headers })).status).toBe(403);
});

test('what clients ran is counted there', async () => {
  const before = await ask();
  expect([before.status, before.headers['content-type']]).toEqual([200, PROMETHEUS_TYPE]);
  expect(readPrometheus(before.text).get('hardshell_executions_total')?.samples.size).toBe(0);
  const client = await connect(place, KINDS[1], { server });
  await client.call('bash', { command: 'echo hello' });
  const families = readPrometheus((await ask()).text);
  const name = 'hardshell_executions_total';
  expect(families.get(name)?.samples.get(`${name} outcome=succeeded type=echo`)).toBe(1);
});
