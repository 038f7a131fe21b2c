// The tables of places → paths on this machine. Used before every command, nearly always for the same home, so lookups
// on disk are cached for a while.

import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { diskFolders } from '../../confine/folders.ts';
import { rememberAnswers } from '../../confine/remembered-folders.ts';
import { isAtOrBelow } from '../../core/values/containment.ts';
import { HOME_ACCOUNTS, HOME_PROTECTED, HOME_SECRETS, MACHINE_SECRETS } from '../../decide/paths/tables/home-places.ts';
import { realPathOrSame } from '../../local/real-path.ts';

/** These rarely appear or disappear, and no confined command creates them. */
const FRESH_MS = 5_000;

interface Home {
  readonly path: string;
  readonly real: string;
  readonly secrets: readonly string[];
  readonly protected: readonly string[];
  readonly running: readonly string[];
}

let latest: Home | null = null;

function homeAt(path: string): Home {
  if (latest?.path !== path) {
    const folder = join(path, '/');
    const inHome = (place: string) => folder + place;
    latest = {
      path,
      real: realPathOrSame(path),
      secrets: HOME_SECRETS.map(inHome),
      protected: HOME_PROTECTED.map(inHome),
      running: HOME_PROTECTED.filter((place) => !HOME_ACCOUNTS.has(place)).map(inHome),
    };
  }
  return latest;
}

export function homeSecrets(home: string | null): readonly string[] {
  return home === null ? [] : homeAt(home).secrets;
}

const topOf = (place: string) => place.split('/', 1)[0] as string;
const TOPS: ReadonlySet<string> = new Set(HOME_PROTECTED.map(topOf));

const present = remembering((home: string) => {
  const folders = rememberAnswers(diskFolders);
  return homeAt(home).protected.filter((place) => folders.realPath(place) !== null);
});

/**
 * If the home itself is writable: all protected names in it, whether they exist or not. Otherwise only existing ones:
 * they may be links into the project, such as dotfiles that are kept in a repository. If it is only opened for a name,
 * a new file with an account is nearly always the user's, and must not be taken away: it ends the command.
 */
export function homeProtected(
  home: string | null,
  writable: readonly string[],
  opened: readonly string[] = [],
): readonly string[] {
  if (home === null) return [];
  const { path, real, protected: all, running } = homeAt(home);
  const isHome = (folder: string) => [path, real].some((each) => isAtOrBelow(each, folder));
  if (writable.some(isHome)) return all;
  if (opened.some(isHome)) return running;
  const inside = [...writable, ...opened].filter(
    (folder) => isAtOrBelow(folder, path) && TOPS.has(topOf(folder.slice(path.length + 1))),
  );
  return [...present(home), ...all.filter((place) => inside.some((folder) => isAtOrBelow(place, folder)))];
}

/** Files that this user cannot read, a command cannot read either. */
const readable = remembering((_: string) => MACHINE_SECRETS.filter(isReadable));

export function machineSecrets(): readonly string[] {
  return readable('');
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function remembering(look: (key: string) => readonly string[]): (key: string) => readonly string[] {
  let known: { readonly key: string; readonly at: number; readonly found: readonly string[] } | null = null;
  return (key) => {
    if (known?.key !== key || performance.now() - known.at >= FRESH_MS)
      known = { key, at: performance.now(), found: look(key) };
    return known.found;
  };
}
