// Facts → the commands that may have set the exit code, if it is not 0.
// Follows simple lists and pipelines; returns `null` for anything else (loops, conditions, groups).

import type { CommandFact, Facts } from '../core/facts.ts';

export interface Deciders {
  /** Indexes into the facts; the last one in the text comes last. */
  readonly commands: readonly number[];
  /** `! command`: 1 means that it succeeded. */
  readonly isNegated: boolean;
}

/** The text between two commands, without blanks. Other constructs are not followed here. */
const OPERATORS = ['|', '|&', '&&', '||', ';', '\n'] as const;
type Operator = (typeof OPERATORS)[number];

interface Step {
  readonly index: number;
  readonly operator: Operator;
  readonly isNegated: boolean;
}

export function findDeciders(facts: Facts): Deciders | null {
  const steps = readSteps(facts);
  if (steps === null) return null;
  // `set -e`, `set -o pipefail` and the like: any of the commands may have set it.
  if (steps.some(({ index }) => changesStatus(facts.commands[index] as CommandFact)))
    return { commands: steps.map(({ index }) => index), isNegated: false };
  return followSteps(steps);
}

function followSteps(steps: readonly Step[]): Deciders | null {
  let deciders: number[] = [];
  let isNegated = false;
  for (const [at, { index, operator, isNegated: negated }] of steps.entries()) {
    const next = steps[at + 1]?.operator;
    const isLastOfPipeline = next !== '|' && next !== '|&';
    if (operator === '|' || operator === '|&') {
      if (isLastOfPipeline) deciders.push(index);
      continue;
    }
    if (operator === '&&') {
      if (isNegated || negated) return null;
    } else {
      deciders = [];
      isNegated = negated;
    }
    if (isLastOfPipeline) deciders.push(index);
  }
  return deciders.length === 0 ? null : { commands: deciders, isNegated };
}

function readSteps(facts: Facts): readonly Step[] | null {
  const text = facts.command;
  const steps: Step[] = [];
  let end = 0;
  for (const [index, command] of facts.commands.entries()) {
    if (command.parent !== null) continue;
    const [start, stop] = command.span;
    // A command that occurs twice is in a loop; one inside a construct is in a group or in an assignment.
    if (command.via.length > 0 || start < end || command.kind === 'redirect') return null;
    const step = readGap(text.slice(end, start), steps.length === 0);
    if (step === null) return null;
    steps.push({ index, ...step });
    end = stop;
  }
  return steps.length > 0 && isEnd(text.slice(end), facts) ? steps : null;
}

function readGap(gap: string, isFirst: boolean): Omit<Step, 'index'> | null {
  let rest = gap.replaceAll('\\\n', ' ');
  const isNegated = /!\s+$/.test(rest);
  if (isNegated) rest = rest.slice(0, rest.lastIndexOf('!'));
  const trimmed = rest.trim();
  if (isFirst) return trimmed === '' || trimmed === 'time' ? { operator: ';', isNegated } : null;
  if (trimmed === '') return rest.includes('\n') ? { operator: '\n', isNegated } : null;
  const operator = OPERATORS.find((each) => each === trimmed);
  return operator === undefined ? null : { operator, isNegated };
}

/** Only blanks, a comment, or the body of the one here-document. */
function isEnd(rest: string, facts: Facts): boolean {
  const trimmed = rest.trim();
  if (trimmed === '' || trimmed === ';') return true;
  const heredocs = facts.commands.flatMap(({ parent, redirects }) =>
    parent === null ? redirects.filter(({ kind }) => kind === 'heredoc') : [],
  );
  const [heredoc] = heredocs;
  if (heredoc === undefined) return trimmed.startsWith('#') && !trimmed.includes('\n');
  if (heredocs.length > 1) return false;
  const delimiter = facts.command
    .slice(...heredoc.span)
    .replace(/^\d*<<-?\s*/, '')
    .replace(/['"\\]/g, '');
  const lines = rest.split('\n');
  const last = lines.findIndex((line, i) => i > 0 && line.replace(/^\t+/, '') === delimiter);
  return lines[0]?.trim() === '' && last !== -1 && lines.slice(last + 1).every((line) => line.trim() === '');
}

function changesStatus({ name, argv }: CommandFact): boolean {
  if (name !== 'set' && name !== 'shopt') return false;
  return argv.slice(1).some((word) => word === null || /^-[a-z]*[eo]/.test(word) || word === 'pipefail');
}
