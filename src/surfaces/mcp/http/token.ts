// The secret that a client must send: generated and stored in a private file, or read from a private file.
// Refuses a file that others could read or have written: the token allows running commands as this user.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HardshellError, makePrivateFolder, runtimeFolder } from '../../../host.ts';

const MIN_CHARACTERS = 32;
const SHAPE = /^[A-Za-z0-9._~+/=-]+$/;
const MAKE_ONE = '(umask 077; openssl rand -hex 32 > FILE)';

export interface Token {
  readonly text: string;
  readonly file: string;
  readonly isNew: boolean;
  /** Deletes the file of a generated token. */
  forget(): void;
}

export function readToken(file: string): Token {
  const hint = `Create one that only you can read: ${MAKE_ONE}`;
  const refuse = (message: string, cause?: unknown): HardshellError =>
    new HardshellError('invalid-argument', `The token file ${file} ${message}`, { hint, ...(cause ? { cause } : {}) });
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw refuse('cannot be opened.', error);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw refuse('is not a file.');
    if (stat.uid !== process.getuid?.()) throw refuse('belongs to another user.');
    if ((stat.mode & 0o077) !== 0) throw refuse('can be opened by other users: its mode must be 600.');
    const text = readFileSync(descriptor, 'utf8').trim();
    if (text.length < MIN_CHARACTERS || !SHAPE.test(text))
      throw refuse(`must have one line of at least ${MIN_CHARACTERS} letters and digits.`);
    return { text, file, isNew: false, forget() {} };
  } finally {
    closeSync(descriptor);
  }
}

/** In the folder that the sandbox hides from commands. One file for each port: a second server keeps its own. */
export function makeToken(port: number): Token {
  const folder = makeFolder();
  const file = join(folder, `${port}.token`);
  const text = randomBytes(32).toString('hex');
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, file);
  return { text, file, isNew: true, forget: () => rmSync(file, { force: true }) };
}

function makeFolder(): string {
  try {
    return makePrivateFolder(join(makePrivateFolder(runtimeFolder()), 'mcp'));
  } catch (error) {
    if (!(error instanceof HardshellError)) throw error;
    const hint = 'Set HARDSHELL_RUNTIME_DIR to a private folder that only you can open (mode 700).';
    throw new HardshellError(error.code, error.message, { hint, cause: error });
  }
}

/** In constant time. */
export function isToken(header: string | undefined, token: string): boolean {
  const said = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(said), digest(token));
}
