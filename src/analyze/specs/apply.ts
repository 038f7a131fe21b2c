// Parsed arguments × specification → effects, reported to the sink.

import type { Invocation, WordValue } from '../../core/facts.ts';
import type { CommandSpec, Role } from '../commands/spec.ts';
import type { EffectSink, ParsedArguments, ProgramAnalyser } from '../programs/program.ts';
import { Arguments, type MatchedOption } from './arguments.ts';
import { compileSpec, type FlagEffect, type OperandPlan } from './compile.ts';
import { describeInvocation, type Step } from './invocation.ts';

/** The result of applying a row, besides effects. */
export interface Applied {
  readonly summary: string;
  readonly invocation: Invocation;
  readonly class: CommandSpec['class'];
  readonly mayFetch: boolean;
  /** It reads files if given some, and had none: its input comes from a stream. */
  readonly isFilter: boolean;
}

export interface ApplyContext {
  readonly name: string;
  readonly sink: EffectSink;
  readonly programs: () => ReadonlyMap<string, ProgramAnalyser>;
  /** The words before the subcommand whose row is applied. */
  readonly step: Step | null;
}

export function applySpec(spec: CommandSpec, words: readonly WordValue[], context: ApplyContext): Applied {
  const compiled = compileSpec(spec);
  const args = new Arguments(compiled, words);
  for (const { option, value } of args.options)
    if (option?.role === 'chdir' && value) {
      // What the command then reads there has no path of its own: `git -C DIR log`, `make -C DIR`.
      context.sink.path('read', value);
      context.sink.chdir(value);
    }
  for (const option of args.options) applyOption(option, args.spec.dashIsStream === true, context);
  if (spec.subcommands && args.operands.length > 0) {
    runAnalyser(spec, args, context);
    return applySubcommand(spec, args, context);
  }
  if (args.uncertain && compiled.hasHarmfulOption && !runsRest(compiled.operands)) {
    context.sink.unknown('a word with an unknown value may be an option');
  }
  if (spec.optionsFirst && (args.uncertain || args.options.some(({ operandsBefore }) => operandsBefore > 0)))
    context.sink.unknown(`${context.name}: an option after an operand does not apply to that operand`);
  const chosen = compiled.variants.find((variant) => args.options.some((option) => variant.names.has(option.name)));
  const alone = args.operands.length === 0 ? spec.alone : undefined;
  const does = chosen?.variant.does ?? alone ?? spec.does;
  applyAlways(does, spec.summary, context);
  applyOperands(chosen?.operands ?? compiled.operands, args, context);
  runAnalyser(spec, args, context);
  return {
    summary: spec.summary,
    invocation: describeInvocation(context.name, args, context.step),
    class: chosen?.variant.class ?? spec.class,
    mayFetch: does?.includes('fetch') === true,
    isFilter: readsOperands(chosen?.operands ?? compiled.operands),
  };
}

function runAnalyser(spec: CommandSpec, args: ParsedArguments, context: ApplyContext): void {
  if (spec.program === undefined) return;
  const analyse = context.programs().get(spec.program);
  if (analyse) analyse(args, context.sink);
  else context.sink.unknown(`no analyzer for ${spec.program}`);
}

function applySubcommand(spec: CommandSpec, args: Arguments, context: ApplyContext): Applied {
  const word = args.operands[0];
  const chosen = word?.kind === 'literal' && !args.uncertain ? findSubcommand(spec, word.value) : null;
  if (chosen === null || word?.kind !== 'literal') {
    context.sink.unknown(`${context.name}: an unknown subcommand`);
    const invocation = describeInvocation(context.name, args, context.step);
    return { summary: spec.summary, invocation, class: 'unknown', mayFetch: false, isFilter: false };
  }
  const step = { name: context.name, args, before: context.step };
  return applySpec(chosen, args.operands.slice(1), { ...context, name: `${context.name} ${word.value}`, step });
}

function findSubcommand(spec: CommandSpec, name: string): CommandSpec | null {
  const table = spec.subcommands ?? {};
  let row = Object.hasOwn(table, name) ? table[name] : undefined;
  for (let hops = 0; typeof row === 'string' && hops < 4; hops++)
    row = Object.hasOwn(table, row) ? table[row] : undefined;
  return row === undefined || typeof row === 'string' ? null : row;
}

function readsOperands(plan: OperandPlan): boolean {
  return plan.repeated === 'read' || plan.lead.includes('read');
}

function runsRest(plan: OperandPlan): boolean {
  return plan.repeated === 'command';
}

function applyOption(parsed: MatchedOption, isDashStream: boolean, context: ApplyContext): void {
  if (!parsed.known) {
    context.sink.unknown(`${context.name}: the option ${parsed.name} is not in the table`);
    return;
  }
  const option = parsed.option;
  if (option === null) return;
  if (option.role === 'command' && parsed.value) {
    // Which of the following words belong to it is up to the program.
    const rest: WordValue = { kind: 'dynamic', head: '', many: true, span: parsed.span };
    context.sink.run([parsed.value, rest], `${context.name} ${option.name}`);
  } else if (option.effect) applyFlag(option.effect, `${context.name} ${option.name}`, context.sink);
  else if (parsed.value && option.role !== 'value' && option.role !== 'chdir') {
    const value = asTarget(parsed.value, option.role, isDashStream);
    applyRole(option.role, value, `${context.name} ${option.name}`, context.sink);
  } else if (option.value === 'optional' && !parsed.value)
    applyBareOption(option.role, `${context.name} ${option.name}`, context.sink);
}

