// The keeper's file: found in the package, checked against its recorded hash, and run from a copy that no process can reach.
// The checked file is the one that runs: between check and exec no command can replace or change it, wherever it may write.

import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBelow } from '../../core/values/containment.ts';
import { cacheFolder, userFolderIn } from '../../local/places.ts';
import { claimFolder } from '../../local/private-folder.ts';

export type KeeperBinary =
  | {
      readonly isAvailable: true;
      /** The verified copy, for this process only: the name of a file descriptor. */
      readonly program: string;
      /** The file in the package. */
      readonly path: string;
      readonly sha256: string;
    }
  | { readonly isAvailable: false; readonly reason: string };

/** Where `npm run build` puts it; the source tree and the built one are at the same depth. */
function packagedFolder(): string {
  return fileURLToPath(new URL(`../../../dist/native/${process.platform}-${process.arch}/`, import.meta.url));
}

export function locateKeeper(folder = packagedFolder()): KeeperBinary {
  if (process.platform !== 'linux') return { isAvailable: false, reason: 'the keeper needs Linux' };
  const path = join(folder, 'keeper');
  let bytes: Buffer;
  let sha256: unknown;
  try {
    bytes = readFileSync(path);
    ({ sha256 } = JSON.parse(readFileSync(join(folder, 'keeper.json'), 'utf8')));
  } catch {
    return { isAvailable: false, reason: 'the keeper was not built: install a C compiler and run `npm run build`' };
  }
  if (typeof sha256 !== 'string' || hashOf(bytes) !== sha256)
    return { isAvailable: false, reason: 'the keeper is not the file that was built: run `npm run build` again' };
  try {
    return { isAvailable: true, program: programOf(bytes, sha256), path, sha256 };
  } catch (error) {
    return { isAvailable: false, reason: `the keeper cannot be copied: ${(error as Error).message}` };
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** One copy while this process lives; Node closes its file descriptor in every child. */
const programs = new Map<string, string>();

function programOf(bytes: Buffer, sha256: string): string {
  let program = programs.get(sha256);
  if (program === undefined) {
    program = nameOf(openCopy(bytes, sha256));
    programs.set(sha256, program);
  }
  return program;
}

/** In the child that Node creates, it has the same number when the program is loaded. */
function nameOf(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

/** Opens an unnamed file. Node has no API for it. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;

function openCopy(bytes: Buffer, sha256: string): number {
  const problems: string[] = [];
  type Place = readonly [string, (folder: string) => number];
  // Without a name no process can open it, not even in a folder that a command may change.
  const nameless = temporaryFolders().map((folder): Place => [folder, (at) => writeNameless(at, bytes)]);
  // For file systems without unnamed files. The sandbox protects the first of these folders, and commands have a private /tmp.
  const named = privateFolders().map((folder): Place => [folder, (at) => writeNamed(at, bytes, sha256)]);
  const places = needsName() ? [...named.slice(0, 1), ...nameless, ...named.slice(1)] : [...nameless, ...named];
  for (const [folder, write] of places) {
    try {
      const descriptor = write(folder);
      // Refused if the file system is mounted with noexec.
      accessSync(nameOf(descriptor), constants.X_OK);
      return descriptor;
    } catch (error) {
      problems.push(`${folder}: ${(error as Error).message}`);
    }
  }
  throw new Error(problems.join('; '));
}

function writeNameless(folder: string, bytes: Buffer): number {
  const writing = openSync(folder, constants.O_RDWR | O_TMPFILE, 0o500);
  try {
    writeFileSync(writing, bytes);
    // A program that is open for writing cannot be executed.
    return openHigh(nameOf(writing), constants.O_RDONLY);
  } finally {
    closeSync(writing);
  }
}

function writeNamed(folder: string, bytes: Buffer, sha256: string): number {
  claimFolder(folder);
  const path = join(folder, `keeper-${sha256.slice(0, 16)}`);
  const found = openChecked(path, sha256);
  if (found !== null) return found;
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, bytes, { mode: 0o500, flag: 'wx' });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  const made = openChecked(path, sha256);
  if (made === null) throw new Error(`${path} was replaced while it was created`);
  return made;
}

/** The file behind the descriptor is checked, and exactly that one will run. */
function openChecked(path: string, sha256: string): number | null {
  let descriptor: number;
  try {
    descriptor = openHigh(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
  const info = fstatSync(descriptor);
  const isOurs = info.isFile() && info.uid === process.getuid?.() && (info.mode & 0o022) === 0;
  if (isOurs && hashOf(readFileSync(descriptor)) === sha256) return descriptor;
  closeSync(descriptor);
  return null;
}

/** Above the numbers that Node uses for the pipes of a child. */
const LOWEST = 32;

function openHigh(path: string, flags: number): number {
  const lower: number[] = [];
  try {
    for (;;) {
      const descriptor = openSync(path, flags);
      if (descriptor >= LOWEST) return descriptor;
      lower.push(descriptor);
    }
  } finally {
    for (const descriptor of lower) closeSync(descriptor);
  }
}

function temporaryFolders(): string[] {
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  return [...(runtime !== undefined && isAbsolute(runtime) ? [runtime] : []), tmpdir(), homedir(), '/dev/shm'];
}

function privateFolders(): string[] {
  const folders = [cacheFolder(process.env), userFolderIn(tmpdir())];
  return isInWorkspace(cacheFolder(process.env)) ? folders.reverse() : folders;
}

/** Probably the folder of the next command, whose sandbox may not be able to protect a folder in it. */
function isInWorkspace(folder: string): boolean {
  return isBelow(folder, realpathSync(process.cwd()));
}

/** AppArmor grants user namespaces to a program by its name: see docs/doctor.md. */
function needsName(): boolean {
  if (isInWorkspace(cacheFolder(process.env))) return false;
  try {
    return readFileSync('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', 'utf8').trim() === '1';
  } catch {
    return false;
  }
}
