// Facts and verdicts → the JSON that every verb prints. One shape everywhere, with a version that changes when a field changes its meaning.

import type { CommandFact, Facts, Verdict } from '../../host/deciding.ts';
import { visibleJson } from './show/visible.ts';

export const SCHEMA_VERSION = 1;

export function factsToJson(facts: Facts): Record<string, unknown> {
  return {
    status: facts.status,
    reasons: facts.reasons,
    commands: facts.commands.map(commandToJson),
    effects: facts.effects,
    readOnly: facts.readOnly,
    class: facts.class,
    display: facts.display,
  };
}

// `words` is omitted: argv has the same, with `null` for unknown words.
function commandToJson(command: CommandFact): Record<string, unknown> {
  const { words: _, ...rest } = command;
  return rest;
}

/** For verbs that print only a verdict. */
export function verdictToJson(verdict: Verdict): Record<string, unknown> {
  const { decision, ...rest } = nestedVerdict(verdict);
  return { verdict: decision, ...rest };
}

/** The `verdict` of a result: `decision`, as in the API, and `suggestion`, the rule if one is enough. */
export function nestedVerdict(verdict: Verdict): Record<string, unknown> {
  const { suggestions, ...rest } = verdict;
  return { ...rest, suggestion: suggestions.length === 1 ? suggestions[0] : null, suggestions };
}

export function toLine(value: unknown): string {
  return `${visibleJson(JSON.stringify(value))}\n`;
}
