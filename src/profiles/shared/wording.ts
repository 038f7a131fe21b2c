// Results → text for a model: short, and with what to do next.

import type { Answer } from '../../core/approval.ts';
import type { RunResult } from '../../core/running.ts';
import { describeCounts } from '../../core/values/changes-text.ts';
import { describeLeftovers } from '../../core/values/leftovers.ts';
import { insteadForModel } from '../../core/values/refusal-advice.ts';
import { byStrictness, type Finding, type Verdict } from '../../core/verdict.ts';

const MAX_FINDINGS = 5;

/** First the output, as the command wrote it; then, on separate lines, what the output does not say. */
export function describeResult(result: RunResult, background?: string | null, undo?: HowToUndo): string {
  if (result.status === 'denied') return describeRefusal(result);
  if (result.status === 'running') return withNotes(result.output, describeRunning(result));
  const notes = describeEnd(result, background, undo);
  const output = result.image === null ? result.output : `(an image: ${result.image.mediaType})`;
  return notes.length === 0 && output === '' ? '(no output)' : withNotes(output, notes);
}

/** The output, then the notes on separate lines. */
export function withNotes(output: string, notes: readonly string[]): string {
  if (notes.length === 0) return output;
  return `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}${notes.join('\n')}`;
}

/** Empty for a command that exited with 0 and changed nothing about the session. */
function describeEnd(result: RunResult, background?: string | null, undo?: HowToUndo): readonly string[] {
  return [...howItEnded(result), ...describeNotes(result, background, undo)];
}

/** The id of changes → how they can be undone: by the model itself, or by the user. */
export type HowToUndo = (id: string) => string;

const UNDONE_BY_USER: HowToUndo = (id) => `The user can undo it: \`hardshell undo ${id}\`.`;

/** Refusals of the sandbox are already in the output. `background`: how this tool starts a task; `null` if it cannot. */
export function describeNotes(
  result: RunResult,
  background: string | null = 'run_in_background',
  undo: HowToUndo = UNDONE_BY_USER,
): readonly string[] {
  return [
    ...(result.isTruncated && result.outputFile !== null && !result.output.includes(result.outputFile)
      ? [describeFile(result.outputFile, result.missingOutputBytes)]
      : []),
    ...describeWithheld(result),
    ...(result.cwdCause === 'changed' ? [`[working directory is now ${result.cwd}]`] : []),
    ...(result.cwdCause === 'outside'
      ? [`[working directory is still ${result.cwd}: the other one is outside the allowed folders]`]
      : []),
    ...(result.cwdCause === 'vanished' ? [`[working directory is gone; now in ${result.cwd}]`] : []),
    ...describeLeftovers(result, background).map((note) => `[${note}]`),
    ...describeChanges(result, undo),
  ];
}

/** What landed and how it is undone; or that the next command does not see changes that wait for a person. */
function describeChanges({ changes }: Pick<RunResult, 'changes'>, undo: HowToUndo): readonly string[] {
  if (changes === null) return [];
  const { id, state } = changes;
  if (state !== 'landed' && state !== 'held')
    return [
      `[The changes of this command are not in the project: hardshell was interrupted. Ask the user to run \`hardshell changes ${id}\`.]`,
    ];
  const what = describeCounts(changes);
  // What was held back alone is a refusal, which is in the output.
  if (what === null) return [];
  if (state === 'landed') return [`[${what}. ${undo(id)}]`];
  return [
    `[${what}, held for review: not in the project. Ask the user to run \`hardshell apply ${id}\` or \`hardshell drop ${id}\`.]`,
  ];
}

function describeFile(path: string, missingBytes: number): string {
  if (missingBytes === 0) return `[the whole output is in ${path}]`;
  const missing = missingBytes.toLocaleString('en');
  return `[the beginning and the end of the output, without ${missing} bytes in the middle, are in ${path}]`;
}

