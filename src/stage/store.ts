// The stages of this user: made before a staged command, listed, found and read. native/ changes what they hold.

import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HardshellError } from '../core/errors.ts';
import { isTaskId } from '../core/names/task-id.ts';
import { STAGE_STATES, STAGING_MODES, type StageState, type StagingMode } from '../core/staging.ts';
import { refuseState, stagesFolderIn, stateFolder } from '../local/places.ts';
import { makePrivateFolder } from '../local/private-folder.ts';
import { removeTree } from '../local/remove-tree.ts';
import { type Journal, parseJournal, parseSkipped, withoutSkipped } from './journal.ts';

export interface StageMeta {
  /** The id of the task. */
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly session: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly mode: Exclude<StagingMode, 'off'>;
  /** Folders whose changes are staged. */
  readonly roots: readonly string[];
}

export interface Stage extends StageMeta {
  readonly folder: string;
  readonly state: StageState;
  /** When it got this state, in milliseconds since 1970. */
  readonly stateAt: number;
  /** A process works on it: the command itself, or a verb. */
  readonly isBusy: boolean;
}

const VERSION = 1;

export function stagesFolder(env?: NodeJS.ProcessEnv): string {
  return stagesFolderIn(stateFolder(env));
}

/** Throws if it cannot be made: then the command must not run as if its changes could be undone. */
export function makeStagesFolder(): string {
  const use = { contents: 'staged changes', refuse: refuseState };
  return makePrivateFolder(stagesFolderIn(makePrivateFolder(stateFolder(), use)), use);
}

/** Before the command starts. Throws for the same reason. */
export function makeStage(folder: string, meta: StageMeta): void {
  let isMade = false;
  try {
    mkdirSync(folder, { mode: 0o700 });
    isMade = true;
    writeFileSync(join(folder, 'meta.json'), JSON.stringify({ version: VERSION, ...meta }), { mode: 0o600 });
  } catch (cause) {
    if (isMade) discardStage(folder);
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOSPC' || code === 'EDQUOT' ? 'no space left on the disk' : message;
    throw new HardshellError('cannot-start', `Cannot create a stage for the changes of the command: ${why}.`, {
      hint: 'Free space with `hardshell drop` and `hardshell tasks rm --finished`, or run without staging: --staging off',
      cause,
    });
  }
}

/** Of a command that did not start. */
export function discardStage(folder: string): void {
  removeTree(folder);
}

/** The newest first. */
export function listStages(stages = stagesFolder()): Stage[] {
  const found = namesIn(stages).flatMap((id) => findStage(id, stages) ?? []);
  return found.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
}

/** `null` if there is none, or if it is damaged. */
export function findStage(id: string, stages = stagesFolder()): Stage | null {
  // Nothing else in the folder is a stage.
  if (!isTaskId(id)) return null;
  const folder = join(stages, id);
  const meta = readMeta(folder);
  if (meta === null || meta.id !== id) return null;
  const state = readState(folder);
  // Without a state it is being made.
  const stateAt = lstatSync(join(folder, 'state'), { throwIfNoEntry: false })?.mtimeMs ?? meta.startedAt;
  return { ...meta, folder, state: state ?? 'running', stateAt, isBusy: state === null || isLocked(folder) };
}

export function readJournal({ folder }: Pick<Stage, 'folder'>): Journal | null {
  const bytes = readIfThere(join(folder, 'journal'));
  const journal = bytes === null ? null : parseJournal(bytes);
  const landed = readIfThere(join(folder, 'landed'));
  return journal === null || landed === null ? journal : withoutSkipped(journal, parseSkipped(landed));
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readMeta(folder: string): StageMeta | null {
  try {
    const { version, ...meta } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8'));
    return version === VERSION && isMeta(meta) ? meta : null;
  } catch {
    return null;
  }
}

function isMeta(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & StageMeta {
  const { id, command, cwd, session, startedAt, mode, roots } = value;
  return (
    [id, command, cwd].every((each) => typeof each === 'string') &&
    (session === null || typeof session === 'string') &&
    typeof startedAt === 'number' &&
    (STAGING_MODES as readonly unknown[]).includes(mode) &&
    Array.isArray(roots) &&
    roots.every((root) => typeof root === 'string')
  );
}

/** `null` before the command starts. */
function readState(folder: string): StageState | null {
  try {
    const word = readFileSync(join(folder, 'state'), 'utf8').trim() as StageState;
    return STAGE_STATES.includes(word) ? word : null;
  } catch {
    return null;
  }
}

/** Node has no flock: the kernel lists who holds one. By inode alone, since btrfs reports another device to stat. */
export function isLocked(folder: string): boolean {
  const info = lstatSync(join(folder, 'lock'), { throwIfNoEntry: false, bigint: true });
  if (info === undefined) return false;
  try {
    const held = new RegExp(`^\\d+: FLOCK +\\S+ +WRITE \\d+ [0-9a-f]+:[0-9a-f]+:${info.ino} `, 'm');
    return held.test(readFileSync('/proc/locks', 'utf8'));
  } catch {
    return false;
  }
}
