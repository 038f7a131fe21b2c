// Whether the changes of one command are staged, and what became of them: from its terms, the plan and its stage.

import { lstatSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { OpenedFolder } from '../confine/opened-folders.ts';
import type { DirectRoot, StagedRoots } from '../confine/staged-roots.ts';
import type { SandboxViolation } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
import { type ChangeKind, type HeldBack, NOT_STAGED, type RunChanges } from '../core/staging.ts';
import { realPathOrSame } from '../local/real-path.ts';
import { isEmptyStage, summarizeChanges } from '../stage/changes.ts';
import { pruneStages } from '../stage/prune.ts';
import { discardStage, findStage, makeStage, makeStagesFolder, readJournal, stagesFolder } from '../stage/store.ts';
import type { Terms } from '../terms/terms.ts';
import { reasonFor } from './repositories/new-repositories.ts';
import { adviceForProtected } from './violations.ts';

export interface StageOutcome {
  readonly changes: RunChanges | null;
  /** Why there is nothing to undo; `null` if there is, or if nothing was changed. */
  readonly whyNoUndo: string | null;
  readonly violations: readonly SandboxViolation[];
  /** These are all changes that the command could make, apart from temporary files and caches. */
  readonly isAll: boolean;
}

interface StageInputs {
  readonly id: string;
  readonly terms: Terms;
  readonly isReadOnly: boolean;
  /** The backend has mounts of its own. */
  readonly hasMounts: boolean;
  /** Staging was tried, or must not be. */
  readonly unstaged: string | undefined;
}

/** What a command may change outside of the folders that a plan stages. */
export interface Unstaged {
  /** Files that were allowed by name. */
  readonly files: readonly string[];
  readonly folders: readonly OpenedFolder[];
  /** It can change something at all. */
  readonly isWritable: boolean;
}

const BACKGROUND = 'changes of background commands are not staged';
const OUTSIDE = 'it is outside of the project';

/** The stage of one command, or the reason why it has none. */
export class CommandStage {
  readonly #terms: Terms;
  readonly #id: string;
  #why: string | null;
  #isOpen = false;
  #direct: readonly DirectRoot[] = [];
  /** Of those that are direct, before the command. */
  #before: ReadonlyMap<string, string> = new Map();
  #outcome: StageOutcome | null = null;

  constructor(inputs: StageInputs) {
    const { id, terms, hasMounts, unstaged } = inputs;
    this.#id = id;
    this.#terms = terms;
    this.#why = unstaged ?? whyNot(inputs);
    // Before the plan: only a folder that exists can be hidden from the command.
    if (this.#why === null && hasMounts) this.#why = this.#tryStore(makeStagesFolder) ?? whyElsewhere(terms);
  }

  static none(why: string): StageOutcome {
    return { changes: null, whyNoUndo: why, violations: [], isAll: false };
  }

  /** For the plan; empty if the changes are not staged. */
  get wanted(): { readonly stage?: { readonly folder: string; readonly mode: 'apply' | 'review' } } {
    const { mode } = this.#terms.staging;
    return this.#why !== null || mode === 'off' ? {} : { stage: { folder: this.#folder, mode } };
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Every change that the command can make will be in the stage, apart from temporary files and caches. */
  get hasAll(): boolean {
    return this.#isOpen && this.#direct.length === 0;
  }

  /** The plan is made: the folder is created, or the command does not run. Returns why it needs a plan without a stage. */
  open(staged: StagedRoots | undefined, { files, folders, isWritable }: Unstaged): string | null {
    const { command: _, text, cwd, session, staging } = this.#terms;
    const isReview = staging.mode === 'review';
    if (isReview && isWritable && this.#why === BACKGROUND) throw cannotHold(BACKGROUND, 'Run it in the foreground.');
    if (this.#why !== null || staging.mode === 'off') return null;
    const { roots = [], direct = [] } = staged ?? {};
    const outside = [...files, ...folders.flatMap(namesOf)].map((path) => ({ path, isFolder: false, why: OUTSIDE }));
    this.#direct = [...direct, ...outside];
    if (isReview && this.#direct.length > 0) throw cannotHold(describeDirect(this.#direct));
    if (roots.length === 0) {
      const none = staged === undefined ? 'this sandbox has no mounts, which staging needs' : 'no folder is writable';
      this.#why = this.#direct.length > 0 ? describeDirect(this.#direct) : none;
      if (isWritable && isReview) throw cannotHold(this.#why);
      return null;
    }
    const meta = { id: this.#id, command: text, cwd, session, startedAt: Date.now(), mode: staging.mode, roots };
    this.#why = this.#tryStore(() => makeStage(this.#folder, meta));
    if (this.#why !== null) return this.#why;
    this.#isOpen = true;
    this.#before = new Map(this.#direct.map(({ path }) => [path, stateOf(path)]));
    return null;
  }

  /** A full disk, or a home that cannot be written: the command runs directly, unless its changes must be held. */
  #tryStore(make: () => unknown): string | null {
    try {
      make();
      return null;
    } catch (error) {
      if (this.#terms.staging.mode === 'review' || !(error instanceof HardshellError)) throw error;
      return `changes cannot be staged: ${error.message.replace(/\.$/, '')}`;
    }
  }

  /** The command did not start. */
  discard(): void {
    if (this.#isOpen) discardStage(this.#folder);
    this.#isOpen = false;
  }

  /** When the command has ended. */
  outcome(): StageOutcome {
    this.#outcome ??= this.#readOutcome();
    return this.#outcome;
  }

  #readOutcome(): StageOutcome {
    if (!this.#isOpen) return CommandStage.none(this.#why ?? 'the command did not start');
    const stage = findStage(this.#id, stagesFolder());
    pruneStages(stagesFolder(), this.#terms.staging.store, stage);
    // Whether something in a folder was changed is not known.
    const changed = this.#direct.filter(({ path, isFolder }) => isFolder || stateOf(path) !== this.#before.get(path));
    const whyNoUndo = changed.length === 0 ? null : describeDirect(changed);
    const rest = { whyNoUndo, isAll: this.#direct.length === 0 };
    if (stage === null) return { changes: null, violations: [], ...rest };
    const journal = readJournal(stage);
    if (isEmptyStage(stage, journal)) {
      discardStage(stage.folder);
      return { changes: null, violations: [], ...rest };
    }
    const changes = summarizeChanges(stage, journal);
    return {
      ...rest,
      changes,
      violations: changes.heldBack.map(violationOf),
    };
  }

  get #folder(): string {
    return `${realPathOrSame(stagesFolder())}/${this.#id}`;
  }
}

function whyNot({ terms, isReadOnly }: StageInputs): string | null {
  if (terms.staging.mode === 'off') return NOT_STAGED.off;
  if (isReadOnly) return NOT_STAGED.reads;
  if (terms.isBackground) return BACKGROUND;
  return null;
}

/** A start that fails for this reason would be made twice for each command. A review is refused by the start itself. */
function whyElsewhere({ staging, cwd, roots }: Terms): string | null {
  if (staging.mode !== 'apply') return null;
  const devices = [stagesFolder(), cwd, ...roots].map(deviceOf).filter((device) => device !== null);
  return new Set(devices).size > 1 ? explainUnstaged('EXDEV') : null;
}

/** `null` if it cannot be reached. */
function deviceOf(path: string): number | null {
  try {
    return statSync(path).dev;
  } catch {
    return null;
  }
}

/** New names in an opened folder change its times; what exists in it cannot be changed unless it is named. */
function namesOf({ folder, names }: OpenedFolder): string[] {
  return names.length === 0 ? [folder] : names.map((name) => join(folder, name));
}

function stateOf(path: string): string {
  const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return info === undefined ? '' : [info.ino, info.size, info.mode, info.mtimeNs, info.ctimeNs].join(' ');
}

function describeDirect(direct: readonly DirectRoot[]): string {
  const [first] = direct;
  const more = direct.length > 1 ? ` and ${direct.length - 1} more` : '';
  return `changes ${first?.isFolder ? 'in' : 'of'} ${first?.path}${more} are not staged: ${first?.why}`;
}

/** What a person wants to see first must not be made directly instead. */
export function cannotHold(why: string, hint = 'Set staging to apply or off for it: --staging off'): HardshellError {
  return new HardshellError('cannot-start', `The changes of the command cannot be held for review: ${why}.`, { hint });
}

/** For people: the error of the kernel when the overlay was to be mounted, or of the comparison of mounts before it. */
export function explainUnstaged(error: string | null): string {
  const why = {
    EINVAL: 'the folder contains a mount, or its file system cannot be the layer of an overlay',
    EXDEV: 'the folder is on another file system or mount than the state folder of hardshell',
    EPERM: 'the kernel does not allow overlays to this user',
    ENODEV: 'the kernel has no overlays',
    EOVERFLOW: 'the folder belongs to another group',
  }[error ?? ''];
  return `changes cannot be staged here: ${why ?? error ?? 'the reason is not known'}`;
}

const OPERATIONS: Readonly<Record<ChangeKind, string>> = {
  created: 'create',
  changed: 'write',
  deleted: 'delete',
  mode: 'change',
};

/** What the gate held back, in the words of a refusal. */
function violationOf({ path, change, why, detail }: HeldBack): SandboxViolation {
  const base = { kind: 'file', operation: OPERATIONS[change], target: path } as const;
  switch (why) {
    case 'protected':
      if (isSetting(path, detail))
        return {
          ...base,
          operation: 'configure',
          target: `${detail} in ${path}`,
          rule: `protected: ${path}`,
          instead: SETTING,
        };
      if (detail === '' && change !== 'created')
        return { ...base, rule: `protected: ${path}`, instead: adviceForProtected(path) };
      return {
        ...base,
        kind: 'protected-name',
        target: detail === '' || detail === basename(path) ? path : `${detail} in ${path}`,
        rule: `protected: ${path}`,
        instead: `It was held back, because ${reasonFor(path, WISHES[change])}`,
      };
    case 'link':
      return { ...base, kind: 'protected-name', rule: `protected: ${path}`, instead: `${LINK} ${CREATE}` };
    case 'hidden':
      return { ...base, rule: `hidden: ${path}`, instead: 'Do without it, or ask the user.' };
    case 'conflict':
      if (detail === 'open') return { ...base, rule: 'another program has the file open for writing', instead: OPEN };
      return { ...base, rule: 'changed outside while the command ran', instead: CONFLICT };
    case 'failed':
      return { ...base, rule: `the change could not be applied: ${detail}`, instead: 'Check the file, and try again.' };
  }
}

const WISHES = { created: undefined, changed: 'change', mode: 'change', deleted: 'delete' } as const;

/** The gate names a setting as `section.key`, and a file by its name. */
function isSetting(path: string, detail: string): boolean {
  const name = basename(path);
  return /^[^.]+\./.test(detail) && detail !== name && /^(?:config|config\.worktree|\.gitmodules)$/.test(name);
}

const SETTING =
  'The file was not changed: this setting may run programs, or the command is not known to change it. Ask the user to change it.';
const LINK = 'It was held back, because programs outside of the sandbox would follow it.';
const CREATE = 'Ask the user to create it.';
const OPEN =
  'The change was held back. Run the command in the background, where changes are made directly, or stop that program first.';
const CONFLICT = 'The change was held back. Read the file again, then repeat the change if it is still needed.';
