// Which settings of a repository run nothing is decided twice: by the supervisor (native/git-inert.c) and, for other backends,
// by src/decide/repository/inert-config.ts. Both know the same keys, and agree on these cases.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INERT_KEYS, isInertConfig } from '../../src/decide/repository/inert-config.ts';

const SOURCE = fileURLToPath(new URL('../../native/git-inert.c', import.meta.url));
const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

test('both know the same keys', () => {
  const [, table = ''] = /KEYS\[\] = \{(.*?)\n\};/s.exec(readFileSync(SOURCE, 'utf8')) ?? [];
  const keys = [...table.matchAll(/"([^"]+)"/g)].map(([, key]) => key);
  expect(keys.length).toBeGreaterThan(100);
  expect([...INERT_KEYS].sort()).toEqual(keys.sort());
});

const INERT = [
  '',
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
  '[remote "origin"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
  '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
  '[user]\n\tname = Ada\n\temail = ada@example.com\n',
  '[submodule "lib"]\n\tactive = true\n\turl = ../lib\n\tupdate = rebase\n',
  '[color "diff"]\n\tmeta = yellow\n',
  '[advice]\n\tdetachedHead = false\n',
  '# a note\n; another\n[core]\n\tbare\n',
];
const RUNNING = [
  '[core]\n\tfsmonitor = touch x\n',
  '[core]\n\thooksPath = hooks\n',
  '[core]\n\tpager = sh x\n',
  '[core]\n\tsshCommand = sh x\n',
  '[core]\n\tworktree = /\n',
  '[core]\n\tworktree = ../..\n',
  '[CORE]\n\tFSMonitor = touch x\n',
  '[alias]\n\tx = !sh x\n',
  '[include]\n\tpath = x\n',
  '[includeIf "gitdir:/"]\n\tpath = x\n',
  '[filter "x"]\n\tclean = sh x\n',
  '[diff "x"]\n\ttextconv = sh x\n',
  '[merge "x"]\n\tdriver = sh x\n',
  '[credential]\n\thelper = !sh x\n',
  '[gpg]\n\tprogram = sh\n',
  '[pager]\n\tlog = sh x\n',
  '[url "ext::sh -c x"]\n\tinsteadOf = https:\n',
  '[remote "origin"]\n\turl = ext::sh -c x\n',
  '[remote "origin"]\n\tuploadpack = sh x\n',
  '[remote "origin"]\n\turl = -x\n',
  '[submodule "lib"]\n\tupdate = !sh x\n',
  '[sequence]\n\teditor = sh x\n',
  '[made]\n\tup = x\n',
  '[core]\n\tmadeUp = x\n',
  '[core "x"]\n\tbare = false\n',
  '[advice "x"]\n\ty = z\n',
  '[core\n\tbare = false\n',
];
/** Of a remote, a branch or a submodule. */
const ADDRESSES: readonly [address: string, isInert: boolean][] = [
  ...[
    ...['https://example.com/x.git', 'http://example.com:8080/x', 'ssh://git@example.com:22/x', 'git://example.com/x'],
    ...['git@example.com:ada/x.git', 'example.com:x', 'origin', 'hardshell', 'my-fork', '.', '../x', './a/../b.git'],
    ...[
      '/srv/x.git',
      '~/x.git',
      'file:///srv/x.git',
      '/home/ada/hardshell/lib',
      '/home/ada/hardshell-x/lib',
      '/w/proc/x',
    ],
    'https://example.com/hardshell/caches/x%20y.git',
    ...['/home/ada/dev/x.git', '../dev/x', '~/dev/dev.git', '/srv/sys/x', '/srv/run/user/x', '/devices/x', 'dev/x'],
    ...['localhost:/srv/x.git', 'ssh://localhost/srv/x', 'example.com:dev/x', 'ssh://example.com/a%20b'],
  ].map((address): [string, boolean] => [address, true]),
  ...[
    ...['foo://x', 'foo+bar://x', 'rad://x', 'HTTPS://example.com/x', 'ext::sh', 'x::https://example.com', '-x'],
    ...['ssh://-oProxyCommand=x/y', './foo://x', 'transport.helper://x'],
    ...[
      '/tmp/hardshell-0-tmp/abc/evil.git',
      'file:///tmp/hardshell-1000-tmp/abc/evil.git',
      '/x/hardshell-0-tmp-aB3/evil',
    ],
    ...['~/.cache/hardshell/caches/abc/evil.git', '/h/.cache/hardshell/quarantine/1-2-hooks', '/h/HardShell/Caches/x'],
    ...['../../tmp/hardshell-0-tmp/abc/evil.git', '../.cache//hardshell/./caches/x', '../hardshell/x/../caches/x'],
    ...[
      'file:///tmp/hardshell%2d0-tmp/abc/evil.git',
      '/tmp/%68ardshell-0-tmp/x',
      'file://localhost/tmp/hardshell-0-tmp/x',
    ],
    ...['/proc/1/root/tmp/evil.git', '../../proc/self/root/tmp/x', '/proc/./thread-self/cwd/x', '/tmp/hardshell-0-tmp'],
    './a:b/../../tmp/hardshell-0-tmp/x',
    ...['/dev/fd/../../1234/root/tmp/x', '//dev/fd/3', 'file:///dev/fd/../../1/root/x', '/dev/stdin/../../1/root/x'],
    ...[
      '../../../dev/fd/../../1/root/x',
      '/x/../dev/x',
      '/./dev//x',
      '/sys/x',
      '/proc',
      '/run/user/1000/x',
      '/dev/shm/x',
    ],
    ...['file://localhost/dev/x', '/var/run/user/0/x', '~/../../dev/./fd/../../1/root/x'],
    ...['localhost:/tmp/hardshell-0-tmp/abc/x', 'ssh://localhost/tmp/hardshell-0-tmp/abc/x', 'a@b:hardshell-0-tmp/x'],
    ...[
      'ssh://127.0.0.1:22/tmp/hardshell-1000-tmp/x',
      'git+ssh://x/h/.cache/hardshell/caches/x',
      'git://x/proc/1/root/x',
    ],
    ...[
      'ssh://x/tmp/%68ardshell-0-tmp/x',
      'x:/dev/fd/../../1/root/x',
      'me@x:.cache/hardshell/caches/x',
      'x:/proc/1/cwd',
    ],
  ].map((address): [string, boolean] => [address, false]),
];
/** Odd ways to write what is harmless: a no of the supervisor is enough. */
const ODD = ['[core] bare = false\n', '[core]\n\tabbrev = 1\\\n2\n', '[core.x]\n\tbare = false\n'];

