// Messages between server and page, as JSON. Types only: both sides are checked against them.

import type {
  AnsweredBy,
  AuditRecord,
  ChangeKind,
  ChangesAct,
  CommandClass,
  CommandFact,
  Diagnosis,
  ListedApproval,
  NextAct,
  PolicyRule,
  RunStatus,
  SettingsNotice,
  Severity,
  StageState,
  TaskInfo,
  Verdict,
  VerdictName,
} from '../../host.ts';

export type { AnsweredBy, ChangesAct, Diagnosis, NextAct, Severity, VerdictName };
export type Approval = ListedApproval;

/** One sample of a task, a second apart. */
export interface Sample {
  readonly at: number;
  readonly memoryBytes: number;
  /** Of one CPU; more than 100 with several. */
  readonly cpuPercent: number;
  readonly processes: number;
}

export interface Task extends TaskInfo {
  /** Oldest first; empty if the system does not report it. */
  readonly samples: readonly Sample[];
}

/** A command that another process waits for. */
export interface WaitedCommand {
  readonly task: string;
  readonly command: string;
  readonly cwd: string;
  readonly session: string | null;
  readonly startedAt: number;
  /** The process that waits; `null` if it does not respond: then there is no output here, and no way to stop it. */
  readonly host: number | null;
  readonly outputBytes: number;
  readonly samples: readonly Sample[];
}

/** The state of a request. `lost`: its outcome is not known. `null`: it was decided, and nothing more is known. */
export interface Outcome {
  readonly status: RunStatus | 'lost' | null;
  readonly exit: number | null;
  readonly signal: string | null;
  readonly wallMs: number | null;
}

/** A request that was decided, and how it ended, if known. */
export interface HistoryRow extends Outcome {
  readonly task: string;
  readonly at: number;
  readonly command: string;
  readonly cwd: string;
  readonly session: string | null;
  readonly verdict: VerdictName;
  readonly risk: Severity;
  /** `null` if no one had to be asked, or it was not recorded. */
  readonly answeredBy: AnsweredBy | null;
  readonly violations: number;
}

export interface HistoryPage {
  readonly rows: readonly HistoryRow[];
  /** Where the next page starts; `null` at the end. */
  readonly next: string | null;
}

export interface CommandNode extends Pick<CommandFact, 'parent' | 'argv' | 'name' | 'summary' | 'via' | 'class'> {
  readonly effects: CommandFact['effects'];
}

/** A command as it is understood now. */
export interface Understanding {
  readonly status: 'understood' | 'cannot-tell';
  readonly class: CommandClass;
  readonly reasons: readonly string[];
  readonly commands: readonly CommandNode[];
  readonly verdict: Verdict;
}

export interface CommandPage {
  readonly task: string;
  readonly command: string;
  readonly cwd: string;
  /** Oldest first. */
  readonly records: readonly AuditRecord[];
  /** `null` if only the task is known. */
  readonly understanding: Understanding | null;
  readonly outcome: Outcome;
  /** Of a task. */
  readonly finishedAt: number | null;
  /** `live`: a caller waits for it, and its output comes from there. `kept`: in a file. */
  readonly output: 'live' | 'kept' | 'none';
}

export interface Output {
  readonly text: string;
  readonly cursor: number;
  readonly isAtEnd: boolean;
}

/** Of the time from `from` on, in `buckets` of `stepMs`. */
export interface Statistics {
  /** The requested span: `hour`, `day`, `week`. */
  readonly span: string;
  readonly from: number;
  readonly stepMs: number;
  readonly buckets: readonly {
    readonly allow: number;
    readonly ask: number;
    readonly deny: number;
    readonly violations: number;
    /** `null` if nothing ended. */
    readonly medianMs: number | null;
    readonly p95Ms: number | null;
  }[];
  readonly totals: Readonly<Record<VerdictName | 'violations', number>>;
  /** The most frequent programs. */
  readonly programs: readonly { readonly name: string; readonly count: number; readonly refused: number }[];
  readonly targets: readonly { readonly name: string; readonly count: number }[];
  /** There were more records than are counted here. */
  readonly isCut: boolean;
}

export interface PolicyView {
  readonly cwd: string;
  readonly mode: string;
  readonly rules: readonly PolicyRule[];
  readonly sources: readonly {
    readonly layer: string;
    readonly file: string;
    readonly isThere: boolean;
    readonly isTrusted: boolean;
  }[];
  readonly notices: readonly SettingsNotice[];
}

/** A command whose changes wait for a person. */
export interface HeldCommand {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly at: number;
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  readonly folders: number;
  /** How many cannot land. */
  readonly heldBack: number;
}

export interface ChangedFileDiff {
  readonly root: string;
  readonly path: string;
  readonly change: ChangeKind;
  /** A unified diff, long lines cut. */
  readonly lines: readonly string[];
  readonly omittedLines: number;
  /** It was changed since: shown as it is now. */
  readonly isNewer: boolean;
}

/** What one staged command changed, a part at a time. */
export interface ChangesPage {
  readonly id: string;
  readonly state: StageState;
  readonly command: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly counts: Pick<HeldCommand, 'created' | 'changed' | 'deleted' | 'folders'>;
  readonly isBusy: boolean;
  readonly roots: readonly string[];
  /** What can be done with it now. */
  readonly acts: readonly ChangesAct[];
  readonly files: readonly ChangedFileDiff[];
  /** The first file of the next part; `null` at the end. */
  readonly next: number | null;
  /** What was held back, each with the reason. */
  readonly heldBack: readonly string[];
}

export type ActReport = (
  | {
      readonly kind: 'done';
      readonly state: StageState;
      readonly aside: readonly { readonly path: string; readonly movedTo: string }[];
    }
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly hint: string | null;
      readonly next: NextAct | null;
      readonly conflicts: readonly string[];
    }
) & { readonly unrecorded: string | null };

/** Recent commands that a rule would have matched. */
export interface RuleMatches {
  readonly rule: string;
  readonly commands: readonly string[];
  /** How many different commands were checked. */
  readonly looked: number;
}

/** The main stream: each event replaces the previous value of the same name. */
export type FeedEvent =
  | { readonly is: 'approvals'; readonly pending: readonly Approval[]; readonly problems: readonly string[] }
  | { readonly is: 'tasks'; readonly tasks: readonly Task[]; readonly waited: readonly WaitedCommand[] }
  /** `count` records arrived; `rows` are the newest that ended, newest first. */
  /** `acts`: how often something was undone, redone, applied or dropped since the dashboard started. */
  | { readonly is: 'held'; readonly held: readonly HeldCommand[]; readonly acts: number }
  | { readonly is: 'records'; readonly count: number; readonly rows: readonly HistoryRow[] };
