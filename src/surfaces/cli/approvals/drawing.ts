// A pending request → lines for a person: the command with its risky parts marked, its effects, and the findings.
// Nothing in the request can imitate a line of hardshell: every character is made visible, and the command has a gutter.

import { byStrictness, type Finding, type PendingApproval, type Severity, type Span } from '../../../host.ts';
import { describeEffects, shorten } from '../show/phrases.ts';
import type { Terminal } from '../show/terminal.ts';
import { paint } from '../show/tree.ts';
import { columns, visible } from '../show/visible.ts';

const HEAD_ROWS = 24;
const TAIL_ROWS = 8;
const MAX_MARKED_ROWS = 40;
const MAX_ITEMS = 8;
const MAX_FINDINGS = 12;
const MAX_DIFF_LINES = 24;

export interface DrawOptions {
  /** Every row of the command, however many. */
  readonly all?: boolean;
}

export function drawRequest(pending: PendingApproval, terminal: Terminal, options: DrawOptions = {}): string[] {
  const { request } = pending;
  const { colors, glyphs } = terminal;
  const place = [
    `in ${visible(request.cwd)}`,
    `risk ${request.risk}`,
    ...(request.user === null ? [] : [`user ${visible(request.user)}`]),
    ...(request.session === null ? [] : [`session ${visible(request.session)}`]),
    ...(request.profile === null ? [] : [`profile ${visible(request.profile)}`]),
    ...(pending.waiting > 1 ? [`${pending.waiting} callers waiting`] : []),
  ];
  const sections = [
    drawCommand(request.command, spansOf(request.findings), terminal, options),
    [
      ...(request.description === undefined ? [] : [`The agent says: ${shorten(visible(request.description), 400)}`]),
      colors.dim(shorten(place.join(` ${glyphs.dot} `), 400)),
    ],
    drawEffects(pending, terminal),
    drawEdits(pending, terminal, options),
    drawFindings(request.findings, terminal),
  ];
  return sections.filter((lines) => lines.length > 0).flatMap((lines, index) => (index > 1 ? ['', ...lines] : lines));
}

function spansOf(findings: readonly Finding[]): Span[] {
  return findings.flatMap(({ span }) => (span === null ? [] : [span]));
}

interface Row {
  readonly text: string;
  readonly carets: string;
}

function drawCommand(
  command: string,
  spans: readonly Span[],
  terminal: Terminal,
  { all = false }: DrawOptions = {},
): string[] {
  const { colors, glyphs } = terminal;
  const gutter = colors.dim(glyphs.pass.trimEnd());
  const rows = layOut(command, spans, terminal.width - 6);
  const isKept = keptRows(rows, all);
  const lines: string[] = [];
  let hidden = 0;
  const flush = (): void => {
    if (hidden > 0) lines.push(colors.yellow(`${glyphs.ellipsis} ${hidden} rows of the command are not shown here`));
    hidden = 0;
  };
  rows.forEach((row, index) => {
    if (!isKept(index)) {
      hidden += 1;
      return;
    }
    flush();
    lines.push(`${gutter} ${colors.cyan(row.text)}`);
    if (row.carets !== '') lines.push(`${gutter} ${colors.red(row.carets)}`);
  });
  flush();
  return lines;
}

export function isCut(command: string, terminal: Terminal): boolean {
  return layOut(command, [], terminal.width - 6).length > HEAD_ROWS + TAIL_ROWS;
}

/** A risk far down in a long command must not scroll out of sight: marked rows stay. */
function keptRows(rows: readonly Row[], all: boolean): (index: number) => boolean {
  if (all || rows.length <= HEAD_ROWS + TAIL_ROWS) return () => true;
  const marked = rows.flatMap(({ carets }, index) => (carets === '' ? [] : [index])).slice(0, MAX_MARKED_ROWS);
  const kept = new Set(marked);
  return (index) => index < HEAD_ROWS || index >= rows.length - TAIL_ROWS || kept.has(index);
}

