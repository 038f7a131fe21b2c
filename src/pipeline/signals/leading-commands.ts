// Shell text → the simple commands that certainly run before everything else: the first one, and those that follow it by
// `;`, a newline or `&&`. Commands in a pipe, a condition, a loop, a group or after `||` are not included.

import { parse } from '../../parse/script.ts';
import type { Command } from '../../parse/tree.ts';

/** A reader stops at the first command that it does not look for: after that, nothing is certain. */
export function* leadingCommands(text: string): Generator<Command> {
  const { script, problem } = parse(text);
  if (script === null || problem !== null) return;
  for (const { command: whole, background } of script.commands) {
    const parts = whole.type === 'AndOr' ? whole.commands : [whole];
    for (const [index, part] of parts.entries()) {
      const isReached = index === 0 || (whole.type === 'AndOr' && whole.operators[index - 1] === '&&');
      if (!isReached || part.type !== 'Command') return;
      yield part;
    }
    if (background) return;
  }
}
