// Folders in which nothing may run, and in which nothing may be written or deleted. Reading them is up to other checks.

import { posix } from 'node:path';
import type { CommandFact, PathEffect, Span } from '../../../core/facts.ts';
import { isAtOrBelow } from '../../../core/values/containment.ts';
import type { Check, ExampleWith, Hit, Subject } from '../../check.ts';
import { compileGlob, isGlob, matchesSegments, splitPath } from '../../paths/glob.ts';
import { judgePath } from '../../paths/place.ts';
import { isHarmlessDevice } from '../../paths/tables/public-places.ts';
import { operandsOf } from '../safety/terms/words.ts';
import { MCP_GUIDE_BLACKLIST } from './mcp-guide-lists.ts';

const GUIDE = { blacklist: MCP_GUIDE_BLACKLIST };
const closed = (command: string, folder = 'sub', files: ExampleWith['files'] = {}) => ({
  command,
  policy: { blacklist: { commands: [], directories: [`/home/u/project/${folder}`] } },
  files: { '/home/u/project/sub/f': '', ...files },
});
const guided = (command: string, cwd?: string) => ({ command, policy: GUIDE, ...(cwd === undefined ? {} : { cwd }) });

export const DIRECTORY_LIST_CHECKS: readonly Check[] = [
  {
    id: 'blacklisted-directory',
    layer: 'lists',
    severity: 'high',
    verdict: 'deny',
    message: 'The directory is blacklisted.',
    instead: 'Work in a folder of the project.',
    inspectWhole: directoryHits,
    examples: {
      matches: [
        ...[
          guided('ls', '/etc'),
          guided('ls', '/etc/nginx'),
          guided('cd /etc && ls'),
          guided('cd /etc'),
          guided('rm /etc/passwd'),
          guided('cd / && cd etc && ls'),
          guided('(cd /root; ls)'),
          guided('pushd /bin'),
        ],
        ...[
          guided('rm -rf /bin'),
          guided('env -C /etc ls'),
          guided('ls', '/System/x'),
          guided('rm ../../../etc/passwd'),
          guided('cd "$X" && ls'),
          guided("bash -c 'cd /dev; ls'"),
        ],
        {
          command: 'ls',
          cwd: '/home/u/link',
          policy: GUIDE,
          files: { '/home/u/link': { link: '/etc' }, '/etc/hosts': '' },
        },
        { command: 'ls', policy: GUIDE, context: { cwd: 'C:\\Windows\\System32' } },
        { command: 'ls', cwd: '/data/x', policy: { blacklist: { commands: [], directories: ['/data/'] } } },
        ...[
          closed('rm -rf s*'),
          closed('rm -rf S[tu]?'),
          closed('rm s*/f'),
          closed('rm -rf *'),
          closed('rm -rf {sub,x}'),
          closed('rm -rf .'),
          closed('rm -rf ../project'),
          closed('rm -rf ../p*'),
          closed('rm -rf **'),
          closed('shopt -s dotglob; rm -rf *', '.hidden'),
          closed('find . -exec rm {} +'),
          closed('git clean -fdx'),
          closed('rmdir s*'),
        ],
        ...[
          closed('mv s* x'),
          closed('cp a s*/f'),
          closed('echo x > sub/f'),
          closed("sed -i 's/a/b/' s*/f"),
          closed('cd s* && rm f'),
          closed('cd s*'),
          closed('cd sub && rm f'),
          closed('git -C sub status'),
          closed('make -C sub'),
          closed('rm -rf target', 'link', {
            '/home/u/project/link': { link: 'target' },
            '/home/u/project/target/f': '',
          }),
          closed('rm -rf x*/f', 'sub', { '/home/u/project/x1': { link: 'sub' } }),
        ],
        { command: 'rm -r /data', policy: { blacklist: { commands: [], directories: ['/data/keep'] } } },
      ],
      passes: [
        { command: 'ls', cwd: '/etc' },
        ...[
          guided('ls'),
          guided('cat /etc/hosts'),
          guided('cd src && ls'),
          guided('rm a.txt'),
          guided('ls', '/etcetera'),
          guided('cd /tmp && ls'),
          guided('ls /etc'),
          guided('rm -rf build'),
          guided('ls > /dev/null 2>&1'),
        ],
        ...[
          closed('rm -rf t*'),
          closed("rm -rf 's*'"),
          closed('cat s*/f'),
          closed('rm -rf suburb'),
          closed('cp a .'),
          closed('touch subs'),
          closed('cd src*'),
          closed('make -C src'),
          closed('tar xf a.tar'),
        ],
      ],
    },
  },
];

