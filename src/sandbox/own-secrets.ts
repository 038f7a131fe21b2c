// Folders of hardshell that no command may read: keys that answer questions or sign records, and files of other projects.

import { realpathSync } from 'node:fs';
import { isAtOrBelow } from '../core/values/containment.ts';
import { auditPlacesIn, stateFolders } from '../local/places.ts';
import { prepareRuntimeFolders } from '../local/sockets/runtime-folder.ts';
import { makeTemporaryFolder, prepareHiddenFolders, prepareSecretTasksFolders } from '../local/state-folders.ts';

export function ownSecrets(tasks: string | null, quarantine: string): string[] {
  return [
    ...prepareRuntimeFolders(),
    ...stateFolders().flatMap((state) => Object.values(auditPlacesIn(state))),
    ...prepareSecretTasksFolders(tasks),
    // What commands changed and replaced, in all projects; and commands that may run once.
    ...prepareHiddenFolders(),
    // Quarantined files may belong to other projects.
    ...(isInTemporaryFolder(quarantine) ? [] : [quarantine]),
  ];
}

/** Commands have a private /tmp; without namespaces, hiding one of many folders there takes too many rules. */
function isInTemporaryFolder(path: string): boolean {
  return isAtOrBelow(path, realpathSync.native(makeTemporaryFolder()));
}
