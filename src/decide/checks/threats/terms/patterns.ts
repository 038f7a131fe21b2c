// Patterns of grep and find against a text or a name. `can…` is false only if they certainly do not match.

import { matchesName } from '../../../paths/glob.ts';

export type NameFilter = (name: string) => boolean;

/** Words, dots, `.*`, `|` and anchors: the subset that JavaScript interprets as grep does, and quickly. */
const PLAIN_PATTERN = /^(?:[\w\s/:@,=#%&;<>!~"'-]|\.\*?|\\?\||\\[.bwsd/-]|[\^$])*$/;
const MAX_STARS = 2;
const MAX_LINE_LENGTH = 2_000;

export function canMatchText(pattern: string, text: string): boolean {
  const stars = pattern.split('.*').length - 1;
  if (!PLAIN_PATTERN.test(pattern) || stars > MAX_STARS) return true;
  const expression = new RegExp(pattern.replaceAll('\\|', '|'), 'i');
  return text.split('\n').some((line) => line.length > MAX_LINE_LENGTH || expression.test(line));
}

/** Ignores case, and treats a leading dot like any other character, as some of the programs do. */
export function canMatchName(glob: string, name: string): boolean {
  const [pattern, lower] = [glob.toLowerCase(), name.toLowerCase()];
  const last = pattern.slice(pattern.lastIndexOf('/') + 1);
  return [pattern, last].some((each) => matchesName(each, lower) || matchesName(each, `x${lower}`));
}

export function surelyMatchesName(glob: string, name: string): boolean {
  return matchesName(glob, name) || (glob.startsWith('*') && matchesName(glob, `x${name}`));
}
