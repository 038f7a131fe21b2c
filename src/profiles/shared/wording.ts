// What happened → what a model reads of it: short, and with what to do next.

import type { Answer } from '../../core/approval.ts';
import type { RunResult } from '../../core/running.ts';
import { insteadForModel } from '../../core/values/refusal-advice.ts';
import { byStrictness, type Finding, type Verdict } from '../../core/verdict.ts';

const MAX_FINDINGS = 5;

/** Output first, as the command wrote it; then, on lines of their own, what the output does not say. */
export function describeResult(result: RunResult): string {
  if (result.status === 'denied') return describeRefusal(result);
  if (result.status === 'running') return withNotes(result.output, describeRunning(result));
  const notes = describeEnd(result);
  const output = result.image === null ? result.output : `(an image: ${result.image.mediaType})`;
  return notes.length === 0 && output === '' ? '(no output)' : withNotes(output, notes);
}

/** What was written, then the notes, on lines of their own. */
export function withNotes(output: string, notes: readonly string[]): string {
  if (notes.length === 0) return output;
  return `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}${notes.join('\n')}`;
}

/** Nothing for a command that ended with 0 and left everything as it was. */
function describeEnd(result: RunResult): readonly string[] {
  return [...howItEnded(result), ...describeNotes(result)];
}

/** What the sandbox refused is in the output already. */
export function describeNotes(result: RunResult): readonly string[] {
  return [
    ...(result.isTruncated && result.outputFile !== null && !result.output.includes(result.outputFile)
      ? [`[the whole output is in ${result.outputFile}]`]
      : []),
    ...(result.cwdCause === 'changed' ? [`[working directory is now ${result.cwd}]`] : []),
    ...(result.cwdCause === 'outside'
      ? [`[working directory is still ${result.cwd}: the other one is outside the allowed folders]`]
      : []),
    ...(result.cwdCause === 'vanished' ? [`[working directory is gone; now in ${result.cwd}]`] : []),
    ...(result.leftoversKilled > 0
      ? [`[${result.leftoversKilled} processes were left running and ended; use the background for those]`]
      : []),
  ];
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
      return [`[${status}: ${failure?.message ?? meaning ?? 'it did not end by itself'}]`, ...suggestions];
  }
}

/** Of a command that has not ended: never anything that sounds like an end. */
export function describeRunning({ task, pid, outputFile, question }: RunResult): readonly string[] {
  return [
    `[The command is still running, as task ${task} (pid ${pid}). All of its output goes to ${outputFile}.]`,
    ...(question === undefined
      ? []
      : [
          `[It is waiting for an answer: ${question.message} Ask the user to answer the question ${question.code} of hardshell.]`,
        ]),
  ];
}

/** Why it was not run, which rule said so and where, and what to do instead. */
export function describeRefusal({ verdict, failure, answer }: RunResult): string {
  const findings = describeFindings(verdict);
  const lines = [`The command was not run. ${headlineOf(failure?.message ?? '', verdict)}`.trim(), ...findings];
  if (answer !== null && isByPerson(answer)) {
    const reason = answer.reason === null ? '' : `: ${answer.reason}`;
    return [...lines, `The user refused it${reason}. Do it another way, or ask the user what to do.`].join('\n');
  }
  if (verdict.decision === 'ask') lines.push(`It needed approval. ${answer?.reason ?? ''}`.trim());
  const said = lines.join('\n');
  const further = (failure?.suggestions ?? []).filter((text) => !said.includes(text));
  if (further.length > 0) lines.push(further.join(' '));
  return lines.join('\n');
}

/** Not by a limit, and not by a program on its own. */
function isByPerson({ verdict, by }: Answer): boolean {
  return verdict === 'deny' && PEOPLE.has(by);
}

const PEOPLE: ReadonlySet<Answer['by']> = new Set(['terminal', 'mcp', 'cli', 'dashboard']);

/** What the first finding says is not said twice. */
function headlineOf(message: string, verdict: Verdict): string {
  const repeated = decisiveFindings(verdict).find((finding) => message.endsWith(`: ${finding.message}`));
  return repeated === undefined ? message : message.slice(0, -repeated.message.length - 1);
}

export function describeFindings(verdict: Verdict): readonly string[] {
  const decisive = decisiveFindings(verdict);
  const more = decisive.length - MAX_FINDINGS;
  return [...decisive.slice(0, MAX_FINDINGS).map(describeFinding), ...(more > 0 ? [`- and ${more} more reasons`] : [])];
}

/** Those that made the verdict what it is. */
export function decisiveFindings({ findings, decision }: Verdict): readonly Finding[] {
  return findings.filter((each) => each.verdict === decision && decision !== 'allow').sort(byStrictness);
}

function describeFinding(finding: Finding): string {
  const { id, message, rule } = finding;
  const place = rule === null ? `check ${id}` : `rule ${rule.text} in ${placeOf(rule)}`;
  const instead = insteadForModel(finding);
  return `- ${message} [${place}]${instead === null ? '' : ` Instead: ${instead}`}`;
}

export function placeOf({ file, line, layer }: { file: string | null; line: number | null; layer: string }): string {
  if (file === null) return `${layer} settings`;
  return line === null ? file : `${file}:${line}`;
}
