// `hardshell tasks`: a table of the tasks of this user, from all processes.

import type { TaskInfo } from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { shorten } from '../show/phrases.ts';
import { createTerminal, type Terminal } from '../show/terminal.ts';
import { columns, visible } from '../show/visible.ts';
import { withTasks } from './find.ts';
import type { ListOptions } from './options.ts';

const RECENT_MS = 86_400_000;
const HEADINGS = ['ID', 'STATE', 'AGE', 'EXIT', 'COMMAND'] as const;

export async function list(options: ListOptions): Promise<number> {
  const all = await withTasks((tasks) => tasks.tasks());
  const now = Date.now();
  const shown = options.all ? all : all.filter((task) => isRecent(task, now));
  if (options.json) {
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, tasks: shown, older: all.length - shown.length }));
    return EXIT.ok;
  }
  const lines = drawTasks(shown, { now, older: all.length - shown.length }, createTerminal(options));
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.ok;
}

function isRecent(task: TaskInfo, now: number): boolean {
  return task.state === 'running' || (task.finishedAt ?? task.startedAt) > now - RECENT_MS;
}

export function drawTasks(
  tasks: readonly TaskInfo[],
  { now, older }: { readonly now: number; readonly older: number },
  terminal: Terminal,
): string[] {
  const { colors } = terminal;
  const more = older === 0 ? [] : [colors.dim(`${older} that ended more than a day ago: hardshell tasks --all`)];
  if (tasks.length === 0) {
    return ['No tasks. Start one with: hardshell run --background COMMAND', ...more];
  }
  const rows = tasks.map((task) => [visible(task.id), stateText(task), age(now - task.startedAt), exitText(task)]);
  const widths = HEADINGS.slice(0, 4).map((heading, at) =>
    Math.max(heading.length, ...rows.map((row) => columns(row[at] as string))),
  );
  const pad = (text: string, at: number): string => text + ' '.repeat((widths[at] as number) - columns(text));
  const room = terminal.width - widths.reduce((sum, width) => sum + width + 2, 0);
  const head = HEADINGS.map((heading, at) => (at < 4 ? pad(heading, at) : heading)).join('  ');
  return [
    colors.dim(head),
    ...tasks.flatMap((task, index) => {
      const cells = (rows[index] as string[]).map(pad);
      cells[1] = paintState(task, terminal)(cells[1] as string);
      const command = visible(task.command);
      const row = [...cells, terminal.isTerminal ? shorten(command, Math.max(30, room)) : command].join('  ');
      const why = task.status === 'failed' ? task.notes.slice(0, 1) : [];
      return [row, ...why.map((note) => colors.dim(`  ${visible(note)}`))];
    }),
    ...more,
  ];
}

/** The other ends can be told by the exit code or the signal. */
function stateText({ state, status }: TaskInfo): string {
  if (state !== 'finished') return state;
  return status === 'timed-out' ? 'timed out' : status === 'limited' || status === 'failed' ? status : state;
}

function exitText(task: TaskInfo): string {
  if (task.state === 'running') return '';
  return task.signal ?? (task.exitCode === null ? '?' : String(task.exitCode));
}

function paintState(task: TaskInfo, { colors }: Terminal): (text: string) => string {
  if (task.state === 'running') return colors.cyan;
  if (task.state === 'lost') return colors.magenta;
  return task.exitCode === 0 ? colors.green : colors.red;
}

/** Since it was started: one unit, rounded down. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
