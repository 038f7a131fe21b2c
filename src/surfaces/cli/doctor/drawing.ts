// Diagnosis → lines for a person: guarantees, attempts, the kernel's answers, and fixes.

import {
  type AttemptFinding,
  type CheckFinding,
  type CheckState,
  type Diagnosis,
  type GuaranteeFinding,
  type GuaranteeVerdict,
  REMOVED_AGAIN,
} from '../../../host.ts';
import type { Terminal } from '../show/terminal.ts';
import { columns, visible } from '../show/visible.ts';

const VERDICT_WORDS: Readonly<Record<GuaranteeVerdict, string>> = {
  held: 'held',
  broken: 'BROKEN',
  missing: 'missing',
  'not-proven': 'unproven',
};
const STATE_WORDS: Readonly<Record<CheckState, string>> = {
  good: 'good',
  note: 'note',
  weaker: 'weaker',
  broken: 'BROKEN',
};
const WORD_WIDTH = 9;
const NAME_WIDTH = 19;
const INDENT = ' '.repeat(2 + WORD_WIDTH);
const BELOW = ' '.repeat(2 + WORD_WIDTH + 10);

export function drawDiagnosis(diagnosis: Diagnosis, terminal: Terminal): string[] {
  const { colors, glyphs } = terminal;
  const title = `sandbox ${diagnosis.sandbox} ${glyphs.dot} tier ${diagnosis.tier}`;
  return [
    `${colors.bold('Guarantees')}  ${colors.dim(title)}`,
    '',
    ...drawGuarantees(diagnosis.guarantees, terminal),
    '',
    colors.bold('This machine'),
    '',
    ...diagnosis.checks.flatMap((finding) => drawCheck(finding, terminal)),
    '',
    ...drawConclusion(diagnosis, terminal),
  ];
}

function drawGuarantees(guarantees: readonly GuaranteeFinding[], terminal: Terminal): string[] {
  const [first] = guarantees;
  // If nothing is confined, one reason covers all.
  if (
    first?.verdict === 'missing' &&
    guarantees.every(({ why, attempts }) => why === first.why && attempts.length === 0)
  ) {
    const word = terminal.colors.yellow(VERDICT_WORDS.missing.padEnd(WORD_WIDTH));
    return [`  ${word}all of them`, ...wrap(visible(first.why ?? ''), INDENT, terminal)];
  }
  return guarantees.flatMap((finding) => drawGuarantee(finding, terminal));
}

function drawGuarantee(finding: GuaranteeFinding, terminal: Terminal): string[] {
  const { colors } = terminal;
  const { guarantee, meaning, verdict, why, attempts } = finding;
  const paint = { held: colors.green, broken: colors.red, missing: colors.yellow, 'not-proven': colors.yellow }[
    verdict
  ];
  const word = paint(VERDICT_WORDS[verdict].padEnd(WORD_WIDTH));
  return [
    `  ${word}${guarantee.padEnd(NAME_WIDTH)}${colors.dim(meaning)}`,
    ...(why === null ? [] : wrap(visible(why), INDENT, terminal)),
    ...drawAttempts(attempts, terminal).flatMap((text) => wrap(text, INDENT, terminal, colors.dim)),
  ];
}

/** Attempts with the same result are grouped. */
function drawAttempts(attempts: readonly AttemptFinding[], { glyphs }: Terminal): string[] {
  const groups = new Map<string, string[]>();
  for (const { tried, unconfined, confined, said } of attempts) {
    const words = said === '' ? '' : ` (${visible(said)})`;
    const answer =
      confined === 'worked'
        ? 'WORKED inside'
        : confined === 'stopped'
          ? `stopped${words}`
          : unconfined === 'failed'
            ? `proves nothing: it also fails unconfined${words}`
            : 'could not be attempted inside';
    groups.set(answer, [...(groups.get(answer) ?? []), tried]);
  }
  return [...groups].map(([answer, tried]) => `${tried.join(', ')} ${glyphs.arrow} ${answer}`);
}

function drawCheck({ name, state, says, details, fixes }: CheckFinding, terminal: Terminal): string[] {
  const { colors } = terminal;
  const paint = { good: colors.green, note: colors.cyan, weaker: colors.yellow, broken: colors.red }[state];
  const [first = '', ...rest] = wrap(visible(says), BELOW, terminal);
  return [
    `  ${paint(STATE_WORDS[state].padEnd(WORD_WIDTH))}${name.padEnd(10)}${first.trimStart()}`,
    ...rest,
    ...details.flatMap((text) => wrap(visible(text), BELOW, terminal, colors.dim)),
    ...fixes.flatMap((text) => drawFix(visible(text), terminal)),
  ];
}

/** A command is not wrapped, so that it can be copied. Sentences start with a capital letter. */
function drawFix(text: string, terminal: Terminal): string[] {
  const label = terminal.colors.cyan('fix    ');
  const [first = '', ...rest] = /^[A-Z]/.test(text) ? wrap(text, BELOW, terminal) : [text];
  return [`${INDENT}${label}   ${first.trimStart()}`, ...rest];
}

function drawConclusion({ tier, guarantees, checks, conclusion }: Diagnosis, terminal: Terminal): string[] {
  const { colors } = terminal;
  const count = (verdict: GuaranteeVerdict) => guarantees.filter((finding) => finding.verdict === verdict).length;
  const parts = (['held', 'broken', 'missing', 'not-proven'] as const)
    .filter((verdict) => count(verdict) > 0)
    .map((verdict) => `${count(verdict)} ${verdict === 'not-proven' ? 'not proven' : verdict}`);
  const broken = checks.filter(({ state }) => state === 'broken').map(({ name }) => name);
  const paint = { good: colors.green, weaker: colors.yellow, broken: colors.red }[conclusion];
  const ends = {
    good:
      count('missing') === 0
        ? 'Every guarantee holds, and was tested.'
        : 'Linux offers no more, so there is nothing to fix. Each run reports what is missing.',
    weaker:
      tier === 'none'
        ? 'This machine has no sandbox, so commands run only if the settings allow running without one.'
        : `This machine could be stronger: see the fixes above. ${
            isOnlyInherent(guarantees)
              ? 'What is missing has no fix: Linux offers no more.'
              : 'Each run reports what is missing.'
          }`,
    broken: `A guarantee or a requirement is broken${broken.length === 0 ? '' : ` (${broken.join(', ')})`}: fix it before you rely on the sandbox.`,
  };
  return wrap(`${parts.join(', ')}. ${ends[conclusion]}`, '', terminal, paint);
}

/** Names that do not exist yet cannot be covered by a mount: such files are removed and reported. */
function isOnlyInherent(guarantees: readonly GuaranteeFinding[]): boolean {
  const missing = guarantees.filter(({ verdict }) => verdict === 'missing');
  return (
    missing.length > 0 &&
    missing.every(({ guarantee, why }) => guarantee === 'protected-absent' && why?.endsWith(REMOVED_AGAIN))
  );
}

/** Words in lines of at most the terminal's width; a longer one gets its own line. */
function wrap(text: string, indent: string, { width }: Terminal, paint = (line: string) => line): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && columns(indent) + columns(line) + 1 + columns(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `${indent}${paint(each)}`);
}
