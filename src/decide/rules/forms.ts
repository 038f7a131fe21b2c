// A command fact → the word sequences that rules are compared with, and its options and environment.
// A ban sees more forms than a permission: more forms mean more matches.

import type { CommandFact, Facts, Invocation } from '../../core/facts.ts';
import { wordSet } from '../../core/values/once.ts';
import type { BashPattern } from './patterns/bash-pattern.ts';

/** An unknown word: it starts with `head`; `isMany`: it may be no word or several. */
export interface Hole {
  readonly head: string;
  readonly isMany: boolean;
}
export type FormWord = string | Hole;
export type Form = readonly FormWord[];

const ANY_WORDS: Hole = { head: '', isMany: true };

function formOf(fact: CommandFact): Form {
  const { argv, words } = fact;
  if (words.length !== argv.length) return argv.map((word) => word ?? ANY_WORDS);
  return argv.map((word, i) => {
    const value = words[i];
    if (word !== null || value === undefined || value.kind === 'literal') return word ?? ANY_WORDS;
    return { head: value.head, isMany: value.kind === 'pattern' || value.many };
  });
}

/** What a ban is compared with: as written, without the folder of the program, without options before the subcommand. */
export function strictForms(fact: CommandFact, home: string | null): readonly Form[] {
  const form = formOf(fact);
  const forms: Form[] = [form];
  if (fact.name !== null && fact.name !== form[0]) forms.push([fact.name, ...form.slice(1)]);
  const { invocation } = fact;
  if (invocation !== null && form.length > 0) {
    const { path } = invocation;
    const at = endOfPath(fact, invocation) ?? looseEndOfPath(form, path);
    if (at !== null && (at > path.length || path[0] !== form[0])) forms.push([...path, ...form.slice(at)]);
  }
  return withTilde(forms, home);
}

/** What a permission is compared with. Options before the subcommand are left out only if they have no effect. */
export function allowForms(fact: CommandFact, home: string | null): readonly Form[] {
  const form = formOf(fact);
  const { invocation } = fact;
  if (invocation === null || invocation.leading.length === 0 || invocation.path[0] !== form[0]) {
    return withTilde([form], home);
  }
  const at = endOfPath(fact, invocation);
  const isPlain = invocation.isCertain && invocation.leading.every(isPlainLeading) && fact.effects.unknown.length === 0;
  const forms = at === null || !isPlain ? [form] : [form, [...invocation.path, ...form.slice(at)]];
  return withTilde(forms, home);
}

// In the table every option without an effect is plain, including `git -c core.sshCommand=x`:
// one with a value counts only if the value is a folder.
function isPlainLeading({ names, value, isPlain }: Invocation['options'][number]): boolean {
  return isPlain && (names.includes('-C') || (value === null && !names.some((name) => TAKES_VALUE.has(name))));
}

