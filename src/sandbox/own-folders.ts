// A project → the folders that its confined commands have for themselves: temporary files, and the caches of tools.
// Nobody outside runs what lies there: what one command puts into a cache can only reach others in the same sandbox.

import { createHash } from 'node:crypto';
import { accessSync, constants, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../local/places.ts';
import { makePrivateFolder, restorePrivateFolder } from '../local/private-folder.ts';
import { makeTemporaryFolder } from '../local/state-folders.ts';
import { noteUse, pruneUnused } from '../local/unused-folders.ts';

export interface OwnFolders {
  readonly temporary: string;
  readonly caches: string;
  /** Where protected names go that a command has made; it cannot write there. */
  readonly quarantine: string;
}

export function ownFoldersOf(root: string, env: Readonly<Record<string, string | undefined>>): OwnFolders {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const temporary = restorePrivateFolder(join(makeTemporaryFolder(), name));
  const caches = cachesFolder(name, temporary, env);
  for (const folder of [temporary, caches]) noteUse(folder);
  return { temporary, caches, quarantine: quarantineFolder(env) };
}

/** Of projects that nobody has used for long. Once a day at most. */
export function pruneOwnFolders(env: Readonly<Record<string, string | undefined>>): void {
  for (const parent of [makeTemporaryFolder(), join(cacheFolder(env), 'caches')]) pruneUnused(parent);
}

function quarantineFolder(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return realpathSync.native(makePrivateFolder(join(cacheFolder(env), 'quarantine')));
  } catch {
    return realpathSync.native(makePrivateFolder(join(makeTemporaryFolder(), 'quarantine')));
  }
}

function cachesFolder(name: string, temporary: string, env: Readonly<Record<string, string | undefined>>): string {
  try {
    const folder = restorePrivateFolder(join(cacheFolder(env), 'caches', name));
    // It may be there from better days.
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    // A home that cannot be written to: the caches then last as long as temporary files do.
    return makePrivateFolder(join(temporary, '.caches'));
  }
}

/** Tools that fail, or are slow, without a cache that they can write to. */
const CACHES: Readonly<Record<string, string>> = {
  XDG_CACHE_HOME: '',
  npm_config_cache: 'npm',
  // Not npm_config_store_dir: npm warns about what it does not know.
  PNPM_HOME: 'pnpm',
  YARN_CACHE_FOLDER: 'yarn',
  BUN_INSTALL_CACHE_DIR: 'bun',
  DENO_DIR: 'deno',
  PIP_CACHE_DIR: 'pip',
  UV_CACHE_DIR: 'uv',
  GOCACHE: 'go-build',
  GOMODCACHE: 'go-mod',
  CARGO_HOME: 'cargo',
  GRADLE_USER_HOME: 'gradle',
  NUGET_PACKAGES: 'nuget',
  COMPOSER_CACHE_DIR: 'composer',
};

export function cacheVariables(caches: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(CACHES).map(([name, folder]) => [name, folder === '' ? caches : `${caches}/${folder}`]),
  );
}
