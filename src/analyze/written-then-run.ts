// A file that the command writes and then runs: its text is not looked at, so what runs is not known.

import type { CommandFact } from '../core/facts.ts';
import { foldPath, inFolder } from './effects/paths.ts';

/** Compilers write programs, not text that a shell would read. */
const COMPILERS = new Set('cc gcc g++ c++ clang clang++ ld rustc go zig tsc cargo make cmake javac'.split(' '));

export function findWrittenThenRun(commands: readonly CommandFact[]): readonly CommandFact[] {
  const written = new Set<string | null>();
  for (const fact of commands) {
    if (fact.name !== null && COMPILERS.has(fact.name)) continue;
    for (const { path, glob } of fact.effects.writes) written.add(glob ? null : path);
  }
  if (written.size === 0) return [];
  return commands.filter((fact) =>
    fact.effects.executes.some((effect) => effect.kind === 'file' && isWritten(effect.text, fact, written)),
  );
}

function isWritten(path: string | null, fact: CommandFact, written: ReadonlySet<string | null>): boolean {
  // A file that is not known may be any other.
  if (path === null || written.has(null)) return true;
  if (path.startsWith('/')) return written.has(path);
  if (fact.cwd === null) return true;
  return fact.cwd.some((folder) => written.has(foldPath(inFolder(folder, path))));
}
