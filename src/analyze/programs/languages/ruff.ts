// ruff check: what it writes without being asked: the cache, and fixes that the project's settings turn on.

import type { ProgramAnalyser } from '../program.ts';

export const ruff: ProgramAnalyser = (args, sink) => {
  const printsOnly = ['--show-files', '--show-settings', '--help', '-h'].some((name) => args.has(name));
  if (printsOnly) return;
  if (!args.has('--no-cache') && !args.has('-n')) sink.changes('write to `.ruff_cache`');
  // `fix = true` in pyproject.toml makes every check edit the files.
  if (!['--no-fix', '--diff', '--isolated'].some((name) => args.has(name))) sink.unknown('settings may turn fixes on');
};
