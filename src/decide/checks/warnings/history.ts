// Git commands that lose work or rewrite history: often intended, but always worth a warning.

import type { CommandFact } from '../../../core/facts.ts';
import type { Check } from '../../check.ts';
import { hasOption, isCall, knownWords, operandsOf } from '../safety/terms/words.ts';
import { warning } from './warning.ts';

const git = (
  id: string,
  test: (command: CommandFact) => boolean,
  texts: Pick<Check, 'severity' | 'message' | 'instead' | 'examples'>,
): Check => warning(id, ['git'], test, texts);

const isPush = (command: CommandFact) => isCall(command, 'git', 'push');

export const HISTORY_WARNINGS: readonly Check[] = [
  git('git-reset-hard', (c) => isCall(c, 'git', 'reset') && hasOption(c, '--hard', '--merge'), {
    severity: 'medium',
    message: 'This throws away uncommitted changes.',
    instead: '`git stash` keeps them.',
    examples: {
      matches: [
        'git reset --hard',
        'git reset --hard HEAD~1',
        'git -C x reset --hard',
        'sudo git reset --hard',
        "bash -c 'git reset --hard'",
        'git fetch && git reset --hard origin/main',
        'git reset HEAD --hard',
        'git reset --har',
      ],
      passes: [
        'git reset',
        'git reset --soft HEAD~1',
        'git reset a.txt',
        'echo git reset --hard',
        'git log --grep=--hard',
      ],
    },
  }),
  git(
    'git-clean',
    (c) => isCall(c, 'git', 'clean') && hasOption(c, '-f', '--force') && !hasOption(c, '-n', '--dry-run'),
    {
      severity: 'medium',
      message: 'This deletes untracked files permanently.',
      instead: '`git clean -n` lists the files that would be deleted.',
      examples: {
        matches: [
          'git clean -f',
          'git clean -fdx',
          'git clean -d --force',
          'timeout 5 git clean -xf',
          'git -C x clean -ffd',
          'git clean -fd src',
        ],
        passes: [
          'git clean -n',
          'git clean -nfd',
          'git clean --dry-run -f',
          'git clean',
          'make clean -f x',
          'git status',
        ],
      },
    },
  ),
  git('git-push-lease', (c) => isPush(c) && hasOption(c, '--force-with-lease', '--force', '-f'), {
    severity: 'medium',
    message: 'This may overwrite history on the server.',
    instead: 'Push to a new branch if others work on this one.',
    examples: {
      matches: [
        'git push --force-with-lease',
        'git push --force-with-lease=main origin',
        'git push -f',
        'env A=b git push --force',
        "sh -c 'git push --force-with-lease'",
      ],
      passes: ['git push', 'git push -u origin main', 'git fetch -f', 'git push --tags'],
    },
  }),
  git(
    'git-push-delete',
    (c) =>
      isPush(c) &&
      (hasOption(c, '-d', '--delete', '--prune') ||
        operandsOf(c)
          .slice(1)
          .some((word) => /^\+?:./.test(word))),
    {
      severity: 'medium',
      message: 'This deletes a branch or tag on the server.',
      instead: null,
      examples: {
        matches: [
          'git push --delete origin x',
          'git push origin :x',
          'git push -d origin x',
          'git push origin --delete x',
          'git push --prune origin',
          "bash -c 'git push origin :x'",
          'git push origin :refs/tags/v1',
        ],
        passes: ['git push origin x', 'git push origin a:b', 'git branch -d x', 'git push', 'git push git@h:x/y.git'],
      },
    },
  ),
  git(
    'git-branch-delete',
    (c) =>
      isCall(c, 'git', 'branch') &&
      (hasOption(c, '-D') || (hasOption(c, '-d', '--delete') && hasOption(c, '-f', '--force'))),
    {
      severity: 'medium',
      message: 'This deletes a branch even if no other branch has its commits.',
      instead: '`git branch -d` refuses if commits would be lost.',
      examples: {
        matches: [
          'git branch -D x',
          'git branch -d -f x',
          'git branch --delete --force x',
          'sudo git branch -D x',
          'git branch | xargs git branch -D',
        ],
        passes: ['git branch -d x', 'git branch x', 'git branch', 'git branch -f x HEAD', 'git branch -a'],
      },
    },
  ),
  git('git-discard', isDiscard, {
    severity: 'medium',
    message: 'This discards uncommitted changes in these files.',
    instead: '`git stash push FILE` keeps them.',
    examples: {
      matches: [
        'git checkout -- .',
        'git restore .',
        'git checkout .',
        'git checkout -f',
        'git restore a.txt',
        'git restore --staged --worktree a',
        'git checkout -- a.txt',
        'git checkout HEAD -- src',
        'git switch --discard-changes main',
        'git switch -f main',
        "bash -c 'git restore .'",
        'git -C x checkout -- .',
      ],
      passes: [
        'git checkout main',
        'git restore --staged a.txt',
        'git checkout -b x',
        'git switch main',
        'git status',
        'git restore -S .',
      ],
    },
  }),
  git('git-stash-drop', (c) => isCall(c, 'git', 'stash', 'drop') || isCall(c, 'git', 'stash', 'clear'), {
    severity: 'medium',
    message: 'This deletes stashed changes.',
    instead: '`git stash list` and `git stash show -p` show what would be lost.',
    examples: {
      matches: ['git stash drop', 'git stash clear', 'git -C x stash drop stash@{1}', "sh -c 'git stash clear'"],
      passes: ['git stash', 'git stash pop', 'git stash list', 'git stash push -m drop'],
    },
  }),
  git('git-rewrite', isRewrite, {
    severity: 'medium',
    message: 'This rewrites commits; people who have the old ones will get conflicts.',
    instead: 'Create a branch first, so that the old commits stay reachable: `git branch backup`.',
    examples: {
      matches: [
        'git rebase main',
        'git rebase -i HEAD~3',
        'git filter-branch --all',
        'git commit --amend',
        'git filter-repo --path x',
        'git commit -a --amend --no-edit',
        'git pull --rebase',
        'timeout 5 git rebase main',
        'git commit --amen',
      ],
      passes: [
        'git rebase --abort',
        'git commit -m amend',
        'git merge main',
        'git pull',
        'git log',
        'git rebase --show-current-patch',
      ],
    },
  }),
  git('git-unreachable', isUnreachable, {
    severity: 'high',
    message: 'This removes the last way to find commits that are on no branch.',
    instead: null,
    examples: {
      matches: [
        'git reflog expire --expire=now --all',
        'git reflog delete HEAD@{1}',
        'git update-ref -d refs/heads/x',
        'git gc --prune=now',
        'git prune',
        'git tag -d v1',
        'git worktree remove --force x',
        "bash -c 'git reflog expire --all'",
      ],
      passes: [
        'git reflog',
        'git gc',
        'git update-ref refs/heads/x HEAD',
        'git tag v1',
        'git remote prune origin',
        'git worktree list',
        'git prune -n',
      ],
    },
  }),
  git('git-skips-hooks', isHookSkipped, {
    severity: 'low',
    message: 'This skips the checks that the project runs before commits or pushes.',
    instead: 'Run them, and fix the problems that they find.',
    examples: {
      matches: [
        'git commit --no-verify -m x',
        'git commit -nm x',
        'git push --no-verify',
        'git merge --no-verify x',
        'git commit --no-veri -m x',
        'git -c core.hooksPath=/dev/null commit -m x',
        "bash -c 'git commit --no-verify -m x'",
        'sudo git commit -n',
      ],
      passes: ['git commit -m x', 'git commit -m --no-verify', 'git push -n', 'git log -n 3', 'git commit -v'],
    },
  }),
];

