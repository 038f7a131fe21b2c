// Events of a run → a periodic line for the client: the last line of output, the elapsed time, the memory used.

import { type ShellEvent, shorten, visible } from '../../../host.ts';

export interface Progress {
  readonly onEvent: (event: ShellEvent) => void;
  /** At once. */
  tell(message: string): void;
  close(): void;
}

export type SendProgress = (progress: { readonly progress: number; readonly message: string }) => void;

const EVERY_MS = 1_000;
/** Without news, this many intervals pass between two lines: enough to keep a client with a timeout waiting. */
const QUIET_TURNS = 10;
const MAX_TAIL = 4_096;
const MAX_LINE = 200;
const TERMINAL_CODES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])/g;

export function createProgress(send: SendProgress): Progress {
  const startedAt = Date.now();
  let tail = '';
  let memoryBytes = 0;
  let sent = -1;
  let hasNews = false;
  let quietTurns = 0;

  function tell(message: string): void {
    // Each must be greater than the previous one.
    sent = Math.max((Date.now() - startedAt) / 1_000, sent + 0.001);
    send({ progress: Math.round(sent * 1_000) / 1_000, message });
  }

  const timer = setInterval(() => {
    quietTurns += 1;
    if (!hasNews && quietTurns < QUIET_TURNS) return;
    hasNews = false;
    quietTurns = 0;
    tell(describe(tail, Date.now() - startedAt, memoryBytes));
  }, EVERY_MS);
  timer.unref();

  return {
    onEvent(event) {
      if (event.type === 'stdout' || event.type === 'stderr') tail = (tail + event.text).slice(-MAX_TAIL);
      else if (event.type === 'resource') memoryBytes = event.memoryBytes;
      else return;
      hasNews = true;
    },
    tell,
    close: () => clearInterval(timer),
  };
}

function describe(tail: string, elapsedMs: number, memoryBytes: number): string {
  const seconds = Math.round(elapsedMs / 1_000);
  const facts = memoryBytes === 0 ? `${seconds} s` : `${seconds} s, ${Math.ceil(memoryBytes / 2 ** 20)} MB`;
  return `${lastLine(tail) ?? 'running'} · ${facts}`;
}

/** Of a line that was overwritten, its final text. */
function lastLine(tail: string): string | null {
  const lines = tail.replace(TERMINAL_CODES, '').split(/[\r\n]+/);
  const line = lines.findLast((each) => each.trim() !== '');
  return line === undefined ? null : shorten(visible(line.trim()), MAX_LINE);
}
