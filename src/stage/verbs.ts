// The native program that changes a stage: a verb → what it did, or what stands in the way.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { HardshellError } from '../core/errors.ts';
import type { Stage } from './store.ts';

export type StageVerb = 'apply' | 'drop' | 'undo' | 'redo' | 'recover' | 'check';

export interface VerbAnswer {
  /** `busy`: another process works on the stage. */
  readonly kind: 'done' | 'refused' | 'busy';
  /** Files that were changed since, absolute: why it was refused. */
  readonly conflicts: readonly string[];
  /** Newer files that had to make room, and where they are now. */
  readonly aside: readonly { readonly path: string; readonly movedTo: string }[];
  /** Conflicts that `force` does not resolve; absent if there are none. */
  readonly blocked?: readonly BlockedFile[];
}

export interface BlockedFile {
  readonly path: string;
  /**
   * `protected`: with newer files it would be part of a git repository that was never checked as a whole. `folder-moved`: its
   * folder is not there. `not-kept`: only a newer version was kept.
   */
  readonly why: 'protected' | 'folder-moved' | 'not-kept';
  /** The original or the newer version, in the stage. */
  readonly keptAt: string | null;
}

/** The subcommand that completes a verb. */
const COMPLETED_BY: Readonly<Record<StageVerb, string>> = {
  apply: 'apply',
  drop: 'drop',
  undo: 'undo',
  redo: 'redo',
  recover: 'changes',
  check: 'changes',
};

const KINDS: Readonly<Record<number, VerbAnswer['kind']>> = { 0: 'done', 1: 'refused', 3: 'busy' };
/** A hundred thousand paths. */
const MAX_OUTPUT = 64 << 20;

/** `force`: files that were changed since are kept aside instead of refusing. */
export async function performVerb(
  program: string,
  verb: StageVerb,
  stage: Pick<Stage, 'id' | 'folder' | 'roots'>,
  { force = false }: { readonly force?: boolean } = {},
): Promise<VerbAnswer> {
  const { code, signal, stdout, stderr } = await execute(program, [
    'stage',
    verb,
    stage.folder,
    ...(force ? ['--force'] : []),
  ]);
  if (signal !== null)
    throw new HardshellError('stage-failed', `Cannot ${verb} ${stage.id}: the keeper was ended by ${signal}.`, {
      hint: `Nothing is lost. Complete it: hardshell ${COMPLETED_BY[verb]} ${stage.id}`,
    });
  const kind = KINDS[code ?? -1];
  if (kind === undefined)
    throw new HardshellError('stage-failed', `Cannot ${verb} ${stage.id}: ${explain(stderr) ?? `exit code ${code}`}.`, {
      hint: `Nothing is lost: what it holds is in ${stage.folder}`,
    });
  const records = stdout.split('\0').map((record) => record.split('\t'));
  const pathOf = (root = '', path: readonly string[] = []) => join(stage.roots[Number(root)] ?? '/', path.join('\t'));
  const blocked = records.flatMap(([word, root, ...rest]) =>
    blockedFile(
      word,
      rest,
      (path) => pathOf(root, path),
      (place) => join(stage.folder, root ?? '', place),
    ),
  );
  return {
    kind,
    ...(blocked.length > 0 ? { blocked } : {}),
    conflicts: records.flatMap(([word, root, ...path]) => (word === 'conflict' ? [pathOf(root, path)] : [])),
    aside: records.flatMap(([word, root, place = '', ...path]) =>
      word === 'aside' ? [{ path: pathOf(root, path), movedTo: join(stage.folder, root ?? '', place) }] : [],
    ),
  };
}

function blockedFile(
  word: string | undefined,
  fields: readonly string[],
  pathOf: (path: readonly string[]) => string,
  placeOf: (place: string) => string,
): BlockedFile[] {
  if (word === 'protected') return [{ path: pathOf(fields), why: 'protected', keptAt: null }];
  if (word !== 'original' && word !== 'gone') return [];
  const [place = '', ...path] = fields;
  return [{ path: pathOf(path), why: word === 'gone' ? 'not-kept' : 'folder-moved', keptAt: placeOf(place) }];
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** To its end: one that is interrupted is completed by the next verb. */
function execute(program: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { encoding: 'utf8', maxBuffer: MAX_OUTPUT, env: {} }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      const signal = error?.signal ?? null;
      if (typeof code === 'number') resolve({ code, signal: null, stdout, stderr });
      else if (signal !== null) resolve({ code: null, signal, stdout, stderr });
      else reject(new HardshellError('stage-failed', `Cannot start the keeper: ${error?.message}.`, { cause: error }));
    });
  });
}

function explain(stderr: string): string | null {
  const line = stderr.trim().split('\n').at(-1) ?? '';
  return line.replace(/^hardshell: (?:staged changes: )?/, '').replace(/\.$/, '') || null;
}
