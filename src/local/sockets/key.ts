// The key of a socket: a file next to it, readable only by processes of this user outside a sandbox.
// A sandbox that lets a command connect to sockets still hides the content of these files, so the command has no key.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { HardshellError } from '../../core/errors.ts';

/** Written before anyone can connect. The listener keeps it in memory: later changes of the file have no effect. */
export function makeKey(socketPath: string): string {
  const key = randomBytes(32).toString('hex');
  writeFileSync(fileOf(socketPath), key, { mode: 0o600, flag: 'wx' });
  return key;
}

/** `undefined`: there is none, as for a host of an earlier version. */
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
        hint: 'Run it in your own terminal, outside the sandbox.',
        cause,
      },
    );
  }
}

export function removeKey(socketPath: string): void {
  rmSync(fileOf(socketPath), { force: true });
}

/** In constant time, whichever part is wrong. */
export function isKey(said: unknown, key: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return typeof said === 'string' && timingSafeEqual(digest(said), digest(key));
}

function fileOf(socketPath: string): string {
  return socketPath.replace(/\.sock$/, '.key');
}
