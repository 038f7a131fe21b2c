// A deletion whose path is not in the facts, but is written nearby → the paths it will get.
// Names come from a pipe (`find / | xargs rm`), a substitution, a loop over a glob, a default value, or a program
// that is not in the table. Only literal paths count: an unknown path is asked about anyway.

import { posix } from 'node:path';
import type { CommandFact, Facts, PathEffect } from '../../../../core/facts.ts';
import { wordSet } from '../../../../core/values/once.ts';
import type { Subject } from '../../../check.ts';
import { hasOption } from '../terms/words.ts';

export interface NamedDeletion {
  readonly effect: PathEffect;
  /** The command that names it: a `find` may filter by tests. */
  readonly by: CommandFact;
}

const NONE: readonly NamedDeletion[] = [];
/** With the word that must come first to delete; the words after it are deleted. */
const REMOVERS: ReadonlyMap<string, RegExp | null> = new Map<string, RegExp | null>([
  ...'rimraf premove trash trash-put rmtrash gvfs-trash del del-cli safe-rm srm wipe gomi rip'
    .split(' ')
    .map((name): [string, null] => [name, null]),
  ['gio', /^(?:trash|remove)$/],
  ['shx', /^rm$/],
  ['yarn', /^(?:rimraf|del|del-cli|trash)$/],
  ['kioclient5', /^remove$/],
]);
/** Commands of a pipe that pass on every name they read. */
const HANDS_ON = wordSet('sort uniq cat tac tee shuf tr xargs parallel read sudo env nice command');

const known = new WeakMap<CommandFact, readonly NamedDeletion[]>();

export function namedDeletions(command: CommandFact, subject: Subject): readonly NamedDeletion[] {
  const { name, effects } = command;
  if (effects.deletes.length === 0) {
    return name !== null && REMOVERS.has(name) ? operandsAsDeletions(command, subject) : NONE;
  }
  if (name === 'git' || !effects.deletes.some(({ path }) => path === null)) return NONE;
  const found = known.get(command) ?? findNames(command, subject);
  known.set(command, found);
  return found;
}

function operandsAsDeletions(command: CommandFact, subject: Subject): readonly NamedDeletion[] {
  const verb = REMOVERS.get(command.name ?? '') ?? null;
  let words = command.words.slice(1);
  if (verb !== null && !(words[0]?.kind === 'literal' && verb.test(words[0].value))) return NONE;
  if (verb !== null) words = words.slice(1);
  return words.flatMap((word) => {
    if (word.kind === 'dynamic' || (word.kind === 'literal' && word.value.startsWith('-'))) return [];
    return toDeletions(word.kind === 'pattern' ? word.glob : word.value, command, subject);
  });
}

function findNames(command: CommandFact, subject: Subject): readonly NamedDeletion[] {
  const defaults = defaultValues(command, subject);
  if (!isGivenWhole(command, subject)) return defaults;
  const names = [...defaults, ...loopWords(command, subject)];
  for (const source of sourcesOf(command, subject)) names.push(...listedBy(source, subject));
  return names;
}

const PLAIN_VARIABLE = /^"?\$(?:\w+|\{\w+\})"?\/?$/;
const SUBSTITUTION = /^"?(?:\$\(.*\)|`.*`)"?$/s;

/** Whether one of its words is exactly a name from the input, without prefix or suffix. */
function isGivenWhole(command: CommandFact, { facts }: Subject): boolean {
  const carrier = command.parent === null ? undefined : facts.commands[command.parent];
  if (carrier?.name === 'xargs' || carrier?.name === 'parallel') {
    const mark = carrier.invocation?.options.find(({ names }) => names.includes('-I'))?.value ?? '{}';
    return carrier.argv.every((word) => word === null || word === mark || word === `-I${mark}` || !word.includes(mark));
  }
  return command.words.some(({ kind, span }) => {
    if (kind !== 'dynamic') return false;
    const text = facts.command.slice(span[0], span[1]);
    return PLAIN_VARIABLE.test(text) || SUBSTITUTION.test(text) || isCodeOf(carrier, span);
  });
}

/** Words in code inside a word have the span of that word. */
const isCodeOf = (carrier: CommandFact | undefined, [start, end]: readonly [number, number]) =>
  carrier?.words.some(({ span, kind }) => kind === 'literal' && span[0] === start && span[1] === end) === true;

/** Its sources in the pipe, or in a substitution in its words; empty if names are filtered on the way. */
function sourcesOf(command: CommandFact, { facts }: Subject): readonly CommandFact[] {
  const { order, inside, pipes } = indexOf(facts);
  const at = order.get(command) ?? 0;
  const pipe = command.pipeline === null ? [] : (pipes.get(command.pipeline) ?? []);
  const before = pipe.filter((each) => (order.get(each) ?? 0) < at);
  const isOne = (among: readonly CommandFact[]) =>
    among.length > 0 && among.slice(1).every(({ name }) => name !== null && HANDS_ON.has(name));
  return [inside.get(at) ?? [], before].flatMap((among) => (isOne(among) ? [among[0] as CommandFact] : []));
}

