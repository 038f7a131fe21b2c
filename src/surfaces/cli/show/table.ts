// Facts → the compact table of `hardshell analyze`: one line per command, then the whole.

import type { Facts } from '../../../host/deciding.ts';
import { inheritedVariables } from '../input.ts';
import { classTone, describeArgv, describeEffects, shorten } from './phrases.ts';
import type { Terminal } from './terminal.ts';
import { paint } from './tree.ts';
import { columns, visible } from './visible.ts';

const MAX_COMMAND_COLUMNS = 48;

export function factsTable(facts: Facts, terminal: Terminal, cwd: string): string {
  const { colors } = terminal;
  const place = { cwd, home: inheritedVariables().HOME };
  const rows = facts.commands.map((command) => ({
    text: shorten(describeArgv(command).join(' '), MAX_COMMAND_COLUMNS),
    command,
    effects: describeEffects(command.effects, place).map(({ label, items }) => `${label} ${items.join(', ')}`),
  }));
  const width = Math.max(7, ...rows.map((row) => columns(row.text)));
  const pad = (text: string): string => text + ' '.repeat(width - columns(text));
  const lines = [colors.dim(`${pad('command')}  ${'class'.padEnd(9)}  effects`)];
  for (const { text, command, effects } of rows) {
    const tone = paint(terminal, command.readOnly ? 'calm' : classTone(command.class));
    lines.push(`${pad(text)}  ${tone(command.class.padEnd(9))}  ${effects.join('; ') || colors.dim('none')}`);
  }
  for (const reason of facts.reasons)
    lines.push(`${colors.magenta('cannot tell')}: ${visible(reason.message)} ${colors.dim(`[${reason.id}]`)}`);
  const readOnly = facts.readOnly ? colors.green('read-only') : 'not read-only';
  lines.push(`${facts.status}, ${readOnly}, ${facts.class}`);
  return `${lines.join('\n')}\n`;
}
