// The sockets of this user → questions and answers in any process, as they happen.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../core/approval.ts';
import { findHosts, isGone } from '../../local/sockets/hosts.ts';
import { describeBounded } from '../asking/reply.ts';
import { type ApprovalHost, type ClientOptions, type ListedApproval, listed, talk } from './socket-client.ts';

export type WatchEvent =
  | { readonly is: 'pending'; readonly approval: ListedApproval }
  | { readonly is: 'answered'; readonly code: string; readonly host: ApprovalHost; readonly answer: Answer }
  /** The process ended or closed its approvals. */
  | { readonly is: 'gone'; readonly host: ApprovalHost }
  | { readonly is: 'problem'; readonly message: string };

export interface WatchOptions extends ClientOptions {
  readonly signal: AbortSignal;
  /** How often to look for new processes. */
  readonly interval?: number;
}

/** Ends when the signal aborts. */
export async function watchPending(onEvent: (event: WatchEvent) => void, options: WatchOptions): Promise<void> {
  const { signal, interval = 500 } = options;
  const known = new Set<string>();
  const conversations = new Set<Promise<void>>();
  while (!signal.aborted) {
    for (const host of findHosts('approvals', options.env)) {
      if (known.has(host.path)) continue;
      known.add(host.path);
      const conversation = follow(host, signal, onEvent).finally(() => conversations.delete(conversation));
      conversations.add(conversation);
    }
    await sleep(interval, undefined, { signal }).catch(() => {});
  }
  await Promise.all(conversations);
}

async function follow(host: ApprovalHost, signal: AbortSignal, onEvent: (event: WatchEvent) => void): Promise<void> {
  try {
    await talk(host, { do: 'watch' }, signal, (response) => {
      for (const approval of listed(response, host)) onEvent({ is: 'pending', approval });
      if (response.is === 'answered') onEvent({ is: 'answered', code: response.code, host, answer: response.answer });
      if (response.is === 'error') onEvent({ is: 'problem', message: response.message });
    });
    if (!signal.aborted) onEvent({ is: 'gone', host });
  } catch (error) {
    if (!isGone(error, host))
      onEvent({ is: 'problem', message: `The process ${host.pid} does not answer: ${describeBounded(error)}` });
  }
}
