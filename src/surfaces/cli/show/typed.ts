// The typed command line → words for errors and hints: the verb, and the known word nearest to a misspelled one.

import { quoteIfNeeded } from '../../../host/values.ts';
import { process } from '../process.ts';

/** A known word may differ in this share of its letters. */
const MAX_SHARE = 0.4;

let typed: readonly string[] = process.argv.slice(2);

/** Sets the command line, if it is not `process.argv`. */
export function noteTyped(argv: readonly string[]): void {
  typed = argv;
}

/** The verb of this process, for examples in hints. */
export function typedVerb(): string {
  const [verb = ''] = typed;
  return /^[a-z]+$/.test(verb) ? verb : 'explain';
}

/** The command line as it was typed, with an option after the verb. */
export function typedAgain(option: string): string {
  const [, ...rest] = typed;
  return ['hardshell', typedVerb(), option, ...rest.map(quoteIfNeeded)].join(' ');
}

/** Whether the first word is a verb, and not an option. */
export function isVerbTyped(): boolean {
  return /^[a-z]/.test(typed[0] ?? '');
}

/** The word after the verb; empty if there is none. */
export function typedSubcommand(): string {
  return typed[1] ?? '';
}

/** ` Did you mean X?`, or nothing when no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const ranked = known
    .map((each) => ({ each, distance: distanceOf(word.toLowerCase(), each) }))
    .filter(({ each, distance }) => distance <= Math.max(1, Math.floor(each.length * MAX_SHARE)))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0] === undefined || word === '' ? '' : ` Did you mean ${ranked[0].each}?`;
}

const CHOICES = /(?:value|argument) '([^']*)' is invalid.* Allowed choices are (.*)\.$/;

/** Commander's message as a sentence. */
export function usageMessage(message: string): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/^unknown command/, 'unknown subcommand')
    .replace(/\s*\n\s*/g, ' ')
    // Commander's own form.
    .replace(/\.? \((Did you mean .*\?)\)$/, '. $1');
  const [, word, choices] = CHOICES.exec(text) ?? [];
  const meant = word === undefined || choices === undefined ? '' : didYouMean(word, choices.split(', '));
  return text.charAt(0).toUpperCase() + text.slice(1) + meant;
}

/** How many letters must be added, left out, changed or swapped. */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const before = rows[i - 1] as number[];
      const change = (before[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? ((rows[i - 2] as number[])[j - 2] as number) + 1 : change;
      row.push(Math.min(change, swap, (before[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    rows.push(row);
  }
  return (rows[a.length] as number[])[b.length] as number;
}
