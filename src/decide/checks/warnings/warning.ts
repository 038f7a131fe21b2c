// The form of a warning: it informs the person who decides, and never changes the verdict.

import type { CommandFact } from '../../../core/facts.ts';
import type { Check } from '../../check.ts';

export function warning(
  id: string,
  names: readonly string[],
  test: (command: CommandFact) => boolean,
  texts: Pick<Check, 'severity' | 'message' | 'instead' | 'examples'>,
): Check {
  return {
    id,
    layer: 'warnings',
    verdict: 'allow',
    ...texts,
    names,
    inspect: (command) => (test(command) ? { span: command.span } : null),
  };
}
