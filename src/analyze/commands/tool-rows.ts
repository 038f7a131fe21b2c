// Shared forms of rows of language and build tools: parts of a row → the row.
// Long options are exact in all of them: an abbreviation is then unknown, and unknown is never read-only.

import type { CommandClass } from '../../core/facts.ts';
import type { CommandSpec, Variant } from './spec.ts';

type Parts = Omit<Partial<CommandSpec>, 'summary' | 'class'>;

const NO_EXAMPLES: CommandSpec['examples'] = { readOnly: [], notReadOnly: [] };

/** Effects of fetching and building packages: their install scripts run, lock files and folders change. */
export const INSTALLS = 'change network execute';

/** Options after which the program certainly stops once it has printed; operands next to them stay unknown. */
export function informs(has: string): Variant {
  return { has, does: '', operands: '', class: 'neutral' };
}

/** A row below another one; its examples are in the parent row. Its own options come before a subcommand. */
export function sub(summary: string, kind: CommandClass, parts: Parts = {}): CommandSpec {
  const style = parts.subcommands === undefined ? {} : { style: 'posix' as const };
  return { exactLong: true, examples: NO_EXAMPLES, ...style, ...parts, summary, class: kind };
}

/** The same with options at which it stops. */
export function helped(summary: string, kind: CommandClass, parts: Parts = {}, help = '-h --help'): CommandSpec {
  return sub(summary, kind, {
    ...parts,
    flags: joined(parts.flags, help),
    variants: [informs(help), ...(parts.variants ?? [])],
  });
}

/** A program that always runs code from files or configuration, unless one of `stops` is given. */
export function runner(summary: string, stops: string, parts: Parts & Pick<CommandSpec, 'examples'>): CommandSpec {
  const shared = { operands: 'value*', does: 'execute', ...parts };
  return stops === '' ? sub(summary, 'execute', shared) : helped(summary, 'execute', shared, stops);
}

/** A program that runs the commands given in its words: as harmless as they are. */
export function launcher(summary: string, stops: string, parts: Parts & Pick<CommandSpec, 'examples'>): CommandSpec {
  const shared = { operands: 'value*', ...parts };
  return stops === '' ? sub(summary, 'neutral', shared) : helped(summary, 'neutral', shared, stops);
}

/** The same row under several names. */
export function named(names: string, row: CommandSpec): Record<string, CommandSpec> {
  return Object.fromEntries(names.split(' ').map((name) => [name, row]));
}

export function joined(...lists: readonly (string | undefined)[]): string {
  return lists.filter(Boolean).join(' ');
}