function directoryHits(subject: Subject): readonly Hit[] {
  const { facts, policy, context } = subject;
  const { probe } = context;
  const listed = policy.blacklist.directories.map(comparable).filter((folder) => folder !== '');
  if (listed.length === 0) return [];
  // A folder may be listed by a link to it.
  const places = listed.map((folder) => [folder, comparable(probe?.realPath(folder) ?? folder)] as const);
  const known = new Map<string, string | undefined>();
  const listedOf = (path: string): string | undefined => {
    if (!known.has(path)) {
      const names = [path, probe?.realPath(path) ?? path].map(comparable);
      known.set(
        path,
        find(places, (place) => names.some((name) => isAtOrBelow(name, place))),
      );
    }
    return known.get(path);
  };
  const touched = (effect: PathEffect, use: 'write' | 'delete', command: CommandFact): string | undefined => {
    if (effect.path === null || (use === 'write' && isHarmlessDevice(effect.path))) return undefined;
    const isTree = use === 'delete' && effect.recursive === true;
    const forms = [effect.path, ...judgePath(effect, use, command, subject).forms];
    for (const form of forms) {
      const found =
        effect.glob === true && isGlob(form)
          ? find(places, (place) => canReach(form, place, isTree))
          : (listedOf(form) ?? (isTree ? find(places, (place) => isAtOrBelow(place, comparable(form))) : undefined));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const findIn = (command: CommandFact): string | undefined => {
    const { writes, deletes } = command.effects;
    return (
      first(foldersOf(command), (folder) =>
        folder.isPattern ? find(places, (place) => canReach(folder.path, place, false)) : listedOf(folder.path),
      ) ??
      first(deletes, (effect) => touched(effect, 'delete', command)) ??
      first(writes, (effect) => touched(effect, 'write', command))
    );
  };
  const hits: Hit[] = [];
  const start = listedOf(context.cwd);
  if (start !== undefined) hits.push(listedHit(start, null));
  for (const command of facts.commands) {
    if (command.elsewhere !== null) continue;
    const found = findIn(command);
    if (found !== undefined) hits.push(listedHit(found, command.span));
    else if (command.cwd === null) {
      hits.push({
        span: command.span,
        verdict: 'ask',
        message: 'The folder in which this runs is unknown, and some folders are blacklisted.',
      });
    }
  }
  return hits;
}

type ListedPlaces = readonly (readonly [folder: string, real: string])[];

/** The entry as it is listed. */
function find(places: ListedPlaces, matches: (place: string) => boolean): string | undefined {
  return places.find(([folder, real]) => matches(folder) || (real !== folder && matches(real)))?.[0];
}

function first<Item>(items: readonly Item[], findFor: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = findFor(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether a match of the glob can be the folder or inside it or, with `isTree`, contain it. Hidden names and other case
 * count: `shopt` can make the shell match them.
 */
function canReach(glob: string, folder: string, isTree: boolean): boolean {
  const { segments } = compileGlob(glob.toLowerCase());
  const names = splitPath(folder.toLowerCase());
  const common = segments.slice(0, names.length);
  const anywhere = common.indexOf('**');
  const compared = anywhere === -1 ? common : common.slice(0, anywhere);
  if (!matchesSegments({ text: glob, segments: compared }, names.slice(0, compared.length))) return false;
  return anywhere !== -1 || isTree || segments.length >= names.length;
}

const listedHit = (folder: string, span: Span | null): Hit => ({
  span,
  message: `The directory is blacklisted: ${folder} (directory is blacklisted).`,
});

interface EnteredFolder {
  readonly path: string;
  readonly isPattern: boolean;
}

/** `git -C`, `make --directory`, `yarn --cwd`. */
const ENTERING = new Set(['-C', '--directory', '--cwd', '--chdir', '--working-directory', '--work-tree']);

function foldersOf(command: CommandFact): readonly EnteredFolder[] {
  const { cwd, name, invocation, words } = command;
  const within = (target: string, isPattern: boolean) =>
    (cwd ?? (target.startsWith('/') ? ['/'] : [])).map((folder) => ({
      path: posix.resolve(folder, target),
      isPattern,
    }));
  const folders = (cwd ?? []).map((path) => ({ path, isPattern: false }));
  for (const { names, value } of [...(invocation?.leading ?? []), ...(invocation?.options ?? [])])
    if (value !== null && names.some((option) => ENTERING.has(option))) folders.push(...within(value, false));
  if (name !== 'cd' && name !== 'pushd' && name !== 'chdir') return folders;
  const target = operandsOf(command)[0];
  if (target !== undefined) folders.push(...within(target, false));
  for (const word of words) if (word.kind === 'pattern') folders.push(...within(word.glob, true));
  return folders;
}

/** One spelling for both kinds of paths: `C:\Windows\` is `c:/windows`. */
function comparable(path: string): string {
  const isWindows = /^[A-Za-z]:[\\/]|^[A-Za-z]:$/.test(path);
  const text = isWindows ? path.replaceAll('\\', '/').toLowerCase() : path;
  return text === '/' ? text : text.replace(/\/+$/, '');
}
