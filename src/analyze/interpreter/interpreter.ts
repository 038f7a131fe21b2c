// The machine itself: connects words, statements, nested shells and programs.

import type { Span, WordValue } from '../../core/facts.ts';
import { parse } from '../../parse/script.ts';
import type { CommandNode, CompoundList, ParsedScript, Statement } from '../../parse/tree.ts';
import { Draft } from '../effects/draft.ts';
import { launch } from '../launch.ts';
import {
  type Expansion,
  type Flow,
  MAX_DEPTH,
  type Machine,
  type Scope,
  type ShellText,
  sharedStdin,
} from '../machine.ts';
import type { RunOptions } from '../programs/program.ts';
import { Recorder } from '../recorder.ts';
import { readStartup } from '../startup.ts';
import {
  ABSOLUTE_PATH,
  type FunctionValue,
  forgetFolder,
  forgetVariables,
  isSameState,
  type State,
  type Value,
} from '../state.ts';
import { joinFlows, merge, same } from './flow.ts';
import { everOpened } from './redirects.ts';
import { runNode, runStatements } from './statements.ts';

const MAX_TRAPS = 16;
const MAX_ABORTS = 500;

export class Interpreter implements Machine {
  readonly recorder: Recorder;
  private aborts: State[] = [];
  private readonly traps: { readonly text: string; readonly scope: Scope }[] = [];

  constructor(wholeSpan: Span) {
    this.recorder = new Recorder(wholeSpan);
  }

  runNode(node: CommandNode | CompoundList, state: State, scope: Scope): Flow {
    return runNode(node, state, scope, this);
  }

  /** Line by line: states dropped by an error on one line are joined before the next. */
  runScript(script: ParsedScript, state: State, scope: Scope): Flow {
    const outer = this.aborts;
    let flow = same(state);
    for (const line of splitLines(script, scope)) {
      this.aborts = [];
      flow = runStatements(line, merge(flow), scope, this);
      for (const dropped of this.aborts) flow = joinFlows(flow, same(dropped));
    }
    this.aborts = outer;
    return flow;
  }

  noteAbort(state: State): void {
    if (this.aborts.length < MAX_ABORTS) this.aborts.push(state);
    else this.recorder.giveUp();
  }

  evaluate(text: string, state: State, scope: Scope): Flow {
    const { script, problem } = parse(text);
    if (problem) {
      this.recorder.cannotTell(problem.id, problem.message, scope.span ?? [0, 0]);
      return { ok: forgetFolder(forgetVariables(state)), fail: state };
    }
    if (!script) return same(state);
    this.recorder.scripts.push({ script, text, parent: scope.parent, span: scope.span ?? [0, 0] });
    return this.runScript(script, state, { ...scope, source: text });
  }

  deferTrap(text: string, scope: Scope): void {
    if (this.traps.some((trap) => trap.text === text)) return;
    if (this.traps.length >= MAX_TRAPS) this.recorder.giveUp();
    else this.traps.push({ text, scope });
  }

  /** Traps run at unknown times: with any variables, in any folder, with any function defined or not. */
  runTraps(state: State): void {
    if (this.traps.length === 0) return;
    const functions = new Map<string, FunctionValue>();
    const descriptors = everOpened(this.recorder.drafts);
    const anytime: State = {
      ...forgetFolder(forgetVariables(state)),
      hasMoved: false,
      watch: 'on',
      functions,
      descriptors,
    };
    for (let i = 0; i < this.traps.length; i++) {
      const trap = this.traps[i];
      if (trap === undefined || !this.recorder.step()) return;
      for (const [name, bodies] of this.recorder.definitions) functions.set(name, { bodies, maybeAbsent: true });
      const flow = this.evaluate(trap.text, anytime, { ...trap.scope, loops: [], callee: null, locals: null });
      const end = merge(flow);
      if (end.watch !== 'changed' && isSameState(end, anytime)) continue;
      const message = 'a trap changes the state of the shell at unknown times';
      this.recorder.cannotTell('trap-changes-state', message, trap.scope.span ?? [0, 0]);
    }
  }

