// A command → the one program that represents it in metrics. Only known names: a name chosen by a model could
// fill tables, and leak secrets into them.

import type { Facts } from '../../core/facts.ts';
import { OTHER } from './tally.ts';

/** The first program of the most serious class: `cd x && git push` is `git`. `extra`: programs besides those in the table. */
export function classifyCommand(facts: Facts, extra: ReadonlySet<string>): string {
  const isKnown = ({ name, invocation }: Facts['commands'][number]) =>
    name !== null && (invocation !== null || extra.has(name));
  const top = facts.commands.filter(({ parent, kind }) => parent === null && kind !== 'redirect');
  const decisive = top.find((command) => command.class === facts.class) ?? top[0];
  return decisive !== undefined && isKnown(decisive) ? (decisive.name as string) : OTHER;
}
