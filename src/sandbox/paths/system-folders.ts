// Folders of the system and folders with many projects: none of them is a workspace or a project.

import { dirname, normalize } from 'node:path';

/** And all folders above them. */
const SYSTEM: ReadonlySet<string> = new Set(
  ['/bin', '/etc', '/lib', '/usr/bin', '/usr/lib', '/var/lib', '/home', '/Users', '/Library'].flatMap((place) => [
    ...['/', place, dirname(place)],
  ]),
);

export function isSystemFolder(path: string): boolean {
  return SYSTEM.has(normalize(path).replace(/(.)\/$/, '$1'));
}
