// P28's streaming: a command → its pieces of text as they come, and at the end its exit code.

import type { Calling } from '../profile.ts';
import { DEFAULT_BASH_CONFIG, narrowingOf } from './configuration.ts';

export type StreamEvent =
  | { readonly type: 'stdout' | 'stderr'; readonly data: string }
  /** -1 when it was not run. */
  | { readonly type: 'exit'; readonly code: number };

export async function* streamProposal0028(command: string, calling: Calling): AsyncGenerator<StreamEvent> {
  const { session, signal } = calling;
  const stream = session.stream(command, {
    profile: 'proposal-0028',
    narrowing: narrowingOf(DEFAULT_BASH_CONFIG),
    streams: 'split',
    ...(signal === undefined ? {} : { signal }),
  });
  for await (const event of stream)
    if (event.type === 'stdout' || event.type === 'stderr') yield { type: event.type, data: event.text };
  const { exitCode, status } = await stream.result;
  yield { type: 'exit', code: exitCode ?? (status === 'denied' || status === 'failed' ? -1 : 1) };
}
