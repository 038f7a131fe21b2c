// Facts → the lines of a tree: what would run, by what started it, and below each its effects.

import type { CommandFact, Facts, WordValue } from '../../../host/deciding.ts';
import {
  classTone,
  describeArgv,
  describeEffects,
  type EffectRow,
  type Place,
  shortenPath,
  type Tone,
} from './phrases.ts';
import type { Terminal } from './terminal.ts';
import { columns, visible } from './visible.ts';

const LABEL_WIDTH = 10;
const MAX_DRAWN = 200;

interface Branch {
  readonly command: CommandFact;
  readonly parent: CommandFact | null;
  readonly children: Branch[];
}

export function drawTree(facts: Facts, terminal: Terminal, place: Place): string[] {
  const { colors, glyphs } = terminal;
  const draw = (branches: readonly Branch[], indent: string): string[] =>
    branches.flatMap((branch, index) => {
      const isLast = index === branches.length - 1;
      const below = indent + (isLast ? '   ' : glyphs.pass);
      const stem = below + (branch.children.length > 0 ? glyphs.pass : '   ');
      const [first = '', ...others] = drawHead(branch, terminal, columns(below));
      const rest = [...others, ...drawDetails(branch.command, terminal, place, columns(stem))];
      return [
        colors.dim(indent + (isLast ? glyphs.last : glyphs.branch)) + first,
        ...rest.map((line) => colors.dim(stem) + line),
        ...draw(branch.children, below),
      ];
    });
  const lines = draw(plant(facts.commands.slice(0, MAX_DRAWN)), '');
  const more = facts.commands.length - MAX_DRAWN;
  return more > 0 ? [...lines, colors.dim(`${glyphs.ellipsis} ${more.toLocaleString('en')} more commands`)] : lines;
}

/** A command always comes after the one that starts it. */
function plant(commands: readonly CommandFact[]): Branch[] {
  const roots: Branch[] = [];
  const all: Branch[] = [];
  for (const command of commands) {
    const parent = command.parent === null ? undefined : all[command.parent];
    const branch = { command, parent: parent?.command ?? null, children: [] };
    all.push(branch);
    (parent?.children ?? roots).push(branch);
  }
  return roots;
}

function drawHead({ command, parent, children }: Branch, terminal: Terminal, indent: number): string[] {
  const { colors, glyphs } = terminal;
  const shown = command.words.length - Math.max(0, ...children.map((child) => sharedWords(command, child.command)));
  const words = describeArgv({ ...command, words: command.words.slice(0, shown) });
  if (shown < command.words.length) words.push(glyphs.ellipsis);
  const rows = wrap(words, terminal.width - indent - 2, ' ');
  const notes = describeWay(command, parent);
  const separator = ` ${glyphs.dot} `;
  const tone = paint(terminal, command.readOnly ? 'calm' : classTone(command.class));
  const note = tone(command.class) + notes.map((text) => colors.dim(separator + text)).join('');
  const width = columns([command.class, ...notes].join(separator));
  const [first = ''] = rows;
  if (rows.length === 1 && indent + columns(first) + 3 + width <= terminal.width)
    return [`${colors.bold(first)}   ${note}`];
  return [...rows.map((row, index) => (index === 0 ? colors.bold(row) : `  ${colors.bold(row)}`)), note];
}

/** What it is, how it is started, and where, if not here. */
function describeWay(command: CommandFact, parent: CommandFact | null): string[] {
  const notes = command.summary === null ? [] : [visible(command.summary)];
  const ways = command.via.filter((way, index) => way !== parent?.via[index]).map(visible);
  const isElsewhere = command.elsewhere !== null && command.elsewhere !== parent?.elsewhere;
  if (isElsewhere) notes.push(`elsewhere: ${visible(command.elsewhere)}`);
  else if (ways.length > 0) notes.push(`through ${ways.join(', ')}`);
  return notes;
}

/** How many words at the end of a wrapper are the command that it runs: those are shown below it, not twice. */
function sharedWords(wrapper: CommandFact, child: CommandFact): number {
  const start = wrapper.words.length - child.words.length;
  const isTail = start > 0 && child.words.every((word, index) => isSameWord(word, wrapper.words[start + index]));
  return isTail ? child.words.length : 0;
}

function isSameWord(a: WordValue, b: WordValue | undefined): boolean {
  if (a.span[0] !== b?.span[0] || a.span[1] !== b.span[1]) return false;
  return a.kind === 'literal' ? b.kind === 'literal' && a.value === b.value : a.kind === b.kind;
}

function drawDetails(command: CommandFact, terminal: Terminal, place: Place, indent: number): string[] {
  const rows = describeEffects(command.effects, place);
  const folder = describeFolder(command, place);
  if (folder !== null) rows.unshift(folder);
  return rows.flatMap((row) => drawRow(row, terminal, indent));
}

function describeFolder(command: CommandFact, place: Place): EffectRow | null {
  if (command.cwd === null && command.elsewhere !== null) return null;
  if (command.cwd === null) return { label: 'in', tone: 'doubt', items: ['an unknown folder'] };
  if (command.cwd.length === 1 && command.cwd[0] === place.cwd) return null;
  return {
    label: 'in',
    tone: 'calm',
    items: [command.cwd.map((folder) => visible(shortenPath(folder, place))).join(' or ')],
  };
}

function drawRow(row: EffectRow, terminal: Terminal, indent: number): string[] {
  const label = paint(terminal, row.tone)(row.label.padEnd(LABEL_WIDTH));
  return wrap(row.items, terminal.width - indent - LABEL_WIDTH, ', ').map((text, index) =>
    index === 0 ? label + text : ' '.repeat(LABEL_WIDTH) + text,
  );
}

export function paint(terminal: Terminal, tone: Tone): (text: string) => string {
  const { colors } = terminal;
  switch (tone) {
    case 'calm':
      return colors.green;
    case 'change':
      return colors.yellow;
    case 'danger':
      return colors.red;
    case 'doubt':
      return colors.magenta;
    default:
      return tone satisfies never;
  }
}

/** Items on as few lines as possible; one that is too wide gets its own line. */
function wrap(items: readonly string[], width: number, separator: string): string[] {
  const lines: string[] = [];
  let line = '';
  items.forEach((item, index) => {
    const text = index < items.length - 1 ? item + separator : item;
    if (line !== '' && columns(line) + columns(text.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += text;
  });
  return [...lines, line];
}
