// Process groups → the memory and CPU that their processes use, through /proc. On other systems than Linux: nothing.

import { readdirSync, readFileSync } from 'node:fs';
import type { Sample } from '../wire.ts';

const PAGE_BYTES = 4_096;
/** Of the clock in which Linux reports CPU time. */
const TICKS_PER_SECOND = 100;
const KEPT = 60;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly ticks: number;
  readonly memoryBytes: number;
}

export class Samples {
  readonly #kept = new Map<string, Sample[]>();
  readonly #before = new Map<string, { readonly at: number; readonly ticks: number }>();

  /** Samples all of them at once, and forgets the others. */
  take(tasks: readonly { readonly id: string; readonly pid: number; readonly pgid: number }[], now: number): void {
    for (const known of [this.#kept, this.#before])
      for (const id of known.keys()) if (!tasks.some((task) => task.id === id)) known.delete(id);
    if (tasks.length === 0) return;
    const processes = readProcesses();
    for (const { id, pid, pgid } of tasks) {
      const own = treeOf(processes, pid, pgid);
      if (own.length === 0) continue;
      const ticks = sum(own.map((process) => process.ticks));
      const before = this.#before.get(id);
      this.#before.set(id, { at: now, ticks });
      // An unreaped process took its count with it: a decrease counts as zero.
      const seconds = before === undefined ? 0 : (now - before.at) / 1_000;
      const used = seconds <= 0 ? 0 : Math.max(0, ticks - (before?.ticks ?? 0)) / TICKS_PER_SECOND / seconds;
      const memoryBytes = sum(own.map((process) => process.memoryBytes));
      const sample = { at: now, memoryBytes, cpuPercent: Math.round(used * 1_000) / 10, processes: own.length };
      this.#kept.set(id, [...(this.#kept.get(id) ?? []), sample].slice(-KEPT));
    }
  }

  of(id: string): readonly Sample[] {
    return this.#kept.get(id) ?? [];
  }
}

/** When a process started, in milliseconds since 1970; `null` if the system does not report it. */
export function startOf(pid: number): number | null {
  try {
    const boot = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1];
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const ticks = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]);
    return boot === undefined ? null : Number(boot) * 1_000 + (ticks / TICKS_PER_SECOND) * 1_000;
  } catch {
    return null;
  }
}

function readProcesses(): readonly ProcessStat[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(name) : []));
  } catch {
    return [];
  }
}

function readProcess(pid: string): ProcessStat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain anything, including parentheses and blanks. See proc_pid_stat(5).
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0, group = 0] = fields;
    // Its own time, and that of ended children that were reaped.
    const ticks = sum(fields.slice(11, 15));
    return [{ pid: Number(pid), parent, group, ticks, memoryBytes: (fields[21] ?? 0) * PAGE_BYTES }];
  } catch {
    return [];
  }
}

function treeOf(processes: readonly ProcessStat[], root: number, group: number): readonly ProcessStat[] {
  const own = new Set(processes.filter((one) => one.pid === root || one.group === group).map(({ pid }) => pid));
  for (let size = -1; size !== own.size; ) {
    size = own.size;
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid);
  }
  return processes.filter(({ pid }) => own.has(pid));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
