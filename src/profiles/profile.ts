// What a profile is: tools with a schema, a description and a call, over the one engine. Surfaces know nothing else of it.
// A call maps input → request and outcome → result; it runs nothing itself, and answers bad input instead of throwing.

import type { Enforcement, SandboxName } from '../core/confinement.ts';
import type { ProfileName } from '../core/profile-names.ts';
import type { OutputView, ShellEvent, ShellSession, ShellTool } from '../core/running.ts';

export interface Profile {
  /** `standard`: hardshell's own tools, which follow no document. */
  readonly name: ProfileName | 'standard';
  /** How a shell tool is made for it: `createShell({...profile.engine})`. */
  readonly engine: {
    readonly view: OutputView;
    readonly defaultTimeoutMs: number;
    readonly maxTimeoutMs: number;
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
  /** Of `data` in its answers. */
  readonly outputSchema: ObjectSchema;
  /** What clients may believe without reading the description. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** What the model reads: it states the folder and what the sandbox really holds. */
  describe(surroundings: Surroundings): string;
  call(input: unknown, calling: Calling): Promise<ToolAnswer>;
}

export interface Surroundings {
  readonly cwd: string;
  readonly sandbox: SandboxName;
  readonly enforcement: Enforcement;
  /** Hosts that commands may contact. */
  readonly domains: readonly string[];
  /** Folders in which files may be changed. */
  readonly writable: readonly string[];
}

/** All that a call knows: a tool holds no state of a conversation. */
export interface Calling {
  readonly shell: ShellTool;
  readonly session: ShellSession;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ShellEvent) => void | Promise<void>;
  /** A command that takes longer is answered as running, with the id of its task. */
  readonly answerWithinMs?: number;
  /**
   * What a conversation leaves for its later calls: additions to a blacklist, what a task has read. One map for each
   * session, made and forgotten by the surface; tools put in it what they like under names of their own.
   */
  readonly state: Map<string, unknown>;
  /** Which tasks can be seen and stopped. Default `session`: those that this session started. */
  readonly visibleTasks?: 'session' | 'all';
}

export interface ToolAnswer {
  /** What a model reads that gets text alone. */
  readonly text: string;
  /** The same as fields, in the shape of the profile, with the full text in it. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly image: { readonly mediaType: string; readonly base64: string } | null;
}
