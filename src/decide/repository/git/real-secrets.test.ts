// Real files and real programs: what prints a secret without naming its file is asked about, what does not is allowed.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyze } from '../../../analyze/analyze.ts';
import { DEFAULT_CONTEXT, DEFAULT_POLICY } from '../../../core/default-policy.ts';
import { createDiskProbe } from '../../../local/disk.ts';
import { decide } from '../../decide.ts';

const SECRET = 'hunter2hunter2hunter2hunter2';
let base = '';
let project = '';

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'real-secrets-')));
  project = join(base, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  mkdirSync(join(base, 'empty'));
  writeFileSync(join(project, '.env'), `KEY=${SECRET}\n`);
  writeFileSync(join(project, 'src/a.ts'), 'let a = 1;\n');
  const author = '-c user.name=a -c user.email=a@a.example';
  const commit = `git init -q -b main . && git add -f .env src && git ${author} commit -qm 1`;
  const settings = `git config remote.origin.url https://a:${SECRET}@h.example/a.git`;
  expect(run(`${commit} && ${settings}`)).toMatchObject({ status: 0 });
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

function run(command: string) {
  return spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', command], {
    cwd: project,
    encoding: 'utf8',
    timeout: 20_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: '1' },
  });
}

function decisionOf(command: string): string {
  const facts = analyze(command, { cwd: project, variables: { HOME: base } });
  return decide(facts, DEFAULT_POLICY, { ...DEFAULT_CONTEXT, cwd: project, home: base, probe: createDiskProbe() })
    .decision;
}

test.each([
  'git config -l',
  'git config --get remote.origin.url',
  'git config -f .git/config --get-regexp url',
  'git remote -v',
  'git remote get-url origin',
  'git remote show -n origin',
  'git ls-remote --get-url origin',
  'git var -l',
  'cat .git/config',
  'grep -h url .git/con*',
  'for f in .*; do cat "$f" 2>&1; done',
  'ls -A | while read -r f; do cat "$f" 2>&1; done',
  'cat $(ls -A) 2>&1',
  'cat $(find . -maxdepth 1 -type f)',
  'tar cf - .',
  'tar c . | cat',
  'diff -rN . ../empty',
  'git diff --no-index ../empty . | cat',
  'git ls-files | xargs cat',
  'for f in $(git ls-files); do cat "$f"; done',
  'git archive HEAD',
  'git archive HEAD | tar xO',
  'git grep KEY',
  'git log -p',
  'git cat-file --batch --batch-all-objects | cat',
  'git -c core.pager=cat blame .env',
])('asks about %s, which prints the secret', (command) => {
  expect(run(command).stdout).toContain(SECRET);
  expect(decisionOf(command)).toBe('ask');
});

test('asks about git blame if a setting names the secret file as a list of commits', () => {
  expect(run('git config blame.ignoreRevsFile .env').status).toBe(0);
  expect(run('git blame src/a.ts').stderr).toContain(SECRET);
  expect(decisionOf('git blame src/a.ts')).toBe('ask');
  expect(run('git config --unset blame.ignoreRevsFile').status).toBe(0);
  expect(decisionOf('git blame src/a.ts')).toBe('allow');
});

test.each([
  'git config user.name',
  'git remote',
  'git status --short',
  'git log --oneline',
  'git ls-files',
  'git ls-files | xargs wc -c',
  'git grep -l KEY',
  'git archive HEAD src | tar t',
  'tar cf - src',
  'tar c --exclude=.env --exclude=.git . | tar t',
  'diff -rq . ../empty',
  'ls -A | while read -r f; do echo "$f"; done',
  'for f in src/*; do cat "$f"; done',
  'grep -rn zzz .',
])('allows %s, which does not', (command) => {
  expect(run(command).stdout).not.toContain(SECRET);
  expect(decisionOf(command)).toBe('allow');
});
