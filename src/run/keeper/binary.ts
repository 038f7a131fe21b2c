// The keeper's file: found in the package, checked against its recorded hash, and run from a private copy, so that a command
// with write access to the package cannot change what runs the next one.

import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type KeeperBinary =
  | { readonly isAvailable: true; readonly path: string; readonly sha256: string }
  | { readonly isAvailable: false; readonly reason: string };

/** Where `npm run build` puts it; the source tree and the built one are at the same depth. */
function packagedFolder(): string {
  return fileURLToPath(new URL(`../../../dist/native/${process.platform}-${process.arch}/`, import.meta.url));
}

function privateFolder(): string {
  const own = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  for (const folder of [join(own, 'hardshell'), join(tmpdir(), `hardshell-${process.getuid?.() ?? 0}`)]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const info = lstatSync(folder);
      // Somebody else's folder, or a link to one, is no private folder: the name under /tmp can be guessed.
      if (!info.isDirectory() || info.uid !== process.getuid?.()) continue;
      chmodSync(folder, 0o700);
      return folder;
    } catch {}
  }
  throw new Error('neither the cache folder nor the temporary folder is writable by this user');
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function isCopy(path: string, sha256: string): boolean {
  try {
    const info = lstatSync(path);
    return info.isFile() && info.uid === process.getuid?.() && hashOf(readFileSync(path)) === sha256;
  } catch {
    return false;
  }
}

export function locateKeeper(folder = packagedFolder()): KeeperBinary {
  if (process.platform !== 'linux') return { isAvailable: false, reason: 'the keeper needs Linux' };
  let bytes: Buffer;
  let sha256: unknown;
  try {
    bytes = readFileSync(join(folder, 'keeper'));
    ({ sha256 } = JSON.parse(readFileSync(join(folder, 'keeper.json'), 'utf8')));
  } catch {
    return { isAvailable: false, reason: 'the keeper was not built: install a C compiler and run `npm run build`' };
  }
  if (typeof sha256 !== 'string' || hashOf(bytes) !== sha256)
    return { isAvailable: false, reason: 'the keeper is not the file that was built: run `npm run build` again' };
  try {
    const path = join(privateFolder(), `keeper-${sha256.slice(0, 16)}`);
    if (!isCopy(path, sha256)) {
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, bytes, { mode: 0o500, flag: 'wx' });
      try {
        renameSync(draft, path);
      } finally {
        rmSync(draft, { force: true });
      }
    }
    return { isAvailable: true, path, sha256 };
  } catch (error) {
    return {
      isAvailable: false,
      reason: `the keeper cannot be copied to a private folder: ${(error as Error).message}`,
    };
  }
}
