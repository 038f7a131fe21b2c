// Measurements of the runner and the proxy → the usage of a command, with a reason for each missing value, and how its
// limits were enforced.

import type { LimitName } from '../core/running.ts';
import type { AppliedLimit, LimitEnforcement, RunUsage, TreeUsage, UsageName } from '../core/usage.ts';
import { type RunStarted, THREADS_PER_PROCESS } from '../run/port.ts';
import type { Traffic } from '../sandbox/sandbox.ts';
import type { Limits } from '../terms/limits.ts';

type Applied = AppliedLimit<LimitName>;

const BY_KEEPER = 'measured only by the keeper, which is not available';
const UNKNOWN = 'the kernel did not report it';
/** With the keeper. */
const REASONS: Readonly<Partial<Record<UsageName, string>>> = {
  readBytes: UNKNOWN,
  writeBytes: UNKNOWN,
  startedProcesses: 'counted at the end, in namespaces, unless their process IDs have started over',
  peakProcesses: 'no sample was taken: these need a limit or a listener, and time',
};

export function describeUsage(measured: TreeUsage, traffic: Traffic): RunUsage {
  const { wallMs, userMs, systemMs, peakMemoryBytes, memoryMeasure, readBytes, writeBytes } = measured;
  const { startedProcesses, peakProcesses } = measured;
  const tree = { wallMs, userMs, systemMs, peakMemoryBytes, memoryMeasure, readBytes, writeBytes };
  const { sentBytes, receivedBytes, why = UNKNOWN } = traffic;
  const values = { ...tree, startedProcesses, peakProcesses, sentBytes, receivedBytes };
  const reasons: Readonly<Partial<Record<UsageName, string>>> = {
    ...(userMs === null ? {} : REASONS),
    sentBytes: why,
    receivedBytes: why,
  };
  const unmeasured: Partial<Record<UsageName, string>> = {};
  for (const name of Object.keys(values) as (keyof typeof values)[])
    if (values[name] === null) unmeasured[name] = reasons[name] ?? BY_KEEPER;
  return { ...values, unmeasured };
}

/** `uncheckedMs`: null while the command runs. */
export function describeLimits(limits: Limits, started: RunStarted, uncheckedMs: number | null): Applied[] {
  const { cgroup, hasProcessLimit, supervisorPid } = started;
  const hasKeeper = supervisorPid !== null;
  const entry = (name: LimitName, scope: 'tree' | 'process', by: LimitEnforcement): Applied => {
    const enforcement = hasKeeper || by === 'counted' ? by : 'none';
    const value = limits[name as keyof Limits] as number;
    return { name, value, scope, enforcement, uncheckedMs: enforcement === 'polled' ? uncheckedMs : null };
  };
  const heldIf = (isHeld: boolean): LimitEnforcement => (isHeld ? 'kernel' : 'polled');
  const entries: Readonly<Record<keyof Limits, () => Applied[]>> = {
    memoryBytes: () => [entry('memoryBytes', 'tree', heldIf(cgroup.includes('memory')))],
    processes: () => {
      const polled = entry('processes', 'tree', 'polled');
      const held = { ...entry('processes', 'tree', 'kernel'), value: polled.value * THREADS_PER_PROCESS };
      return hasProcessLimit ? [polled, held] : [polled];
    },
    cpuPercent: () => [entry('cpuPercent', 'tree', heldIf(cgroup.includes('cpu')))],
    cpuSeconds: () => [entry('cpuSeconds', 'process', 'kernel'), entry('cpuSeconds', 'tree', 'polled')],
    openFiles: () => [entry('openFiles', 'process', 'kernel')],
    fileSizeBytes: () => [entry('fileSizeBytes', 'process', 'kernel')],
    outputBytes: () => [entry('outputBytes', 'tree', 'counted')],
  };
  return (Object.keys(entries) as (keyof Limits)[]).flatMap((name) => (name in limits ? entries[name]() : []));
}
