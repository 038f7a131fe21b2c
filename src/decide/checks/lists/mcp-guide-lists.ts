// The default lists of the command tools guide, verbatim. Lists can only be extended.

import { HardshellError } from '../../../core/errors.ts';
import type { Blacklist } from '../../../core/policy.ts';

export const MCP_GUIDE_BLACKLIST: Blacklist = {
  commands: [
    ...['shutdown', 'reboot', 'halt', 'poweroff', 'init'],
    ...['useradd', 'userdel', 'usermod', 'passwd'],
    ...['fdisk', 'mkfs', 'mount', 'umount', 'dd'],
    ...['apt', 'yum', 'dnf', 'rpm', 'dpkg'],
    'format',
    ...['ifconfig', 'ip', 'iptables'],
  ],
  directories: [
    ...['/bin', '/sbin', '/etc', '/boot', '/dev', '/proc', '/sys', '/root'],
    ...['C:\\Windows', 'C:\\Program Files'],
    ...['/System', '/Library', '/Applications'],
  ],
};

/** The list with the additions. Nothing is ever removed; duplicates are skipped. */
export function extendBlacklist(current: Blacklist, additions: Partial<Blacklist>): Blacklist {
  return {
    commands: union(current.commands, normalised(additions.commands, 'command')),
    directories: union(current.directories, normalised(additions.directories, 'directory').map(withoutSlash)),
  };
}

function normalised(entries: unknown, what: string): readonly string[] {
  if (entries === undefined) return [];
  if (!Array.isArray(entries)) throw invalid(`The ${what} entries are not a list.`);
  return entries.map((entry: unknown) => {
    if (typeof entry !== 'string') throw invalid(`A ${what} in the list is not a string.`);
    const text = entry.trim().replace(/\s+/g, ' ');
    if (text === '' || text.includes('\0'))
      throw invalid(`A ${what} in the list is empty or contains a NUL character.`);
    return text;
  });
}

function invalid(message: string): HardshellError {
  return new HardshellError('invalid-argument', message, {
    hint: 'Pass names of commands or folders, for example ["nmap"].',
  });
}

const union = (current: readonly string[], added: readonly string[]) => [...new Set([...current, ...added])];

const withoutSlash = (folder: string) =>
  /^(?:\/|[A-Za-z]:[\\/]?)$/.test(folder) ? folder : folder.replace(/[\\/]+$/, '') || folder;
