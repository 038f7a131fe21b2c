// `kill` of a task: a sandboxed command cannot reach other commands, so the task's supervisor sends the signal.
// Only for commands that have been checked and allowed. Signals are sent before the rest of the line runs, so a `kill`
// must come first; a later one would get "No such process" for a live task, and is refused instead.

import { type KillRequest, readKill } from '../../analyze/programs/systems/kill-words.ts';
import type { CommandFact, Facts, Span } from '../../core/facts.ts';
import { createFailure, type Failure } from '../../core/failure.ts';
import type { RunResult, TaskHandle, TaskInfo } from '../../core/running.ts';
import { parse } from '../../parse/script.ts';
import type { Command } from '../../parse/tree.ts';
import type { Terms } from '../../terms/terms.ts';

export interface Reach {
  /** Running tasks that this command may signal. */
  tasks(): Promise<readonly TaskInfo[]>;
  task(id: string): Promise<TaskHandle | null>;
}

/** What is left to run, or why nothing is. */
export type Signalled = { readonly command: string } | { readonly failure: Failure };

const SIGKILL = 9;
const SIGTERM = 15;
const PROGRAMS = new Set(['kill', '/bin/kill', '/usr/bin/kill']);
/** They run the words after them unchanged. */
const WRAPPERS = new Set(['command', 'builtin', 'exec', 'env', 'nice', 'nohup', 'timeout']);

interface Kill extends KillRequest {
  readonly fact: CommandFact;
  readonly aims: readonly TaskInfo[];
}

/** `command`: what would run; a program in argv mode. `confirm` throws if they must not be sent. */
export async function signalTasks(
  { command, args }: Pick<Terms, 'command' | 'args'>,
  facts: Facts,
  reach: Reach,
  confirm: () => Promise<void>,
): Promise<Signalled> {
  if (!facts.commands.some(isKill)) return { command };
  const tasks = await reach.tasks();
  const kills = facts.commands.flatMap((fact) => killOf(fact, tasks) ?? []);
  if (kills.every(({ aims }) => aims.length === 0)) return { command };
  const first = leadingKills(facts, kills);
  const problem = findProblem(kills, first, facts.command);
  if (problem !== null) return { failure: problem };
  await confirm();
  const done: Kill[] = [];
  for (const kill of first) {
    const sent = await send(kill, reach);
    if (sent === 'cannot') return { failure: cannotSend(kill, facts.command) };
    // It has ended in the meantime: the command finds out itself.
    if (sent === 'gone') break;
    done.push(kill);
  }
  // The signals were sent, and the rest of the line must see success.
  if (args !== null) return { command: done.length === 0 ? command : 'true' };
  return { command: done.map(({ fact }) => nameSpan(fact)).reduceRight(replaceByTrue, command) };
}

function isKill({ name, argv, elsewhere }: CommandFact): boolean {
  return name === 'kill' && elsewhere === null && PROGRAMS.has(argv[0] ?? '');
}

function killOf(fact: CommandFact, tasks: readonly TaskInfo[]): Kill | null {
  if (!isKill(fact)) return null;
  const words = fact.argv.slice(1);
  const read = readKill(words) ?? { signal: SIGKILL, targets: numbersIn(words) };
  const aims = tasks.filter(({ pid, pgid }) =>
    read.targets.some((target) => (target < 0 ? target === -pgid : target === pid)),
  );
  return { ...read, fact, aims };
}

/** For words that cannot be resolved: the tasks that they may target. A word without a number is never sent. */
function numbersIn(words: readonly (string | null)[]): readonly number[] {
  return words.map((word) => (/^-?\d{1,9}$/.test(word ?? '') ? Number(word) : 0));
}

/** Leading ones, in order, that target only tasks. */
function leadingKills({ command: text, commands }: Facts, kills: readonly Kill[]): readonly Kill[] {
  const found: Kill[] = [];
  for (const { name } of leadingCommands(text)) {
    const index = commands.findIndex(
      ({ parent, via, words }) => parent === null && via.length === 0 && words[0]?.span[0] === name?.pos,
    );
    const isHere = ({ fact }: Kill) =>
      commands[index] === fact ||
      (index !== -1 && fact.parent === index && fact.via.length === 1 && WRAPPERS.has(fact.via[0] as string));
    const kill = kills.find(isHere);
    if (kill === undefined || kill.aims.length !== kill.targets.length || !isLiteral(kill.fact, text)) break;
    found.push(kill);
  }
  return found;
}

