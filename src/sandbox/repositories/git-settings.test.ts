// Commands → the settings of git that each changes by git itself.

import { expect, test } from 'vitest';
import { analyze } from '../../analyze/analyze.ts';
import { findGitChanges } from './git-settings.ts';

const PARTIAL = ['remote.*.promisor', 'remote.*.partialclonefilter', 'extensions.partialclone'];
const changes = (command: string) => findGitChanges(analyze(command, { cwd: '/w' }));

test.each<[string, readonly string[]]>([
  ['git remote add origin ../x', ['remote', 'branch']],
  ['cd sub && git remote rename a b', ['remote', 'branch']],
  ['git -C sub branch -m main', ['branch']],
  ['git commit -m x && git push -u origin main', ['branch']],
  ['timeout 60 git push -u origin main 2>&1 | tail -5', ['branch']],
  ["bash -c 'git push -u origin main'", ['branch']],
  ['git config user.name Ada', ['user.name']],
  ['git config --add Remote.Origin.Fetch x', ['remote.*.fetch']],
  ['git config set branch.a.b.merge x', ['branch.*.merge']],
  ['git config --unset core.hooksPath', ['core.hookspath']],
  ['git config --rename-section branch.a branch.b', ['branch']],
  ['git config user.name A; git config user.email b', ['user.name', 'user.email']],
  // Nothing is changed.
  ['git config user.name', []],
  ['git remote -v && git branch -a', []],
  ['git status', []],
  ['git clone ../x', []],
  ['git clone --filter=blob:none ../x', PARTIAL],
  ['git clone --filter blob:none https://example.com/x y && cd y && git status', PARTIAL],
  ['git fetch --filter=blob:none', ['branch']],
  ['sh x.sh; git clone --filter=blob:none ../x', []],
  // Something else runs.
  ['npm install && git remote add origin ../x', []],
  ['make; git push -u origin main', []],
  ['sh tool.sh; git config user.name Ada', []],
  ['./git config user.name Ada', []],
  ['git -c core.fsmonitor=./x config user.name Ada', []],
  ["git remote add x 'ext::sh -c id'", []],
  ['git config --edit', []],
  ['git whatever && git config user.name Ada', []],
  ['$X && git config user.name Ada', []],
  ['ssh host git config user.name Ada', []],
  ['git config "$KEY" x', []],
  // git refuses these names itself.
  ['git config x/../y 1', []],
  ['git config .. 1; git config a 1', ['a']],
])('%s', (command, settings) => {
  expect(changes(command).settings).toEqual(settings);
});

test.each<[string, boolean]>([
  ['git worktree remove work', true],
  ['git worktree prune', true],
  ['git submodule deinit -f lib && git rm -f lib', true],
  ['git worktree add work', false],
  ['git submodule update --init', false],
  ['git worktree remove work && make', false],
])('whether it moves worktrees or submodules: %s', (command, moves) => {
  expect(changes(command).movesWorktrees).toBe(moves);
});