  runProgram(argv: readonly WordValue[], state: State, scope: Scope, options: RunOptions): void {
    const name = argv[0];
    if (name === undefined || !this.recorder.step()) return;
    const span = scope.span ?? name.span;
    const draft = new Draft(scope, state.folders, span);
    const index = this.recorder.add(draft);
    draft.words = argv;
    draft.kind = 'program';
    const child = childState(state, options);
    if (options.environment) {
      draft.assignments = [...options.environment].map(([variable, word]) => ({
        name: variable,
        value: word?.kind === 'literal' ? word.value : null,
        span,
      }));
    }
    if (scope.depth > MAX_DEPTH) {
      this.recorder.cannotTell('too-deep', 'commands run commands too deeply', span);
      draft.add('unknown', 'nested too deeply');
      return;
    }
    if (name.kind !== 'literal') {
      this.recorder.doubtCommand(draft, name);
      return;
    }
    const x: Expansion = { machine: this, scope: { ...scope, parent: index }, state: child };
    launch(argv, draft, x);
  }

  runShellText({ text, shell, positional }: ShellText, state: State, scope: Scope, options: RunOptions): void {
    if (text.kind !== 'literal') return;
    if (scope.depth > MAX_DEPTH) {
      this.recorder.cannotTell('too-deep', 'shells run shells too deeply', text.span);
      return;
    }
    const isCounted = positional?.every((word) => word.kind === 'literal' || (word.kind === 'dynamic' && !word.many));
    const given = scope.parent === null ? [] : (this.recorder.drafts[scope.parent]?.assignments ?? []);
    const environment = [
      ...given.map(({ name, value }) => [name, value] as const),
      ...[...(options.environment ?? [])].map(
        ([name, word]) => [name, word?.kind === 'literal' ? word.value : null] as const,
      ),
      ...[...state.exported.keys()].map((name) => [name, null] as const),
    ];
    const inner: State = {
      ...childState(state, options),
      functions: new Map(),
      positional: isCounted ? positional : null,
      attributes: readStartup(environment, this.recorder, text.span),
      splitting: 'default',
      lastPipe: false,
      exportsAll: false,
    };
    const fresh: Scope = {
      ...scope,
      shell,
      span: text.span,
      stdin: sharedStdin(scope.stdin),
      loops: [],
      callee: null,
      locals: null,
    };
    this.evaluate(text.value, inner, fresh);
  }
}

function splitLines(script: ParsedScript, scope: Scope): readonly (readonly Statement[])[] {
  const source = script.source ?? scope.source;
  const { commands } = script;
  if (commands.length === 1) return [commands];
  const lines: Statement[][] = [];
  commands.forEach((statement, i) => {
    const before = commands[i - 1];
    const isNew = before === undefined || source.slice(before.end, statement.pos).includes('\n');
    if (isNew) lines.push([statement]);
    else lines.at(-1)?.push(statement);
  });
  return lines;
}

/** The environment of a child process: exported variables, and possibly others that were exported earlier. */
function childState(state: State, options: RunOptions): State {
  const variables = new Map<string, Value>();
  for (const [name, value] of state.variables) {
    if (state.attributes.get(name)?.includes('x') && value.kind !== 'list' && value.kind !== 'keyed')
      variables.set(name, value);
  }
  if (options.elsewhere !== undefined || options.cleanEnvironment) variables.clear();
  else if (!state.attributes.has('HOME')) variables.set('HOME', state.variables.get('HOME') ?? ABSOLUTE_PATH);
  for (const [name, word] of options.environment ?? []) {
    if (word?.kind === 'literal') variables.set(name, { kind: 'text', text: word.value });
    else variables.delete(name);
  }
  return { ...state, variables };
}
