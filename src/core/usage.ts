// What a command used, and which limits applied to it and how. Data only.

/** Peak memory of the tree in samples, or by its cgroup (file cache included); or only of the largest process. */
export type MemoryMeasure = 'sampled' | 'cgroup' | 'largest-process';

/** Of the whole process tree, including processes that were killed or left it. Null: not measured. */
export interface TreeUsage {
  readonly wallMs: number;
  readonly userMs: number | null;
  readonly systemMs: number | null;
  readonly peakMemoryBytes: number | null;
  readonly memoryMeasure: MemoryMeasure | null;
  /** From and to disks; what stays in the file cache does not count. */
  readonly readBytes: number | null;
  readonly writeBytes: number | null;
  /** How many processes and threads were started, the command itself included. */
  readonly startedProcesses: number | null;
  /** The most processes at the same time, in samples. */
  readonly peakProcesses: number | null;
}

/** Events during a run have the same keys as its result. */
export interface RunUsage extends TreeUsage {
  /** To and from other hosts, through the proxy. */
  readonly sentBytes: number | null;
  readonly receivedBytes: number | null;
  /** Why values are null, by their keys. */
  readonly unmeasured: Readonly<Partial<Record<UsageName, string>>>;
}

export type UsageName = keyof TreeUsage | 'sentBytes' | 'receivedBytes';

/** `counted`: hardshell sees every byte. `polled`: the limit can be exceeded between two checks. `none`: not enforced. */
export type LimitEnforcement = 'kernel' | 'counted' | 'polled' | 'none';

/**
 * A limit that applied to a command. `cpuSeconds` is one of each process, and one of the tree. `processes` is polled; the
 * kernel holds a higher one that includes threads.
 */
export interface AppliedLimit<Name extends string = string> {
  readonly name: Name;
  readonly value: number;
  readonly scope: 'tree' | 'process';
  readonly enforcement: LimitEnforcement;
  /** For `polled`: the longest time without a check in this run. Null if it is not known yet. */
  readonly uncheckedMs: number | null;
}
