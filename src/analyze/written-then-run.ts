// A script that the command writes and then passes to a shell: its text is not analyzed, so it is unknown what runs.
// Scripts in other languages are ordinary programs, and compilers write programs, not text.

import type { CommandFact } from '../core/facts.ts';
import { wordSet } from '../core/values/once.ts';
import { foldPath, inFolder } from './effects/paths.ts';

const COMPILERS = wordSet('cc gcc g++ c++ clang clang++ ld rustc go zig tsc cargo make cmake javac');
const SHELLS = wordSet('bash sh dash zsh ksh ash');

export function findWrittenThenRun(commands: readonly CommandFact[]): readonly CommandFact[] {
  const running = commands.filter(runsScript);
  if (running.length === 0) return [];
  const written = writtenPaths(commands);
  return running.filter((fact) =>
    fact.effects.executes.some(({ kind, text }) => kind === 'file' && isWritten(text, fact, written)),
  );
}

function runsScript(fact: CommandFact): boolean {
  const isShell = fact.name !== null && SHELLS.has(fact.name);
  return (isShell || fact.argv[0]?.includes('/') === true) && fact.effects.executes.some(({ kind }) => kind === 'file');
}

function writtenPaths(commands: readonly CommandFact[]): ReadonlySet<string | null> {
  const written = new Set<string | null>();
  for (const fact of commands) {
    if (fact.name !== null && COMPILERS.has(fact.name)) continue;
    for (const { path, glob } of fact.effects.writes) {
      if (path === null || glob) written.add(null);
      else if (!path.startsWith('/dev/')) written.add(path);
    }
  }
  return written;
}

function isWritten(path: string | null, fact: CommandFact, written: ReadonlySet<string | null>): boolean {
  if (written.size === 0) return false;
  // An unknown file may be any other.
  if (path === null || written.has(null)) return true;
  if (path.startsWith('/')) return written.has(path);
  if (fact.cwd === null) return [...written].some((each) => baseName(each) === baseName(path));
  return fact.cwd.some((folder) => written.has(foldPath(inFolder(folder, path))));
}

function baseName(path: string | null): string {
  return path?.slice(path.lastIndexOf('/') + 1) ?? '';
}
