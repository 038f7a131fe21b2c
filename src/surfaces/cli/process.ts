// The process that a command line runs in: its streams, variables, folder, exit code and signals.
// The verbs import this name instead of using Node's global, so that a command line can also run inside another process.

export type CliProcess = Pick<
  NodeJS.Process,
  | 'argv'
  | 'cwd'
  | 'env'
  | 'execPath'
  | 'exit'
  | 'exitCode'
  | 'hrtime'
  | 'listeners'
  | 'on'
  | 'pid'
  | 'platform'
  | 'removeAllListeners'
  | 'removeListener'
  | 'stderr'
  | 'stdin'
  | 'stdout'
>;

export let process: CliProcess = globalThis.process;

/** For everything that starts after this call. */
export function setProcess(given: CliProcess): void {
  process = given;
}

/** Whether file descriptors 0, 1 and 2 are the streams of the command line: then no stream is needed to use them. */
export function hasStandardFiles(): boolean {
  return process === globalThis.process;
}
