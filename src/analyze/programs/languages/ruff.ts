// ruff check: implicit writes: the cache, and fixes enabled by the project's settings.

import type { ProgramAnalyser } from '../program.ts';

export const ruff: ProgramAnalyser = (args, sink) => {
  const printsOnly = ['--show-files', '--show-settings', '--help', '-h'].some((name) => args.has(name));
  if (printsOnly) return;
  if (!args.has('--no-cache') && !args.has('-n')) sink.changes('write to `.ruff_cache`');
  // `fix = true` in pyproject.toml makes every check edit the files.
  if (!['--no-fix', '--diff', '--isolated'].some((name) => args.has(name))) sink.unknown('settings may enable fixes');
};