/** Variables of the request that the command did not get. */
export function describeWithheld({ withheld }: Pick<RunResult, 'withheld'>): readonly string[] {
  if (withheld.length === 0) return [];
  return [`[not passed to the command, because it could run other code: ${withheld.join(', ')}]`];
}

function howItEnded({ status, exitCode, signal, meaning, failure }: RunResult): readonly string[] {
  const suggestions = failure === null ? [] : [...failure.suggestions];
  switch (status) {
    case 'exited':
      if (failure !== null) return [`[${failure.message}]`, ...suggestions];
      return exitCode === 0 && meaning === null
        ? []
        : [`[exit code ${exitCode}${meaning === null ? '' : `: ${meaning}`}]`];
    case 'signalled':
      return [`[ended by ${signal}${meaning === null ? '' : `: ${meaning}`}]`];
    default:
      return [`[${status}: ${failure?.message ?? meaning ?? 'it did not end on its own'}]`, ...suggestions];
  }
}

/** For a command that has not ended: must not sound like an end. */
export function describeRunning({ task, pid, outputFile, question, withheld }: RunResult): readonly string[] {
  return [
    ...describeWithheld({ withheld }),
    `[The command is still running, as task ${task} (pid ${pid}). All of its output goes to ${outputFile}.]`,
    ...(question === undefined
      ? []
      : [
          `[It is waiting for an answer: ${question.message} Ask the user to answer hardshell's question ${question.code}.]`,
        ]),
  ];
}

/** Why it was not run, which rule decided and where, and what to do instead. */
export function describeRefusal({ verdict, failure, answer }: RunResult): string {
  const findings = describeFindings(verdict);
  if (answer !== null && isByPerson(answer)) {
    const reason = answer.reason === null ? '' : `: ${answer.reason}`;
    const end = `The user refused it${reason}. Do it another way, or ask the user what to do.`;
    return ['The command was not run.', ...findings, end].join('\n');
  }
  const lines = [`The command was not run. ${headlineOf(failure?.message ?? '', verdict)}`.trim(), ...findings];
  const said = lines.join('\n');
  const further = (failure?.suggestions ?? []).filter((text) => !said.includes(text));
  if (further.length > 0) lines.push(further.join(' '));
  return lines.join('\n');
}

/** Not by a limit, and not automatically by a program. */
function isByPerson({ verdict, by }: Answer): boolean {
  return verdict === 'deny' && PEOPLE.has(by);
}

const PEOPLE: ReadonlySet<Answer['by']> = new Set(['terminal', 'mcp', 'cli', 'dashboard']);

/** The first finding is not repeated. */
function headlineOf(message: string, verdict: Verdict): string {
  const repeated = decisiveFindings(verdict).find((finding) => message.endsWith(` ${finding.message}`));
  return repeated === undefined ? message : message.slice(0, -repeated.message.length - 1);
}

export function describeFindings(verdict: Verdict): readonly string[] {
  const decisive = decisiveFindings(verdict);
  const more = decisive.length - MAX_FINDINGS;
  return [...decisive.slice(0, MAX_FINDINGS).map(describeFinding), ...(more > 0 ? [`- and ${more} more reasons`] : [])];
}

/** The findings that determined the verdict. */
export function decisiveFindings({ findings, decision }: Verdict): readonly Finding[] {
  return findings.filter((each) => each.verdict === decision && decision !== 'allow').sort(byStrictness);
}

function describeFinding(finding: Finding): string {
  const { id, message, rule } = finding;
  const place = rule === null ? `check ${id}` : `rule ${rule.text} in ${describePlace(rule)}`;
  const instead = insteadForModel(finding);
  return `- ${message} [${place}]${instead === null ? '' : ` Instead: ${instead}`}`;
}

export function describePlace({
  file,
  line,
  layer,
}: {
  file: string | null;
  line: number | null;
  layer: string;
}): string {
  if (file === null) return `${layer} settings`;
  return line === null ? file : `${file}:${line}`;
}
