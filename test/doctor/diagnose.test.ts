// The doctor on the machine that the tests run on: it proves what is claimed, and finds a sandbox that only claims.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { nativeSources } from '../../scripts/build-native.js';
import { tryLaunch } from '../../src/confine/backends/attempt.ts';
import type { ConfineBackend } from '../../src/confine/backends/backend.ts';
import { findBubblewrap } from '../../src/confine/backends/bubblewrap.ts';
import { describeEnforcement } from '../../src/confine/enforcement.ts';
import { diskFolders } from '../../src/confine/folders.ts';
import { diagnose } from '../../src/doctor/diagnose.ts';
import { type Diagnosis, GUARANTEES } from '../../src/host.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';

const given = process.env.HARDSHELL_TEST_KEEPER;
const native = given === undefined ? {} : { nativeFolder: dirname(given) };
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-doctor-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function needKeeper(context: TestContext): void {
  if (!keeperUnderTest.isAvailable) context.skip(keeperUnderTest.reason);
}

const verdictsOf = ({ guarantees }: Diagnosis) =>
  Object.fromEntries(guarantees.map(({ guarantee, verdict }) => [guarantee, verdict]));

test('the best that is had here holds what it claims', async (context) => {
  needKeeper(context);
  const diagnosis = await diagnose({ cwd: folder, ...native });
  expect(diagnosis.guarantees.filter(({ verdict }) => verdict === 'broken')).toEqual([]);
  expect(diagnosis.conclusion).not.toBe('broken');
  expect(diagnosis.checks.map(({ name }) => name)).toContain('broker');
  expect(diagnosis.checks.map(({ name }) => name)).toContain('broker');
  // What no tier holds is nothing to fix.
  const isBest = diagnosis.tier === 'namespaces' && diagnosis.checks.every(({ state }) => state !== 'weaker');
  if (isBest && !diagnosis.guarantees.some(({ verdict }) => verdict === 'not-proven'))
    expect(diagnosis.conclusion).toBe('good');
  expect(diagnosis.guarantees.map(({ guarantee }) => guarantee)).toEqual([...GUARANTEES]);
  // These need nothing but bash and coreutils: if they prove nothing, the attempts are wrong.
  for (const guarantee of ['writes-outside', 'hidden-content', 'network', 'signals-outside'] as const)
    expect(verdictsOf(diagnosis)[guarantee]).toBe('held');
}, 60_000);

test('without namespaces missing guarantees are reported, and the attempts show it', async (context) => {
  needKeeper(context);
  const diagnosis = await diagnose({ cwd: folder, allowNamespaces: false, ...native });
  if (diagnosis.tier !== 'landlock') context.skip('there is no Landlock here');
  expect(verdictsOf(diagnosis)).toMatchObject({ 'writes-outside': 'held', 'metadata-outside': 'missing' });
  expect(diagnosis.guarantees.filter(({ verdict }) => verdict === 'broken')).toEqual([]);
  const metadata = diagnosis.guarantees.find(({ guarantee }) => guarantee === 'metadata-outside');
  expect(metadata?.attempts.map(({ confined }) => confined)).toContain('worked');
  expect(diagnosis.checks.find(({ name }) => name === 'tier')).toMatchObject({ state: 'weaker' });
}, 60_000);

test('a sandbox that claims everything and does nothing is found out', async (context) => {
  needKeeper(context);
  const liar: ConfineBackend = {
    name: 'keeper',
    proxy: 'none',
    plan: () => ({
      kind: 'confined',
      backend: 'keeper',
      enforcement: describeEnforcement('namespaces', [], [], null),
      cannot: [],
      apply: (request) => request,
    }),
  };
  const diagnosis = await diagnose({ cwd: folder, backend: liar, ...native });
  expect(diagnosis.conclusion).toBe('broken');
  // Everything that can be proven on this machine.
  for (const { verdict, attempts } of diagnosis.guarantees)
    expect(verdict).toBe(attempts.some(({ unconfined }) => unconfined === 'worked') ? 'broken' : 'not-proven');
  expect(diagnosis.guarantees.filter(({ verdict }) => verdict === 'broken').length).toBeGreaterThan(10);
}, 60_000);

test('the restricted sandbox has no workspace', async (context) => {
  needKeeper(context);
  const diagnosis = await diagnose({ cwd: folder, sandbox: 'restricted', ...native });
  expect(diagnosis.guarantees.filter(({ verdict }) => verdict === 'broken')).toEqual([]);
  expect(verdictsOf(diagnosis)).toMatchObject({ 'writes-outside': 'held', 'protected-absent': 'held' });
}, 60_000);

