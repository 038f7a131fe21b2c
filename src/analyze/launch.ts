// A program with its words: looked up in the table, its words parsed, its effects reported.

import type { Span, WordValue } from '../core/facts.ts';
import { wordSet } from '../core/values/once.ts';
import type { CommandSpec } from './commands/spec.ts';
import { findCommand } from './commands/table.ts';
import type { Draft } from './effects/draft.ts';
import { foldPath } from './effects/paths.ts';
import { DraftSink } from './effects/sink.ts';
import { environmentRisk, mayRead } from './environment.ts';
import type { Expansion } from './machine.ts';
import { literal, literalWord } from './programs/program.ts';
import { programs } from './programs/registry.ts';
import { applySpec } from './specs/apply.ts';

/** Folders whose programs match their names. */
const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$|^\/opt\/homebrew\/bin\/([^/]+)$/;

const RUNS_ITS_WORDS = new Set(['command', 'exec', 'builtin', 'eval']);

export function launch(words: readonly WordValue[], draft: Draft, x: Expansion): void {
  draft.kind = 'program';
  addEnvironmentEffects(words, draft, x);
  const spec = describeProgram(words, draft, x);
  if (draft.name !== null && READS_SOME.has(draft.name) && draft.reads.length === 0) checkScriptInput(draft, x);
  if (spec?.shellOnly && draft.name !== null) judgeNamesake(draft.name, words, draft, x);
}

/** Without a file they read standard input, and maybe not to its end. */
const READS_SOME = wordSet(
  'head dd sed awk gawk mawk nawk grep egrep fgrep rg perl python python3 node ruby php less more bc dc ed ex vi vim od xxd ' +
    'hexdump cmp diff split csplit ssh',
);

/** `bash <<< $'read x\ncat <<E\n…'`: what a command reads is not run, and the rest then means something else. */
export function checkScriptInput({ span }: { readonly span: Span }, x: Expansion): void {
  if (x.scope.stdin.kind !== 'script') return;
  const message = 'the command reads some of the text that the shell is about to run';
  x.machine.recorder.cannotTell('code-from-input', message, span);
}

/** `timeout 5 command rm x`: some systems have programs with the names of builtins, and they do the same. */
function judgeNamesake(name: string, words: readonly WordValue[], draft: Draft, x: Expansion): void {
  draft.class = 'unknown';
  draft.add('unknown', `${name} is a shell builtin, but is started as a program here`);
  if (!RUNS_ITS_WORDS.has(name)) return;
  const start = words.findIndex((word, i) => i > 0 && !(word.kind === 'literal' && word.value.startsWith('-')));
  if (start === -1) return;
  const sink = new DraftSink(draft, x.machine, x.state, x.scope);
  const inner = words.slice(start);
  if (name !== 'eval') sink.run(inner, name);
  else if (inner.every((word) => word.kind === 'literal')) {
    sink.shell(literalWord(inner.map((word) => word.value).join(' '), inner[0] as WordValue), name);
  }
}

/** Applies the table row of a command, whether it runs as a program or as a builtin. */
export function describeProgram(words: readonly WordValue[], draft: Draft, x: Expansion): CommandSpec | null {
  const first = words[0];
  const path = first?.kind === 'literal' ? first.value : '';
  const name = programName(path);
  draft.name = name ?? baseName(path);
  const spec = name === null ? null : findCommand(name);
  if (spec === null || name === null) {
    unknownProgram(path, draft);
    return null;
  }
  const sink = new DraftSink(draft, x.machine, x.state, x.scope);
  const applied = applySpec(spec, words.slice(1), { name, sink, programs, step: null });
  draft.summary = applied.summary;
  draft.invocation = applied.invocation;
  draft.class = applied.class;
  draft.mayFetch = applied.mayFetch;
  draft.isFilter = applied.isFilter && applied.class === 'read';
  sink.finish();
  return spec;
}

function unknownProgram(path: string, draft: Draft): void {
  draft.class = 'unknown';
  if (path.includes('/')) {
    draft.add('unknown', 'a program given by its path');
    draft.add('executes', { kind: 'file', text: path });
  } else draft.add('unknown', 'the program is not in the table');
}

/** `null` if a path leads to a program that only shares the name of a known one. */
function programName(path: string): string | null {
  if (!path.includes('/')) return path;
  const match = SYSTEM_FOLDER.exec(foldPath(path));
  return match ? (match[1] ?? match[2] ?? null) : null;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Effects of the environment of a program, from the assignments before it and from exported variables. */
function addEnvironmentEffects(words: readonly WordValue[], draft: Draft, x: Expansion): void {
  const program = programName(literal(words[0]) ?? './');
  if (x.state.lookup !== 'default') draft.add('unknown', 'PATH was changed earlier, so another program may run');
  for (const { name, value } of draft.assignments) addRisk(draft, program, name, value);
  for (const name of x.state.exported.keys()) {
    if (!draft.assignments.some((assignment) => assignment.name === name)) addRisk(draft, program, name, null);
  }
}

function addRisk(draft: Draft, program: string | null, name: string, value: string | null): void {
  const risk = environmentRisk(name, value);
  if (risk === 'executes') draft.add('executes', { kind: 'hook', text: name });
  else if (risk === 'unknown' && mayRead(program, name))
    draft.add('unknown', `the effect of ${name} on this program is unknown`);
}
