// Collects events while a command runs: text by stream, timeline, the last resource update and the peak memory.

import type { ShellEvent } from '../../core/running.ts';
import { Timeline } from './debug.ts';
import type { ResourceEvent } from './resource-usage.ts';

export class Sighting {
  readonly timeline: Timeline;
  readonly cwd: string;
  lastUpdate: ResourceEvent | null = null;
  #peakMemoryBytes: number | null = null;
  readonly #parts: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  readonly #limit: number;
  #size = 0;

  /** `limit`: bytes of output after which the engine ends the command; nothing beyond it is kept. */
  constructor(cwd: string, { limit, isMonitored }: { readonly limit: number; readonly isMonitored: boolean }) {
    this.cwd = cwd;
    this.timeline = new Timeline({ isMonitored });
    this.#limit = limit;
  }

  hear(event: ShellEvent): void {
    this.timeline.hear(event);
    if (event.type === 'resource') {
      this.lastUpdate = event;
      this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes ?? 0, event.memoryBytes);
    }
    if (event.type !== 'stdout' && event.type !== 'stderr') return;
    const room = this.#limit - this.#size;
    if (room <= 0) return;
    this.#parts[event.type].push(event.text.slice(0, room));
    this.#size += Buffer.byteLength(event.text);
  }

  text(stream: 'stdout' | 'stderr'): string {
    return this.#parts[stream].join('');
  }

  /** The higher of what the runner measured and what was seen here; `null` if neither knows. */
  peakMemory(measured: number | null): number | null {
    if (measured === null || this.#peakMemoryBytes === null) return measured ?? this.#peakMemoryBytes;
    return Math.max(measured, this.#peakMemoryBytes);
  }
}
