// Whether a command can read files that are hidden from others: then others must not read its output either.
// The attack: one yes to `head ~/.ssh/id_ed25519`, and a later command that reads the output that was kept.

import type { CommandFact, Facts, PathEffect } from '../core/facts.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { type NamedPaths, NOTHING_NAMED } from '../decide/paths/named-paths.ts';
import { secretTasksFolder } from '../local/places.ts';
import { realPathOrSame } from '../local/real-path.ts';
import { type BoundaryInputs, findHidden } from './boundary.ts';
import { uncover } from './paths/openings.ts';

type Terms = BoundaryInputs['terms'];

/** In the sandbox: an approval or a rule opened a hidden file. A file that is opened for writing may be read as well. */
export function opensHidden(terms: Terms, { byPerson, byRule }: BoundaryInputs['named']): boolean {
  const pathsOf = ({ reads, writes }: NamedPaths) => [...reads, ...writes.map(({ path }) => path)];
  const paths = [...pathsOf(byPerson), ...pathsOf(byRule)];
  if (paths.length === 0) return false;
  const { isHidden } = hiddenFrom(terms);
  return paths.some(isHidden);
}

/** What would be hidden if the settings did not show it (`allowRead`). */
export function shownSecrets(terms: Terms): readonly string[] {
  const { sandbox } = terms;
  if (sandbox.allowRead.length === 0) return [];
  const here = hiddenFrom(terms);
  const elsewhere = hiddenFrom({ ...terms, sandbox: { ...sandbox, allowRead: [] } });
  return [...here.shown, ...elsewhere.places.filter((place) => !here.places.includes(place))];
}

/** In the sandbox: the command names a file that only the settings of this project or call show (`allowRead`). */
export function namesShown(terms: Terms, facts: Facts): boolean {
  const revealed = shownSecrets(terms);
  if (revealed.length === 0) return false;
  return readsOf(facts).some(({ path, isWide }) =>
    revealed.some((place) => isAtOrBelow(path, place) || (isWide && isAtOrBelow(place, path))),
  );
}

/** Outside of the sandbox: the command names a hidden file, or a folder or pattern that includes one. */
export function namesHidden(terms: Terms, facts: Facts): boolean {
  const reads = readsOf(facts);
  if (reads.length === 0) return false;
  const { isHidden, includesHidden } = hiddenFrom(terms);
  return reads.some(({ path, isWide }) => isHidden(path) || (isWide && includesHidden(path)));
}

/** Paths as they are named, and where they lead. */
function readsOf({ commands }: Facts): readonly { readonly path: string; readonly isWide: boolean }[] {
  const effects = commands.flatMap(({ effects: { reads } }: CommandFact) => reads);
  return effects.flatMap((effect) => {
    const path = literalPart(effect);
    const isWide = effect.recursive === true || effect.glob === true;
    return path === null ? [] : [path, realPathOrSame(path)].map((each) => ({ path: each, isWide }));
  });
}

/** Of a pattern: the folder in which it matches. */
function literalPart({ path, glob }: PathEffect): string | null {
  if (path === null || glob !== true) return path;
  return path.replace(/[*?[{(\\][\s\S]*$/, '').replace(/\/[^/]*$/, '') || '/';
}

function hiddenFrom(terms: Terms) {
  const { hidden, shown } = uncover(findHidden(terms, { byPerson: NOTHING_NAMED, byRule: NOTHING_NAMED }));
  const places = [...new Set(hidden.flatMap((path) => [path, realPathOrSame(path)]))];
  return {
    places,
    shown,
    isHidden: (path: string) =>
      places.some((place) => isAtOrBelow(path, place)) && !shown.some((place) => isAtOrBelow(path, place)),
    includesHidden: (folder: string) => places.some((place) => isAtOrBelow(place, folder)),
  };
}

/** A command that failed to read such an output: without a reason, it would look as if the file had never existed. */
export function explainSecretOutput(output: string, tasks: string | null): string | null {
  if (tasks === null || !output.includes(`${secretTasksFolder(tasks)}/`)) return null;
  return `Commands cannot read ${secretTasksFolder(tasks)}: it has outputs that may contain secrets. The user can read them with: hardshell tasks logs ID`;
}