/** An option with an optional value that was omitted: it still has its effect, on a file of its own choice. */
function applyBareOption(role: Role, what: string, sink: EffectSink): void {
  if (role === 'value' || role === 'read' || role === 'read/') return;
  if (role === 'change') sink.changes(`apply \`${what}\``);
  else sink.unknown(`${what} chooses another target`);
}

function applyFlag(effect: FlagEffect, what: string, sink: EffectSink): void {
  switch (effect) {
    case 'change':
      sink.changes(`apply \`${what}\``);
      return;
    case 'network':
      sink.network();
      return;
    case 'hook':
      sink.executes('hook', null);
      return;
    case 'secret':
      sink.discloses('environment');
      return;
    case 'privilege':
      sink.privilege();
      return;
    case 'unknown':
      sink.unknown(`${what} has unknown effects`);
      return;
    default:
      effect satisfies never;
  }
}

function applyAlways(does: string | undefined, summary: string, context: ApplyContext): void {
  if (does === undefined || does === '') return;
  for (const word of does.split(' ')) {
    if (word === 'change') context.sink.changes(summary);
    else if (word === 'network' || word === 'fetch') context.sink.network();
    else if (word === 'execute') context.sink.executes('hook', null);
    else if (word === 'privilege') context.sink.privilege();
    else if (word === 'secret') context.sink.discloses('environment');
    else context.sink.unknown(`${context.name} has unknown effects`);
  }
}

function applyOperands(plan: OperandPlan, args: Arguments, context: ApplyContext): void {
  const { operands } = args;
  const { lead, repeated, trail } = plan;
  const trailStart = Math.max(lead.length, operands.length - trail.length);
  const isDashName = args.spec.dashIsName === true;
  let spread = -1;
  for (let i = 0; i < operands.length; i++) {
    const word = asName(operands[i] as WordValue, isDashName);
    const role = i < lead.length ? lead[i] : i >= trailStart && trail.length > 0 ? trail[i - trailStart] : repeated;
    if (role === 'command') {
      runCommand(operands.slice(i), operands.slice(0, i), args, context);
      return;
    }
    if (spread === -1 && isSpread(word)) spread = i;
    if (spread !== -1) applyPossibleRoles(plan, spread, operands.length - 1 - i, word, context);
    if (role === null || role === undefined) context.sink.unknown(`${context.name}: too many operands`);
    else if (spread === -1)
      applyRole(role, asTarget(word, role, args.spec.dashIsStream === true), context.name, context.sink);
  }
}

function asName(word: WordValue, isDashName: boolean): WordValue {
  return isDashName && word.kind === 'literal' && word.value === '-' ? { ...word, value: './-' } : word;
}

/** `sort -o -` writes a file of that name; only some programs mean standard output. */
function asTarget(word: WordValue, role: Role, isDashStream: boolean): WordValue {
  return asName(word, !isDashStream && (role === 'write' || role === 'write/' || role === 'remote-write'));
}

/** An unknown number of words, so that everything after it may be at another position. */
function isSpread(word: WordValue): boolean {
  return word.kind === 'pattern' || (word.kind === 'dynamic' && word.many);
}

/** Roles counted from the end are certain; all others are possible. */
function applyPossibleRoles(
  plan: OperandPlan,
  from: number,
  after: number,
  word: WordValue,
  context: ApplyContext,
): void {
  const { lead, repeated, trail } = plan;
  const fromEnd = after < trail.length && !isSpread(word) ? [trail[trail.length - 1 - after]] : null;
  const possible = fromEnd ?? [...lead.slice(from), repeated, ...trail.slice(0, Math.max(0, trail.length - after))];
  for (const role of new Set(possible)) {
    if (role && role !== 'command') applyRole(role, word, context.name, context.sink);
  }
}

function runCommand(
  command: readonly WordValue[],
  before: readonly WordValue[],
  args: Arguments,
  context: ApplyContext,
): void {
  // An option that is not in the table may take the next word as its value.
  const isShifted =
    args.uncertain ||
    args.options.some((option) => !option.known) ||
    before.some((word) => word.kind === 'pattern' || (word.kind === 'dynamic' && word.many));
  const first = command[0];
  if (isShifted && first) {
    const message = `words with unknown values come before the command that ${context.name} runs`;
    context.sink.cannotTell('wrapper-arguments', message, first.span);
  }
  context.sink.run(command, context.name);
}

function applyRole(role: Role, word: WordValue, what: string, sink: EffectSink): void {
  switch (role) {
    case 'value':
      return;
    case 'read':
    case 'write':
    case 'delete':
    case 'edit':
    case 'move':
      sink.path(role, word);
      return;
    case 'read/':
    case 'write/':
    case 'delete/':
    case 'edit/':
      sink.path(role.slice(0, -1) as 'read' | 'write' | 'delete' | 'edit', word, { recursive: true });
      return;
    case 'chdir':
      sink.chdir(word);
      return;
    case 'program':
      sink.executes('program', word);
      return;
    case 'shell':
      sink.shell(word, what);
      return;
    case 'file':
    case 'library':
      sink.path('read', word);
      sink.executes('file', word);
      return;
    case 'code':
      sink.executes('code', word);
      return;
    case 'command':
      sink.run([word], what);
      return;
    case 'host':
      sink.host(word);
      return;
    case 'url':
      sink.url(word);
      return;
    case 'remote-read':
      sink.remote('read', word);
      return;
    case 'remote-write':
      sink.remote('write', word);
      return;
    case 'hook':
      sink.executes('hook', word);
      return;
    case 'change':
    case 'network':
    case 'secret':
    case 'unknown':
      applyFlag(role, what, sink);
      return;
    default:
      role satisfies never;
  }
}
