// P28's screens, exactly as in its document: running, completed, background box, streaming, block, truncation, /tasks.
// Command output is shown unchanged, indented or between rules, so that it cannot be mistaken for a line of hardshell.

import type { TaskInfo } from '../../core/running.ts';
import { describeTaskState } from '../shared/tasks.ts';

const RULE = '─'.repeat(52);
const BOX_WIDTH = 49;

function drawRunning(what: string): string {
  return `Running: ${oneLine(what)}`;
}

export interface Ended {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number;
  readonly duration_ms: number;
  readonly truncated?: boolean;
}

export function drawCompleted(what: string, ended: Ended): string {
  const { success, stdout, stderr, exit_code, duration_ms, truncated } = ended;
  const mark = success ? '✓ Command completed' : `✗ Command failed with exit code ${exit_code}`;
  const output =
    truncated === true
      ? [drawTruncated(joinStreams(ended))]
      : [...section('stdout', stdout), ...section('stderr', stderr)];
  return [drawRunning(what), '', `${mark} (${seconds(duration_ms)})`, ...output].join('\n');
}

function joinStreams({ stdout, stderr }: Pick<Ended, 'stdout' | 'stderr'>): string {
  return `${stdout}${stdout === '' || stdout.endsWith('\n') || stderr === '' ? '' : '\n'}${stderr}`;
}

export function drawTruncated(output: string): string {
  const counted = output.replace(/\.\.\. \((\d+) characters truncated\) \.\.\./, (_, count: string) => {
    return `... (${Number(count).toLocaleString('en')} characters truncated) ...`;
  });
  return ['Output (truncated):', RULE, counted.replace(/\n$/, ''), RULE].join('\n');
}

/** For a command whose output was streamed while it ran. */
export function drawStreaming(what: string, ended: Ended): string {
  const { exit_code, duration_ms } = ended;
  const body = joinStreams(ended).replace(/\n$/, '');
  return [drawRunning(what), RULE, body, RULE, `Exit code: ${exit_code}`, `Duration: ${seconds(duration_ms)}`].join(
    '\n',
  );
}

export function drawBackground(task: {
  readonly id: string;
  readonly command: string;
  readonly outputFile: string;
}): string {
  const rows = [
    `Task ID: ${task.id}`,
    `Command: ${oneLine(task.command)}`,
    `Output: ${task.outputFile}`,
    '',
    'Use /tasks to check status',
    'Use TaskOutput to get results',
  ];
  const width = Math.max(BOX_WIDTH, ...rows.map((row) => row.length));
  const title = '─ Background Task Started ';
  return [
    `┌${title}${'─'.repeat(width + 2 - title.length)}┐`,
    ...rows.map((row) => `│ ${row.padEnd(width)} │`),
    `└${'─'.repeat(width + 2)}┘`,
  ].join('\n');
}

export function drawBlocked(
  matches: readonly { readonly pattern: string; readonly reason: string }[],
  instead: readonly string[],
): string {
  return [
    '⚠️ Command Blocked',
    '',
    'This command matches a blocked pattern:',
    ...matches.map(({ pattern, reason }) => `  "${oneLine(pattern)}" - ${reason}`),
    '',
    'This operation is not allowed for safety.',
    ...instead,
  ].join('\n');
}

export function drawTasks(tasks: readonly TaskInfo[]): string {
  if (tasks.length === 0) return 'No background tasks.';
  return tasks
    .map((task) => `${task.id}  ${describeTaskState(task)}  ${oneLine(task.description ?? task.command)}`)
    .join('\n');
}

function section(name: string, text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.replace(/\n$/, '').split('\n');
  return [`${name}:`, ...lines.map((line) => (line === '' ? '' : `  ${line}`))];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`;
}

/** Newlines and control characters would draw outside of their line. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}
