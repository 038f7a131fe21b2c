// Privilege escalation: more privileges than those of the calling user. LAYER's family, based on the facts.

import type { CommandFact } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import type { Check } from '../../check.ts';
import { knownWords, optionValues } from '../safety/terms/words.ts';

const ALWAYS = wordSet(
  'sudo su doas pkexec runas setcap setpriv nsenter unshare chroot passwd chpasswd visudo usermod useradd gpasswd newgrp sg sudoedit',
);

export const PRIVILEGE_CHECKS: readonly Check[] = [
  {
    id: 'privilege-escalation',
    layer: 'threats',
    severity: 'high',
    verdict: 'ask',
    message: 'This runs with elevated privileges, or prepares to get them.',
    instead: 'Do it as the ordinary user if that is possible, for example `npm install --prefix ~/.local`.',
    inspect: (command) => (isEscalation(command) ? { span: command.span, confidence: 0.9 } : null),
    examples: {
      matches: [
        ...[
          'sudo ls',
          'su - root',
          'doas ls',
          'pkexec ls',
          'setcap cap_net_raw+ep x',
          'passwd u',
          'chmod u+s x',
          'docker run --privileged x',
          'docker run -v /:/host x',
          'nsenter -t 1 -m',
          'chroot / ls',
          'sudo -i',
        ],
        ...[
          'find / -perm -4000',
          'find / -perm -u=s -type f 2>/dev/null',
          'find / -perm /6000',
          'getcap -r /',
          "bash -c 'sudo ls'",
          'ls && sudo -s',
          'env A=b sudo ls',
          'docker run --pid=host x',
          'docker run -v /var/run/docker.sock:/var/run/docker.sock x',
        ],
        ...[
          'docker run --cap-add SYS_ADMIN x',
          'usermod -aG sudo u',
          'timeout 5 sudo ls',
          'echo x | sudo tee a',
          'podman run --privileged x',
          'docker run --mount type=bind,source=/,target=/h x',
          'docker run --net=host --pid host x',
          's"udo" ls',
          'unshare -r',
        ],
        ...[
          'docker run --security-opt seccomp=unconfined x',
          'docker run -v /etc:/e x',
          'docker run --device /dev/sda x',
          'docker exec --privileged web sh',
          'echo pw | su -c id',
        ],
      ],
      passes: [
        ...[
          'ls',
          'echo sudo',
          'man sudo',
          'docker run --rm x ls',
          'docker run -v "$PWD":/app node npm test',
          'find . -perm 644',
          'chmod +x a',
          'id',
          'whoami',
          'docker ps',
          'git commit -m sudo',
          'grep -r sudo .',
          'find . -name su',
        ],
        ...['docker run -p 80:80 nginx', 'cat /etc/passwd', 'docker run -v data:/data x', 'groups'],
      ],
    },
  },
];

function isEscalation(command: CommandFact): boolean {
  if (command.effects.privilege || (command.name !== null && ALWAYS.has(command.name))) return true;
  switch (command.name) {
    case 'find':
      return command.argv.some((word, i) => word === '-perm' && isSetIdMode(command.argv[i + 1] ?? ''));
    case 'getcap':
      return knownWords(command).includes('-r');
    case 'docker':
    case 'podman':
    case 'nerdctl':
      return isOpenContainer(command);
    default:
      return false;
  }
}

function isSetIdMode(mode: string): boolean {
  const octal = /^[-/]?([0-7]{4,5})$/.exec(mode)?.[1];
  if (octal !== undefined) return (Number.parseInt(octal, 8) & 0o6000) !== 0;
  return mode.length < 60 && /[ugoa]*[+=][rwxXt]*s/.test(mode);
}

const HOST_FOLDERS =
  /^\/(?:$|etc|root|home\/?$|usr|var\/?$|boot|dev|proc|sys|bin|sbin|lib|run\/?$|(?:var\/)?run\/(?:docker|containerd|podman)[^:]*\.sock)/;
const OPEN_WORDS =
  /^--(?:privileged|cap-add|device)(?:=|$)|^--(?:pid|ipc|uts|userns|cgroupns)=host$|unconfined$|no-new-privileges[:=]false$/;

/** Privileges or folders of the host inside a container: root in the container is root on the host. */
function isOpenContainer(command: CommandFact): boolean {
  const words = knownWords(command);
  if (!words.some((word) => /^(?:run|create|exec)$/.test(word))) return false;
  if (words.some((word) => OPEN_WORDS.test(word) && word !== '--privileged=false')) return true;
  if (words.some((word, i) => /^--(?:pid|ipc|uts|userns)$/.test(word) && words[i + 1] === 'host')) return true;
  const volumes = optionValues(command, '-v', '--volume').map((value) => value?.split(':')[0] ?? '');
  const mounts = optionValues(command, '--mount').map(
    (value) => /(?:^|,)(?:src|source)=([^,]*)/.exec(value ?? '')?.[1] ?? '',
  );
  return [...volumes, ...mounts].some((folder) => HOST_FOLDERS.test(folder) && !folder.startsWith('/etc/localtime'));
}
