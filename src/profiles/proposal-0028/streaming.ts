// P28's streaming: a call of its `Bash` with streamed text. Input and configuration go through the tool itself,
// so questions, refusals and answers are the same.

import type { ShellEvent } from '../../core/running.ts';
import type { Calling, ProfileTool, ToolAnswer } from '../profile.ts';
import type { BashConfig } from './configuration.ts';
import { drawStreaming, type Ended } from './screens.ts';
import { createProposal0028 } from './tools.ts';

export type StreamEvent =
  | { readonly type: 'stdout' | 'stderr'; readonly data: string }
  /** It has ended, or was not run: then the code is -1, and `output.stderr` says why. `text` is the document's screen. */
  | { readonly type: 'exit'; readonly code: number; readonly output: ToolAnswer['data']; readonly text: string }
  /** It continues as a task: `output.task_id` and `output.output_file` lead to the rest. */
  | { readonly type: 'running'; readonly output: ToolAnswer['data']; readonly text: string };

/** `input`: a command, or a whole `BashInput`. Leaving the loop early ends the command. */
export async function* streamProposal0028(
  input: string | Readonly<Record<string, unknown>>,
  calling: Calling,
  config: Partial<BashConfig> = {},
): AsyncGenerator<StreamEvent> {
  const [bash] = createProposal0028(config).tools as readonly [ProfileTool, ...ProfileTool[]];
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, ...(calling.signal === undefined ? [] : [calling.signal])]);
  const pieces = new Handover();
  const hear = (event: ShellEvent): void | Promise<void> => {
    const others = calling.onEvent?.(event);
    if (event.type !== 'stdout' && event.type !== 'stderr') return others;
    const taken = pieces.offer({ type: event.type, data: event.text });
    return others === undefined ? taken : Promise.all([others, taken]).then(() => {});
  };
  const request = typeof input === 'string' ? { command: input } : input;
  const answered = bash.call(request, { ...calling, signal, onEvent: hear }).finally(() => pieces.end());
  answered.catch(() => {});
  try {
    yield* pieces.all();
    yield lastEvent(request, await answered);
  } finally {
    pieces.end();
    leaving.abort();
  }
}

function lastEvent(request: Readonly<Record<string, unknown>>, { data, text }: ToolAnswer): StreamEvent {
  if (data.task_id !== undefined) return { type: 'running', output: data, text };
  const ended = data as unknown as Ended;
  const code = ended.exit_code;
  // A command that was not run has a screen of its own: the block, or what is wrong.
  if (code === -1) return { type: 'exit', code, output: data, text };
  const what = (request.description ?? request.command) as string;
  return { type: 'exit', code, output: data, text: drawStreaming(what, ended) };
}

/** One chunk at a time: the command waits until its reader has taken it. */
class Handover {
  #piece: StreamEvent | null = null;
  #isOver = false;
  #taken: () => void = () => {};
  #arrived: () => void = () => {};

  offer(piece: StreamEvent): void | Promise<void> {
    if (this.#isOver) return;
    this.#piece = piece;
    this.#arrived();
    return new Promise((resolve) => {
      this.#taken = resolve;
    });
  }

  end(): void {
    this.#isOver = true;
    this.#taken();
    this.#arrived();
  }

  async *all(): AsyncGenerator<StreamEvent> {
    for (;;) {
      const piece = this.#piece;
      if (piece !== null) {
        this.#piece = null;
        this.#taken();
        yield piece;
      } else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#arrived = resolve;
        });
    }
  }
}
