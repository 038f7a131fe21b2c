// Diagnosis → lines for a person: what holds, what was tried, what the kernel said, and how to mend the rest.

import type {
  AttemptFinding,
  CheckFinding,
  CheckState,
  ConfineGuarantee,
  Diagnosis,
  GuaranteeFinding,
  GuaranteeVerdict,
} from '../../../index.ts';
import type { Terminal } from '../show/terminal.ts';
import { columns, visible } from '../show/visible.ts';

const MEANINGS: Readonly<Record<ConfineGuarantee, string>> = {
  'writes-outside': 'files elsewhere are not changed',
  'metadata-outside': 'nor are their modes, owners and times',
  'hidden-content': 'hidden files cannot be read',
  'hidden-names': 'nor can their names and sizes be seen',
  'protected-existing': 'hooks and settings in the project are not changed',
  'protected-absent': 'nor made where there are none',
  devices: 'no devices but a few harmless ones',
  network: 'no connections past the sandbox',
  'unix-sockets': 'no sockets of other programs',
  'signals-outside': 'other processes are not signalled',
  'processes-unseen': 'nor are they seen',
  'shared-ipc': 'no shared memory of other programs',
  terminals: 'no terminals of other programs',
  privileges: 'no rights can be gained or borrowed',
  'kernel-surface': 'rarely needed system calls are refused',
};

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
    `${colors.bold('What holds')}  ${colors.dim(title)}`,
    '',
    ...drawGuarantees(diagnosis.guarantees, terminal),
    '',
    colors.bold('What it stands on'),
    '',
    ...diagnosis.checks.flatMap((finding) => drawCheck(finding, terminal)),
    '',
    ...drawConclusion(diagnosis, terminal),
  ];
}

function drawGuarantees(guarantees: readonly GuaranteeFinding[], terminal: Terminal): string[] {
  const [first] = guarantees;
  // Where nothing is confined, one reason stands for all.
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
  const { guarantee, verdict, why, attempts } = finding;
  const paint = { held: colors.green, broken: colors.red, missing: colors.yellow, 'not-proven': colors.yellow }[
    verdict
  ];
  const word = paint(VERDICT_WORDS[verdict].padEnd(WORD_WIDTH));
  return [
    `  ${word}${guarantee.padEnd(NAME_WIDTH)}${colors.dim(MEANINGS[guarantee])}`,
    ...(why === null ? [] : wrap(visible(why), INDENT, terminal)),
    ...drawAttempts(attempts, terminal).flatMap((text) => wrap(text, INDENT, terminal, colors.dim)),
  ];
}

/** Attempts that met the same answer are told together. */
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
            ? `proves nothing, fails unconfined too${words}`
            : 'could not be tried inside';
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

/** A command is not broken into lines: it is to be copied. Sentences begin with a capital letter. */
function drawFix(text: string, terminal: Terminal): string[] {
  const label = terminal.colors.cyan('to mend');
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
        ? 'Everything holds, and was proven.'
        : 'This is the best that any machine has: nothing to fix. Every run reports what is missing.',
    weaker:
      tier === 'none'
        ? 'Nothing can confine commands here, so no command runs in a sandbox.'
        : 'Weaker than the best, and every run says so: what is missing is reported, not hidden.',
    broken: `Something does not hold${broken.length === 0 ? '' : ` (${broken.join(', ')})`}: mend it before you rely on the sandbox.`,
  };
  return wrap(`${parts.join(', ')}. ${ends[conclusion]}`, '', terminal, paint);
}

/** Words in lines of at most the terminal's width; one that is longer has a line of its own. */
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
