// Writing through a link that the same command creates: the target of the link changes, and the paths do not show it.

import type { PathEffect } from '../../core/facts.ts';
import type { Draft } from './draft.ts';

const LINKERS = new Set(['ln', 'link', 'cp', 'mount']);

export function markLinkedWrites(drafts: readonly Draft[]): void {
  if (!drafts.some(makesLink)) return;
  const links = drafts.filter(makesLink).flatMap((draft) => draft.writes);
  for (const draft of drafts) {
    // In a folder that is a link, the command is in another place.
    if (draft.folders?.some((path) => links.some((link) => mayBeBelow({ path }, link)))) draft.folders = null;
    if (makesLink(draft)) continue;
    const isLinked = [...draft.writes, ...draft.deletes].some((target) =>
      links.some((link) => mayBeBelow(target, link)),
    );
    if (isLinked) draft.add('unknown', 'it goes through a link that the same command creates');
  }
}

function makesLink(draft: Draft): boolean {
  if (draft.name === null || !LINKERS.has(draft.name)) return false;
  return (
    draft.name !== 'cp' ||
    draft.words.some(
      (word) => word.kind !== 'literal' || /^-[a-zA-Z]*[slaRdP]|^--(?:sym|link|arch|no-d|pres)/.test(word.value),
    )
  );
}

function mayBeBelow(target: PathEffect, link: PathEffect): boolean {
  if (target.path === null || link.path === null || target.glob || link.glob) return true;
  return target.path === link.path || target.path.startsWith(`${link.path}/`);
}
