// Alerts over https: an untrusted certificate gets none, regardless of the environment; a known one gets them.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hs-alerts-'));
const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
const tool = 'openssl';
const isMade = makeCertificate();
let server: Server;
const bodies: string[] = [];

function makeCertificate(): boolean {
  const options = '-x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=hs -addext subjectAltName=IP:127.0.0.1'.split(' ');
  return spawnSync(tool, ['req', ...options, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' }).status === 0;
}

beforeAll(async () => {
  if (!isMade) return;
  server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.writeHead(204).end();
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}, 90_000);
afterAll(async () => {
  if (isMade) await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

/** In a separate process: what it trusts is fixed at its start. */
async function send(env: Record<string, string>): Promise<unknown> {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const code = `
    import { createAlerts } from ${JSON.stringify(join(ROOT, 'dist/api/audit.js'))};
    const problems = [];
    const alerts = createAlerts({
      onProblem: ({ message }) => problems.push(message),
      webhook: { url: ${JSON.stringify(url)}, secret: 'x'.repeat(24), maxAttempts: 1 },
    });
    alerts.report({ severity: 'high', message: 'Look at this.' });
    const { delivered, left } = await alerts.close();
    console.log(JSON.stringify({ delivered, left: left.length, problems }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: process.env.PATH, ...env },
  });
  return JSON.parse(stdout);
}

test.for<[string, () => Record<string, string>, number]>([
  ['an unknown certificate', () => ({}), 0],
  ['an unknown one, where checks are switched off', () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }), 0],
  ['a known one', () => ({ NODE_EXTRA_CA_CERTS: certFile }), 1],
])('%s', { timeout: 30_000 }, async ([, env, delivered], context) => {
  if (!isMade) return context.skip('openssl, which makes the certificate, is not here');
  bodies.length = 0;
  const result = await send(env());
  expect(result).toMatchObject({ delivered, left: 0 });
  if (delivered === 0) expect(result).toMatchObject({ problems: [expect.stringMatching(/SELF_SIGNED/)] });
  expect(bodies.length).toBe(delivered);
});
