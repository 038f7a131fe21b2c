// Permissions that open files to all users or to root: modes, owners.

import type { CommandFact } from '../../../../core/facts.ts';
import type { Check, Subject } from '../../../check.ts';
import { isGranted, isHome, isSystemTop, systemTreeOf, targetOf } from '../terms/places.ts';
import { hasOption, names, optionValues } from '../terms/words.ts';

export const PERMISSION_CHECKS: readonly Check[] = [
  {
    id: 'world-writable',
    layer: 'safety',
    severity: 'high',
    verdict: 'deny',
    message: 'This lets every user of the machine change these files.',
    instead: '`chmod -R u+rwX,go+rX PATH` gives the owner full access and others read access.',
    names: names('chmod install mkdir setfacl'),
    inspect(command) {
      if (!modesOf(command).some(isWorldWritable)) return null;
      if (
        hasOption(command, '-R', '--recursive') ||
        command.via.some((via) => via.startsWith('find')) ||
        command.effects.writes.some(({ recursive }) => recursive && command.name === 'chmod')
      ) {
        return { span: command.span };
      }
      return {
        span: command.span,
        verdict: 'ask',
        severity: 'medium',
        instead: '`chmod u+rwx FILE` is enough for your own use; `chmod 755 FILE` lets others read and run it.',
      };
    },
    examples: {
      matches: [
        ...[
          'chmod -R 777 .',
          'chmod 777 a.txt',
          'chmod -R a+rwx x',
          'chmod -R o+w x',
          'chmod --recursive ugo+rwx x',
          'chmod 0777 x',
          'chmod -vR 777 x',
        ],
        ...[
          'chmod 777 -R x',
          'sudo chmod -R 777 /var/www',
          "bash -c 'chmod -R 777 .'",
          'chmod +w,o+w x',
          'chmod a=rwx x',
          'chmod 666 x',
          'chmod o=rw x',
        ],
        ...[
          'find . -exec chmod 777 {} +',
          'ls | xargs chmod 777',
          'chmod -R 777 "$D"',
          'chmod -R -- 777 x',
          'chmod 1777 x',
          'chmod -R 00777 x',
        ],
        ...[
          'timeout 5 chmod -R 777 x',
          'install -m 777 a b',
          'mkdir -m 777 x',
          'chmod u+x,a+w x',
          'chmod --recurs 777 x',
          'setfacl -m o::rwx x',
        ],
      ],
      passes: [
        ...[
          'chmod +x s.sh',
          'chmod 755 x',
          'chmod -R u+rwX,go+rX x',
          'chmod 644 *',
          'chmod 700 ~/.ssh',
          'chmod o-w x',
          'chmod -R go-w x',
          'chmod a+r x',
        ],
        ...[
          'mkdir -m 755 x',
          'install -m 755 a b',
          'chmod 600 .env',
          'chmod -R 755 dist',
          'echo chmod 777',
          'mkdir 777',
          'chmod a+x 777',
          'chmod +w x',
        ],
      ],
    },
  },
  {
    id: 'set-user-id',
    layer: 'safety',
    severity: 'high',
    verdict: 'deny',
    message: 'A set-user-id or set-group-id program runs with the privileges of its owner, no matter who starts it.',
    instead: null,
    names: names('chmod install'),
    inspect: (command) => (modesOf(command).some(isSetId) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'chmod u+s x',
          'chmod 4755 x',
          'chmod +s x',
          'chmod g+s bin/x',
          'sudo chmod 6755 x',
          'chmod 04755 x',
          'chmod u+xs x',
          'chmod u=rwxs x',
        ],
        ...[
          "sh -c 'chmod 4777 /tmp/sh'",
          'install -m 4755 a b',
          'find . -exec chmod u+s {} +',
          'cp /bin/sh x && chmod u+s x',
          'chmod 2755 x',
          'chmod a+x,u+s x',
        ],
      ],
      passes: [
        'chmod 755 x',
        'chmod u-s x',
        'chmod +x x',
        'chmod 1755 x',
        'chmod g-s x',
        'chmod 0755 x',
        'install -m 755 a b',
        'chmod u+x s',
      ],
    },
  },
  {
    id: 'system-ownership',
    layer: 'safety',
    severity: 'high',
    verdict: 'deny',
    message: 'This changes the owner or the permissions of a system folder or of a whole home folder.',
    instead: 'Name the files of your project, for example `chown -R "$USER" ./data`.',
    names: names('chmod chown chgrp setfacl chattr'),
    inspect: (command, subject) => (isSystemOwnership(command, subject) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'chown -R u /etc',
          'chown u:u /',
          'chmod 755 /',
          'sudo chown -R u:u /usr/local',
          'chmod 644 /etc/shadow',
          'chown -R u ~',
          'chmod -R 700 ~',
        ],
        ...[
          'chgrp -R x /var',
          "bash -c 'chown -R bob /usr'",
          'chmod -R go-rwx /',
          'chown bob /etc/passwd',
          'chown -R bob /home',
          'chown -R bob /*',
        ],
        ...[
          'find /etc -exec chown bob {} +',
          'timeout 5 chown bob -- /bin/sh',
          'cd / && chown -R u .',
          'sudo chmod 777 /etc',
          'chmod +x /usr/bin/x',
        ],
      ],
      passes: [
        ...[
          'chown -R u ./data',
          'chmod 600 ~/.ssh/config',
          'chown u ~/project/a',
          'chmod +x s.sh',
          'chown u:u /tmp/x',
          'chmod 700 ~/bin',
          'ls -l /etc',
        ],
        { command: 'chown -R www /etc/myapp', policy: { roots: ['/etc/myapp'] } },
      ],
    },
  },
];

