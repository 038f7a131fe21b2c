// Text → standard output, and events from standard input, without Node's streams: loading them takes longer than deciding.
// Only for verbs that read once and print once.

import { fstatSync, readSync, writeSync } from 'node:fs';
import { EXIT } from './failure.ts';
import { hasStandardFiles, process } from './process.ts';

let isLeft = false;

/** Whether all output and messages have left the process. */
export function isWritten(): boolean {
  return !isLeft;
}

/** Text to standard output, all of it. */
export function print(text: string): void {
  try {
    writeAll(1, text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(`hardshell: Cannot write the output: ${message}\n`);
    process.exit(EXIT.unwritable);
  }
}

/** Text to standard error; if it cannot be read, the answer still counts. */
export function tell(text: string): void {
  try {
    writeAll(2, text);
  } catch {}
}

function writeAll(file: 1 | 2, text: string): void {
  if (!hasStandardFiles()) {
    streamOf(file).write(text);
    return;
  }
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(file, rest));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    // A full non-blocking pipe: the stream waits for it.
    isLeft = true;
    streamOf(file).write(rest);
  }
}

function streamOf(file: 1 | 2): NodeJS.WriteStream {
  return file === 1 ? process.stdout : process.stderr;
}

/** What `createTerminal` needs of standard output. A file or a pipe is not a terminal, and needs no stream to find out. */
export function plainStdout(): Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> {
  return !hasStandardFiles() || fstatSync(1).isCharacterDevice()
    ? process.stdout
    : ({ isTTY: false } as NodeJS.WriteStream);
}

/** Standard input as far as it can be read at once; if it is non-blocking, the stream must read the rest. */
export function readAtOnce(limitBytes: number): { readonly bytes: Buffer; readonly isWhole: boolean } {
  if (!hasStandardFiles()) return { bytes: Buffer.alloc(0), isWhole: false };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    while (size <= limitBytes) {
      const chunk = Buffer.allocUnsafe(1 << 16);
      const length = readSync(0, chunk, 0, chunk.length, null);
      if (length === 0) return { bytes: Buffer.concat(chunks), isWhole: true };
      chunks.push(chunk.subarray(0, length));
      size += length;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
  return { bytes: Buffer.concat(chunks), isWhole: false };
}
