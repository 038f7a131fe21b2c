// Control flow: runs every command that bash could run, each in all states that could reach it.
// Branches are joined, loops are repeated until the state no longer changes, subshells do not change the state.

import type {
  AndOr,
  ArithmeticFor,
  Case,
  CommandNode,
  CompoundList,
  Coproc,
  Function as FunctionNode,
  If,
  Pipeline,
  Redirected,
  Statement,
  While,
} from '../../parse/tree.ts';
import { Draft } from '../effects/draft.ts';
import { type Expansion, type Flow, type Machine, type Scope, spanOf, UNKNOWN_STDIN, within } from '../machine.ts';
import { ANY, doubtLater, INTEGER, join, noteChange, type State, setVariable } from '../state.ts';
import { addAttributes } from '../variables.ts';
import { evaluateArithmetic } from '../words/arithmetic.ts';
import { expandOperand } from '../words/expand.ts';
import { VARIABLE_NAME } from '../words/lookup.ts';
import { checkDialect } from './dialect.ts';
import { joinFlows, merge, same } from './flow.ts';
import { assigned, runFor } from './for-loops.ts';
import { repeat } from './loops.ts';
import { closeRedirects, openRedirects } from './redirects.ts';
import { runSimpleCommand } from './simple-command.ts';
import { evaluateTest } from './tests.ts';

export function runStatements(statements: readonly Statement[], state: State, scope: Scope, machine: Machine): Flow {
  let flow: Flow = { ok: state, fail: state };
  for (const statement of statements) {
    if (!machine.recorder.step()) return flow;
    flow = runStatement(statement, merge(flow), scope, machine);
  }
  return flow;
}

function runStatement(statement: Statement, state: State, scope: Scope, machine: Machine): Flow {
  const { command } = statement;
  if (statement.background) {
    runPart(command, state, subshell(scope, '&'), machine);
    return same(state);
  }
  return runPart(command, state, scope, machine);
}

/** Leaving a loop or a function stops at a subshell: it cannot leave them from inside one. */
function subshell(scope: Scope, via: string | null): Scope {
  const inner: Scope = { ...scope, loops: [], callee: null };
  return via === null ? inner : within(inner, via);
}

function runPart(node: CommandNode | Pipeline | AndOr, state: State, scope: Scope, machine: Machine): Flow {
  if (node.type === 'AndOr') return runAndOr(node, state, scope, machine);
  if (node.type === 'Pipeline') return runPipeline(node, state, scope, machine);
  return runNode(node, state, scope, machine);
}

function runAndOr(node: AndOr, state: State, scope: Scope, machine: Machine): Flow {
  const [first, ...rest] = node.commands;
  if (first === undefined) return same(state);
  let flow = runPart(first, state, scope, machine);
  rest.forEach((command, i) => {
    if (node.operators[i] === '&&') {
      const next = runPart(command, flow.ok, scope, machine);
      flow = { ok: next.ok, fail: join(flow.fail, next.fail) };
    } else {
      const next = runPart(command, flow.fail, scope, machine);
      flow = { ok: join(flow.ok, next.ok), fail: next.fail };
    }
  });
  return flow;
}

function runPipeline(node: Pipeline, state: State, scope: Scope, machine: Machine): Flow {
  checkDialect(node, scope, machine.recorder);
  const only = node.commands.length === 1 ? node.commands[0] : undefined;
  let flow: Flow;
  if (only) flow = runNode(only, state, scope, machine);
  else {
    flow = same(state);
    const pipeline = scope.pipeline ?? machine.recorder.startPipeline();
    node.commands.forEach((command, i) => {
      const stdin = i === 0 ? scope.stdin : UNKNOWN_STDIN;
      const end = runNode(command, state, { ...subshell(scope, null), stdin, pipeline }, machine);
      const isLast = i === node.commands.length - 1;
      if (isLast && (state.lastPipe || scope.shell === 'zsh'))
        flow = { ok: join(state, end.ok), fail: join(state, end.fail) };
    });
  }
  const isNegated = node.prefixes.filter((prefix) => prefix.type === 'Negation').length % 2 === 1;
  return isNegated ? { ok: flow.fail, fail: flow.ok } : flow;
}

export function runNode(node: CommandNode | CompoundList, state: State, scope: Scope, machine: Machine): Flow {
  if (node.type !== 'Command') {
    checkDialect(node, scope, machine.recorder);
    // With `set -x`, [[ ]], (( )), for and case are traced too, and the trace expands PS4.
    if (state.doubt) machine.recorder.cannotTell(state.doubt.id, state.doubt.message, state.doubt.span);
  }
  switch (node.type) {
    case 'Command':
      return runSimpleCommand(node, state, scope, machine);
    case 'CompoundList':
      return runStatements(node.commands, state, scope, machine);
    case 'BraceGroup':
      return runStatements(node.body.commands, state, scope, machine);
    case 'Subshell':
      runStatements(node.body.commands, state, subshell(scope, '( )'), machine);
      return same(state);
    case 'If':
      return runIf(node, state, scope, machine);
    case 'For':
    case 'Select':
      return runFor(node, state, scope, machine);
    case 'While':
      return runWhile(node, state, scope, machine);
    case 'ArithmeticFor':
      return runArithmeticFor(node, state, scope, machine);
    case 'Case':
      return runCase(node, state, scope, machine);
    case 'Function':
      return same(defineFunction(node, state, scope, machine));
    case 'Coproc': {
      runNode(node.body, state, { ...subshell(scope, 'coproc'), stdin: UNKNOWN_STDIN }, machine);
      checkCoprocName(node, state, scope, machine);
      const name = node.name?.value ?? 'COPROC';
      const opened = assigned(name, ANY, node, state, scope, machine);
      const started = assigned(`${name}_PID`, INTEGER, node, opened, scope, machine);
      return same(addAttributes(setVariable(started, name, ANY), name, 'a'));
    }
    case 'TestCommand': {
      const x: Expansion = { machine, scope, state };
      evaluateTest(node.expression, x);
      return same(x.state);
    }
    case 'ArithmeticCommand': {
      const x: Expansion = { machine, scope, state };
      if (node.expression === undefined && node.body.trim() !== '') {
        machine.recorder.cannotTell('arithmetic-evaluates', 'arithmetic that cannot be parsed', spanOf(scope, node));
      }
      evaluateArithmetic(node.expression, x, expandOperand);
      return same(x.state);
    }
    case 'Redirected':
      return runRedirected(node, state, scope, machine);
    default:
      return node satisfies never;
  }
}

