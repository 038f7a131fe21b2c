// A project → the private folders of its confined commands: temporary files, and caches of tools.
// Programs outside run nothing from there: a poisoned cache can only reach commands in the same sandbox.

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
  /** Where protected names that a command created are moved; commands cannot write there. */
  readonly quarantine: string;
}

export function makeOwnFolders(root: string, env: Readonly<Record<string, string | undefined>>): OwnFolders {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const temporary = restorePrivateFolder(join(makeTemporaryFolder(), name));
  const caches = cachesFolder(name, temporary, env);
  for (const folder of [temporary, caches]) noteUse(folder);
  return { temporary, caches, quarantine: quarantineFolder(env) };
}

/** Folders of projects that have not been used for long. At most once a day. */
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
    // It may exist from an earlier run.
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    // The home folder is not writable: the caches then last as long as temporary files.
    return makePrivateFolder(join(temporary, '.caches'));
  }
}

/** Tools that fail, or are slow, without a writable cache. */
const CACHES: Readonly<Record<string, string>> = {
  XDG_CACHE_HOME: '',
  npm_config_cache: 'npm',
  // Not npm_config_store_dir: npm warns about unknown settings.
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
