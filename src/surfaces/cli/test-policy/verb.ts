// `hardshell test FILE…`: do the settings still decide as the fixtures expect?
// 0: all cases passed; 1: a case failed; 2: a fixture file or the command line is wrong, and no case was checked.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined } from '../../../host/values.ts';
import { HardshellError } from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { readFolder } from '../input.ts';
import { process } from '../process.ts';
import { createTerminal } from '../show/terminal.ts';
import { type Problem, parseFixtures } from './fixtures.ts';
import type { TestOptions } from './options.ts';
import { type Coverage, type Defaults, type LoadedFile, measureCoverage, runFixtures } from './outcome.ts';
import { drawCoverage, drawOutcomes, drawProblems, problemsJson, reportJson } from './report.ts';
import type { PolicyTools } from './tools.ts';

const MAX_FILE_BYTES = 8 << 20;
const FAILED = 1;

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const STANDARD: Output = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};

export function testPolicies(
  names: readonly string[],
  options: TestOptions,
  tools: PolicyTools,
  { out, err }: Output = STANDARD,
): number {
  const defaults: Defaults = {
    cwd: readFolder(options.cwd),
    shell: options.shell,
    ...defined({ mode: options.mode }),
    ...(options.settings === undefined ? {} : { settingsFile: resolve(options.settings) }),
  };
  const files: LoadedFile[] = [];
  const problems: (Problem & { file: string })[] = [];
  for (const file of new Set(names)) {
    const parsed = parseFixtures(readText(file));
    files.push({ file, fixtures: parsed.fixtures });
    problems.push(...parsed.problems.map((problem) => ({ file, ...problem })));
  }
  if (problems.length > 0) {
    if (options.json) out(problemsJson(problems));
    err(problems.map((problem) => `${drawProblems(problem.file, [problem]).join('\n')}\n`).join(''));
    return EXIT.badInput;
  }

  const outcomes = runFixtures(files, defaults, tools);
  const wantsCoverage = options.coverage === true || options.requireCoverage === true;
  const coverage = wantsCoverage ? measureCoverage(files, defaults, outcomes, tools) : null;
  if (options.json) out(reportJson(outcomes, coverage));
  else {
    const terminal = createTerminal(options);
    const lines = [...drawOutcomes(outcomes, terminal), ...(coverage === null ? [] : drawCoverage(coverage, terminal))];
    out(`${lines.join('\n')}\n`);
  }
  const hasFailed = outcomes.some(({ failure }) => failure !== null);
  return hasFailed || lacksCoverage(options, coverage) ? FAILED : EXIT.ok;
}

function lacksCoverage(options: TestOptions, coverage: Coverage | null): boolean {
  return options.requireCoverage === true && coverage !== null && coverage.unhit.length > 0;
}

function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const what = { ENOENT: 'does not exist', EISDIR: 'is a folder', EACCES: 'cannot be read: permission denied' }[code];
    throw new HardshellError('invalid-argument', `${file} ${what ?? `cannot be read (${code})`}.`, {
      hint: 'Name the fixture files: hardshell test policies/*.jsonc',
      cause,
    });
  }
  if (bytes.length > MAX_FILE_BYTES)
    throw new HardshellError('too-long', `${file} is larger than 8 MiB.`, { hint: 'Split it into several files.' });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new HardshellError('invalid-utf8', `${file} is not valid UTF-8.`, { hint: 'Save it as UTF-8.', cause });
  }
}