const TAKES_VALUE = new Set(['-c', '--config-env', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--bare']);

/** Index in argv after the last subcommand; `null` if the words and the options do not add up. */
function endOfPath({ argv }: CommandFact, { path, leading, isCertain }: Invocation): number | null {
  let at = 1;
  let option = 0;
  for (let step = 1; step < path.length; at++) {
    const word = argv[at];
    const given = leading[option];
    if (word === undefined || word === null) return null;
    if (given !== undefined && word.startsWith('-')) {
      option++;
      if (!given.names.includes(word)) continue;
      const next = argv[at + 1];
      if (next === given.value && (next !== null || isCertain)) at++;
    } else if (word === path[step]) step++;
    else return null;
  }
  return option === leading.length ? at : null;
}

/** If the options cannot be parsed: right after the first such words. */
function looseEndOfPath(form: Form, path: readonly string[]): number | null {
  let at = 1;
  for (const word of path.slice(1)) {
    while (at < form.length && form[at] !== word) at++;
    if (at === form.length) return null;
    at++;
  }
  return at;
}

/** `~/x` in a rule is the home folder, which is absolute in the words of a command. */
function withTilde(forms: readonly Form[], home: string | null): readonly Form[] {
  if (home === null || home === '/') return forms;
  const isBelow = (word: FormWord) => typeof word === 'string' && (word === home || word.startsWith(`${home}/`));
  return forms.flatMap((form) => {
    if (!form.some(isBelow)) return [form];
    return [form, form.map((word) => (isBelow(word) ? `~${(word as string).slice(home.length)}` : word))];
  });
}

export type FlagState = 'given' | 'absent' | 'unsure';

/** Whether a flag is given, in any spelling in the table of commands. */
export function flagState({ argv, invocation }: CommandFact, flag: string): FlagState {
  const isLong = flag.startsWith('--');
  if (invocation !== null) {
    for (const options of [invocation.options, invocation.leading]) {
      for (const { names } of options) {
        if (names.includes(flag)) return 'given';
        const name = (names[0] as string).replace(/=.*$/s, '');
        // An option that is not in the table may be an abbreviated long name.
        if (isLong && names.length === 1 && name.length > 2 && flag.startsWith(name)) return 'given';
      }
    }
  }
  // `find` parses its flags as an expression, and an unknown program is not in the table.
  for (const word of argv) {
    if (word === '--') break;
    if (word === flag && (invocation === null || invocation.operands.includes(word))) return 'given';
    if (invocation === null && isLong && word?.startsWith(`${flag}=`)) return 'given';
  }
  return invocation?.isCertain ? 'absent' : 'unsure';
}

/** Variables that change how a program displays or tunes things, never what it runs. */
const SAFE_NAMES = wordSet(
  'NODE_ENV LANG LANGUAGE TZ TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI DEBUG VERBOSE ' +
    'RUST_LOG RUST_BACKTRACE CARGO_TERM_COLOR GOOS GOARCH CGO_ENABLED GO111MODULE PYTHONUNBUFFERED ' +
    'PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT HUSKY ' +
    'DEBIAN_FRONTEND DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO HOMEBREW_NO_AUTO_UPDATE SOURCE_DATE_EPOCH PORT ' +
    'NEXT_TELEMETRY_DISABLED DO_NOT_TRACK TF_IN_AUTOMATION TF_INPUT MIX_ENV RAILS_ENV RACK_ENV APP_ENV',
);

export function isSafeVariable(name: string): boolean {
  return SAFE_NAMES.has(name) || /^LC_[A-Z]+$/.test(name);
}

/** Names in the environment of a command that a permission does not cover automatically. */
export function unsafeVariables(facts: Facts, fact: CommandFact): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { name } of fact.assignments) names.add(name);
  // A wrapper passes its variables on.
  for (let at = fact.parent, left = 16; at !== null && left > 0; left--) {
    const parent = facts.commands[at];
    for (const { name } of parent?.assignments ?? []) names.add(`${name} (inherited)`);
    at = parent?.parent ?? null;
  }
  // Variables exported earlier are visible only here.
  for (const { kind, text } of fact.effects.executes) {
    if (kind === 'hook' && text !== null && VARIABLE.test(text)) names.add(text);
  }
  for (const text of fact.effects.unknown) {
    const name = /^the effect of (\S+) on this program is unknown$/.exec(text)?.[1];
    if (name !== undefined) names.add(name);
    else if (text.startsWith('PATH was changed')) names.add('PATH');
  }
  for (const name of names) if (isSafeVariable(name.replace(' (inherited)', ''))) names.delete(name);
  return names;
}

const VARIABLE = /^(?:[A-Z_][A-Z0-9_]*|npm_config_\w+|(?:http|https|all)_proxy)$/;

/** Whether the assignments of a rule are present, with its values. */
export function hasAssignments(pattern: BashPattern, fact: CommandFact): boolean {
  return pattern.assignments.every(({ name, value }) =>
    fact.assignments.some((given) => given.name === name && (value === null || given.value === value)),
  );
}
