// Hostile repositories and real git: the programs that we report do run, and do not with the variables that we return.
// The hostile program only leaves a marker file.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { analyze } from '../../../analyze/analyze.ts';
import { DEFAULT_CONTEXT, DEFAULT_POLICY } from '../../../core/default-policy.ts';
import { createDiskProbe } from '../../../local/disk.ts';
import type { Subject } from '../../check.ts';
import { gitConfigExecutes } from './git-execution.ts';
import { neutralisingEnvironment } from './git-findings.ts';

let base = '';
let repo = '';
let marker = '';

const AUTHOR = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'a'],
    [`GIT_${who}_EMAIL`, 'a@a.example'],
  ]),
);

function run(command: string, environment: Readonly<Record<string, string>> = {}) {
  return spawnSync('/bin/bash', ['--norc', '--noprofile', '-p', '-c', command], {
    cwd: repo,
    encoding: 'utf8',
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: base,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...AUTHOR,
      ...environment,
    },
  });
}

function subjectOf(command: string, canSetEnvironment: boolean): Subject {
  return {
    facts: analyze(command, { cwd: repo, variables: { HOME: base } }),
    policy: DEFAULT_POLICY,
    context: { ...DEFAULT_CONTEXT, cwd: repo, home: base, probe: createDiskProbe(), canSetEnvironment },
  };
}

function verdictsOf(subject: Subject): readonly (string | undefined)[] {
  return subject.facts.commands
    .flatMap((command) => gitConfigExecutes.inspect(command, subject) ?? [])
    .map(({ verdict }) => verdict ?? gitConfigExecutes.verdict);
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'real-git-')));
  repo = join(base, 'repo');
  marker = join(base, 'marker');
  mkdirSync(repo);
  writeFileSync(join(base, 'evil'), `#!/bin/sh\ntouch '${marker}'\nif [ -f "$1" ]; then cat "$1"; else cat; fi\n`);
  chmodSync(join(base, 'evil'), 0o755);
  // For transports: git would wait for an answer while the program waits for more input.
  writeFileSync(join(base, 'silent'), `#!/bin/sh\ntouch '${marker}'\n`);
  chmodSync(join(base, 'silent'), 0o755);
  const files = "echo '*.x filter=f diff=d merge=m' > .gitattributes && echo 1 > a.x && git add . && git commit -qm 1";
  const second = 'echo 2 > a.x && git commit -qam 2 && git tag -m t t && echo 3 > a.x';
  expect(run(`git init -q -b main . && ${files} && ${second}`).stderr).toBe('');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const EVIL = '../evil';
const STOPPED = [
  ['git config core.fsmonitor', 'git status'],
  ['git config core.fsmonitor', 'git diff --stat | head -5'],
  ['git config core.fsmonitor', 'git ls-files'],
  ['git config core.fsmonitor', 'cd . && git grep 3'],
  ['git config diff.d.textconv', 'git diff'],
  ['git config diff.d.textconv', 'git log -p'],
  ['git config diff.d.textconv', 'git show'],
  ['git config diff.d.textconv', 'git blame a.x'],
  ['git config filter.f.clean', 'git status'],
  ['git config filter.f.clean', 'git diff --name-only'],
  ['git config filter.f.process', 'git status'],
  ['git config filter.f.required true && git config filter.f.process', 'git diff'],
  ['git config filter.f.smudge', 'git archive HEAD | wc -c'],
  ['cp ../evil .git/hooks/post-index-change; true', 'touch -d 2001-01-01 a.x; git status'],
  ['mkdir h; cp ../evil h/post-index-change; git config core.hooksPath h; true', 'touch -d 2001-01-01 a.x; git status'],
  ['git config -f ../more core.fsmonitor ../evil; git config include.path ../../more; true', 'git status'],
] as const;