interface Loop {
  readonly words: readonly string[];
  /** The variable, used unchanged. */
  readonly use: RegExp;
}

interface FactIndex {
  readonly order: ReadonlyMap<CommandFact, number>;
  readonly inside: ReadonlyMap<number, readonly CommandFact[]>;
  readonly pipes: ReadonlyMap<number, readonly CommandFact[]>;
  readonly loops: readonly Loop[];
  readonly loopWords: Map<string, readonly string[]>;
}

const indexes = new WeakMap<Facts, FactIndex>();

function indexOf(facts: Facts): FactIndex {
  const made = indexes.get(facts);
  if (made !== undefined) return made;
  const order = new Map<CommandFact, number>();
  const inside = new Map<number, CommandFact[]>();
  const pipes = new Map<number, CommandFact[]>();
  for (const [i, command] of facts.commands.entries()) {
    order.set(command, i);
    const { parent, pipeline, via } = command;
    if (parent !== null && via.at(-1) === '$( )') append(inside, parent, command);
    if (parent === null && pipeline !== null) append(pipes, pipeline, command);
  }
  const index = {
    order,
    inside,
    pipes,
    loops: loopsIn(facts.command),
    loopWords: new Map<string, readonly string[]>(),
  };
  indexes.set(facts, index);
  return index;
}

function append(lists: Map<number, CommandFact[]>, key: number, command: CommandFact): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [command]);
  else list.push(command);
}

const LOOP = /\bfor\s+(\w{1,64})\s+in\s([^;\n]{0,2000})/g;
const MAX_LOOPS = 50;

/** The words of a loop are not in the facts if they contain a glob; the text is close enough. */
function loopsIn(text: string): readonly Loop[] {
  const loops: Loop[] = [];
  if (!text.includes('for')) return loops;
  for (const [, name, list] of text.matchAll(LOOP)) {
    const words = (list as string).split(/\s+/).filter((word) => /[*?[]/.test(word));
    const use = new RegExp(`\\$(?:${name}(?!\\w)|\\{${name}\\})(?!/?[\\w./*-])`);
    if (words.length > 0) loops.push({ words, use });
    if (loops.length === MAX_LOOPS) break;
  }
  return loops;
}

function listedBy(source: CommandFact, subject: Subject): readonly NamedDeletion[] {
  switch (source.name) {
    case 'echo':
    case 'printf':
      return source.words.slice(1).flatMap((word) => {
        if (word.kind === 'pattern') return toDeletions(word.glob, source, subject);
        if (word.kind === 'dynamic') return [];
        const lines = word.value.split(/\s+|\\[n0]/).filter((line) => line !== '' && !/^[-%]/.test(line));
        return lines.flatMap((line) => toDeletions(line, source, subject));
      });
    case 'find':
    case 'fd':
      return source.effects.reads.map((effect) => ({ effect: { ...effect, recursive: true }, by: source }));
    case 'ls':
      // Without `-d` or a glob it prints names relative to another folder.
      return source.effects.reads
        .filter(({ glob }) => glob === true || hasOption(source, '-d', '--directory'))
        .map((effect) => ({ effect: { ...effect, recursive: true }, by: source }));
    default:
      return NONE;
  }
}

function loopWords(command: CommandFact, subject: Subject): readonly NamedDeletion[] {
  const { loops, loopWords: answered } = indexOf(subject.facts);
  if (loops.length === 0) return NONE;
  return command.words.flatMap(({ kind, span }) => {
    if (kind !== 'dynamic') return [];
    const key = span.join();
    let words = answered.get(key);
    if (words === undefined) {
      const text = subject.facts.command.slice(span[0], span[1]);
      words = [...new Set(loops.filter(({ use }) => use.test(text)).flatMap((loop) => loop.words))];
      answered.set(key, words);
    }
    return words.flatMap((word) => toDeletions(unquoted(word), command, subject));
  });
}

const DEFAULT = /\$\{\w{1,64}:?[-=]([^{}]{0,200})\}/g;

/** `${X:-/}`: the default value is in the text. */
function defaultValues(command: CommandFact, subject: Subject): readonly NamedDeletion[] {
  return command.words.flatMap(({ kind, span }) => {
    if (kind !== 'dynamic' || span[1] - span[0] > 1000) return [];
    const text = subject.facts.command.slice(span[0], span[1]);
    const filled = text.replace(DEFAULT, '$1');
    return filled === text ? [] : toDeletions(unquoted(filled), command, subject);
  });
}

const unquoted = (word: string) => word.replace(/["']/g, '');

function toDeletions(word: string, by: CommandFact, { context }: Subject): readonly NamedDeletion[] {
  const path = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => context.home ?? '~');
  if (path === '' || /[$`~]/.test(path)) return NONE;
  const isGlob = /[*?[{]/.test(path);
  return (by.cwd ?? [context.cwd]).map((cwd) => ({
    effect: { path: posix.resolve(cwd, path), recursive: true, ...(isGlob ? { glob: true as const } : {}) },
    by,
  }));
}
