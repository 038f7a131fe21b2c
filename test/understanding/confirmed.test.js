// The corpus under real bash: every command that ran, its folder and every changed file must have been predicted.
// Rows run confined, with stubs for all programs but those that the oracle runs for real.

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { analyze } from '../../src/analyze/analyze.ts';
import { findComplaints } from '../fuzz/check.js';
import { isAllowed } from '../fuzz/generate/programs.js';
import { HOME_FOLDER, OracleUnavailable, openOracle, WORK_FOLDER } from '../fuzz/oracle.js';

const CASES = new URL('../cases/', import.meta.url);
/** Rows that wait, or start what never ends, teach nothing within the time limit. */
const ENDLESS = /\b(?:sleep|yes|watch|tail -[fF]|wait|coproc|select)\b|\/dev\/(?:zero|random)|:\(\)/;

/** @type {{ command: string, cwd?: string, shell?: 'bash' | 'sh' | 'zsh', why: string }[]} */
const rows = readdirSync(CASES)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => JSON.parse(readFileSync(new URL(name, CASES), 'utf8')));
/** The root of the confined tree itself must survive the row. */
function staysInside(/** @type {string} */ command) {
  return predict(command).effects.deletes.every(({ path }) => path === null || path.startsWith(WORK_FOLDER));
}

const runnable = rows.filter(
  ({ command, shell }) =>
    shell !== 'zsh' && command !== '' && isAllowed(command) && !ENDLESS.test(command) && staysInside(command),
);

/** @param {string} command */
function predict(command, shell = /** @type {'bash' | 'sh' | 'zsh'} */ ('bash')) {
  return analyze(command, { cwd: WORK_FOLDER, shell, variables: { HOME: HOME_FOLDER } });
}

const names = new Set(
  runnable.flatMap(({ command, shell }) =>
    predict(command, shell).commands.flatMap(({ name }) => (name ? [name] : [])),
  ),
);
const plainNames = [...names].filter((name) => /^[\w.+-]+$/.test(name));

/** @type {import('../fuzz/oracle.js').Oracle | null} */
let oracle = null;
let unavailable = '';
try {
  oracle = await openOracle(plainNames);
} catch (error) {
  if (!(error instanceof OracleUnavailable)) throw error;
  unavailable = error.message;
}

describe('the corpus under real bash', () => {
  afterAll(() => oracle?.close());

  test('most rows can run: all but absolute paths, kill, and what waits', () => {
    expect(runnable.length).toBeGreaterThan(0.85 * rows.length);
  });

  test('what ran was predicted', async (context) => {
    if (oracle === null) return context.skip(`programs cannot be confined here: ${unavailable}`);
    const failures = [];
    let executions = 0;
    for (const { command, shell } of runnable) {
      const observation = await oracle.run(command, shell === 'sh' ? 'sh' : 'bash');
      executions += observation.executions.length;
      const complaints = findComplaints(predict(command, shell), observation);
      if (complaints.length > 0) failures.push({ command, shell, complaints });
    }
    expect(failures).toEqual([]);
    expect(executions).toBeGreaterThan(runnable.length / 2);
  }, 300_000);
});