test.each(STOPPED)('%s: %s is asked about, or runs without it', (setting, command) => {
  expect(run(`${setting} ${EVIL}`).stderr).toBe('');
  rmSync(marker, { force: true });
  // The file must differ in time only for the index to be written; the rest of the line is checked.
  const judged = command.replace(/^touch [^;]*; /, '');
  run(command);
  expect(existsSync(marker)).toBe(true);
  rmSync(marker);
  expect(verdictsOf(subjectOf(judged, false))).toContain('ask');
  const subject = subjectOf(judged, true);
  const environment = neutralisingEnvironment(subject);
  expect(environment).not.toBe(null);
  expect(new Set(verdictsOf(subject))).toEqual(new Set(['allow']));
  const result = run(command.replace('2001', '2002'), environment ?? {});
  expect([result.status, result.stderr]).toEqual([0, '']);
  expect(existsSync(marker)).toBe(false);
});

/** A repository inside this one, recorded in the index and in no `.gitmodules`. */
const NEST =
  'git init -q sub && cd sub && echo 1 > a.x && git add . && git commit -qm 1 && cd .. && git add sub 2>/dev/null';
const MONITOR_SUB = 'git -C sub config core.fsmonitor "$PWD/../evil"';
const TOUCH_SUB = 'touch -d 2001-01-01 sub/a.x; git status';
const NESTED: readonly (readonly [name: string, setting: string, command: string])[] = [
  ['fsmonitor', MONITOR_SUB, 'git status'],
  ['fsmonitor', MONITOR_SUB, 'git diff'],
  ['fsmonitor', MONITOR_SUB, 'git diff HEAD --stat'],
  ['fsmonitor', `git checkout -q a.x; ${MONITOR_SUB}`, 'git describe --always --dirty'],
  ['a hook', 'cp ../evil sub/.git/hooks/post-index-change', TOUCH_SUB],
  [
    'a filter',
    'git -C sub config filter.f.clean ../../evil; cp .gitattributes sub; touch -d 2003-01-01 sub/a.x',
    'git status',
  ],
  ['index version 4', `git update-index --index-version 4 && ${MONITOR_SUB}`, 'git status'],
  ['a split index', `git update-index --split-index && ${MONITOR_SUB}`, 'git status'],
  [
    'a .git file that points to another folder',
    `mv sub/.git ../else; echo gitdir: ../../else > sub/.git; ${MONITOR_SUB}`,
    'git status',
  ],
  ['a .git that is a link', `mv sub/.git ../else; ln -s ../../else sub/.git; ${MONITOR_SUB}`, 'git status'],
  [
    'another work tree',
    `mkdir ../t && mv sub ../t && git config core.worktree ../../t && git -C ../t/sub config core.fsmonitor "$PWD/../evil"`,
    'git status',
  ],
  [
    'one more inside',
    'cd sub && git init -q deep && cd deep && echo 1 > a && git add . && git commit -qm 1 && cd .. && git add deep 2>/dev/null && git -C deep config core.fsmonitor "$PWD/../../evil"',
    'git status',
  ],
  [
    'hooks in the home of another user',
    'mkdir h; cp ../evil h/post-index-change; git config core.hooksPath "~root/../$PWD/h"',
    'touch -d 2001-01-01 .gitattributes; git status',
  ],
  [
    'textconv in an old commit',
    'git commit -qm s; git -C sub commit -q --allow-empty -m 2; echo "* diff=d" > sub/.git/info/attributes; git -C sub config diff.d.textconv "$PWD/../evil"; echo 4 > sub/a.x; git -C sub commit -qam 3; git add sub 2>/dev/null; git commit -qm 2; git rm -q --cached sub; git commit -qm 3; git config diff.submodule diff',
    'git log -p',
  ],
];

test.each(NESTED)('a nested repository with %s (%s): %s is asked about, or runs without it', (_, setting, command) => {
  expect(run(`${NEST} && ${setting}`).stderr).toBe('');
  rmSync(marker, { force: true });
  const judged = command.replace(/^touch [^;]*; /, '');
  run(command);
  expect(existsSync(marker)).toBe(true);
  rmSync(marker);
  expect(verdictsOf(subjectOf(judged, false))).toContain('ask');
  const subject = subjectOf(judged, true);
  const environment = neutralisingEnvironment(subject);
  expect(environment).not.toBe(null);
  expect(new Set(verdictsOf(subject))).toEqual(new Set(['allow']));
  run(command.replace('2001', '2002'), environment ?? {});
  expect(existsSync(marker)).toBe(false);
});