describe.skipIf(!hasCompiler)('on the same settings', () => {
  let folder = '';
  const native = (text: string, git: string) =>
    execFileSync(join(folder, 'check'), [git], { input: text, encoding: 'utf8' }).trim() === 'inert';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hardshell-inert-'));
    const source = fileURLToPath(new URL('./inert-check.c', import.meta.url));
    const flags = ['-std=c11', '-O1', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
    execFileSync('cc', [...flags, '-o', join(folder, 'check'), source]);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(INERT)('harmless for both: %j', (text) => {
    expect([native(text, '/w/.git'), isInertConfig(text, '/w/.git')]).toEqual([true, true]);
  });

  test.each(RUNNING)('not harmless for either: %j', (text) => {
    expect([native(text, '/w/.git'), isInertConfig(text, '/w/.git')]).toEqual([false, false]);
  });

  test.each(ODD)('not harmless for the supervisor: %j', (text) => {
    expect(native(text, '/w/.git')).toBe(false);
  });

  test.each(ADDRESSES)('the address %s: %s', (address, isInert) => {
    const settings = [
      ...['[remote "x"]\n\turl', '[remote "x"]\n\tpushurl', '[remote]\n\tpushDefault', '[branch "x"]\n\tremote'],
      ...['[branch "x"]\n\tpushRemote', '[submodule "x"]\n\turl'],
    ].map((start) => `${start} = ${address}\n`);
    for (const text of settings)
      expect([text, native(text, '/w/.git'), isInertConfig(text, '/w/.git')]).toEqual([text, isInert, isInert]);
  });

  test.each([
    ['../../../lib', true],
    ['../../../../lib', false],
    ['../../../.git', false],
    ['/w/lib', false],
  ])('the worktree of a submodule, %s: %s', (value, isInert) => {
    const text = `[core]\n\tworktree = ${value}\n`;
    const git = '/w/.git/modules/lib';
    expect([native(text, git), isInertConfig(text, git)]).toEqual([isInert, isInert]);
  });
});
