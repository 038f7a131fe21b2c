// Exit codes 127 and 126 → the program that the shell could not run, found by looking for it in the PATH of the command.
// `exit 127` is an exit code like any other: nothing was missing.

import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { RunResult } from '../../core/running.ts';

type Presence = 'runs' | 'cannot-run' | 'absent';

/** The program as written; `null` if every known program is there. */
export function findAbsentProgram(result: RunResult): string | null {
  return lastNamed(programsThatAre('absent', result), result);
}

export function findUnusableProgram(result: RunResult): string | null {
  return lastNamed(programsThatAre('cannot-run', result), result);
}

function programsThatAre(presence: Presence, { facts, details }: RunResult): readonly string[] {
  const path = details?.environment.PATH ?? '';
  const names = facts.commands.flatMap((fact) => {
    const [word] = fact.argv;
    if (fact.kind !== 'program' || fact.elsewhere !== null || typeof word !== 'string') return [];
    return lookUp(word, fact, path) === presence ? [word] : [];
  });
  return [...new Set(names)];
}

/** The exit code is that of the last command: of several, the one that the shell complained about last. */
function lastNamed(names: readonly string[], { output }: RunResult): string | null {
  const at = (name: string) => output.lastIndexOf(`${name}: `);
  return names.reduce<string | null>((last, name) => (last === null || at(name) >= at(last) ? name : last), null);
}

function lookUp(word: string, { cwd }: CommandFact, path: string): Presence {
  if (isAbsolute(word)) return presenceOf(word);
  if (word.includes('/')) {
    const [folder] = cwd ?? [];
    return folder === undefined ? 'runs' : presenceOf(join(folder, word));
  }
  const found = path.split(':').map((folder) => presenceOf(join(folder, word)));
  return found.find((each) => each === 'runs') ?? found.find((each) => each === 'cannot-run') ?? 'absent';
}

function presenceOf(file: string): Presence {
  try {
    if (!statSync(file).isFile()) return 'cannot-run';
    accessSync(file, constants.X_OK);
    return 'runs';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'cannot-run' : 'absent';
  }
}