test.each([
  ['', 'git status && git diff HEAD && git log -p && git submodule status'],
  ['git update-index --index-version 4', 'git status'],
  ['git update-index --split-index', 'git status'],
  ['git -C sub config user.name b; cp .git/hooks/*.sample sub/.git/hooks', 'git status'],
])('harmless nested repositories stay quiet (%s): %s', (setting, command) => {
  expect(run(`${NEST} && ${setting || 'true'}`).stderr).toBe('');
  expect(verdictsOf(subjectOf(command, true))).toEqual([]);
});

test('an index that cannot be read, or that leaves folders out, is asked about', () => {
  expect(run(NEST).stderr).toBe('');
  run('printf DIRC > .git/index');
  expect(verdictsOf(subjectOf('git status', true))).toContain('ask');
  run('rm .git/index; mkdir d e; echo 1 > d/f; echo 1 > e/f; git add d e && git commit -qm d');
  expect(run('git sparse-checkout set --cone --sparse-index d').stderr).toBe('');
  expect(run('git ls-files --sparse -s').stdout).toContain('040000');
  expect(verdictsOf(subjectOf('git status', true))).toEqual([]);
  mkdirSync(join(repo, 'e'));
  expect(verdictsOf(subjectOf('git status', true))).toContain('ask');
});

const PARTIAL =
  'git config uploadpack.allowFilter true; git clone -q --no-checkout --filter=tree:0 "file://$PWD" ../part && mv .git ../old && mv ../part/.git . && git config remote.origin.uploadpack "$PWD/../silent"';

test.each([
  'git ls-tree HEAD',
  'git rev-parse HEAD:a.x',
  'git rev-list --objects HEAD',
  'git show HEAD',
  'git cat-file -p HEAD:a.x',
])('a partial clone fetches what is missing: %s is asked about', (command) => {
  expect(run(PARTIAL).stderr).toBe('');
  run(command);
  expect(existsSync(marker)).toBe(true);
  expect(verdictsOf(subjectOf(command, true))).toContain('ask');
});

test('a partial clone of an ordinary address is quiet', () => {
  expect(run(`${PARTIAL} && git config --unset remote.origin.uploadpack`).stderr).toBe('');
  expect(verdictsOf(subjectOf('git ls-tree HEAD; git rev-parse HEAD:a.x; git show HEAD', true))).toEqual([]);
});

const VIEWER = 'git config man.viewer z && git config man.z.cmd ../silent';
test.each([
  [VIEWER, 'git status --help'],
  [VIEWER, 'git log --help'],
  [VIEWER, 'git rev-parse --help'],
  [VIEWER, 'git --help log'],
  [VIEWER, 'git -h log'],
  [
    'git config help.format web && git config help.htmlpath http://x.invalid && git config help.browser z && git config browser.z.cmd ../silent',
    'git diff --help',
  ],
  [
    `${NEST} && git commit -qm s && git -C sub config diff.external "$PWD/../silent" && git -C sub commit -q --allow-empty -m 2 && echo 5 > sub/a.x && git -C sub commit -qam 3 && git add sub 2>/dev/null && git commit -qm 2 && git rm -q --cached sub`,
    'git log -p --submodule=diff',
  ],
  ['git config diff.external ../evil', 'git diff'],
  ['git config diff.d.command ../evil', 'git diff'],
  ['git config man.viewer z && git config man.z.cmd ../silent', 'git help status'],
  ["git config remote.o.url 'ext::../silent %S' && git config protocol.ext.allow always", 'git ls-remote o'],
  ['git config core.sshCommand ../silent && git config remote.o.url ssh://x.invalid/y', 'git ls-remote o'],
  ["git config alias.zz '!../silent'", 'git zz'],
  ["git config alias.lfs '!../silent'", 'git lfs ls-files'],
  ["git config alias.lfs '-c alias.z=!../silent z'", 'git lfs status'],
  ["git config help.autocorrect immediate; git config alias.lfx '!../silent'", 'git lfs env'],
  ['git config tar.tgz.command ../evil', 'git archive --format=tgz HEAD'],
] as const)('%s: %s runs it, no variable helps, and it is asked about', (setting, command) => {
  expect(run(setting).stderr).toBe('');
  run(command);
  expect(existsSync(marker)).toBe(true);
  expect(verdictsOf(subjectOf(command, true))).toContain('ask');
  expect(neutralisingEnvironment(subjectOf(command, true))).toBe(null);
});

