// Command text → Facts: everything that would run, its effects, and whether that is certain.
// Pure: reads no files and runs nothing. Never throws for any text.

import { HardshellError } from '../core/errors.ts';
import { type CommandFact, type Facts, isAnalyzed, SHELLS, type Shell, type Span } from '../core/facts.ts';
import { refuseUnknown } from '../core/option-names.ts';
import { parse } from '../parse/script.ts';
import { displayCommand } from './display.ts';
import { finishDraft, mergeEffects, strictestClass } from './effects/finish.ts';
import { markLinkedWrites } from './effects/links.ts';
import { findEndless } from './endless/find-endless.ts';
import { merge } from './interpreter/flow.ts';
import { Interpreter } from './interpreter/interpreter.ts';
import { OUTSIDE_STDIN, type Scope } from './machine.ts';
import { MAX_JUDGED_COMMANDS, type Recorder } from './recorder.ts';
import { initialState } from './state.ts';
import { findWrittenThenRun } from './written-then-run.ts';

export interface AnalyzeOptions {
  /** Absolute path of the folder in which the command starts. Without it, paths are relative to that folder. */
  readonly cwd?: string | undefined;
  readonly shell?: Shell | undefined;
  /** Variables whose values are known: `{ HOME: '/home/u' }`. All others are unknown. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

export function analyze(command: string, options: AnalyzeOptions = {}): Facts {
  checkArguments(command, options);
  const shell = options.shell ?? 'bash';
  const wholeSpan: Span = [0, command.length];
  const { script, problem } = isAnalyzed(shell) ? parse(command) : UNREAD;
  const machine = new Interpreter(wholeSpan);
  if (!isAnalyzed(shell)) machine.recorder.cannotTell('dialect', `commands for ${shell} are not analyzed`, wholeSpan);
  if (command.trim() === '') machine.recorder.cannotTell('syntax', 'the command is empty', wholeSpan);
  if (problem) {
    const at: Span = [Math.min(problem.pos, command.length), Math.min(problem.pos + 1, command.length)];
    machine.recorder.cannotTell(problem.id, problem.message, at);
  }
  if (script) {
    const scope: Scope = {
      source: command,
      span: null,
      shell,
      via: [],
      parent: null,
      pipeline: null,
      depth: 0,
      stdin: OUTSIDE_STDIN,
      elsewhere: null,
      loops: [],
      callee: null,
      locals: null,
    };
    machine.recorder.scripts.push({ script, text: command, parent: null, span: null });
    const end = merge(machine.runScript(script, initialState(options.cwd ?? '.', options.variables), scope));
    machine.runTraps(end);
  }
  markLinkedWrites(machine.recorder.drafts);
  const commands = machine.recorder.drafts.map(finishDraft);
  checkCount(machine.recorder, wholeSpan);
  for (const fact of findWrittenThenRun(commands)) {
    machine.recorder.cannotTell('written-then-run', 'it runs a file that the same command writes', fact.span);
  }
  return summarise(
    command,
    shell,
    machine.recorder,
    commands,
    displayCommand(command, problem ? null : script, options.cwd),
  );
}

const UNREAD: ReturnType<typeof parse> = { script: null, problem: null };

const OPTIONS = ['cwd', 'shell', 'variables'] as const satisfies readonly (keyof AnalyzeOptions)[];

/** Rejects wrong types from untyped callers; never rejects the text of a command. */
function checkArguments(command: unknown, options: AnalyzeOptions): void {
  if (typeof command !== 'string') {
    throw new HardshellError('invalid-argument', 'the command to analyze must be a string');
  }
  if (typeof options !== 'object' || options === null)
    throw new HardshellError('invalid-argument', 'The options must be an object.');
  refuseUnknown(options, OPTIONS, null);
  if (options.cwd !== undefined && !options.cwd.startsWith('/')) {
    const hint = 'Resolve it first: path.resolve(cwd).';
    throw new HardshellError('invalid-argument', `cwd must be an absolute path, not '${options.cwd}'`, { hint });
  }
  if (options.shell !== undefined && !SHELLS.includes(options.shell)) {
    throw new HardshellError('invalid-argument', `shell must be one of ${SHELLS.join(', ')}`);
  }
}

function checkCount(recorder: Recorder, wholeSpan: Span): void {
  const { drafts } = recorder;
  if (drafts.length <= MAX_JUDGED_COMMANDS) return;
  const origins = new Set(drafts.map((draft) => draft.origin ?? draft));
  if (origins.size <= MAX_JUDGED_COMMANDS) return;
  const message = `${origins.size} commands; more than ${MAX_JUDGED_COMMANDS} are not analyzed one by one`;
  recorder.cannotTell('too-many-commands', message, wholeSpan);
}

function summarise(
  command: string,
  shell: Shell,
  recorder: Recorder,
  commands: readonly CommandFact[],
  display: string,
): Facts {
  const { reasons } = recorder;
  const isCertain = reasons.length === 0;
  return {
    command,
    shell,
    status: isCertain ? 'understood' : 'cannot-tell',
    reasons,
    commands,
    endless: findEndless(recorder),
    effects: mergeEffects(commands),
    readOnly: isCertain && commands.every((fact) => fact.readOnly),
    class: isCertain ? strictestClass(commands) : 'unknown',
    display,
  };
}
