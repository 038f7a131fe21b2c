// Options of `hardshell mcp`.

import type { Mode, ProfileName, SandboxName } from '../../host.ts';

export interface McpOptions {
  /** Absolute: the folder in which conversations start. */
  readonly cwd: string;
  readonly profile?: ProfileName;
  readonly settingsFile?: string;
  readonly sandbox?: SandboxName;
  readonly mode?: Mode;
  /** A command that takes longer is reported as running: most clients give up after 60 seconds. */
  readonly answerWithinMs?: number;
  readonly http?: HttpOptions;
}

export interface HttpOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Instead of a token that is generated at each start. */
  readonly tokenFile?: string;
  /** After how long without a request a conversation is forgotten. */
  readonly idleMs?: number;
}

export interface Served {
  /** Settles when there is no client left to serve. */
  readonly over: Promise<void>;
  /** Ends running calls, so that their clients are told, and then everything except tasks. */
  close(): Promise<void>;
}

export const ANSWER_WITHIN_MS = 45_000;
