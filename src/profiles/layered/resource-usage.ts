// LAYER's `ResourceUsage`: the same keys while a command runs and at its end.

import type { RunResult, ShellEvent } from '../../core/running.ts';
import type { RunUsage } from '../../core/usage.ts';

export type ResourceEvent = Extract<ShellEvent, { type: 'resource' }>;

export interface ResourceUsage {
  /** Percent of one CPU: since the last update, or on average if it has ended. */
  readonly cpuUsage: number | null;
  /** Bytes: now, or the peak if it has ended. */
  readonly memoryUsage: number | null;
  /** Bytes read from and written to disks. */
  readonly diskIO: number | null;
  /** Bytes to and from other hosts, through the proxy. */
  readonly networkIO: number | null;
}

/** Of a command that did not start. */
export const NO_USAGE: ResourceUsage = { cpuUsage: null, memoryUsage: null, diskIO: null, networkIO: null };

export function usageOf({ cpuPercent, memoryBytes, usage }: ResourceEvent): ResourceUsage {
  return { cpuUsage: cpuPercent, memoryUsage: memoryBytes, ...trafficOf(usage) };
}

/** `null` for a command that has not ended. */
export function finalUsage({ usage }: RunResult, peakMemoryBytes: number | null): ResourceUsage | null {
  if (usage === null) return null;
  const { wallMs, userMs, systemMs } = usage;
  const cpuMs = sumOf(userMs, systemMs);
  return {
    cpuUsage: cpuMs === null || wallMs === 0 ? null : Math.round((1000 * cpuMs) / wallMs) / 10,
    memoryUsage: peakMemoryBytes,
    ...trafficOf(usage),
  };
}

function trafficOf({ readBytes, writeBytes, sentBytes, receivedBytes }: RunUsage) {
  return { diskIO: sumOf(readBytes, writeBytes), networkIO: sumOf(sentBytes, receivedBytes) };
}

/** Unknown if one of them is. */
export function sumOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}
