// `hardshell run --verbose`: everything around the output of a command, on stderr. Before it: the verdict, the answer and
// the sandbox. After it: the end, the files that changed, and the record.

import {
  type Answer,
  type ObservedStart,
  type ObservedVerdict,
  REMOVED_AGAIN,
  type RunResult,
  type ShellObserver,
} from '../../../host.ts';
import { answeredBy, type Place, shorten, shortenPath } from '../show/phrases.ts';
import type { Terminal } from '../show/terminal.ts';
import { drawVerdict } from '../show/verdict.ts';
import { visible } from '../show/visible.ts';

const MAX_PATHS = 20;
const MAX_REASON = 300;
const LABEL_COLUMNS = 10;

/** Writes when the command starts: one that does not run is explained by the screen that says so. */
export function narrateStart(terminal: Terminal, write: (lines: readonly string[]) => void): ShellObserver {
  let checked: ObservedVerdict | null = null;
  let answer: Answer | null = null;
  return {
    onVerdict(_, latest) {
      checked = latest;
    },
    onAnswer(_, given) {
      answer = given;
    },
    onStart(_, { enforcement }) {
      const verdict = checked === null ? [] : drawVerdict(checked.facts, checked.verdict, terminal);
      const answered = answer === null ? [] : [row('answer', describeAnswer(answer), terminal)];
      write([...verdict, '', ...answered, row('sandbox', describeSandbox(enforcement), terminal), '']);
    },
  };
}

function describeAnswer({ by, reason }: Answer): string {
  const who = `yes (${answeredBy(by)})`;
  return reason === null || by === 'caller' ? who : `${who}: ${shorten(visible(reason), MAX_REASON)}`;
}

function describeSandbox(enforcement: ObservedStart['enforcement']): string {
  if (enforcement === null || enforcement.tier === 'none') return 'none: this command is not confined';
  const { apart } = enforcement;
  return `${countGuarantees(enforcement)}${apart === undefined ? '' : `; ${apart}`}`;
}

function countGuarantees({ tier, held, missing }: RunResult['enforcement']): string {
  // One can be missing for several reasons.
  const absent = [...new Set(missing.map(({ guarantee }) => guarantee))];
  const all = held.length + absent.length;
  if (missing.length === 0) return `${tier}: all ${all} guarantees hold`;
  const counted = `${tier}: ${held.length} of ${all} guarantees hold`;
  // Nothing can be done about this one, and nothing stays.
  if (missing.every(({ guarantee, why }) => guarantee === 'protected-absent' && why.endsWith(REMOVED_AGAIN)))
    return `${counted}; new hooks and editor settings can be created, but are removed again and reported`;
  return `${counted}; missing: ${absent.join(', ')} (see \`hardshell doctor\`)`;
}

/** `auditFolder`: `null` if nothing is recorded. */
export function narrateEnd(
  result: RunResult,
  { terminal, place, auditFolder }: { terminal: Terminal; place: Place; auditFolder: string | null },
): string[] {
  const isOver = result.status !== 'running';
  return [
    ...(isOver
      ? [row('ended', describeEnd(result), terminal), row('changed', describeChanges(result.files, place), terminal)]
      : []),
    row(
      'recorded',
      auditFolder === null
        ? 'no: the audit log is switched off'
        : `${visible(shortenPath(auditFolder, place))} (\`hardshell audit show ${result.task}\`)`,
      terminal,
    ),
  ];
}

function describeEnd({ status, exitCode, signal, usage }: RunResult): string {
  const how = status === 'exited' ? `exit code ${exitCode}` : signal === null ? status : `${status}, ${signal}`;
  if (usage === null) return how;
  const memory = usage.peakMemoryBytes === null ? '' : `, ${Math.ceil(usage.peakMemoryBytes / 2 ** 20)} MB of memory`;
  return `${how} after ${(usage.wallMs / 1_000).toFixed(2)} s${memory}`;
}

function describeChanges({ created, changed, deleted, isComplete, why }: RunResult['files'], place: Place): string {
  const named = [
    ...created.map((path) => `${name(path, place)} (created)`),
    ...changed.map((path) => name(path, place)),
    ...deleted.map((path) => `${name(path, place)} (deleted)`),
  ];
  const shown =
    named.slice(0, MAX_PATHS).join(', ') + (named.length > MAX_PATHS ? ` and ${named.length - MAX_PATHS} more` : '');
  if (isComplete) return shown === '' ? 'no files' : shown;
  return shown === '' ? `not known: ${why}` : `${shown}; maybe others`;
}

function name(path: string, place: Place): string {
  return visible(shortenPath(path, place));
}

function row(label: string, text: string, { colors }: Terminal): string {
  return `${colors.dim(label.padEnd(LABEL_COLUMNS))}${text}`;
}
