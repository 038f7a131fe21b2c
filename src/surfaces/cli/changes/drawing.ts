// Staged commands and their changes → lines for a person.

import { relative } from 'node:path';
import { describeHeldBack, type FileDiff, hasFiles, type StagedCommand } from '../../../host/stages.ts';
import { shorten } from '../show/phrases.ts';
import type { Terminal } from '../show/terminal.ts';
import { columns, visible } from '../show/visible.ts';
import { age } from '../tasks/list.ts';

const HEADINGS = ['ID', 'AGE', 'STATE', 'CHANGES', 'COMMAND'] as const;
const MAX_SHOWN = 20;

/** `1 created, 2 changed`; folders only if there is nothing else. */
export function countText({
  created,
  changed,
  deleted,
  folders,
}: Pick<StagedCommand, 'created' | 'changed' | 'deleted' | 'folders'>): string {
  const parts = [
    [created, 'created'],
    [changed, 'changed'],
    [deleted, 'deleted'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return shown.join(', ') || (folders === 0 ? 'none' : `${folders} ${folders === 1 ? 'folder' : 'folders'}`);
}

export function drawStages(stages: readonly StagedCommand[], now: number, terminal: Terminal): string[] {
  const { colors } = terminal;
  const rows = stages.map((stage) => [
    visible(stage.id),
    age(now - stage.startedAt),
    stateText(stage),
    `${countText(stage)}${stage.heldBack.length > 0 ? `, ${stage.heldBack.length} held back` : ''}`,
  ]);
  const widths = HEADINGS.slice(0, 4).map((heading, at) =>
    Math.max(heading.length, ...rows.map((row) => columns(row[at] as string))),
  );
  const pad = (text: string, at: number): string => text + ' '.repeat((widths[at] ?? 0) - columns(text));
  const room = terminal.width - widths.reduce((sum, width) => sum + width + 2, 0);
  return [
    colors.dim(HEADINGS.map((heading, at) => (at < 4 ? pad(heading, at) : heading)).join('  ')),
    ...stages.map((stage, index) => {
      const cells = (rows[index] as string[]).map(pad);
      cells[2] = paintState(stage, terminal)(cells[2] as string);
      const command = visible(stage.command);
      return [...cells, terminal.isTerminal ? shorten(command, Math.max(20, room)) : command].join('  ');
    }),
  ];
}

/** Nothing has landed of a command whose changes were all held back. */
export function stateText(stage: StagedCommand): string {
  return stage.state === 'landed' && !hasFiles(stage) ? 'held back' : stage.state;
}

function paintState(stage: StagedCommand, { colors }: Terminal): (text: string) => string {
  const state = stateText(stage);
  if (state.startsWith('held')) return colors.yellow;
  if (state === 'landed') return colors.green;
  return state === 'running' ? colors.cyan : colors.dim;
}

/** What a verb is about to change. */
export function drawFiles(stage: StagedCommand, cwd: string, { colors }: Terminal): string[] {
  const { files, omitted } = stage;
  const shown = files.filter(({ type }) => type !== 'folder').slice(0, MAX_SHOWN);
  const folders = files.length - files.filter(({ type }) => type !== 'folder').length;
  const left = files.length - folders - shown.length + omitted;
  return [
    ...shown.map(({ path, change }) => `  ${change.padEnd(7)}  ${visible(nearPath(path, cwd))}`),
    ...(left > 0 ? [colors.dim(`  and ${left} more: hardshell changes --stat ${stage.id}`)] : []),
  ];
}

export function drawHeldBack(stage: StagedCommand, cwd: string): string[] {
  if (stage.heldBack.length === 0) return [];
  const lines = describeHeldBack(stage, (path) => nearPath(path, cwd));
  return ['Held back, and not in the project:', ...lines.map((line) => `  ${visible(line)}`)];
}

/** As a person would type it here. */
export function nearPath(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near === '' ? '.' : near.startsWith('../..') ? path : near;
}

export function paintDiff(lines: readonly string[], { colors }: Terminal): string[] {
  return lines.map((line) => {
    const text = visible(Buffer.from(line, 'latin1').toString('utf8'));
    if (/^(?:diff |---|\+\+\+|(?:old|new|deleted) )/.test(line)) return colors.bold(text);
    if (line.startsWith('@@')) return colors.cyan(text);
    if (line.startsWith('+')) return colors.green(text);
    return line.startsWith('-') ? colors.red(text) : text;
  });
}

export interface FileStat {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

export function statOf({ path, lines }: FileDiff): FileStat {
  const start = lines.findIndex((line) => line.startsWith('@@'));
  const body = start < 0 ? [] : lines.slice(start);
  const count = (sign: string) => body.filter((line) => line.startsWith(sign)).length;
  return { path, added: count('+'), removed: count('-') };
}
