// The guide's blacklist in one session: entries of the settings, of the guide, and additions. Nothing is ever removed.

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Blacklist, Narrowing } from '../../core/policy.ts';
import type { SessionOptions } from '../../core/running.ts';
import type { Calling } from '../profile.ts';

const KEY = 'mcp-guide.blacklist';
/** More would only slow down every check. */
export const MAX_ENTRIES = 1000;

const NOTHING: Blacklist = { commands: [], directories: [] };

function additionsOf({ state }: Calling): Blacklist {
  return (state.get(KEY) as Blacklist | undefined) ?? NOTHING;
}

/** Run options of every call of this profile. */
export function optionsFor(calling: Calling): SessionOptions & { readonly narrowing: Narrowing } {
  return { profile: 'mcp-guide', view: 'proposal-0028', narrowing: { blacklist: additionsOf(calling) } };
}

export function openBlacklist(calling: Calling): Blacklist {
  return calling.shell.policy(calling.session.complete(optionsFor(calling))).blacklist;
}

/** False if there would be too many. */
export function addToBlacklist(calling: Calling, added: Blacklist): boolean {
  const known = additionsOf(calling);
  const { originalCwd } = calling.session;
  // A folder in the sandbox may be named as in the other tools; a path of another system stays as it is.
  const absolute = (folder: string) => (/^[A-Za-z]:[\\/]/.test(folder) ? folder : resolve(originalCwd, folder));
  const commands = [...new Set([...known.commands, ...added.commands])];
  const directories = [...new Set([...known.directories, ...added.directories.map(absolute)])];
  if (commands.length + directories.length > MAX_ENTRIES) return false;
  calling.state.set(KEY, { commands, directories } satisfies Blacklist);
  return true;
}

/** The guide's default directories. */
const DEFAULTS = [
  ...['/bin', '/sbin', '/etc', '/boot', '/dev', '/proc', '/sys', '/root'],
  ...['C:\\Windows', 'C:\\Program Files', '/System', '/Library', '/Applications'],
];

/** Those that exist on this machine, and where they really are: `/bin` may be a link to `/usr/bin`. */
export function systemDirectories(realPath: (path: string) => string | null = realPathHere): readonly string[] {
  return [
    ...new Set(
      DEFAULTS.flatMap((folder) => {
        const real = realPath(folder);
        return real === null ? [] : [folder, real];
      }),
    ),
  ];
}

function realPathHere(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
