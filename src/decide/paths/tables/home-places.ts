// The places of the two tables that can be named without knowing the disk: files and folders below a home folder.

import { protectedGlobs } from './protected-paths.ts';
import { secretGlobs } from './secret-paths.ts';

/** Relative to home. */
export const HOME_SECRETS: readonly string[] = placesOf(secretGlobs());
export const HOME_PROTECTED: readonly string[] = placesOf(protectedGlobs());

/** `~/.aws/**` → `.aws`; what is about any depth (`.ssh/**`) is about home too. Globs that name no place are left out. */
function placesOf(globs: readonly string[]): string[] {
  const places = globs
    .filter((glob) => !glob.startsWith('/'))
    .map((glob) => glob.replace(/^~\//, '').replace(/\/\*\*$/, ''))
    .filter((place) => place.startsWith('.') && !/[*?[\]]/.test(place));
  return [...new Set(places)];
}
