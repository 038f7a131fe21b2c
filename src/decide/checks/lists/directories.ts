// Folders in which nothing may run and from which nothing may be deleted.

import { posix } from 'node:path';
import type { CommandFact, Span } from '../../../core/facts.ts';
import { isAtOrBelow } from '../../../core/values/containment.ts';
import type { Check, Hit, Subject } from '../../check.ts';
import { operandsOf } from '../safety/terms/words.ts';
import { MCP_GUIDE_BLACKLIST } from './mcp-guide-lists.ts';

const GUIDE = { blacklist: MCP_GUIDE_BLACKLIST };
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
        ],
      ],
    },
  },
];

function directoryHits({ facts, policy, context }: Subject): readonly Hit[] {
  const listed = policy.blacklist.directories.map(comparable).filter((folder) => folder !== '');
  if (listed.length === 0) return [];
  const known = new Map<string, string | undefined>();
  const listedOf = (path: string): string | undefined => {
    if (!known.has(path)) {
      const real = context.probe?.realPath(path) ?? path;
      known.set(
        path,
        listed.find((folder) => isAtOrBelow(comparable(path), folder) || isAtOrBelow(comparable(real), folder)),
      );
    }
    return known.get(path);
  };
  const hits: Hit[] = [];
  const start = listedOf(context.cwd);
  if (start !== undefined) hits.push(listedHit(start, null));
  for (const command of facts.commands) {
    if (command.elsewhere !== null) continue;
    const found =
      foldersOf(command)
        .map(listedOf)
        .find((folder) => folder !== undefined) ?? deletedFrom(command, listed, listedOf);
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

const listedHit = (folder: string, span: Span | null): Hit => ({
  span,
  message: `The directory is blacklisted: ${folder} (directory is blacklisted).`,
});

function foldersOf(command: CommandFact): readonly string[] {
  const folders = [...(command.cwd ?? [])];
  if (command.name !== 'cd' && command.name !== 'pushd' && command.name !== 'chdir') return folders;
  const target = operandsOf(command)[0];
  if (target !== undefined) folders.push(...folders.map((folder) => posix.resolve(folder, target)));
  return folders;
}

function deletedFrom(
  command: CommandFact,
  listed: readonly string[],
  listedOf: (path: string) => string | undefined,
): string | undefined {
  for (const { path, recursive } of command.effects.deletes) {
    if (path === null) continue;
    const found =
      listedOf(path) ?? (recursive ? listed.find((folder) => isAtOrBelow(folder, comparable(path))) : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One spelling for both kinds of paths: `C:\Windows\` is `c:/windows`. */
function comparable(path: string): string {
  const isWindows = /^[A-Za-z]:[\\/]|^[A-Za-z]:$/.test(path);
  const text = isWindows ? path.replaceAll('\\', '/').toLowerCase() : path;
  return text === '/' ? text : text.replace(/\/+$/, '');
}
