// Events of a run → CC's progress messages: the last lines, all of the text so far, time, lines and bytes.

import type { ShellEvent } from '../../core/running.ts';

export interface Progress {
  readonly type: 'progress';
  /** The last lines. */
  readonly output: string;
  readonly fullOutput: string;
  readonly elapsedTimeSeconds: number;
  readonly totalLines: number;
  readonly totalBytes: number;
}

const LAST_LINES = 5;
/** Limit of a progress message; the result has the whole text. */
const MAX_CHARACTERS = 30 * 1024;

/** One per run; pass it every event. Returns null for events that change nothing visible. */
export function createProgress(): (event: ShellEvent) => Progress | null {
  let full = '';
  let [lines, bytes, startedAt] = [0, 0, 0];
  return (event) => {
    startedAt ||= event.time;
    if (event.type === 'stdout' || event.type === 'stderr') {
      full = (full + event.text).slice(-MAX_CHARACTERS);
      lines += event.text.split('\n').length - 1;
      bytes = event.byteOffset + Buffer.byteLength(event.text);
    } else if (event.type !== 'resource') return null;
    const output = full.replace(/\n$/, '').split('\n').slice(-LAST_LINES).join('\n');
    const elapsedTimeSeconds = Math.round((event.time - startedAt) / 100) / 10;
    return { type: 'progress', output, fullOutput: full, elapsedTimeSeconds, totalLines: lines, totalBytes: bytes };
  };
}
