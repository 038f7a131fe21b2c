// A file that the command writes and then runs: its text is not looked at, so what runs is not known.

import type { CommandFact } from '../core/facts.ts';

/** Compilers write programs, not text that a shell would read. */
const COMPILERS = new Set('cc gcc g++ c++ clang clang++ ld rustc go zig tsc cargo make cmake javac'.split(' '));

export function findWrittenThenRun(commands: readonly CommandFact[]): readonly CommandFact[] {
  const written = new Set<string>();
  for (const fact of commands) {
    if (fact.name !== null && COMPILERS.has(fact.name)) continue;
    for (const { path } of fact.effects.writes) if (path !== null) written.add(path);
  }
  if (written.size === 0) return [];
  return commands.filter((fact) =>
    fact.effects.executes.some((effect) => effect.kind === 'file' && isWritten(effect.text, fact, written)),
  );
}

function isWritten(path: string | null, fact: CommandFact, written: ReadonlySet<string>): boolean {
  if (path === null) return false;
  if (path.startsWith('/')) return written.has(path);
  const name = path.replace(/^(?:\.\/)+/, '');
  return (fact.cwd ?? []).some((folder) => written.has(`${folder}/${name}`) || written.has(name));
}
