// The content of the audit log: one entry per event. Data only; the names of fields are pinned by a test.
// Each entry is complete, so that a single line still shows whose command it was.

import type { AnsweredBy, ApprovalScope } from '../core/approval.ts';
import type { Enforcement, SandboxViolation } from '../core/confinement.ts';
import type { CommandClass, ReasonId, Shell } from '../core/facts.ts';
import type { FailureType } from '../core/failure.ts';
import type { ObservedOperation } from '../core/observer.ts';
import type { FileChanges, RunStatus, RunUsage } from '../core/running.ts';
import type { ChangesAct, ChangesActor, RunChanges, StageState } from '../core/staging.ts';
import type { Action, Layer, RuleOrigin, SettingsLayer, Severity, VerdictName } from '../core/verdict.ts';

/** The command that an entry is about. */
export interface OfCommand {
  readonly task: string;
  readonly session: string | null;
  readonly user: string | null;
  readonly command: string;
  readonly cwd: string;
}

export interface AuditFinding {
  readonly id: string;
  readonly layer: Layer;
  readonly verdict: VerdictName;
  readonly severity: Severity;
  readonly message: string;
  readonly rule: RuleOrigin | null;
  readonly confidence: number | null;
}

/** The expected effects of a command. `left` counts those that were too many to record. */
export interface ExpectedOperations {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly deletes: readonly string[];
  readonly hosts: readonly string[];
  readonly isComplete: boolean;
  readonly left: number;
}

export interface VerdictEntry extends OfCommand {
  readonly type: 'verdict';
  readonly args: readonly string[] | null;
  readonly shell: Shell | null;
  readonly profile: string | null;
  readonly isBackground: boolean;
  /** In the caller's words. */
  readonly description?: string;
  readonly verdict: VerdictName;
  readonly risk: Severity;
  readonly score: number;
  readonly action: Action;
  readonly readOnly: boolean;
  readonly class: CommandClass;
  /** Why the command could not be fully analyzed. */
  readonly reasons: readonly ReasonId[];
  readonly findings: readonly AuditFinding[];
  readonly elapsedMs: number | null;
  readonly operations?: ExpectedOperations;
}

export interface AnswerEntry extends OfCommand {
  readonly type: 'answer';
  readonly verdict: 'allow' | 'deny';
  readonly by: AnsweredBy;
  readonly scope: ApprovalScope;
  readonly rule: string | null;
  readonly reason: string | null;
}

export interface StartEntry extends OfCommand {
  readonly type: 'start';
  readonly pid: number;
  readonly enforcement: Enforcement | null;
  /** Names only. */
  readonly withheld: readonly string[];
}

/** Older records have only the first of these keys. */
export type RecordedUsage = Pick<
  RunUsage,
  'wallMs' | 'userMs' | 'systemMs' | 'peakMemoryBytes' | 'readBytes' | 'writeBytes'
> &
  Partial<Omit<RunUsage, 'unmeasured'>>;

export interface EndEntry extends OfCommand {
  readonly type: 'end';
  readonly verdict: VerdictName;
  readonly risk: Severity;
  readonly status: RunStatus;
  readonly exit: number | null;
  readonly signal: string | null;
  /** Who answered, if a question was asked. */
  readonly answeredBy?: AnsweredBy;
  readonly startedAt: number | null;
  readonly usage: RecordedUsage | null;
  readonly outputBytes: number;
  readonly leftoversKilled: number;
  readonly violations: number;
  readonly failure: { readonly type: FailureType; readonly message: string } | null;
  readonly files?: Omit<FileChanges, 'why'>;
  /** What it changed, if it was staged; the id is that of the task. Absent if it changed nothing. */
  readonly changes?: RecordedChanges;
}

export type RecordedChanges = Pick<RunChanges, 'state' | 'created' | 'changed' | 'deleted'> & {
  readonly heldBack: number;
};

export interface ViolationEntry extends OfCommand, SandboxViolation {
  readonly type: 'violation';
}

/** A host that was actually contacted, as seen by the proxy. Only at the level `detailed`. */
export interface OperationEntry extends OfCommand, ObservedOperation {
  readonly type: 'operation';
}

export interface SettingsEntry {
  readonly type: 'settings';
  readonly session: string | null;
  readonly user: string | null;
  /** `null`: settings of another program, such as those of an agent that now starts hardshell. */
  readonly layer: SettingsLayer | null;
  readonly file: string | null;
  /** As text: `added Bash(npm test) to allow`. */
  readonly change: string;
}

/** What became of the changes of a staged command after its end: they were undone, redone, applied or dropped, or that was refused. */
export interface ChangesEntry extends OfCommand {
  readonly type: 'changes';
  readonly act: ChangesAct;
  readonly by: ChangesActor;
  /** Newer files were to be moved away. */
  readonly force: boolean;
  readonly outcome: 'done' | 'refused' | 'failed';
  /** Why it was refused, or failed: a code. */
  readonly why: string | null;
  /** Afterwards. */
  readonly state: StageState;
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  readonly heldBack: number;
  readonly files?: Omit<FileChanges, 'why'> & { readonly conflicts: readonly string[] };
}

/** A person marked a finding as wrong. */
export interface FalsePositiveEntry {
  readonly type: 'false-positive';
  readonly session: string | null;
  readonly user: string | null;
  readonly task: string | null;
  readonly command: string;
  readonly finding: string;
  readonly reason: string | null;
}

export type AuditEntry =
  | VerdictEntry
  | AnswerEntry
  | StartEntry
  | EndEntry
  | ViolationEntry
  | OperationEntry
  | ChangesEntry
  | SettingsEntry
  | FalsePositiveEntry;

export const ENTRY_TYPES = [
  'verdict',
  'answer',
  'start',
  'end',
  'violation',
  'operation',
  'changes',
  'settings',
  'false-positive',
] as const satisfies readonly AuditEntry['type'][];
export type EntryType = (typeof ENTRY_TYPES)[number];

/** Lines that the log writes about itself. */
export const OWN_TYPES = ['segment-head', 'segment-end', 'checkpoint', 'pruned', 'torn', 'lost'] as const;
export type OwnType = (typeof OWN_TYPES)[number];

/** They are needed for the chain and contain no events. */
export const SILENT_TYPES: ReadonlySet<string> = new Set<OwnType>(['segment-head', 'segment-end', 'checkpoint']);

/** Lines about the log itself that a person should see. */
export type NoteEntry =
  | {
      readonly type: 'torn';
      readonly file: string;
      readonly bytes: number;
      readonly sha256: string;
      readonly cause: 'unfinished' | 'damaged';
    }
  | { readonly type: 'lost'; readonly expected: { readonly lane: number; readonly n: number; readonly hash: string } }
  | {
      readonly type: 'pruned';
      readonly through: { readonly segment: number; readonly n: number; readonly hash: string };
    };

/** An entry as stored in the log. Within a lane `n` counts from 1 without gaps. */
export type AuditRecord = (AuditEntry | NoteEntry) & {
  readonly lane: number;
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly hash: string;
};