/** Its name is in the text, and can be replaced there. */
function isLiteral(fact: CommandFact, text: string): boolean {
  return text.slice(...nameSpan(fact)) === fact.argv[0];
}

function nameSpan({ words }: CommandFact): Span {
  return words[0]?.span ?? [0, 0];
}

function replaceByTrue(text: string, [start, end]: Span): string {
  return `${text.slice(0, start)}true${text.slice(end)}`;
}

const isEnd = ({ signal }: Kill) => signal === SIGTERM || signal === SIGKILL;

/** One that comes too late, unless its tasks have ended by then. */
function findProblem(kills: readonly Kill[], first: readonly Kill[], text: string): Failure | null {
  const ended = new Set(first.filter(isEnd).flatMap(({ aims }) => aims.map(({ id }) => id)));
  const late = kills.find((kill) => !first.includes(kill) && kill.aims.some(({ id }) => !ended.has(id)));
  if (late === undefined) return null;
  const [task] = late.aims as readonly [TaskInfo, ...TaskInfo[]];
  const what = `\`${text.slice(...late.fact.span)}\` is for the task ${task.id}, which the rest of this command cannot reach from inside its sandbox.`;
  return failure(what, `Run it first, or as a separate command: kill -${late.signal} -${task.pgid}`);
}

function cannotSend({ fact, aims }: Kill, text: string): Failure {
  const ids = aims.map(({ id }) => id).join(', ');
  const what = `\`${text.slice(...fact.span)}\` was not sent: ${ids} was started by a process that has ended, and can only be ended, not signalled.`;
  return failure(what, 'Use SIGTERM or SIGKILL.');
}

function failure(message: string, suggestion: string): Failure {
  const made = createFailure('environment_setup_failed');
  return { ...made, message: `The command was not run: ${message}`, suggestions: [suggestion] };
}

async function send({ signal, aims }: Kill, reach: Reach): Promise<'sent' | 'gone' | 'cannot'> {
  for (const { id } of aims) {
    const task = await reach.task(id);
    const isRunning = async () => task !== null && (await task.info()).state === 'running';
    if (task === null || !(await isRunning())) return 'gone';
    if (signal === 0) continue;
    const isSent = signal === SIGKILL ? task.kill() : signal === SIGTERM ? task.stop() : task.signal(signal);
    if (!(await isSent)) return (await isRunning()) ? 'cannot' : 'gone';
  }
  return 'sent';
}

const ABSENT = /^.*\bNo such process\b.*$/gim;

/** A number that was not known before: if the command was told that the task does not exist, this corrects it. */
export async function correctAbsence(result: RunResult, reach: Reach): Promise<RunResult> {
  const lines = [...result.output.matchAll(ABSENT)].map(([line]) => line);
  if (lines.length === 0) return result;
  const meant = (await reach.tasks()).filter(({ pgid }) =>
    lines.some((line) => line.split(/\D+/).includes(String(pgid))),
  );
  if (meant.length === 0) return result;
  const note = meant
    .map(
      ({ id, pgid }) =>
        `[${pgid} is the task ${id}, which is still running: it cannot be reached from inside the sandbox. To end it, run this as a separate command: kill -9 -${pgid}]\n`,
    )
    .join('');
  const join = (text: string) => `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${note}`;
  return {
    ...result,
    output: join(result.output),
    stderr: result.stderr === null ? null : join(result.stderr),
  };
}

/**
 * The simple commands that certainly run, and before everything else: the first one, and what follows it by `;`, a new line
 * or `&&`; none in a pipe, a condition, a loop, a group or behind `||`. Behind one that is not looked for, nothing is certain.
 */
function* leadingCommands(text: string): Generator<Command> {
  const { script, problem } = parse(text);
  if (script === null || problem !== null) return;
  for (const { command: whole, background } of script.commands) {
    const parts = whole.type === 'AndOr' ? whole.commands : [whole];
    for (const [index, part] of parts.entries()) {
      const isReached = index === 0 || (whole.type === 'AndOr' && whole.operators[index - 1] === '&&');
      if (!isReached || part.type !== 'Command') return;
      yield part;
    }
    if (background) return;
  }
}