function isDiscard(command: CommandFact): boolean {
  if (isCall(command, 'git', 'restore'))
    return !hasOption(command, '-S', '--staged') || hasOption(command, '-W', '--worktree');
  if (isCall(command, 'git', 'switch')) return hasOption(command, '-f', '--force', '--discard-changes');
  if (!isCall(command, 'git', 'checkout')) return false;
  if (hasOption(command, '-f', '--force')) return true;
  if (hasOption(command, '-b', '-B', '--orphan')) return false;
  return (
    knownWords(command).includes('--') ||
    operandsOf(command).some((word) => word === '.' || word === './' || word === ':/')
  );
}

function isRewrite(command: CommandFact): boolean {
  if (isCall(command, 'git', 'rebase')) return !hasOption(command, '--abort', '--quit', '--show-current-patch');
  if (isCall(command, 'git', 'commit')) return hasOption(command, '--amend');
  if (isCall(command, 'git', 'pull')) return hasOption(command, '-r', '--rebase');
  return isCall(command, 'git', 'filter-branch') || knownWords(command).includes('filter-repo');
}

function isUnreachable(command: CommandFact): boolean {
  const words = knownWords(command);
  if (isCall(command, 'git', 'reflog')) return words.includes('expire') || words.includes('delete');
  if (isCall(command, 'git', 'update-ref')) return hasOption(command, '-d', '--stdin');
  if (isCall(command, 'git', 'gc'))
    return hasOption(command, '--prune') || words.some((word) => word.startsWith('--prune'));
  if (isCall(command, 'git', 'prune')) return !hasOption(command, '-n', '--dry-run');
  if (isCall(command, 'git', 'tag')) return hasOption(command, '-d', '--delete');
  return (
    isCall(command, 'git', 'worktree') &&
    words.includes('remove') &&
    (hasOption(command, '-f', '--force') || words.includes('--force'))
  );
}

function isHookSkipped(command: CommandFact): boolean {
  if (isCall(command, 'git', 'commit')) {
    const hooks = command.invocation?.leading.some(({ value }) => value?.toLowerCase().startsWith('core.hookspath='));
    return hooks === true || hasOption(command, '-n', '--no-verify');
  }
  return (
    ['push', 'merge', 'am', 'rebase'].some((verb) => isCall(command, 'git', verb)) && hasOption(command, '--no-verify')
  );
}
