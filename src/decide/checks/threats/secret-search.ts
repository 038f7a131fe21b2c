// Commands that would print a secret without naming it: searches below a folder, `find -exec cat`, `… | xargs cat`.
// Asked only if that folder directly contains such a file and the search matches its content: most searches
// are harmless and should not cause questions.

import { posix } from 'node:path';
import type { CommandFact, Facts } from '../../../core/facts.ts';
import type { Check, Subject } from '../../check.ts';
import { showsNoContent } from '../../paths/listings.ts';
import { tableOfPolicy } from '../../paths/tables/path-table.ts';
import { secretTable, secretWords } from '../../paths/tables/secret-paths.ts';
import { names } from '../safety/terms/words.ts';
import { fdSeesHidden, findFilter, has, isFd, ownFilter, passesGrep, patternsOf } from './terms/listed-names.ts';
import { canMatchText, type NameFilter } from './terms/patterns.ts';

const P = '/home/u/project';
const ENV = { [`${P}/.env`]: 'DB_PASSWORD=hunter2\nAPI_KEY=abc\n' };
const TEXT_LIMIT_BYTES = 65_536;

export const SECRET_SEARCH_CHECKS: readonly Check[] = [
  {
    id: 'secret-search',
    layer: 'threats',
    severity: 'high',
    verdict: 'ask',
    message: 'This prints the content of a file that contains secrets, without naming the file.',
    instead: 'Exclude the file (`--exclude=.env`), or print only the names of files (`-l`).',
    inspect(command, subject) {
      const { context, facts } = subject;
      if (context.probe === null || !mayShow(command, facts) || command.elsewhere !== null || showsNoContent(command))
        return null;
      const search = searchOf(command, subject);
      if (search === null) return null;
      const file = search.folders.map((folder) => findSecret(folder, search, subject)).find((found) => found !== null);
      return file === undefined
        ? null
        : { span: command.span, message: `It would print lines of ${file}.`, confidence: 0.8 };
    },
    examples: {
      matches: [
        { command: 'rg -uu .', files: ENV },
        { command: "rg --hidden ''", files: ENV },
        { command: 'rg -uu -i password', files: ENV },
        { command: 'grep -r API_KEY .', files: ENV },
        { command: 'grep -rn PASSWORD', files: ENV },
        { command: "grep -rE 'KEY|TOKEN' --exclude-dir=node_modules .", files: ENV },
        { command: 'grep -rv zzz .', files: ENV },
        { command: 'grep -r "$X" .', files: ENV },
        { command: 'ls -A | grep env | xargs cat', files: ENV },
        { command: 'ls -a | xargs head -5', files: ENV },
        { command: 'ls -A | grep -e zzz -e env | xargs cat', files: ENV },
        { command: "ls -A | grep -v '[x]env' | xargs cat", files: ENV },
        { command: 'find . -type f | xargs cat', files: ENV },
        { command: "find . -type f | xargs grep -h 'KEY'", files: ENV },
        { command: 'find . -type f -exec cat {} +', files: ENV },
        { command: "find . -name '.*' -type f -exec cat {} +", files: ENV },
        { command: "find . -name '*.ts' -o -type f -exec cat {} +", files: ENV },
        { command: 'cat list | xargs cat', files: ENV },
        { command: 'fd -H -t f | xargs cat', files: ENV },
        { command: 'fd -H -x cat', files: ENV },
        { command: "rg --hidden -g '!.env' -g '.e*' KEY", files: ENV },
        { command: 'rg hunter', files: { [`${P}/secrets.yml`]: 'a: hunter2\n' } },
        { command: 'grep -r mine .', files: { [`${P}/own.txt`]: 'mine\n' }, policy: { secretPaths: ['own.txt'] } },
        {
          command: "find . -name '*.txt' -exec cat {} +",
          files: { [`${P}/own.txt`]: 'mine\n' },
          policy: { secretPaths: ['own.txt'] },
        },
      ],
      passes: [
        'grep -rn TODO .',
        'rg -uu .',
        'ls -A | grep env | xargs cat',
        { command: 'grep -rn TODO .', files: ENV },
        { command: 'grep -rn foo src/', files: ENV },
        { command: 'rg foo', files: ENV },
        { command: 'rg API_KEY', files: ENV },
        { command: "rg -uu 'function .*foo'", files: ENV },
        { command: 'grep -rl API_KEY .', files: ENV },
        { command: 'grep -rc API_KEY .', files: ENV },
        { command: "grep -rn API_KEY --include='*.ts' .", files: ENV },
        { command: 'grep -rn API_KEY --exclude=.env .', files: ENV },
        { command: "rg --hidden -g '*.ts' KEY", files: ENV },
        { command: "rg --hidden -g '!.env' KEY", files: ENV },
        { command: 'rg -l foo | xargs cat', files: ENV },
        { command: 'fd -H -e ts | xargs cat', files: ENV },
        { command: 'rg --hidden -t ts KEY', files: ENV },
        { command: 'rg -H KEY', files: ENV },
        { command: "find . -name '*.ts' | xargs cat", files: ENV },
        { command: "find . -name '*.ts' -not -path './node_modules/*' -exec grep -n KEY {} +", files: ENV },
        { command: "find . \\( -name '*.ts' -o -name '*.js' \\) -exec cat {} +", files: ENV },
        { command: 'find src -type f -exec cat {} +', files: ENV },
        { command: 'find . -type f | xargs wc -l', files: ENV },
        { command: 'find . -type f | xargs grep -l KEY', files: ENV },
        { command: 'git ls-files | xargs cat', files: ENV },
        { command: 'ls | xargs cat', files: ENV },
        { command: 'ls -A | grep -v env | xargs cat', files: ENV },
        { command: 'grep -r API_KEY .', files: { [`${P}/.env.example`]: 'API_KEY=\n' } },
        { command: 'grep -r API_KEY .', files: ENV, context: { probe: null } },
      ],
    },
  },
];