test('unrestricted enforces nothing and reports that', async (context) => {
  needKeeper(context);
  const diagnosis = await diagnose({ cwd: folder, sandbox: 'unrestricted', ...native });
  expect(diagnosis).toMatchObject({ tier: 'none', conclusion: 'weaker' });
  expect(new Set(Object.values(verdictsOf(diagnosis)))).toEqual(new Set(['missing']));
}, 60_000);

test('without a keeper what it would hold is missing, with the way to get one', async () => {
  const diagnosis = await diagnose({ cwd: folder, nativeFolder: join(folder, 'absent') });
  // Where another program confines instead, it is tried like the keeper.
  if (diagnosis.tier === 'none') expect(new Set(Object.values(verdictsOf(diagnosis)))).toEqual(new Set(['missing']));
  else expect(diagnosis.guarantees.filter(({ verdict }) => verdict === 'broken')).toEqual([]);
  const keeper = diagnosis.checks.find(({ name }) => name === 'keeper');
  expect(keeper?.state).toBe('weaker');
  expect(keeper?.fixes.at(-1)).toMatch(/npm run build/);
}, 60_000);

test('settings that cannot be read are a fault, with file, line and fix', async () => {
  const settingsFile = join(folder, 'settings.json');
  writeFileSync(settingsFile, '{\n  "mode": "yolo"\n}\n');
  const diagnosis = await diagnose({ cwd: folder, settingsFile, nativeFolder: join(folder, 'absent') });
  const settings = diagnosis.checks.find(({ name }) => name === 'settings');
  expect(diagnosis.conclusion).toBe('broken');
  expect(settings).toMatchObject({ state: 'broken' });
  expect(settings?.details[0]).toContain(`${settingsFile}:2:`);
  expect(settings?.fixes.length).toBeGreaterThan(0);
}, 60_000);

test('the proxy is tried', async () => {
  const diagnosis = await diagnose({ cwd: folder, nativeFolder: join(folder, 'absent') });
  expect(diagnosis.checks.find(({ name }) => name === 'proxy')).toMatchObject({ state: 'good' });
}, 60_000);

test('nothing is left behind', async (context) => {
  needKeeper(context);
  const left = () => readdirSync('/dev/shm').filter((name) => /^hardshell-[0-9a-f]{12}$/.test(name));
  const before = left();
  await diagnose({ cwd: folder, ...native });
  // Other doctor runs may be active: their files disappear on their own.
  const more = left().filter((name) => !before.includes(name));
  await expect.poll(() => left().filter((name) => more.includes(name)), { timeout: 40_000 }).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.startsWith('hardshell-doctor'))).toEqual([]);
}, 60_000);

test('bubblewrap holds what it claims', async (context) => {
  needKeeper(context);
  const options = { folders: diskFolders, privateFolder: join(folder, 'filter'), endsTree: true };
  const found = await findBubblewrap(options, tryLaunch);
  if (!found.isAvailable) return context.skip(found.why);
  const diagnosis = await diagnose({ cwd: folder, backend: found.backend, ...native });
  expect(diagnosis.guarantees.filter(({ verdict }) => verdict === 'broken')).toEqual([]);
  expect(diagnosis).toMatchObject({ tier: 'bubblewrap' });
}, 60_000);

test.for([0, 2])(
  'on a machine with Landlock %i nothing is claimed that does not hold',
  { timeout: 120_000 },
  async (abi, context) => {
    needKeeper(context);
    if (spawnSync('cc', ['--version']).status !== 0) context.skip('needs a compiler');
    const nativeFolder = join(folder, `native-${abi}`);
    mkdirSync(nativeFolder);
    const keeper = join(nativeFolder, 'keeper');
    const sources = nativeSources().filter((source) => source.endsWith('.c'));
    execFileSync('cc', ['-std=c11', '-O0', `-DCONFINE_NEWEST_ABI=${abi}`, '-o', keeper, ...sources]);
    const sha256 = createHash('sha256').update(readFileSync(keeper)).digest('hex');
    writeFileSync(join(nativeFolder, 'keeper.json'), JSON.stringify({ sha256, compiler: 'cc', flags: [] }));
    for (const allowNamespaces of [true, false]) {
      const diagnosis = await diagnose({ cwd: folder, nativeFolder, allowNamespaces });
      expect(diagnosis.guarantees.filter(({ verdict }) => verdict === 'broken')).toEqual([]);
      expect(diagnosis.checks.find(({ name }) => name === 'landlock')).toMatchObject({ state: 'weaker' });
      if (diagnosis.tier !== 'landlock') continue;
      const writes = diagnosis.guarantees.find(({ guarantee }) => guarantee === 'writes-outside');
      expect(writes?.verdict).toBe('missing');
    }
  },
);
