// The sandbox of one command, as the pipeline sees it; and that of a command without one.

import { describeEnforcement } from '../confine/enforcement.ts';
import type { Enforcement, SandboxViolation } from '../core/confinement.ts';
import type { Facts } from '../core/facts.ts';
import { NOT_STAGED } from '../core/staging.ts';
import type { RunEvent, RunRequest } from '../run/port.ts';
import type { Terms } from '../terms/terms.ts';
import { namesHidden } from './hidden-reads.ts';
import { CommandStage, type StageOutcome } from './staging.ts';

/** Bytes to and from other hosts, or why they are not known. */
export type Traffic =
  | { readonly sentBytes: number; readonly receivedBytes: number; readonly why?: undefined }
  | { readonly sentBytes: null; readonly receivedBytes: null; readonly why: string };

export interface Sandbox {
  /** Changes when the command loses a guarantee. */
  readonly enforcement: Enforcement;
  /** Why the command was ended because of that. */
  readonly exposure: string | null;
  /** What else explains how it ran: a process of another command that traced it, a network apart from its session. */
  readonly notes: readonly string[];
  /** Variables of the sandbox; settings and request override them. */
  readonly env: Readonly<Record<string, string>>;
  readonly temporaryFolder: string | null;
  /** A file that the command writes for hardshell: its path inside the sandbox, and outside. */
  readonly noteFile: { readonly inside: string; readonly outside: string } | null;
  /** Where a path that the command sees is outside of the sandbox. */
  outside(path: string): string;
  /** It can read files that are hidden from other commands. */
  readonly seesHidden: boolean;
  /** Folders of the user in which the command can change files; null if it may change others. */
  readonly writable: readonly string[] | null;
  /** Its changes are staged: the start may fail for this reason alone. */
  readonly isStaged: boolean;
  /** Nothing in the project changes for good when the command ends. */
  readonly isUndoable: boolean;
  /** What became of its changes, when it has ended. */
  staged(): StageOutcome;
  apply(request: RunRequest): RunRequest;
  /** Handles an event of the runner. */
  hear(event: RunEvent): void;
  /** All reported refusals, each operation on a target once. */
  violations(): readonly SandboxViolation[];
  /** How many more were refused. */
  readonly omittedViolations: number;
  /** A hint why a command failed, if no violation explains it. */
  explain(output: string): string | null;
  /** So far. */
  traffic(): Traffic;
  /** It is a task now: its network lasts as long as its supervisor. The process that is its proxy, if it has one. */
  follow(supervisorPid: number | null): Promise<number | null>;
  close(): Promise<void>;
  /** It did not start: nothing of it stays. */
  abandon(): Promise<void>;
}

interface Unconfined {
  readonly terms: Terms;
  readonly permission: { readonly facts: Facts };
}

export function unconfined({ terms, permission }: Unconfined, why: string): Sandbox {
  return {
    enforcement: describeEnforcement('none', [], [], why),
    exposure: null,
    notes: [],
    env: {},
    temporaryFolder: null,
    noteFile: null,
    outside: (path) => path,
    seesHidden: namesHidden(terms, permission.facts),
    writable: null,
    isStaged: false,
    isUndoable: false,
    staged: () =>
      CommandStage.none(terms.staging.mode === 'off' ? NOT_STAGED.off : 'the command runs without a sandbox'),
    apply: (request) => request,
    hear: () => {},
    violations: () => [],
    omittedViolations: 0,
    explain: () => null,
    traffic: () => uncounted('the command uses the network of this machine directly'),
    follow: async () => null,
    close: async () => {},
    abandon: async () => {},
  };
}

export function uncounted(why: string): Traffic {
  return { sentBytes: null, receivedBytes: null, why };
}