test.each([
  ['git config core.pager ../silent', 'git log'],
  ['git config pager.branch ../silent', 'git branch'],
  ['git config pager.ls-tree ../silent', 'git ls-tree HEAD'],
])('%s: on a terminal %s runs it, and it is asked about, or runs without it', (setting, command) => {
  expect(run(setting).stderr).toBe('');
  const onTerminal = `script -qec ${JSON.stringify(command)} /dev/null`;
  run(onTerminal);
  expect(existsSync(marker)).toBe(true);
  rmSync(marker);
  expect(verdictsOf(subjectOf(command, false))).toContain('ask');
  run(onTerminal, neutralisingEnvironment(subjectOf(command, true)) ?? {});
  expect(existsSync(marker)).toBe(false);
});

test.each([
  ['git config diff.d.textconv cat; git config diff.d.cachetextconv true', 'git show', 'git for-each-ref refs/notes'],
  [
    'git config core.splitIndex true',
    'git status',
    'touch -d 2001-01-01 a.x; git status -s >&2; ls .git | grep shared; rm -f .git/shared*; git config core.splitIndex false; git reset -q',
  ],
])('%s: %s writes files, and is asked about, or runs without it', (setting, command, written) => {
  expect(run(setting).stderr).toBe('');
  expect(verdictsOf(subjectOf(command, false))).toContain('ask');
  const environment = neutralisingEnvironment(subjectOf(command, true));
  expect(environment).not.toBe(null);
  run(command, environment ?? {});
  expect(run(written.includes('reset') ? 'ls .git | grep shared' : written).stdout).toBe('');
  run(command);
  expect(run(written).stdout).not.toBe('');
});

test('a bare repository inside a harmless folder is found as git finds it', () => {
  mkdirSync(join(repo, 'docs'));
  execFileSync('cp', ['-r', join(repo, '.git'), join(base, 'bare')]);
  execFileSync('sh', ['-c', 'mv bare/* repo/docs/'], { cwd: base });
  run('git config --file docs/config core.worktree .. && git config --file docs/config core.bare false');
  run('git config --file docs/config core.fsmonitor ../evil');
  run('cd docs && git status');
  expect(existsSync(marker)).toBe(true);
  expect(verdictsOf(subjectOf('cd docs && git status', false))).toContain('ask');
});

test('a linked worktree runs the programs of the main repository', () => {
  expect(run('git worktree add -q ../tree && git config core.fsmonitor ../evil').status).toBe(0);
  rmSync(marker, { force: true });
  run('cd ../tree && git status');
  expect(existsSync(marker)).toBe(true);
  expect(verdictsOf(subjectOf('cd ../tree && git status', false))).toContain('ask');
});

test.each([
  'env -i git status',
  'unset GIT_CONFIG_COUNT; git status',
  "bash -c 'git status'",
  'git status && git commit -m x',
  'git status > out',
])('%s gets no variables, because they would not reach git or would change its behavior', (command) => {
  run('git config core.fsmonitor ../evil');
  expect(verdictsOf(subjectOf(command, true))).toContain('ask');
  expect(neutralisingEnvironment(subjectOf(command, true))).toBe(null);
});

test('an ordinary repository is quiet', () => {
  const subject = subjectOf('git status && git diff HEAD~1 && git log -p && git show', true);
  expect(verdictsOf(subject)).toEqual([]);
  expect(neutralisingEnvironment(subject)).toBe(null);
});
