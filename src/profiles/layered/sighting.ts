// Collects events while a command runs: text by stream, timeline, peak memory.

import type { Failure } from '../../core/failure.ts';
import type { ShellEvent } from '../../core/running.ts';
import { Timeline } from './debug.ts';

export class Sighting {
  readonly timeline = new Timeline();
  readonly cwd: string;
  peakMemoryBytes = 0;
  /** Errors found by the profile itself. */
  failure: Failure | null = null;
  readonly #parts: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  readonly #limit: number;
  #size = 0;

  /** `limit`: bytes of output after which the engine ends the command; nothing beyond it is kept. */
  constructor(cwd: string, limit: number) {
    this.cwd = cwd;
    this.#limit = limit;
  }

  hear(event: ShellEvent): void {
    this.timeline.hear(event);
    if (event.type === 'resource') this.peakMemoryBytes = Math.max(this.peakMemoryBytes, event.memoryBytes);
    if (event.type !== 'stdout' && event.type !== 'stderr') return;
    const room = this.#limit - this.#size;
    if (room <= 0) return;
    this.#parts[event.type].push(event.text.slice(0, room));
    this.#size += Buffer.byteLength(event.text);
  }

  text(stream: 'stdout' | 'stderr'): string {
    return this.#parts[stream].join('');
  }
}
