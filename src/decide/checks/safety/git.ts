// Git commands that affect more than intended: every file into a commit, commits of others off the server.

import { posix } from 'node:path';
import type { CommandFact } from '../../../core/facts.ts';
import { isAtOrBelow } from '../../../core/values/containment.ts';
import type { Check } from '../../check.ts';
import { isWideGlob } from './terms/places.ts';
import { hasOption, isCall, isOption, operandsOf, optionsOf } from './terms/words.ts';

export const GIT_CHECKS: readonly Check[] = [
  {
    id: 'git-add-blind',
    layer: 'safety',
    severity: 'high',
    verdict: 'deny',
    message: 'This adds every file in the folder to the commit, including secrets, logs and build output.',
    instead: 'Name the files: `git add src/a.ts`, or use `git add -u` for files that are already tracked.',
    names: ['git'],
    inspect: (command) => (isBlindAdd(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...['git add -A', 'git add --all', 'git add .', 'git add *', 'git add :/', 'git add -A .', 'git add ./'],
        ...[
          'git stage .',
          'git -C x add .',
          'git add -v -- .',
          "git add '*'",
          'git add "."',
          'git add ./*',
          'git add -fA',
        ],
        ...[
          'sudo git add .',
          'timeout 5 git add -A',
          "bash -c 'git add .'",
          'git status && git add -A && git commit -m x',
        ],
        ...[
          'git add src/..',
          'git add "$PWD"',
          "git add ':(top)'",
          'git add --no-ignore-removal',
          'git --no-pager add .',
        ],
        ...['g\\it a"dd" -A', 'git add :', 'git add **', 'git add -Av', 'cd src && git add ..', 'env A=b git add .'],
        ...["git -c alias.a='add -A' a", 'echo x | xargs git add -A', 'git add --al', 'git add a.ts .', 'git add .*'],
      ],
      passes: [
        ...[
          'git add -u',
          'git add src/a.ts',
          'git add -p',
          'git add -p .',
          'git add *.ts',
          'git add src',
          'git add -u .',
        ],
        ...[
          'git add ./src/a.ts',
          'git commit -a -m "add ."',
          'git commit -m "git add -A"',
          'git add -n .',
          'git status .',
        ],
        ...['echo git add .', 'git add -- a.txt', 'git add .gitignore', 'git add ../other/file.ts', 'git add -i'],
      ],
    },
  },
  {
    id: 'git-force-push',
    layer: 'safety',
    severity: 'high',
    verdict: 'deny',
    message: 'A forced push overwrites commits that others have pushed since, without checking.',
    instead: '`git push --force-with-lease` refuses if someone else has pushed in the meantime.',
    names: ['git'],
    inspect: (command) => (isForcedPush(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'git push --force',
          'git push -f',
          'git push -uf origin main',
          'git push origin +main',
          'git push --mirror',
        ],
        ...[
          'git push --force --force-with-lease',
          'git push origin main --force',
          'git -C x push -f',
          'sudo git push -f',
        ],
        ...["sh -c 'git push -f origin'", 'git commit -m x && git push -f', 'timeout 30 git push --force origin HEAD'],
        ...['git push origin -- +HEAD:main', 'git push "--force"', "git push origin '+refs/heads/*:refs/heads/*'"],
        ...[
          'git push --no-force -f',
          'env X=1 git push -f',
          'git push -fu',
          'git push --mirro origin',
          'git p"us"h -f',
        ],
        ...['git push --force-with-lease origin +main', 'echo main | xargs git push -f origin'],
      ],
      passes: [
        ...[
          'git push',
          'git push origin main',
          'git push -u origin main',
          'git push --force-with-lease',
          'git push --tags',
        ],
        ...['git push --force-with-lease=main:abc origin', 'git push --force --no-force', 'git push -f --dry-run'],
        ...['git push --force-if-includes --force-with-lease', 'git fetch --force', 'git commit -m "push --force"'],
        ...['git push -o ci.skip', 'git log --grep="push -f"', 'git push origin feature+x'],
      ],
    },
  },
];

function isBlindAdd(command: CommandFact): boolean {
  if (!isCall(command, 'git', 'add') && !isCall(command, 'git', 'stage')) return false;
  // Tracked files only, interactive, or only displayed.
  if (hasOption(command, '-u', '--update', '-p', '--patch', '-i', '--interactive', '-e', '--edit', '-n', '--dry-run')) {
    return false;
  }
  if (hasOption(command, '-A', '--all', '--no-ignore-removal')) return true;
  if (command.words.some((word) => word.kind === 'pattern' && isEverything(word.glob, command))) return true;
  return operandsOf(command).some((operand) => isEverything(operand, command));
}

function isEverything(pathspec: string, command: CommandFact): boolean {
  const plain = posix.normalize(pathspec.replace(/^:(?:\([\w,]*\)|[/!^]+)/, '') || '.').replace(/(.)\/$/, '$1');
  if (pathspec.startsWith(':') && /^:[!^]|exclude/.test(pathspec)) return false;
  if (plain === '.' || plain === ':' || /^\.\.(?:\/\.\.)*$/.test(plain) || isWideGlob(plain)) return true;
  if (/^(?:\*\*\/)?\*+$/.test(plain)) return true;
  return plain.startsWith('/') && (command.cwd ?? []).some((cwd) => isAtOrBelow(cwd, plain));
}

function isForcedPush(command: CommandFact): boolean {
  if (!isCall(command, 'git', 'push') && !isCall(command, 'git', 'send-pack')) return false;
  if (hasOption(command, '-n', '--dry-run')) return false;
  let isForced = operandsOf(command).some((operand) => operand.startsWith('+'));
  let isOptionForced = false;
  for (const option of optionsOf(command)) {
    if (isOption(command, option, ['--mirror'])) isForced = true;
    // The last one wins, as in git.
    if (option.names.includes('--force') || option.names.includes('-f')) isOptionForced = true;
    if (option.names.includes('--no-force')) isOptionForced = false;
  }
  return isForced || isOptionForced;
}
