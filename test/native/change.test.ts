// Which changes of a repository's settings the supervisor writes (native/git-change.c): only settings that run nothing and
// that the command is known to change. Every other line stays as it is, where it is.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

const CORE = '[core]\n\tbare = false\n';
const PAGER = '[core]\n\tbare = false\n\tpager = less \\\n\t-R\n[alias]\n\tlg = log --format=\\"%h\\"\n';
const ORIGIN = '[remote "origin"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n';
const PARTIAL = `${CORE}${ORIGIN}\tpromisor = true\n`;
const ALL = ['remote', 'branch', 'user', 'core', 'submodule', 'alias', 'include'];

/** Before, after, names that may change (all of these unless given), the answer. */
const ROWS: Record<string, [before: string, after: string, answer: string, names?: readonly string[]]> = {
  'no change': [PAGER, PAGER, 'passes', []],
  'a new remote': [CORE, CORE + ORIGIN, 'passes'],
  'a new remote before settings that run something': [
    PAGER,
    CORE + ORIGIN + PAGER.slice(CORE.length),
    'remote.origin.pager',
  ],
  'a new remote after settings that run something': [PAGER, PAGER + ORIGIN, 'passes'],
  'a remote less': [CORE + ORIGIN, CORE, 'passes'],
  'a key that the command does not change': [CORE, CORE + ORIGIN, 'remote.origin.url', ['branch', 'user.name']],
  'a key whose name only begins like that of one that may change': [
    CORE,
    `${CORE}[user]\n\tnamex = y\n`,
    'user.namex',
    ['user.name'],
  ],
  'only one key of a section': [CORE, `${CORE}[user]\n\tname = A\n\temail = b\n`, 'user.email', ['user.name']],
  'a key of every subsection': [CORE, `${CORE}[branch "a.b"]\n\tmerge = x\n`, 'passes', ['branch.*.merge']],
  'another object format': [
    CORE,
    `${CORE}[extensions]\n\tobjectformat = sha256\n`,
    'extensions.objectformat',
    ['extensions'],
  ],
  'another address of a partial clone': [PARTIAL, PARTIAL.replace('example.com', 'other.example'), 'remote.origin.url'],
  'one more address of a partial clone': [
    PARTIAL,
    `[remote "origin"]\n\turl = https://other.example/x\n${PARTIAL}`,
    'remote.origin.url',
  ],
  'another remote of a partial clone': [
    PARTIAL,
    `${PARTIAL}[remote "fork"]\n\turl = https://other.example/x\n`,
    'passes',
  ],
  'a clone that becomes partial': [CORE + ORIGIN, PARTIAL, 'remote.origin.promisor'],
  'a monitor': [CORE, `${CORE}\tfsmonitor = ./x\n`, 'core.fsmonitor'],
  'a monitor in another case': [CORE, `${CORE}[CORE]\n\tFsMonitor = ./x\n`, 'CORE.FsMonitor'],
  'a monitor on the line of its section': [CORE, `${CORE}[core] fsmonitor = ./x\n`, 'core'],
  'a monitor after a carriage return': [CORE, `${CORE}\r\tfsmonitor = ./x\n`, 'core.fsmonitor'],
  'a monitor in the continuation of a comment': [CORE, `${CORE}# x\\\n\tfsmonitor = ./x\n`, 'core.x'],
  'an alias': [CORE, `${CORE}[alias]\n\tx = !sh\n`, 'alias.x'],
  'an include': [CORE, `${CORE}[include]\n\tpath = x\n`, 'include.path'],
  'another value of what runs something': [PAGER, PAGER.replace('less', 'sh'), 'core.pager'],
  'what runs something, removed': [PAGER, CORE, 'core.pager'],
  'what runs something, in another section': [PAGER, PAGER.replace('[alias]', '[pager]'), 'pager.lg'],
  'another order of what runs something': ['[alias]\n\ta = !x\n\tb = !y\n', '[alias]\n\tb = !y\n\ta = !x\n', 'alias.b'],
  'a line between a value and its continuation': [PAGER, PAGER.replace('\\\n', '\\\n\tbare = true\n'), 'core.bare'],
  'the continuation of a value, removed': [PAGER, PAGER.replace('\t-R\n', ''), 'core.-R'],
  'a section name with an escape': [CORE, `${CORE}[remote "a\\"b"]\n\turl = x\n`, 'remote.ab'],
  'an address that runs a helper': [CORE, `${CORE}[remote "x"]\n\turl = ext::sh -c x\n`, 'remote.x.url'],
  'an address that is an option': [CORE, `${CORE}[remote "x"]\n\turl = --upload-pack=x\n`, 'remote.x.url'],
  'an address in quotes': [CORE, `${CORE}[remote "x"]\n\turl = "ext::x"\n`, 'remote.x.url'],
  'an address of a branch that runs a helper': [CORE, `${CORE}[branch "x"]\n\tremote = ext::x\n`, 'branch.x.remote'],
  'a program at the other end': [CORE, `${CORE}[remote "x"]\n\tuploadpack = x\n`, 'remote.x.uploadpack'],
  'an address in a private folder': [
    CORE + ORIGIN,
    CORE + ORIGIN.replace('https://example.com/x.git', '/tmp/hardshell-0-tmp/abc/x'),
    'remote.origin.url',
  ],
  'a remote that objects are fetched from': [CORE, `${CORE}${ORIGIN}\tpromisor = true\n`, 'remote.origin.promisor'],
  'a filter for a remote': [CORE, `${CORE}${ORIGIN}\tpartialCloneFilter = x\n`, 'remote.origin.partialCloneFilter'],
  'a partial clone': [CORE, `${CORE}[extensions]\n\tpartialClone = x\n`, 'extensions.partialClone', ['extensions']],
  'a partial clone as it was': [
    `${ORIGIN}\tpromisor = true\n`,
    `${ORIGIN}\tpromisor = true\n\tprune = true\n`,
    'passes',
  ],
  'an update that runs a command': [CORE, `${CORE}[submodule "x"]\n\tupdate = !x\n`, 'submodule.x.update'],
  'another worktree': [CORE, `${CORE}\tworktree = /\n`, 'core.worktree'],
  'a line of any length': [CORE, `${CORE}\tabbrev = ${'1'.repeat(5000)}\n`, 'core.abbrev'],
  'a NUL': [CORE, `${CORE}\tabbrev = 1\0\n`, 'core.abbrev'],
  'no line end at the end': [CORE, `${CORE}[user]\n\tname = A`, 'passes'],
  nothing: [CORE, '', 'passes'],
};

describe.skipIf(!hasCompiler)('a change of settings', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hardshell-change-'));
    const source = fileURLToPath(new URL('./change-check.c', import.meta.url));
    const flags = ['-std=c11', '-O1', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
    execFileSync('cc', [...flags, '-o', join(folder, 'check'), source]);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(Object.entries(ROWS))('%s', (_, [before, after, answer, names = ALL]) => {
    writeFileSync(join(folder, 'before'), before);
    const argv = ['/w/.git', join(folder, 'before'), ...names];
    expect(execFileSync(join(folder, 'check'), argv, { input: after, encoding: 'utf8' }).trim()).toBe(answer);
  });
});