interface Search {
  readonly folders: readonly string[];
  /** The names that it reads, as far as known. */
  readonly filters: readonly NameFilter[];
  readonly seesHidden: boolean;
  /** Whether it prints any of this text. */
  readonly prints: (text: string | null) => boolean;
}

const GREPS = new Set(names('grep egrep fgrep rgrep rg ag ack'));
const PRINTS_NO_LINES = new Set(
  names(
    '-l -L -c -q --files-with-matches --files-without-match --count --count-matches --quiet --silent --files --type-list',
  ),
);

const NAMES_FILES = new Set(names('find fd fdfind xargs parallel'));

/** A quick test: most commands neither search nor get names from another command. */
function mayShow({ name, parent }: CommandFact, { commands }: Facts): boolean {
  if (name === null) return false;
  return GREPS.has(name) || (parent !== null && NAMES_FILES.has(commands[parent]?.name ?? ''));
}

function searchOf(command: CommandFact, subject: Subject): Search | null {
  const { facts, policy } = subject;
  const { name, effects, parent } = command;
  if (name === null || (effects.reads.length === 0 && !GREPS.has(name))) return null;
  const isGrep = GREPS.has(name);
  if (isGrep && printsNoLines(command)) return null;
  const prints: Search['prints'] = (text) => !isGrep || findsIn(command, text);
  const above = parent === null ? undefined : facts.commands[parent];
  const below = effects.reads.flatMap(({ path }) => (path?.endsWith('/**') ? [path.slice(0, -3) || '/'] : []));
  if (above?.name === 'find') {
    const filter = findFilter(above, policy.secretPaths);
    return filter === null ? null : { folders: below, filters: [filter], seesHidden: true, prints };
  }
  if (above !== undefined && isFd(above))
    return { folders: foldersOf(above), filters: [ownFilter(above)], seesHidden: fdSeesHidden(above), prints };
  if (above?.name === 'xargs' || above?.name === 'parallel')
    return effects.reads.some(({ path }) => path === null) ? searchOfList(above, subject, prints) : null;
  return GREPS.has(name) ? ownSearch(command, prints) : null;
}

/** A search that walks folders itself. */
function ownSearch(command: CommandFact, prints: Search['prints']): Search | null {
  const { name, effects, cwd } = command;
  const isRecursive = name === 'rg' || name === 'ag' || name === 'ack' || name === 'rgrep' || has(command, '-r', '-R');
  if (!isRecursive) return null;
  const below = effects.reads.flatMap(({ path, recursive }) => (recursive && path !== null ? [path] : []));
  // `grep -r x` searches the current folder; in a pipe rg searches its input.
  const isBare = effects.reads.length === 0 && (name?.includes('grep') === true || command.pipeline === null);
  const folders = isBare ? (cwd ?? []) : below;
  return { folders, filters: [ownFilter(command)], seesHidden: seesHidden(command), prints };
}

