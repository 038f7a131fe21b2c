// Rows of large command families in short form: their operands are names, and `--help` has no effects.

import type { CommandClass } from '../../core/facts.ts';
import type { CommandSpec } from './spec.ts';
import { helped } from './tool-rows.ts';

export type RowDetails = Partial<Omit<CommandSpec, 'summary' | 'class' | 'examples'>>;

/** A part of a command; its examples are in the row of the whole. */
export function part(summary: string, kind: CommandClass, details: RowDetails = {}): CommandSpec {
  return helped(summary, kind, { operands: 'value*', ...details }, '--help');
}
