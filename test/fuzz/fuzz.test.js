// Bounded soundness run: fixed seeds, earlier counter-examples, and proof that the confinement holds.
// Fresh seeds are for `npm run fuzz`: a suite must give the same answer twice. Where programs cannot be confined nothing
// runs, and the reason is printed.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyze } from '../../src/analyze/analyze.ts';
import { judge, runCampaign } from './campaign.js';
import { findComplaints } from './check.js';
import { isAllowed, makeProgram, TRAPS } from './generate/programs.js';
import { OracleUnavailable, openOracle } from './oracle.js';
import { processesIn, watchOutside } from './outside.js';

const SEEDS = [20240229, 7];
const PROGRAMS_EACH = 1_500;
/** @type {{ command: string, shell?: 'bash' | 'sh', why: string }[]} */
const REGRESSIONS = JSON.parse(readFileSync(new URL('./regressions.json', import.meta.url), 'utf8'));

/** @type {import('./oracle.js').Oracle | null} */
let opened = null;
let reason = '';
try {
  opened = await openOracle();
} catch (error) {
  if (!(error instanceof OracleUnavailable)) throw error;
  reason = error.message;
}

if (opened === null) {
  test('analysis against real bash', (context) => context.skip(`programs cannot be confined here: ${reason}`));
}

describe.runIf(opened !== null)('analysis against real bash', () => {
  const oracle = /** @type {import('./oracle.js').Oracle} */ (opened);
  /** @type {ReturnType<typeof watchOutside>} */
  let outside;
  beforeAll(() => {
    outside = watchOutside(fileURLToPath(new URL('.', import.meta.url)));
  });
  afterAll(async () => {
    await oracle?.close();
    if (oracle) expect(processesIn(oracle.space), 'processes left').toEqual([]);
  });

  test('hostile programs reach nothing outside', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    let connections = 0;
    server.on('connection', () => connections++);
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const canary = join(outside.canary, 'a');
    const attempts = [
      `echo gone > ${canary}`,
      `rm -rf ${outside.canary} ../.. / ~`,
      `echo x > /bin/c0; echo x > /etc/passwd; echo x > /real/bash`,
      `exec 3<> /dev/tcp/127.0.0.1/${port}; echo hi >&3`,
      'kill -9 -1; kill -9 1; kill -STOP 1',
      ':(){ :|:& };:',
      'while :; do setsid setsid c0 & done',
      `x=${'a'.repeat(1000)}; while :; do x=$x$x; done`,
      'while :; do echo aaaaaaaaaaaaaaaa; done > big',
      'umask 777; mkdir q; cd q',
      'mkdir -p p/p/p/p/p/p/p/p/p/p/p/p/p/p; rm -rf d a',
    ];
    for (const attempt of attempts) await oracle.run(attempt);
    const after = await oracle.run('c0 "$(cat a)"; cd d; c1');
    expect(after.executions.map(({ name, args, cwd }) => [name, cwd, ...args])).toEqual([
      ['cat', '/w', 'a'],
      ['c0', '/w', 'alpha\nbeta'],
      ['c1', '/w/d'],
    ]);
    server.close();
    expect(connections).toBe(0);
    expect(readFileSync(canary, 'utf8')).toBe('a\n');
  });

  test('the oracle sees what runs behind wrappers, closed descriptors and empty environments', async () => {
    const names = async (/** @type {string} */ text) =>
      (await oracle.run(text)).executions.map(({ name }) => name).sort();
    expect(await names('env -i c1 a')).toEqual(['c1', 'env']);
    expect(await names('exec 1>&- 2>&-; c1; exec -a nobody c2')).toEqual(['c1', 'c2']);
    expect(await names("PATH= ; c1; bash -c 'PATH=../bin c2'")).toEqual([]);
    expect(await names("bash -c 'exec -c setsid c2'")).toEqual(['bash', 'c2', 'setsid']);
    expect(await names('c1 & disown; exit')).toEqual(['c1']);
  });

  test('the check notices each kind of wrong prediction', async () => {
    const nothing = { reads: [], writes: [], deletes: [], executes: [], unknown: [] };
    const fact = (/** @type {(string | null)[]} */ argv, cwd = ['/w']) => ({
      name: argv[0] ?? null,
      argv,
      cwd,
      elsewhere: null,
      effects: nothing,
    });
    const facts = (/** @type {object} */ rest) =>
      /** @type {import('./check.js').Facts} */ ({
        status: 'understood',
        readOnly: false,
        reasons: [],
        effects: nothing,
        commands: [],
        ...rest,
      });
    const kinds = async (/** @type {string} */ text, /** @type {object} */ rest) =>
      findComplaints(facts(rest), await oracle.run(text)).map(({ kind }) => kind);
    expect(await kinds('c1 a', { commands: [fact(['c1', 'b'])] })).toEqual(['unpredicted command']);
    expect(await kinds('c1 a', { commands: [fact(['c1', null, 'a'])] })).toEqual([]);
    expect(await kinds('cd d; c1', { commands: [fact(['c1'])] })).toEqual(['unpredicted folder']);
    expect(await kinds('> f1', { effects: { ...nothing, writes: [{ path: '/w/f2' }] } })).toEqual([
      'unpredicted change',
    ]);
    expect(await kinds('> f1', { readOnly: true, effects: { ...nothing, writes: [{ path: '/w/f1' }] } })).toEqual([
      'not read-only',
    ]);
    expect(await kinds('c1 a; rm a', { status: 'cannot-tell' })).toEqual([]);
  });

  test('programs are reproducible and stay within what may be tried', () => {
    expect(makeProgram(7).text).toBe(makeProgram(7).text);
    expect(TRAPS.filter((trap) => !isAllowed(trap))).toEqual([]);
  });

  test.each(REGRESSIONS)('sound: $why', async ({ command, shell = 'bash' }) => {
    const { failures } = await judge(analyze, oracle, { text: command, shell });
    expect(failures).toEqual([]);
  });

  test.each(SEEDS)(
    'every argv, folder and file of random programs was predicted (seed %i)',
    async (seed) => {
      const { figures, findings } = await runCampaign({ analyze, oracle, seed, count: PROGRAMS_EACH, maxFindings: 3 });
      process.stderr.write(`fuzz ${JSON.stringify(figures.summary())}\n`);
      expect(findings).toEqual([]);
      expect(figures.programs).toBeGreaterThanOrEqual(PROGRAMS_EACH);
    },
    240_000,
  );

  test('nothing outside was touched', () => {
    expect(outside.check('none')).toMatchObject({ touched: [], changed: [] });
  });
});