function modesOf(command: CommandFact): readonly string[] {
  if (command.name === 'chmod') {
    const operands = command.invocation?.operands ?? [];
    return typeof operands[0] === 'string' ? [operands[0]] : [];
  }
  if (command.name === 'setfacl') {
    return optionWords(command)
      .filter((word) => /(?:^|,)(?:o|other):*[r-]?w/.test(word))
      .map(() => 'o+w');
  }
  return optionValues(command, '-m', '--mode').filter((value) => value !== null);
}

const optionWords = (command: CommandFact) => command.argv.filter((word) => word !== null);

// The expressions below are quadratic in the length of a clause; no legitimate mode is this long.
const MAX_MODE = 60;

function isWorldWritable(mode: string): boolean {
  if (mode.length > MAX_MODE) return true;
  if (/^[0-7]+$/.test(mode)) return (Number.parseInt(mode.slice(-1), 8) & 2) !== 0;
  // Without `u`, `g`, `o` or `a`, the umask keeps others from writing.
  return mode.split(',').some((clause) => /^[ugo]*[ao][ugoa]*(?:[-+=][rwxXst]*)*[+=][rxXst]*w/.test(clause));
}

function isSetId(mode: string): boolean {
  if (mode.length > MAX_MODE) return true;
  if (/^[0-7]+$/.test(mode)) return (Number.parseInt(mode, 8) & 0o6000) !== 0;
  return mode.split(',').some((clause) => /^[ugoa]*(?:[-+=][rwxXst]*)*[+=][rwxXt]*s/.test(clause));
}

function isSystemOwnership(command: CommandFact, subject: Subject): boolean {
  return command.effects.writes.some((effect) => {
    const target = targetOf(effect);
    if (target === null) return false;
    if (target.path === '/') return true;
    if (isSystemTop(target.path)) return target.path !== '/tmp' || effect.recursive === true;
    if (isHome(target.path, subject)) return effect.recursive === true || target.isContent;
    const tree = systemTreeOf(target.path);
    return tree !== null && !isGranted(target.path, tree, subject);
  });
}
