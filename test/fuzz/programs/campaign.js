// Command lines that are called read-only, run confined: none may change a file, except state of its own
// in the home and the temporary folders, where its row says so.

import { minimise } from '../minimise.js';
import { installedRows, readOnlyLines } from './lines.js';
import { HOME_FOLDER, isInstalled, WORK_FOLDER } from './oracle.js';

/**
 * @typedef {import('./lines.js').Line} Line
 * @typedef {import('./oracle.js').ProgramOracle} ProgramOracle
 * @typedef {{ command: string, row: string, changed: string[] }} ProgramFinding
 */

/** `git status` and others refresh what the index remembers about files; its content stays. */
const REFRESHED = /\/\.git\/index$/;

/**
 * @param {Line} line
 * @param {readonly string[]} changed
 */
function wrongChanges(line, changed) {
  const isOwn = (/** @type {string} */ path) =>
    path.startsWith(`${HOME_FOLDER}/`) || !path.startsWith(`${WORK_FOLDER}/`);
  return changed.filter((path) => !REFRESHED.test(path) && !(line.ownState && isOwn(path)));
}

/**
 * @param {{ analyze: (command: string, options: { cwd: string, shell: 'bash', variables: Record<string, string> }) => { readOnly: boolean },
 *   commands: ReadonlyMap<string, import('./lines.js').CommandSpec>, oracle: ProgramOracle, random: import('../generate/random.js').Random,
 *   count: number, seconds?: number, only?: string, onFinding?: (finding: ProgramFinding) => void, onProgress?: (lines: number) => void }} options
 */
export async function runPrograms({ analyze, commands, oracle, random, count, seconds, only, onFinding, onProgress }) {
  const isReadOnly = (/** @type {string} */ command) =>
    analyze(command, { cwd: WORK_FOLDER, shell: 'bash', variables: { HOME: HOME_FOLDER } }).readOnly;
  const rows = installedRows(commands, isInstalled).filter(
    ({ name }) => only === undefined || name.split(' ')[0] === only,
  );
  const deadline = performance.now() + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  /** @type {Map<string, ProgramFinding>} */
  const findings = new Map();
  const programs = new Set();
  let lines = 0;
  let late = 0;
  let lastProgress = performance.now();
  for (const line of readOnlyLines(random, rows, isReadOnly)) {
    if (lines >= count || performance.now() > deadline) break;
    const { changed, isLate } = await oracle.run(line.command);
    lines++;
    if (isLate) late++;
    programs.add(line.program);
    if (wrongChanges(line, changed).length > 0 && !findings.has(line.row)) {
      const command = await minimise(line.command, async (text) => {
        if (!`${text} `.startsWith(`${line.row} `) || !isReadOnly(text)) return false;
        return wrongChanges(line, (await oracle.run(text)).changed).length > 0;
      });
      const { changed: paths } = await oracle.run(command);
      const finding = { command, row: line.row, changed: paths };
      findings.set(line.row, finding);
      onFinding?.(finding);
    }
    if (performance.now() - lastProgress > 5000) {
      lastProgress = performance.now();
      onProgress?.(lines);
    }
  }
  return { lines, late, programs: programs.size, rows: rows.length, findings: [...findings.values()] };
}
