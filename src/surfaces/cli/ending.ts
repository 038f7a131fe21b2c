// How a command line ends: what bin/hardshell.js is told, and what happens when the output cannot be written.

import { EXIT } from './failure.ts';
import { isWritten } from './plain-output.ts';
import { process } from './process.ts';

/** What bin/hardshell.js is told when a command line is done. */
export interface Ending {
  /** Everything is written, and nothing is pending. */
  readonly isFlushed: boolean;
  /** The run used the common code paths of its kind: its compile cache is worth keeping. */
  readonly isTypical: boolean;
  /** Uses more of the code silently, so that more of it is cached. */
  readonly rehearse?: () => void;
}

/** For verbs that write through Node's streams. Help does not: loading them takes as long as the rest of it. */
export function watchStreams(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe (`| head`).
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(`hardshell: Cannot write the output: ${error.message}\n`);
    process.exit(EXIT.unwritable);
  });
  process.stderr.on('error', () => {});
}

export function areStreamsFlushed(): boolean {
  const isFailed = process.stdout.errored !== null;
  return isWritten() && !isFailed && process.stdout.writableLength === 0 && process.stderr.writableLength === 0;
}
