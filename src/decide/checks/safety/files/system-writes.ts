// Changes to system files, and to places from which programs start automatically.

import type { PathEffect } from '../../../../core/facts.ts';
import { isAtOrBelow } from '../../../../core/values/containment.ts';
import type { Check, Subject } from '../../../check.ts';
import { isGranted, isKernelFile, systemTreeOf } from '../terms/places.ts';

export const SYSTEM_WRITE_CHECKS: readonly Check[] = [
  {
    id: 'system-write',
    touches: ['writes', 'deletes'],
    layer: 'safety',
    severity: 'high',
    verdict: 'deny',
    message: 'This changes files of the operating system.',
    instead:
      'Write below the project or below ~/.local; or start the session with this folder as a root if you work on it.',
    inspect(command, subject) {
      if (command.elsewhere !== null) return null;
      const { writes, deletes } = command.effects;
      if (writes.length + deletes.length === 0) return null;
      return [...writes, ...deletes].some((effect) => isSystemWrite(effect, subject)) ? { span: command.span } : null;
    },
    examples: {
      matches: [
        ...[
          'echo x > /etc/hosts',
          'echo x | sudo tee -a /etc/hosts',
          'sed -i s/a/b/ /etc/ssh/sshd_config',
          'cp a /usr/local/bin/b',
          'ln -s a /usr/bin/b',
        ],
        ...[
          'install a /usr/bin',
          'mv a /bin/ls',
          'rm /etc/passwd',
          'touch /boot/x',
          'cat a >> /etc/profile',
          'echo x > /var/spool/cron/root',
          'mkdir /usr/lib/x',
        ],
        ...[
          "sudo sh -c 'echo x > /etc/sudoers.d/me'",
          'cd /etc && echo x > hosts',
          'tar xf a -C /',
          'curl -o /usr/bin/x h.y',
          'dd if=a of=/boot/vmlinuz',
          'echo x > /etc/../etc/hosts',
        ],
        ...[
          'echo x >| "/etc"/hosts',
          'cp -t /etc a b',
          'tee /etc/cron.d/x <<< a',
          'env A=1 cp a /lib/x.so',
          'echo x &>> /etc/bash.bashrc',
          'mv /etc/hosts /tmp',
          'unzip a -d /usr',
        ],
        { command: 'echo x > /etc/hosts', cwd: '/etc' },
      ],
      passes: [
        ...[
          'echo x > etc/hosts',
          'cat /etc/hosts',
          'cp /etc/hosts .',
          'echo x > /tmp/etc',
          'ls /usr/bin > list',
          'echo x > ~/.local/bin/x',
          'echo x > /dev/null',
          'diff /etc/a b',
        ],
        ...[
          'grep x /etc/passwd',
          'sed s/a/b/ /etc/hosts',
          'tar czf a.tgz /etc/nginx',
          'docker run -v /etc/localtime:/etc/localtime:ro x',
          'which ls',
          'echo "> /etc/hosts"',
        ],
        { command: 'echo x > /etc/nginx/site', policy: { roots: ['/etc/nginx'] } },
        { command: 'echo x > conf', cwd: '/etc/nginx' },
        { command: 'npm run build > log', cwd: '/usr/src/app' },
      ],
    },
  },
  {
    id: 'autostart-write',
    touches: ['writes'],
    layer: 'safety',
    severity: 'high',
    verdict: 'ask',
    message: 'A file here makes a program start automatically at login or at boot.',
    instead: 'Start the program by hand, or in the background in this session.',
    inspect(command, subject) {
      return command.effects.writes.some(({ path }) => path !== null && isAutostart(path, subject))
        ? { span: command.span }
        : null;
    },
    examples: {
      matches: [
        ...[
          'cp a.service ~/.config/systemd/user/',
          'echo x > ~/.config/autostart/a.desktop',
          'cp a.plist ~/Library/LaunchAgents/',
          'tee ~/.config/systemd/user/a.service',
        ],
        ...[
          "bash -c 'echo x > ~/.config/autostart/x.desktop'",
          'mv a ~/.config/systemd/user/a.timer',
          'ln -s $PWD/a.service ~/.config/systemd/user/a.service',
        ],
      ],
      passes: [
        'cat ~/.config/systemd/user/a.service',
        'ls ~/.config/autostart',
        'echo x > a.service',
        'cp a ~/.config/app/',
        'ls ~/Library/LaunchAgents',
      ],
    },
  },
];

function isSystemWrite(effect: PathEffect, subject: Subject): boolean {
  if (effect.path === null || isKernelFile(effect.path)) return false;
  if (effect.path === '/') return effect.recursive === true;
  const tree = systemTreeOf(effect.path);
  return tree !== null && !isGranted(effect.path, tree, subject);
}

const AUTOSTART = ['.config/systemd/user', '.config/autostart', 'Library/LaunchAgents', '.config/upstart'];

function isAutostart(path: string, { context }: Subject): boolean {
  return context.home !== null && AUTOSTART.some((folder) => isAtOrBelow(path, `${context.home}/${folder}`));
}
