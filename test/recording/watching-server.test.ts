// A server that stays verifies the log, tells who wants to know, and counts what people mark: a real process each.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkAuditLog } from '../../src/doctor/surroundings-checks.ts';
import { readWatchReport } from '../../src/host.ts';
import { type HttpServer, Surroundings } from '../mcp/subject.ts';
import { readPrometheus } from './readers/prometheus-reader.ts';
import { Receiver } from './readers/receiver.ts';

const BIN = fileURLToPath(new URL('../../bin/hardshell.js', import.meta.url));
const place = new Surroundings();
const folder = join(place.env.HARDSHELL_STATE_DIR as string, 'audit');
let receiver: Receiver;
let server: HttpServer;

beforeAll(async () => {
  receiver = await Receiver.open();
  place.env.HOOK_SECRET = `whsec_${Buffer.from('an example of 32 bytes of secret').toString('base64')}`;
  place.setSettings({ alerts: { webhook: { url: receiver.url, secretVariable: 'HOOK_SECRET' } } });
  for (const command of ['echo hello', 'rm -rf /'])
    spawnSync(process.execPath, [BIN, 'run', command], { env: place.env, cwd: place.work });
  const file = join(folder, '000-000001.jsonl');
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('echo hello');
  writeFileSync(file, text.replace('echo hello', 'echo jello'));
  server = await place.startHttp();
}, 90_000);
afterAll(async () => {
  await place.close();
  await receiver.close();
});

async function metrics(name: string): Promise<ReadonlyMap<string, number>> {
  const address = new URL('/metrics', server.url);
  // A connection that was kept may be closed by the time of the next request: the processes between them can take long.
  const headers = { authorization: `Bearer ${server.token}`, connection: 'close' };
  const reply = await fetch(address, { headers });
  return readPrometheus(await reply.text()).get(name)?.samples ?? new Map();
}

test('a line that was changed before it began becomes an alert, a figure, a line in its log, and one of the doctor', async () => {
  await receiver.until(1);
  const { type, data } = JSON.parse(receiver.received[0]?.body ?? '');
  expect([type, data.severity, data.checks]).toEqual(['hardshell.tampered', 'critical', ['changed']]);
  expect([...(await metrics('hardshell_audit_problems')).values()]).toEqual([1]);
  expect([...(await metrics('hardshell_audit_verifications_total')).keys()].join()).toContain('broken');
  await server.raw.untilStderr('The audit log was changed: ');
  expect(readWatchReport(folder)).toMatchObject({ isIntact: false, problemCount: 1 });
  expect(checkAuditLog(folder)).toMatchObject({
    state: 'broken',
    details: [expect.stringMatching(/^000-000001\.jsonl:\d+: The line was changed/)],
    fixes: [expect.stringContaining('hardshell audit verify')],
  });
});

test('what is marked in another process is counted', async () => {
  const said = await place.cli('audit', 'query', '--type', 'verdict', '--verdict', 'deny', '--json');
  const line = said.split('\n')[0] ?? '';
  const { task, findings } = JSON.parse(line) as { task: string; findings: { id: string }[] };
  const check = findings[0]?.id ?? '';
  expect((await metrics('hardshell_false_positives_total')).size).toBe(0);
  await place.cli('audit', 'mark', task, check);
  const counted = [...(await metrics('hardshell_false_positives_total'))];
  expect(counted).toEqual([[expect.stringContaining(check), 1]]);
  expect([...(await metrics('hardshell_false_positives_total')).values()]).toEqual([1]);
});

test('the dashboard continues where the server has ended', async () => {
  server.raw.child.kill('SIGTERM');
  await server.raw.exited;
  const before = receiver.received.length;
  const args = [BIN, 'dashboard', '--port', '0', '--json', '--settings', place.settings, '--cwd', place.work];
  const child = spawn(process.execPath, args, { env: place.env, cwd: place.work, stdio: ['ignore', 'ignore', 'pipe'] });
  place.onClose(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await receiver.until(before + 1);
  expect(JSON.parse(receiver.received.at(-1)?.body ?? '').type).toBe('hardshell.tampered');
  const exited = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
  expect(stderr).toContain('The audit log was changed: ');
});

test('the doctor says that alerts cannot be sent', () => {
  const webhook = { url: 'https://example.com/', secretVariable: 'HARDSHELL_TEST_NOT_SET' };
  expect(checkAuditLog(join(place.folder, 'none'), { webhook })).toMatchObject({
    state: 'weaker',
    says: 'not verified yet; run `hardshell audit verify`; alerts are not sent',
    details: [expect.stringContaining('HARDSHELL_TEST_NOT_SET')],
  });
});

test.each([
  [null, 'note', /not verified yet/],
  [{ isIntact: true, lines: 7, problems: [], problemCount: 0 }, 'good', /^verified 3 min ago: 7 lines/],
  [{ isIntact: true, lines: 7, problems: [], problemCount: 0, at: 0 }, 'good', /^verified \d+ h ago/],
  ['{"at": 1, "isIntact"', 'note', /not verified yet/],
])('the doctor reads %j as %s', (status, state, says) => {
  const other = join(place.folder, 'other');
  const now = 10_000_000;
  spawnSync('mkdir', ['-p', other]);
  const text = typeof status === 'string' ? status : JSON.stringify({ at: now - 180_000, ...status });
  if (status !== null) writeFileSync(join(other, 'verified.json'), text);
  expect(checkAuditLog(other, {}, now)).toMatchObject({ state, says: expect.stringMatching(says), name: 'audit' });
});
