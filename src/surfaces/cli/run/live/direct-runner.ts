// The runner, connected to our own streams: output arrives as bytes, before it becomes text, and our input goes to the command.
// The command waits for our reader: nothing is skipped, and nothing is kept in memory.

import { defined } from '../../../../host/values.ts';
import type { ShellOptions } from '../../../../host.ts';

type Runner = NonNullable<ShellOptions['runner']>;
type Handle = ReturnType<Runner['start']>;
type RunnerEvent = Parameters<NonNullable<Parameters<Runner['start']>[1]>>[0];

export interface Direct {
  /** A returned promise delays the command. */
  readonly onEvent?: (event: RunnerEvent) => void | Promise<void>;
  readonly input?: AsyncIterable<Uint8Array>;
  readonly sampleMs?: number;
}

export interface DirectRunner extends Runner {
  /** Ends all running commands, without waiting for cleanup. */
  killNow(): void;
}

export function createDirectRunner(inner: Runner, { onEvent, input, sampleMs }: Direct): DirectRunner {
  const handles = new Set<Handle>();
  return {
    start(request, listener) {
      // Only commands keep output: a start without an output file is the sandbox testing itself.
      if (request.spool === undefined) return inner.start(request, listener);
      const handle = inner.start(
        {
          ...request,
          ...(onEvent === undefined ? {} : { isPaced: true, isQuiet: false }),
          ...defined({ sampleMs }),
          ...(input === undefined || request.stdin !== undefined ? {} : { stdin: 'open' }),
        },
        onEvent === undefined ? listener : (event) => both(onEvent(event), listener?.(event)),
      );
      handles.add(handle);
      const forget = (): void => void handles.delete(handle);
      handle.done.then(forget, forget);
      if (input !== undefined && request.stdin === undefined) void pour(input, handle);
      return handle;
    },
    guarantees: () => inner.guarantees(),
    close: () => inner.close(),
    killNow() {
      for (const handle of handles) handle.kill({ graceMs: 0 });
    },
  };
}

function both(a: void | Promise<void>, b: void | Promise<void>): void | Promise<void> {
  if (a === undefined) return b;
  return b === undefined ? a : Promise.all([a, b]).then(() => {});
}

/** As fast as the command reads; it may end, or close its input, before ours has ended. */
async function pour(input: AsyncIterable<Uint8Array>, handle: Handle): Promise<void> {
  try {
    await handle.started;
    for await (const bytes of input) if (!(await handle.write(bytes))) return;
  } catch {
    // Unreadable input ends like any other; a command that could not be started is reported separately.
  } finally {
    handle.endInput();
  }
}
