// Facts → the lines of a tree: what would run, by what brought it, and below each what it touches.

import type { CommandFact, Facts, WordValue } from '../../../index.ts';
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

export function drawTree(facts: Facts, terminal: Terminal, place: Place): string[] {
  const children = new Map<number | null, number[]>();
  facts.commands.forEach((command, index) => {
    const siblings = children.get(command.parent);
    if (siblings) siblings.push(index);
    else children.set(command.parent, [index]);
  });
  const lines: string[] = [];
  const draw = (parent: number | null, indent: string): void => {
    const siblings = children.get(parent) ?? [];
    siblings.forEach((index, position) => {
      const command = facts.commands[index] as CommandFact;
      const isLast = position === siblings.length - 1;
      const { glyphs, colors } = terminal;
      const below = indent + (isLast ? '   ' : glyphs.pass);
      const stem = children.has(index) ? glyphs.pass : '   ';
      const parentVia = parent === null ? [] : (facts.commands[parent]?.via ?? []);
      const brought = (children.get(index) ?? []).map((child) => facts.commands[child] as CommandFact);
      const head = drawHead(command, brought, parentVia, terminal, columns(indent) + 3);
      head.forEach((line, row) => {
        lines.push(colors.dim(row === 0 ? indent + (isLast ? glyphs.last : glyphs.branch) : below + stem) + line);
      });
      for (const line of drawDetails(command, terminal, place, columns(below) + 3))
        lines.push(colors.dim(below + stem) + line);
      draw(index, below);
    });
  };
  draw(null, '');
  return lines;
}

function drawHead(
  command: CommandFact,
  brought: readonly CommandFact[],
  parentVia: readonly string[],
  terminal: Terminal,
  indent: number,
): string[] {
  const { colors, glyphs } = terminal;
  const own = command.words.length - Math.max(0, ...brought.map((child) => sharedWords(command, child)));
  const words = describeArgv({ ...command, words: command.words.slice(0, own) });
  if (own < command.words.length) words.push(glyphs.ellipsis);
  const tone = paint(terminal, command.readOnly ? 'calm' : classTone(command.class));
  const rows = wrap(words, terminal.width - indent - 2, ' ');
  const argv = rows.map((row, index) => (index === 0 ? colors.bold(row) : `  ${colors.bold(row)}`));
  const ways = command.via.filter((way, index) => way !== parentVia[index]).map(visible);
  const notes = [
    tone(command.class),
    command.summary === null ? null : colors.dim(visible(command.summary)),
    ways.length === 0 ? null : colors.dim(`through ${ways.join(', ')}`),
    command.elsewhere === null ? null : colors.yellow(`on another system: ${visible(command.elsewhere)}`),
  ].filter((note) => note !== null);
  const plainNotes = [command.class, command.summary, ...ways].join('   ');
  const note = notes.join(colors.dim(` ${glyphs.dot} `));
  const lastRow = rows.at(-1) ?? '';
  if (rows.length === 1 && indent + columns(lastRow) + columns(plainNotes) + 3 <= terminal.width) {
    return [`${argv[0]}   ${note}`];
  }
  return [...argv, note];
}

/** How many words at the end of a wrapper are the command that it runs: those are shown below it, not twice. */
function sharedWords(wrapper: CommandFact, child: CommandFact): number {
  const start = wrapper.words.length - child.words.length;
  const isTail = start > 0 && child.words.every((word, index) => isSameWord(word, wrapper.words[start + index]));
  return isTail ? child.words.length : 0;
}

function isSameWord(a: WordValue, b: WordValue | undefined): boolean {
  return a.kind === b?.kind && a.span[0] === b.span[0] && a.span[1] === b.span[1];
}

function drawDetails(command: CommandFact, terminal: Terminal, place: Place, indent: number): string[] {
  const rows = describeEffects(command.effects, place);
  const folder = describeFolder(command, place);
  if (folder !== null) rows.unshift(folder);
  return rows.flatMap((row) => drawRow(row, terminal, indent));
}

function describeFolder(command: CommandFact, place: Place): EffectRow | null {
  if (command.cwd === null) return { label: 'in', tone: 'doubt', items: ['a folder that is not known'] };
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

/** Items on as few lines as fit; one that is wider than a line gets a line of its own. */
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