function defineFunction(node: FunctionNode, state: State, scope: Scope, machine: Machine): State {
  const name = node.name.value;
  const { source, span, shell } = scope;
  const body = machine.recorder.define(name, { node, source, span, shell });
  // A read-only function keeps its body.
  const kept = state.attributes.has(`${name}()`) ? (state.functions.get(name)?.bodies ?? []) : [];
  const bodies = [...kept.filter((each) => each !== body), body];
  const functions = new Map(state.functions).set(name, { bodies, maybeAbsent: false });
  const defined = noteChange({ ...state, functions });
  if (!state.exportsAll) return defined;
  const message = 'with set -a, child shells inherit this function';
  return doubtLater(defined, 'exported-function', message, spanOf(scope, node));
}

/** The name of a coprocess is expanded like any word. */
function checkCoprocName(node: Coproc, state: State, scope: Scope, machine: Machine): void {
  if (node.name === undefined || VARIABLE_NAME.test(node.name.text)) return;
  expandOperand(node.name, { machine, scope, state });
  machine.recorder.cannotTell('dynamic-name', 'the name of a coprocess is expanded', spanOf(scope, node.name));
}

function runRedirected(node: Redirected, state: State, scope: Scope, machine: Machine): Flow {
  const span = spanOf(scope, node);
  const draft = new Draft(scope, state.folders, span);
  const index = machine.recorder.add(draft);
  const x: Expansion = { machine, scope: { ...scope, parent: index }, state };
  const opened = openRedirects(node.redirects, draft, x);
  draft.redirects = opened.facts;
  // Several commands share that input: it is not tracked which one reads what.
  const stdin = opened.stdin === null ? scope.stdin : UNKNOWN_STDIN;
  const flow = runNode(node.command, x.state, { ...scope, stdin }, machine);
  // If a file cannot be opened, the command does not run.
  const fail = join(flow.fail, x.state);
  return { ok: closeRedirects(flow.ok, state, x.state), fail: closeRedirects(fail, state, x.state) };
}

function runIf(node: If, state: State, scope: Scope, machine: Machine): Flow {
  let clause = runNode(node.clause, state, scope, machine);
  let result = runNode(node.then, clause.ok, scope, machine);
  for (const branch of node.elif) {
    clause = runNode(branch.clause, clause.fail, scope, machine);
    result = joinFlows(result, runNode(branch.then, clause.ok, scope, machine));
  }
  const otherwise = node.else ? runNode(node.else, clause.fail, scope, machine) : same(clause.fail);
  return joinFlows(result, otherwise);
}

function runWhile(node: While, state: State, scope: Scope, machine: Machine): Flow {
  const isUntil = node.kind === 'until';
  return repeat(state, scope, machine, (current, inner) => {
    const clause = runNode(node.clause, current, inner, machine);
    const [enter, leave] = isUntil ? [clause.fail, clause.ok] : [clause.ok, clause.fail];
    return { next: merge(runNode(node.body, enter, inner, machine)), exit: leave };
  });
}

function runArithmeticFor(node: ArithmeticFor, state: State, scope: Scope, machine: Machine): Flow {
  const x: Expansion = { machine, scope, state };
  evaluateArithmetic(node.initialize, x, expandOperand);
  return repeat(x.state, scope, machine, (current, inner) => {
    const test: Expansion = { machine, scope: inner, state: current };
    evaluateArithmetic(node.test, test, expandOperand);
    const update: Expansion = { machine, scope: inner, state: merge(runNode(node.body, test.state, inner, machine)) };
    evaluateArithmetic(node.update, update, expandOperand);
    return { next: update.state, exit: test.state };
  });
}

function runCase(node: Case, state: State, scope: Scope, machine: Machine): Flow {
  const x: Expansion = { machine, scope, state };
  expandOperand(node.word, x);
  let result: Flow = same(x.state);
  let fallsFrom: State | null = null;
  for (const item of node.items) {
    for (const pattern of item.pattern) expandOperand(pattern, x);
    const enter = fallsFrom === null ? x.state : join(x.state, fallsFrom);
    const flow = runNode(item.body, enter, scope, machine);
    result = joinFlows(result, flow);
    // After `;;&` further patterns are tested in the state of this branch.
    fallsFrom = item.terminator === ';&' || item.terminator === ';;&' ? merge(flow) : null;
    if (item.terminator === ';;&') x.state = join(x.state, merge(flow));
  }
  return joinFlows(result, same(x.state));
}