function seesHidden(command: CommandFact): boolean {
  const { name, invocation } = command;
  if (name?.includes('grep') === true) return true;
  if (isFd(command)) return fdSeesHidden(command);
  const unrestricted = invocation?.options.filter(({ names: spelled }) => spelled.includes('-u')).length ?? 0;
  return has(command, '--hidden', '-.') || unrestricted > (name === 'rg' ? 1 : 0);
}

function printsNoLines({ invocation }: CommandFact): boolean {
  return invocation?.options.some(({ names: spelled }) => spelled.some((each) => PRINTS_NO_LINES.has(each))) === true;
}

/** Whether a line of this text would be found. */
function findsIn(command: CommandFact, text: string | null): boolean {
  if (text === null || has(command, '-v', '-f', '--file')) return true;
  return patternsOf(command).some((pattern) => pattern === null || canMatchText(pattern, text));
}

/** Names come from the commands before it in the pipe. */
function searchOfList(xargs: CommandFact, { facts, policy }: Subject, prints: Search['prints']): Search | null {
  const { commands } = facts;
  if (xargs.pipeline === null) return null;
  const before = commands
    .slice(0, commands.indexOf(xargs))
    .filter(({ pipeline, parent }) => pipeline === xargs.pipeline && parent === xargs.parent);
  const [source, ...filters] = before;
  const here = xargs.cwd ?? [];
  if (source === undefined) return null;
  const onNames = filters.flatMap((filter): NameFilter[] =>
    filter.name === 'grep' ? [(name) => passesGrep(filter, name)] : [],
  );
  const found = (own: NameFilter, hidden: boolean, folders = here): Search => ({
    folders,
    filters: [own, ...onNames],
    seesHidden: hidden,
    prints,
  });
  const any: NameFilter = () => true;
  switch (source.name) {
    case 'ls':
      return source.invocation?.operands.length === 0 ? found(any, has(source, '-a', '-A', '-f')) : null;
    case 'find': {
      const filter = findFilter(source, policy.secretPaths);
      return filter === null ? null : found(filter, true, foldersOf(source));
    }
    case 'git':
      // Only file names lead to files: the words of `git log` are commits.
      if (source.invocation?.path[1] !== 'ls-files') return null;
      return has(source, '-o', '--others') && !has(source, '--exclude-standard') ? found(any, true) : null;
    case 'rg':
    case 'fd':
    case 'fdfind':
      return found(ownFilter(source), seesHidden(source));
    case 'cat':
      return found(any, true);
    default:
      return null;
  }
}

function findSecret(folder: string, search: Search, subject: Subject): string | null {
  const { context, policy } = subject;
  const own = policy.secretPaths.length === 0 ? null : tableOfPolicy(policy.secretPaths, subject);
  // Listing a folder that does not exist costs much more than this test.
  if (context.probe?.kind(folder) !== 'folder') return null;
  for (const name of context.probe.list(folder) ?? []) {
    if (name.startsWith('.') && !search.seesHidden) continue;
    const path = posix.join(folder, name);
    const isNamed = own !== null && own.find(path, context.home) !== null;
    if (!isNamed && !(secretWords().test(path) && isSecret(path, context.home))) continue;
    if (context.probe.kind(path) !== 'file' || !search.filters.every((passes) => passes(name))) continue;
    const text = context.probe.readText(path, TEXT_LIMIT_BYTES);
    // A certificate is not secret; only a key with the same suffix is.
    if (!isNamed && name.endsWith('.pem') && text !== null && !text.includes('PRIVATE KEY')) continue;
    if (search.prints(text)) return path;
  }
  return null;
}

function isSecret(path: string, home: string | null): boolean {
  const found = secretTable().find(path, home);
  return found !== null && found.what !== null;
}

function foldersOf({ effects }: CommandFact): readonly string[] {
  return effects.reads.flatMap(({ path }) => (path === null ? [] : [path]));
}
