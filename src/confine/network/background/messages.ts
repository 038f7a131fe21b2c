// Messages between a host and the process that is the proxy of a background task. Plain data only.

import type { ConnectionRequest, Decision } from '../decision.ts';
import type { DomainLists } from '../rules/rules.ts';
import type { Credentials } from '../session.ts';

/** A process, so that a later one with the same PID is not confused with it. */
export interface ProcessMark {
  readonly pid: number;
  readonly start: string;
}

export type ToProxy =
  /** Comes first, with the listener. */
  | {
      readonly type: 'serve';
      readonly domains: DomainLists;
      readonly allowAddresses: readonly string[];
      readonly credentials: Credentials | null;
      readonly canAsk: boolean;
    }
  /** The supervisor of the task: without its host, the proxy ends with it. */
  | { readonly type: 'follow'; readonly supervisor: ProcessMark }
  | { readonly type: 'answer'; readonly id: number; readonly answer: HostAnswer };

export type HostAnswer = 'allow' | 'deny' | 'no-answer' | 'no-one-to-ask';

export type FromProxy =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly why: string }
  | { readonly type: 'decision'; readonly decision: Decision }
  | { readonly type: 'ask'; readonly id: number; readonly request: ConnectionRequest }
  /** The answer no longer counts. */
  | { readonly type: 'withdraw'; readonly id: number }
  | { readonly type: 'lost'; readonly why: string };
