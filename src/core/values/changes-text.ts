// The numbers of what a staged command changed → words.

import type { RunChanges } from '../staging.ts';

/** `2 files changed (1 created, 1 changed)`, `1 file deleted`, `1 folder created`; `null` if nothing of it can land. */
export function describeCounts(changes: RunChanges): string | null {
  const { created, changed, deleted, folders } = changes;
  const total = created + changed + deleted;
  if (total + folders === 0) return null;
  const kinds = Object.entries({ created, changed, deleted }).filter(([, count]) => count > 0);
  const counts = kinds.map(([kind, count]) => `${count} ${kind}`).join(', ');
  const files = total === 0 ? `${folders} ${plural(folders, 'folder')}` : `${total} ${plural(total, 'file')}`;
  return kinds.length > 1 ? `${files} changed (${counts})` : `${files} ${kinds[0]?.[0] ?? describeFolders(changes)}`;
}

/** Only folders: what was done to all of them, if it was the same. */
function describeFolders({ files, omitted }: RunChanges): string {
  const [first, ...others] = new Set(files.map(({ change }) => change));
  return first === undefined || first === 'mode' || others.length + omitted > 0 ? 'changed' : first;
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
