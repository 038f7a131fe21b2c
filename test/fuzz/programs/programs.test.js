// A small bounded piece of `npm run fuzz -- programs`: command lines that are called read-only change no file.

import { afterAll, describe, expect, test } from 'vitest';
import { analyze } from '../../../src/analyze/analyze.ts';
import { allCommands } from '../../../src/analyze/commands/table.ts';
import { Random } from '../generate/random.js';
import { OracleUnavailable } from '../oracle.js';
import { runPrograms } from './campaign.js';
import { openProgramOracle } from './oracle.js';

/** @type {import('./oracle.js').ProgramOracle | null} */
let opened = null;
let reason = '';
try {
  opened = await openProgramOracle();
} catch (error) {
  if (!(error instanceof OracleUnavailable)) throw error;
  reason = error.message;
}

if (opened === null) {
  test('read-only command lines', (context) => context.skip(`programs cannot be confined here: ${reason}`));
}

describe.runIf(opened !== null)('read-only command lines', () => {
  const oracle = /** @type {import('./oracle.js').ProgramOracle} */ (opened);
  afterAll(() => oracle?.close());

  test('the oracle sees changes in the folder, the home and /tmp, and puts them back', async () => {
    const { changed } = await oracle.run(
      'touch new; rm b.txt; echo x >> a.txt; touch ~/n; mkdir /tmp/t; chmod 700 sub',
    );
    expect(changed.sort()).toEqual([
      '/mnt/w/a.txt',
      '/mnt/w/b.txt',
      '/mnt/w/home/n',
      '/mnt/w/new',
      '/mnt/w/sub',
      '/tmp/t',
    ]);
    expect(await oracle.run('test -f b.txt && ! test -e /tmp/t')).toMatchObject({ changed: [], status: 0 });
  });

  test('the lines reach no network and nothing outside', async () => {
    const attempts = ['echo x > /etc/x', 'touch /usr/x', 'exec 3<>/dev/tcp/127.0.0.1/22', 'ls /run | grep -q .'];
    for (const attempt of attempts) expect(await oracle.run(attempt)).toMatchObject({ changed: [], status: 1 });
  });

  test('none changes a file', async () => {
    const random = new Random(20261116);
    const { findings, lines } = await runPrograms({ analyze, commands: allCommands(), oracle, random, count: 120 });
    expect(findings).toEqual([]);
    expect(lines).toBe(120);
  }, 240_000);
});
