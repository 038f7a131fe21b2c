// The guide's lists verbatim, and lists that can only grow.

import { describe, expect, test } from 'vitest';
import { hitsOf } from '../../../../test/deciding/subject.ts';
import { HardshellError } from '../../../core/errors.ts';
import type { Check } from '../../check.ts';
import { extendBlacklist, MCP_GUIDE_BLACKLIST } from './mcp-guide-lists.ts';
import { LIST_CHECKS } from './table.ts';

test('the default lists are those of the guide', () => {
  expect(MCP_GUIDE_BLACKLIST.commands.join(' ')).toBe(
    'shutdown reboot halt poweroff init useradd userdel usermod passwd fdisk mkfs mount umount dd apt yum dnf rpm dpkg format ifconfig ip iptables',
  );
  expect(MCP_GUIDE_BLACKLIST.directories.join(' ')).toBe(
    '/bin /sbin /etc /boot /dev /proc /sys /root C:\\Windows C:\\Program Files /System /Library /Applications',
  );
});

describe('adding to a list', () => {
  const current = { commands: ['dd'], directories: ['/etc'] };

  test('new entries come after the old ones, once each', () => {
    const additions = { commands: ['nmap', 'dd', ' nmap ', 'rm  -rf   /'], directories: ['/data/', '/etc', '/'] };
    expect(extendBlacklist(current, additions)).toEqual({
      commands: ['dd', 'nmap', 'rm -rf /'],
      directories: ['/etc', '/data', '/'],
    });
  });
  test('nothing can be removed, and the old list is not changed', () => {
    expect(extendBlacklist(current, {})).toEqual(current);
    expect(extendBlacklist(current, { commands: [] })).toEqual(current);
    expect(current).toEqual({ commands: ['dd'], directories: ['/etc'] });
  });
  test.each([[['']], [['  ']], [[7]], [[null]], ['nmap'], [null], [['a\0b']]])('%j is refused', (entries) => {
    expect(() => extendBlacklist(current, { commands: entries as string[] })).toThrow(HardshellError);
    expect(() => extendBlacklist(current, { directories: entries as string[] })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    );
  });
});

test("the messages contain the guide's own words", () => {
  const messageOf = (id: string, command: string, cwd?: string) => {
    const check = LIST_CHECKS.find((candidate) => candidate.id === id) as Check;
    const example = { command, policy: { blacklist: MCP_GUIDE_BLACKLIST }, ...(cwd === undefined ? {} : { cwd }) };
    return hitsOf(check, example)[0]?.message;
  };
  expect(messageOf('blacklisted-command', 'sudo mkfs.ext4 x')).toContain('command is blacklisted');
  expect(messageOf('blacklisted-command', 'sudo mkfs.ext4 x')).toContain('mkfs');
  expect(messageOf('blacklisted-directory', 'ls', '/etc/x')).toContain('directory is blacklisted');
});