function layOut(command: string, spans: readonly Span[], width: number): Row[] {
  const marks = new Uint8Array(command.length + 1);
  for (const [start, end] of spans) marks.fill(1, start, Math.max(end, start + 1));
  const rows: Row[] = [];
  let text = '';
  let carets = '';
  let used = 0;
  const endRow = (): void => {
    rows.push({ text, carets: carets.trimEnd() });
    text = '';
    carets = '';
    used = 0;
  };
  let offset = 0;
  for (const character of command) {
    if (character === '\n') {
      endRow();
    } else {
      const shown = visible(character);
      const wide = columns(shown);
      if (used + wide > width) endRow();
      text += shown;
      carets += (marks[offset] === 1 ? '^' : ' ').repeat(wide);
      used += wide;
    }
    offset += character.length;
  }
  endRow();
  return rows;
}

function drawEffects({ request }: PendingApproval, terminal: Terminal): string[] {
  if (request.effects === null) return [];
  return describeEffects(request.effects, { cwd: request.cwd, home: undefined }).flatMap(({ label, tone, items }) => {
    const more = items.length - MAX_ITEMS;
    const shown = [...items.slice(0, MAX_ITEMS), ...(more > 0 ? [`${more} more`] : [])];
    const [first = '', ...rest] = wrap(shown.join(', '), terminal.width - 14);
    return [`${paint(terminal, tone)(label.padEnd(9))} ${first}`, ...rest.map((line) => `${' '.repeat(10)}${line}`)];
  });
}

/** Each line of a diff has a gutter: none can imitate a line of hardshell. */
function drawEdits({ request }: PendingApproval, terminal: Terminal, { all = false }: DrawOptions): string[] {
  const { colors, glyphs } = terminal;
  const gutter = colors.dim(glyphs.pass.trimEnd());
  return (request.edits ?? []).flatMap(({ file, diff, why }) => {
    const title = `${'edit'.padEnd(9)} ${shorten(visible(file), 400)}`;
    if (diff === null) return [title, `${' '.repeat(10)}${colors.dim(visible(why ?? ''))}`];
    if (diff === '') return [title, `${' '.repeat(10)}${colors.dim('no line would change')}`];
    const lines = diff.split('\n');
    const shown = all ? lines : lines.slice(0, MAX_DIFF_LINES);
    const more = lines.length - shown.length;
    const drawn = shown.map((line) => {
      const tone = line.startsWith('-') ? colors.red : line.startsWith('+') ? colors.green : colors.dim;
      return `${gutter} ${tone(shorten(visible(line), terminal.width - 6))}`;
    });
    return [title, ...drawn, ...(more > 0 ? [colors.dim(`${glyphs.ellipsis} ${more} more lines`)] : [])];
  });
}

function drawFindings(findings: readonly Finding[], terminal: Terminal): string[] {
  const { colors } = terminal;
  const sorted = [...findings].sort(byStrictness);
  const lines = sorted.slice(0, MAX_FINDINGS).flatMap((finding) => {
    const texts = wrap(`${visible(finding.message)} [${visible(finding.id)}]`, terminal.width - 14);
    const instead = finding.instead === null ? [] : wrap(`Instead: ${visible(finding.instead)}`, terminal.width - 14);
    const label = severityTone(finding.severity, terminal)(finding.severity.padEnd(9));
    const [first = '', ...rest] = texts;
    const indent = ' '.repeat(10);
    return [
      `${label} ${first}`,
      ...rest.map((line) => indent + line),
      ...instead.map((line) => indent + colors.green(line)),
    ];
  });
  const more = findings.length - MAX_FINDINGS;
  return more > 0 ? [...lines, colors.dim(`${more} more findings`)] : lines;
}

function severityTone(severity: Severity, { colors }: Terminal): (text: string) => string {
  switch (severity) {
    case 'low':
      return colors.dim;
    case 'medium':
      return colors.yellow;
    case 'high':
    case 'critical':
      return colors.red;
    default:
      return severity satisfies never;
  }
}

/** At spaces if possible; a word that is too wide gets its own line. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && columns(line) + 1 + columns(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
