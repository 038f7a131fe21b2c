// A profile: tools with a schema, a description and a call, over one engine. This is all that surfaces know of it.
// A call maps input → request and outcome → result; it runs nothing itself, and returns an answer for bad input instead of throwing.

import type { Enforcement, SandboxName } from '../core/confinement.ts';
import type { ProfileName } from '../core/profile-names.ts';
import type { OutputView, ShellEvent, ShellSession, ShellTool } from '../core/running.ts';
import type { ChangesAct, RunChanges, StagingTool } from '../core/staging.ts';

export interface Profile {
  /** `standard`: hardshell's own tools, which follow no document. */
  readonly name: ProfileName | 'standard';
  /** Options of its shell tool: `createShell({...profile.engine})`. */
  readonly engine: {
    readonly view: OutputView;
    readonly timeout: number;
    readonly maxTimeout: number;
  };
  readonly tools: readonly ProfileTool[];
}

/** JSON Schema, draft 2020-12, of an object. */
export type ObjectSchema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
};

export interface ProfileTool {
  readonly name: string;
  readonly title: string;
  readonly inputSchema: ObjectSchema;
  /** Schema of `data` in its answers. */
  readonly outputSchema: ObjectSchema;
  /** Hints for clients that do not read the description. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** Offered only if the settings allow it. */
  readonly stagingTool?: StagingTool;
  /** The model's description: the folder, and what the sandbox actually enforces. */
  describe(surroundings: Surroundings): string;
  call(input: unknown, calling: Calling): Promise<ToolAnswer>;
}

export interface Surroundings {
  readonly cwd: string;
  readonly sandbox: SandboxName;
  readonly enforcement: Enforcement;
  /** Why every command is refused here: the sandbox is required, and this machine has none. */
  readonly unavailable?: string;
  /** Hosts that commands may contact. */
  readonly domains: readonly string[];
  /** Folders in which files may be changed. */
  readonly writable: readonly string[];
}

/** Everything that a call needs: a tool keeps no state of a conversation. */
export interface Calling {
  readonly shell: ShellTool;
  readonly session: ShellSession;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ShellEvent) => void | Promise<void>;
  /** A command that takes longer is reported as running, with its task id. */
  readonly answerWithin?: number;
  /**
   * State that a conversation keeps for later calls: additions to a blacklist, what a task has read. One map per
   * session, created and dropped by the surface; tools store values in it under their own names.
   */
  readonly state: Map<string, unknown>;
  /** Which tasks can be seen and stopped. Default `session`: those that this session started. */
  readonly visibleTasks?: 'session' | 'all';
  /** Absent if the surface does not show them. */
  readonly changes?: SessionChanges;
}

/** Staged commands of one session, and what its model may do with their changes. */
export interface SessionChanges {
  /** By the settings of the moment. */
  allowed(): ReadonlySet<StagingTool>;
  /** The newest first, with their first files. */
  list(): Promise<readonly SessionCommand[]>;
  /** `null` if it is not a command of this session, or changed nothing. With all files. */
  get(id: string): Promise<SessionCommand | null>;
  /** Patches of what landed or can land, one for each file. What was held back is only named: it may be hidden from commands. */
  diff(id: string): Promise<Iterable<{ readonly path: string; readonly lines: readonly string[] }>>;
  /** Without force. The sentence is for the model. */
  act(act: ChangesAct, id: string): Promise<{ readonly isDone: boolean; readonly text: string }>;
}

export interface SessionCommand extends RunChanges {
  readonly command: string;
}

export interface ToolAnswer {
  /** For a model that reads only text. */
  readonly text: string;
  /** The same as fields, in the profile's format, with the full text. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly image: { readonly mediaType: string; readonly base64: string } | null;
}
