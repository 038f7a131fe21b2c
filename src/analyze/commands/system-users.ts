// Users, groups, messages to them, locale and shared libraries.

import type { CommandFamily, CommandSpec } from './spec.ts';

function changes(summary: string, notReadOnly: readonly string[], does = 'change privilege'): CommandSpec {
  return { summary, class: does.includes('privilege') ? 'privilege' : 'write', style: 'none', operands: 'value*', does, examples: { readOnly: [], notReadOnly } };
}

export const users: CommandFamily = {
  useradd: changes('add or change users', ['useradd x', 'usermod -aG sudo x']),
  userdel: 'useradd',
  usermod: 'useradd',
  adduser: 'useradd',
  deluser: 'useradd',
  groupadd: 'useradd',
  groupdel: 'useradd',
  groupmod: 'useradd',
  addgroup: 'useradd',
  delgroup: 'useradd',
  gpasswd: 'useradd',
  newusers: 'useradd',
  chpasswd: 'useradd',
  chsh: 'useradd',
  chfn: 'useradd',
  vipw: 'useradd',
  vigr: 'useradd',
  dseditgroup: 'useradd',
  passwd: { summary: 'change a password', class: 'privilege', flags: '-S --status -a --all -h --help', operands: 'value*', does: 'change privilege', variants: [{ has: '-S --status -h --help', does: '', class: 'list' }], examples: { readOnly: ['passwd -S root'], notReadOnly: ['passwd', 'passwd root', 'passwd -d root', 'passwd -S -d root'] } },
  chage: { summary: 'show or change password ages', class: 'privilege', flags: '-l --list -i --iso8601 -h --help', operands: 'value*', does: 'change privilege', variants: [{ has: '-l --list -h --help', does: '', class: 'list' }], examples: { readOnly: ['chage -l root'], notReadOnly: ['chage -E 0 root', 'chage root'] } },
  visudo: { summary: 'edit who may use sudo', class: 'privilege', flags: '-c --check -q --quiet -s --strict -V --version -h --help', options: { '-f --file': 'read', '-x --export': 'write' }, operands: 'read?', does: 'change execute privilege', variants: [{ has: '-c --check -V --version -h --help', does: '' }], examples: { readOnly: ['visudo -c', 'visudo -cf f'], notReadOnly: ['visudo', 'visudo -f f'] } },
  getent: { summary: 'look up users, groups and hosts', class: 'list', flags: '-i --no-idn -? --help --usage -V --version', values: '-s --service', operands: 'value*', program: 'getent', examples: { readOnly: ['getent passwd', 'getent group sudo', 'getent passwd root'], notReadOnly: ['getent hosts a.org', 'getent ahosts a.org', 'getent shadow'] } },
  locale: { summary: 'show the language', class: 'list', flags: '-a --all-locales -m --charmaps -c --category-name -k --keyword-name -v --verbose --help -V --version', operands: 'value*', examples: { readOnly: ['locale', 'locale -a', 'locale charmap'], notReadOnly: [] } },
  localedef: { summary: 'make a language', class: 'privilege', flags: '--list-archive', operands: 'write*', does: 'change', variants: [{ has: '--list-archive', does: '', operands: '' }], examples: { readOnly: ['localedef --list-archive'], notReadOnly: ['localedef -i x -f UTF-8 y'] } },
  'locale-gen': changes('make languages', ['locale-gen']),
  ldconfig: { summary: 'index shared libraries', class: 'privilege', flags: '-p --print-cache -v --verbose -V --version -N -X', options: { '-f': 'read', '-C': 'write', '-r': 'unknown', '-n': '+change', '-l': '+change' }, operands: 'value*', does: 'change privilege', variants: [{ has: '-p --print-cache -V --version', does: '', class: 'list' }], examples: { readOnly: ['ldconfig -p'], notReadOnly: ['ldconfig', 'ldconfig -n d', 'ldconfig -p -C f'] } },
  wall: changes('write to all terminals', ['wall x', 'mesg n'], 'change'),
  write: 'wall',
  mesg: 'wall',
  talk: 'wall',
  mail: { summary: 'read or send mail', class: 'network', style: 'none', operands: 'value*', does: 'network change execute', examples: { readOnly: [], notReadOnly: ['mail -s x a@b.org', 'mail'] } },
  mailx: 'mail',
  mutt: 'mail',
  sendmail: 'mail',
  msmtp: 'mail',
  quota: { summary: 'show limits of a user', class: 'list', flags: '-v -s -u -g -q -p -w', operands: 'value*', examples: { readOnly: ['quota -s'], notReadOnly: [] } },
  faillock: { summary: 'show or reset failed logins', class: 'privilege', values: '--user', options: { '--reset': '+change', '--dir': 'read/', '--conf': 'unknown' }, operands: '', examples: { readOnly: ['faillock --user root'], notReadOnly: ['faillock --user root --reset'] } },
};
