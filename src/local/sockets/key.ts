// The key of a socket: a file beside it that only the processes of this user can read which are not in a sandbox.
// A sandbox that lets a command connect to sockets still hides what is in the files here, so the command has no key.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { HardshellError } from '../../core/errors.ts';

/** Written before anybody can connect. The one who listens keeps it in memory: nothing that happens to the file counts. */
export function makeKey(socketPath: string): string {
  const key = randomBytes(32).toString('hex');
  writeFileSync(fileOf(socketPath), key, { mode: 0o600, flag: 'wx' });
  return key;
}

/** `undefined`: there is none, as with a host of an earlier version. */
export function readKey(socketPath: string): string | undefined {
  const file = fileOf(socketPath);
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new HardshellError(
      'invalid-argument',
      `Permission denied: ${file}. Commands in the sandbox cannot read it.`,
      {
        hint: 'Run it in a terminal of your own.',
        cause,
      },
    );
  }
}

export function removeKey(socketPath: string): void {
  rmSync(fileOf(socketPath), { force: true });
}

/** In a time that does not depend on how much of it is right. */
export function isKey(said: unknown, key: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return typeof said === 'string' && timingSafeEqual(digest(said), digest(key));
}

function fileOf(socketPath: string): string {
  return socketPath.replace(/\.sock$/, '.key');
}
