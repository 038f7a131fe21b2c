// The words of a command that lists or searches files → which names pass its filters, as far as known.

import type { CommandFact } from '../../../../core/facts.ts';
import { secretTable } from '../../../paths/tables/secret-paths.ts';
import { canMatchName, canMatchText, type NameFilter, surelyMatchesName } from './patterns.ts';

/** `--include`, `--exclude`, `-g`, `-t`: name filters. A name that may be requested is never excluded. */
export function ownFilter(command: CommandFact): NameFilter {
  const globs = [
    ...valuesOf(command, '--include', '-g', '--glob', '--iglob'),
    ...valuesOf(command, '--exclude').map((glob) => (glob === null ? null : `!${glob}`)),
    ...(isFd(command) ? fdExtensions(command).map((end) => (end === null ? null : `*.${end}`)) : []),
  ];
  const wanted = globs.filter((glob) => glob === null || !glob.startsWith('!'));
  const types = command.name === 'rg' ? valuesOf(command, '-t', '--type') : [];
  return (name) => {
    if (types.length > 0 && !types.includes(null) && !types.includes('all') && name.startsWith('.')) return false;
    if (wanted.length > 0) return wanted.some((glob) => glob === null || canMatchName(glob, name));
    return !globs.some((glob) => glob !== null && surelyMatchesName(glob.slice(1), name));
  };
}

export function isFd({ name }: CommandFact): boolean {
  return name === 'fd' || name === 'fdfind';
}

/** fd has no table of options. */
function fdExtensions({ argv }: CommandFact): readonly (string | null)[] {
  return argv.flatMap((word, i) => (argv[i - 1] === '-e' || argv[i - 1] === '--extension' ? [word] : []));
}

export function fdSeesHidden({ argv }: CommandFact): boolean {
  return argv.some((word) => word === null || /^(?:-[a-zA-Z]*[Hu].*|--hidden|--unrestricted)$/.test(word));
}

const MAX_KNOWN = 500;
const known = new Map<string, boolean>();

/** `*.ts` and the like are frequent. */
function mayNameSecret(glob: string): boolean {
  let answer = known.get(glob);
  if (answer === undefined) {
    const found = secretTable().findInGlob(`/${glob}`, null);
    answer = found !== null && found.what !== null;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(glob, answer);
  }
  return answer;
}

/**
 * The tests of find on names; `null`: no secret has such a name, so the disk is not read.
 * Each branch of an `-o` must have a test, otherwise all files may pass.
 */
export function findFilter({ argv }: CommandFact, ownSecrets: readonly string[]): NameFilter | null {
  const wanted: (string | null)[] = [];
  let branches = 1;
  for (const [i, word] of argv.entries()) {
    if (word === '-o' || word === '-or' || word === ',') branches++;
    if (word !== '-name' && word !== '-iname') continue;
    if (argv[i - 1] !== '!' && argv[i - 1] !== '-not') wanted.push(argv[i + 1] ?? null);
  }
  if (wanted.length < branches) return () => true;
  if (ownSecrets.length === 0 && wanted.every((glob) => glob !== null && !mayNameSecret(glob))) return null;
  return (name) => wanted.some((glob) => glob === null || canMatchName(glob, name));
}

export function patternsOf(command: CommandFact): readonly (string | null)[] {
  const given = valuesOf(command, '-e', '--regexp');
  return given.length > 0 ? given : [command.invocation?.operands[0] ?? null];
}

/** `grep` as a filter of names: false only if the name certainly does not pass. */
export function passesGrep(command: CommandFact, name: string): boolean {
  if (has(command, '-f', '--file')) return true;
  const patterns = patternsOf(command);
  if (has(command, '-v'))
    return !patterns.some((each) => each !== null && /^[\w-]+$/.test(each) && name.includes(each));
  return patterns.some((pattern) => pattern === null || canMatchText(pattern, name));
}

export function has({ invocation }: CommandFact, ...wanted: readonly string[]): boolean {
  return invocation?.options.some(({ names: spelled }) => spelled.some((each) => wanted.includes(each))) === true;
}

function valuesOf({ invocation }: CommandFact, ...wanted: readonly string[]): readonly (string | null)[] {
  return (invocation?.options ?? []).flatMap(({ names: spelled, value }) =>
    spelled.some((each) => wanted.includes(each)) ? [value] : [],
  );
}
