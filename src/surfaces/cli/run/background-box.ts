// A started task → the box that names it and says how to inspect it.

import { shorten } from '../show/phrases.ts';
import type { Terminal } from '../show/terminal.ts';
import { columns, visible } from '../show/visible.ts';

const TITLE = 'Background Task Started';

export function drawBackgroundBox(
  task: { readonly id: string; readonly command: string; readonly outputFile: string | null },
  terminal: Terminal,
): string[] {
  const id = visible(task.id);
  const rows = [
    `Task ID: ${id}`,
    `Command: ${shorten(visible(task.command), Math.max(40, terminal.width - 14))}`,
    // Never truncated, so that it can be copied.
    `Output:  ${task.outputFile === null ? 'none' : visible(task.outputFile)}`,
    '',
    ...aligned([
      ['hardshell tasks', 'shows its state'],
      [`hardshell tasks logs -f ${id}`, 'follows its output'],
      [`hardshell tasks stop ${id}`, 'ends it'],
    ]),
  ];
  const width = Math.max(TITLE.length + 4, ...rows.map(columns));
  const [corner, rule, side] = frameOf(terminal);
  const pad = (text: string): string => text + ' '.repeat(width - columns(text));
  return [
    `${corner[0]}${rule} ${terminal.colors.bold(TITLE)} ${rule.repeat(width - TITLE.length - 1)}${corner[1]}`,
    ...rows.map((row) => `${side} ${pad(row)} ${side}`),
    `${corner[2]}${rule.repeat(width + 2)}${corner[3]}`,
  ];
}

function aligned(rows: readonly (readonly [command: string, what: string])[]): string[] {
  const width = Math.max(...rows.map(([command]) => columns(command)));
  return rows.map(([command, what]) => `${command}${' '.repeat(width - columns(command))}   ${what}`);
}

function frameOf({ glyphs }: Terminal): [corners: string, rule: string, side: string] {
  return glyphs.rule === '-' ? ['++++', '-', '|'] : ['┌┐└┘', glyphs.rule, '│'];
}
