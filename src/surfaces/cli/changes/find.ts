// An id from the command line, or none → the staged command that is meant, or the message if there is none.

import { realpathSync } from 'node:fs';
import { FITS, type StagedCommand } from '../../../host/stages.ts';
import { isAtOrBelow } from '../../../host/values.ts';
import { writeFailure } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { hintFor } from '../tasks/find.ts';

export const NOTHING = 1;

/** What each verb can be used on without an id. */
const USABLE = { ...FITS, changes: (stage: StagedCommand) => stage.state !== 'dropped' } as const;

const NONE: Readonly<Record<keyof typeof USABLE, string>> = {
  changes: 'No staged changes in this folder.',
  undo: 'Nothing to undo in this folder.',
  redo: 'Nothing to redo in this folder.',
  apply: 'No held changes in this folder.',
  drop: 'No held changes in this folder.',
};

/** Commands that could change this folder, or something in it. */
export function isOfFolder({ roots }: Pick<StagedCommand, 'roots'>, cwd: string): boolean {
  return roots.some((root) => isAtOrBelow(cwd, root) || isAtOrBelow(root, cwd));
}

export function currentPlace(): string {
  return realpathSync(process.cwd());
}

/** Null if there is none: it has been reported then. */
export function choose(
  all: readonly StagedCommand[],
  id: string | undefined,
  verb: keyof typeof USABLE,
  { json }: { readonly json?: true },
): StagedCommand | null {
  const here = currentPlace();
  // What was done last is undone first; a command that became a task may land after later ones.
  const sorted = verb === 'changes' ? all : [...all].sort((a, b) => b.stateAt - a.stateAt);
  const found =
    id === undefined
      ? sorted.find((stage) => USABLE[verb](stage) && !stage.isBusy && isOfFolder(stage, here))
      : all.find((stage) => stage.id === id);
  if (found !== undefined) return found;
  const failure =
    id === undefined
      ? { code: 'no-such-changes', message: NONE[verb], hint: 'hardshell changes --all lists those of all folders.' }
      : { code: 'no-such-changes', message: `No staged changes: ${id}`, hint: nearest(id, all) };
  if (json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, error: failure }));
  writeFailure(failure);
  return null;
}

function nearest(id: string, all: readonly StagedCommand[]): string {
  const hint = all.length === 0 ? '' : hintFor(id, all);
  return hint.startsWith('Did you mean') ? hint : 'hardshell changes --all lists them.';
}
