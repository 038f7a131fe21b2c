// The part of the internal API that starts processes: it can be ready before a command is decided about.

import { findSocketFolder } from '../local/sockets/runtime-folder.ts';

/** Checks the folder that HARDSHELL_RUNTIME_DIR names: throws if other processes cannot find commands there. */
export function checkChosenRuntimeFolder(): void {
  if (process.env.HARDSHELL_RUNTIME_DIR) findSocketFolder('running');
}

export { chooseRunner } from '../run/runner.ts';
export { tryAhead } from '../sandbox/trial-ahead.ts';
