// A folder → the key of this installation, which signs the log: Ed25519, created once, readable only by this user.
// Refuses a key that other users can read or could have put there.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, linkSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HardshellError } from '../../core/errors.ts';
import { writeDraft } from '../../local/whole-file.ts';
import { sha256 } from './line.ts';

const PRIVATE = 'audit-key.pem';
export const PUBLIC = 'audit-key.pub.pem';

export interface VerifyingKey {
  readonly id: string;
  verify(signed: Uint8Array, signature: Uint8Array): boolean;
}

export interface SigningKey extends VerifyingKey {
  sign(bytes: Uint8Array): string;
}

/** `mayCreate`: false if a log already exists, which a new key could not continue. */
export function loadKey(folder: string, { mayCreate }: { readonly mayCreate: boolean }): SigningKey {
  const path = join(folder, PRIVATE);
  const text = readPrivate(path) ?? (mayCreate ? createKey(path) : null);
  if (text === null)
    throw new HardshellError('unwritable-audit', `The key ${path} of the existing audit log is missing.`, {
      hint: 'Restore the key, or move the old log and its folder away to start a new one.',
    });
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (cause) {
    throw new HardshellError('unwritable-audit', `The key ${path} is not a valid key.`, {
      hint: 'Restore the right key, or move the old log and the key away to start a new one.',
      cause,
    });
  }
  const publicKey = createPublicKey(key);
  const publicPath = join(folder, PUBLIC);
  // The process that created the key may have been killed before this.
  if (!existsSync(publicPath))
    placeOnce(publicPath, publicKey.export({ type: 'spki', format: 'pem' }) as string, 0o644);
  return { ...verifying(publicKey), sign: (bytes) => sign(null, bytes, key).toString('base64url') };
}

/** From the file of a public key. */
export function loadVerifyingKey(path: string): VerifyingKey {
  let key: KeyObject;
  try {
    key = createPublicKey(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new HardshellError('unreadable-audit', `The public key ${path} cannot be read.`, {
      hint: 'It is created with the first record. Use --key for another file.',
      cause,
    });
  }
  return verifying(key);
}

function verifying(key: KeyObject): VerifyingKey {
  return {
    id: sha256(key.export({ type: 'spki', format: 'der' })).slice(0, 16),
    verify: (signed, signature) => verify(null, signed, key, signature),
  };
}

function readPrivate(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw refuse(`The key ${path} cannot be opened: ${(error as Error).message}.`, error);
  }
  try {
    const { uid, mode } = fstatSync(descriptor);
    if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
      throw refuse(`Other users can read the key ${path} (mode ${(mode & 0o777).toString(8)}, must be 600).`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function refuse(message: string, cause?: unknown): HardshellError {
  return new HardshellError('unwritable-audit', message, {
    hint: 'Make the file private: chmod 600.',
    cause,
  });
}

/** Several processes may start at once: the first link wins, and all use its key. */
function createKey(path: string): string | null {
  const { privateKey } = generateKeyPairSync('ed25519');
  placeOnce(path, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, 0o600);
  return readPrivate(path);
}

function placeOnce(path: string, text: string, mode: number): void {
  const temporary = writeDraft(path, text, { mode, sync: true });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
