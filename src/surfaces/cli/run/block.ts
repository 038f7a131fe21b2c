// A command that is not run → the screen that explains it: what was blocked, by which check or rule, why, and what to do instead.
// Nothing in the command can imitate a line of hardshell: every character is made visible.

import { askTheUser, insteadForModel } from '../../../host/refusing.ts';
import { quoteWord } from '../../../host/values.ts';
import type { Answer, Facts, Finding, RunResult } from '../../../host.ts';
import { shorten } from '../show/phrases.ts';
import { markSpan } from '../show/source.ts';
import type { Terminal } from '../show/terminal.ts';
import { typedAgain, typedVerb } from '../show/typed.ts';
import { visible } from '../show/visible.ts';

const MAX_FINDINGS = 5;
const MAX_MESSAGE = 600;
const MAX_LINE = 400;

type Blocked = Pick<RunResult, 'facts' | 'verdict' | 'answer' | 'command'>;

/** The reader. Without a terminal it may be a model: it is not told to approve, but to ask the user. */
export interface Reader {
  readonly isPerson: boolean;
}

export function drawBlock(result: Blocked, terminal: Terminal, reader: Reader): string[] {
  const draw = result.verdict.decision === 'deny' ? drawRefusal : drawUnanswered;
  return draw(result, terminal, reader);
}

function drawRefusal(result: Blocked, terminal: Terminal, reader: Reader): string[] {
  const { colors } = terminal;
  const refusing = result.verdict.findings.filter(({ verdict }) => verdict === 'deny');
  const shown = refusing.slice(0, MAX_FINDINGS);
  const lines = [title('Command Blocked', terminal)];
  if (shown.length === 0) lines.push('', `  ${commandLine(result.command, terminal)}`);
  for (const group of groupBySpan(shown)) lines.push('', ...drawGroup(result.facts, group, terminal));
  if (refusing.length > shown.length) {
    lines.push('', colors.dim(`  and ${refusing.length - shown.length} more: hardshell explain shows them all.`));
  }
  lines.push('', 'It was not run. --yes does not change that.');
  const advice = reader.isPerson ? ({ instead }: Finding) => instead : insteadForModel;
  const instead = new Set(shown.flatMap((finding) => advice(finding) ?? []));
  for (const text of instead) lines.push(`${colors.dim('Instead:')} ${shorten(visible(text), MAX_MESSAGE)}`);
  return reader.isPerson ? lines : [...lines, askTheUser(result.verdict)];
}

type Group = readonly [Finding, ...Finding[]];

/** Several checks often mark the same words: those are shown once. */
function groupBySpan(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = String(finding.span);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()];
}

function drawGroup(facts: Facts, group: Group, terminal: Terminal): string[] {
  const [first, ...others] = group;
  const message = (finding: Finding): string => shorten(visible(finding.message), MAX_MESSAGE);
  const command = drawMarked(facts, first.span, terminal);
  if (others.length === 0) return [`${whoSaysSo(first)} refuses this command:`, ...command, `  ${message(first)}`];
  const reasons = group.flatMap((finding) => [`  ${whoSaysSo(finding)}:`, `    ${message(finding)}`]);
  return [`${group.length} checks and rules refuse this command:`, ...command, ...reasons];
}

function drawMarked(facts: Facts, span: Finding['span'], terminal: Terminal): string[] {
  if (span === null) return [`  ${commandLine(facts.command, terminal)}`];
  const marked = markSpan(facts.command, span, terminal.width - 2);
  return [`  ${marked.text}`, terminal.colors.red(`  ${' '.repeat(marked.start)}${'^'.repeat(marked.length)}`)];
}

function whoSaysSo({ rule, id }: Finding): string {
  if (rule === null) return `The check ${id}`;
  const place =
    rule.file === null ? `${rule.layer} settings` : `${rule.file}${rule.line === null ? '' : `:${rule.line}`}`;
  return `The rule ${visible(rule.text)} (${visible(place)})`;
}

/** It needed approval, and was not approved. */
function drawUnanswered(result: Blocked, terminal: Terminal, reader: Reader): string[] {
  const { colors } = terminal;
  const lines = [title('Command Not Approved', terminal), '', `  ${commandLine(result.command, terminal)}`];
  const asking = result.verdict.findings.filter(({ verdict }) => verdict === 'ask').slice(0, MAX_FINDINGS);
  for (const { message, id } of asking) {
    lines.push(`  ${shorten(visible(message), MAX_MESSAGE)}  ${colors.dim(`[${id}]`)}`);
  }
  lines.push('', `It was not run: ${shorten(describeRefusal(result.answer), MAX_MESSAGE)}`);
  const rules = result.verdict.suggestions.map((rule) => `  hardshell config add allow ${quote(rule)}`);
  const always = rules.length === 0 ? [] : [colors.dim('To always allow it:'), ...rules];
  if (reader.isPerson) return [...lines, colors.dim('To run it this time:'), `  ${withYes()}`, ...always];
  return [
    ...lines,
    askTheUser(result.verdict),
    `For the user: ${withYes()} runs it this time; with --ask, hardshell waits for an answer from another terminal.`,
    ...always,
  ];
}

/** The same command line with --yes, if it can be typed as it is shown. */
function withYes(): string {
  const line = typedAgain('--yes');
  return line.length <= MAX_LINE && visible(line) === line ? line : `hardshell ${typedVerb()} --yes COMMAND`;
}

function describeRefusal(answer: Answer | null): string {
  if (answer === null) return 'there was no one to ask.';
  const reason = answer.reason === null ? '' : visible(answer.reason);
  switch (answer.by) {
    case 'timeout':
    case 'nobody':
    case 'cancelled':
    case 'closed':
    case 'too-many':
    case 'too-long':
      return reason === '' ? 'there was no answer.' : lowered(reason);
    default:
      return reason === '' ? `the answer was no (${answer.by}).` : `the answer was no (${answer.by}): ${reason}`;
  }
}

function title(text: string, { colors, glyphs }: Terminal): string {
  // A font that has the frame also has the sign.
  const sign = glyphs.rule === '-' ? '!' : '⚠';
  return colors.red(colors.bold(`${sign} ${text}`));
}

function commandLine(command: string, terminal: Terminal): string {
  return shorten(visible(command), Math.max(40, terminal.width - 2));
}

function quote(text: string): string {
  return quoteWord(visible(text));
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
