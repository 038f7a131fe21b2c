// Unintended deletions inside a project: its history, or everything in the current folder.

import type { Check } from '../../../check.ts';
import { isBareGlobRemoval, isDeletionHere, isGitDeletion, someDeletion } from './deletion-targets.ts';

export const PROJECT_DELETION_CHECKS: readonly Check[] = [
  {
    id: 'git-folder-deletion',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'This deletes or moves away the history of the project: commits that were never pushed are lost.',
    instead: 'To discard changes use `git restore`; to start over, clone the repository into another folder.',
    inspect: (command, subject) => someDeletion(command, subject, isGitDeletion),
    examples: {
      matches: [
        ...[
          'rm -rf .git',
          'rm -rf ./.git/',
          'rm -rf .git/*',
          'rm -rf sub/.git',
          'mv .git /tmp',
          'sudo rm -r .git',
          'rm -rf .gi*',
        ],
        ...[
          'find . -name .git -exec rm -rf {} +',
          "find . -type d -name '.git' -delete",
          'rm -rf src .git',
          'cd sub && rm -rf .git',
        ],
        ...[
          'rm -rf .git/objects',
          'rm -rf .git/refs',
          "bash -c 'rm -rf .git'",
          'X=.git; rm -rf "$X"',
          'rm -rf ".g""it"',
          'rm .git/HEAD',
        ],
        ...[
          'rm -rf --one-file-system .git',
          'find .git -delete',
          'timeout 5 rm -rf -- .git',
          'find .git -type f -exec rm {} +',
        ],
        ...['npx rimraf .git', 'trash .git', 'echo .git | xargs rm -rf', 'rm -rf "${D:-.git}"'],
        ...['rm -rf {.git,src}', 'rm -rf .git?', 'true; rm -fr $PWD/.git'],
      ],
      passes: [
        ...[
          'rm -f .git/index.lock',
          'rm -rf .git/rebase-merge',
          'rm -rf .github',
          'rm .gitignore',
          'ls .git',
          'rm -rf git',
          'cat .git/HEAD',
        ],
        ...[
          "find . -path ./.git -prune -o -name '*.o' -print",
          'cp -r .git /tmp/backup',
          'mv .gitignore x',
          'rm -rf .gitlab*',
          'git gc',
        ],
      ],
    },
  },
  {
    id: 'everything-here-deletion',
    layer: 'safety',
    severity: 'high',
    verdict: 'deny',
    message: 'This deletes everything in the current folder, or the folder itself.',
    instead: 'Name the files to delete, for example `rm -rf dist coverage`; `git clean -n` lists untracked files.',
    inspect: (command, subject) =>
      isBareGlobRemoval(command) ? { span: command.span } : someDeletion(command, subject, isDeletionHere),
    examples: {
      matches: [
        ...[
          'rm -rf *',
          'rm -rf .*',
          'rm -rf .',
          'rm -rf ./*',
          'rm -rf ./',
          'rm -rf ../project',
          'rm -r -- *',
          'rm -f *',
          'rm *',
        ],
        ...[
          'rm -rf * .*',
          'rm -rf .[!.]* *',
          'rm -rf "$PWD"',
          'rm -rf "$PWD"/*',
          'rm -rf $(pwd)/* *',
          'find . -delete',
          'rm -rf *.*',
        ],
        ...[
          'find . -type f -delete',
          "find . -name '*' -exec rm -rf {} +",
          'sudo rm -rf *',
          "bash -c 'rm -rf *'",
          'cd build && rm -rf *',
        ],
        ...[
          'find . -mindepth 1 -delete',
          'rm -rf /home/u/project',
          'rsync -a --delete empty/ .',
          'timeout 5 rm -rf ./*',
          'rm -rf a *',
        ],
        ...['find . -print0 | xargs -0 rm -rf', 'for x in *; do rm -rf "$x"; done', 'rimraf .', 'rm -rf "${D:-.}"'],
        ...['find . ! -name keep -delete', 'cd build; rm -rf *', 'nice rm -rf *', 'find . | grep x; rm -rf -- .'],
      ],
      passes: [
        ...[
          'rm -rf build/*',
          'rm -rf node_modules',
          'rm -rf ./dist',
          'rm *.log',
          'rm -rf *.pyc',
          'git clean -fdx',
          "find . -name '*.pyc' -delete",
        ],
        ...[
          'find . -type d -name node_modules -prune -exec rm -rf {} +',
          'find . -mtime +30 -delete',
          'mv * src/',
          'rm -rf dist coverage',
        ],
        ...[
          'find . -empty -delete',
          "rm -rf '*'x",
          'echo *',
          'ls .*',
          'git rm -r --cached .',
          'find build -delete',
          'rsync -a --delete a/ b/',
        ],
        ...["find . -name '*.o' | xargs rm -f", 'for x in *.log; do rm -f "$x"; done', 'rimraf dist', 'ls | wc -l'],
        ...['rm -rf test-*', 'rm -rf dist/.cache', 'cp -r . /tmp/x', 'find . -type f -exec wc -l {} +'],
      ],
    },
  },
];
