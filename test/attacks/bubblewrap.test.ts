// What is peculiar to bubblewrap: places that it makes, links that it follows, programs that run before the command does.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { tryLaunch } from '../../src/confine/backends/attempt.ts';
import type { BackendPlan, Launch } from '../../src/confine/backends/backend.ts';
import { type BubblewrapOptions, findBubblewrap, locateBubblewrap } from '../../src/confine/backends/bubblewrap.ts';
import { CHECK } from '../../src/confine/backends/mount-check.ts';
import { diskFolders } from '../../src/confine/folders.ts';
import type { ConfinementPolicy } from '../../src/confine/plan.ts';
import { GUARANTEES } from '../../src/core/confinement.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';
import { makeMark, until } from '../contract/marks.ts';
import { makeBase } from './subject.ts';

const base = makeBase('hardshell-bubblewrap-');
afterAll(() => rmSync(base, { recursive: true, force: true }));
const [W, O, privateFolder] = ['w', 'o', 'filters'].map((name) => join(base, name)) as [string, string, string];
const options: BubblewrapOptions = { folders: diskFolders, privateFolder, endsTree: false };
const found = await findBubblewrap(options, tryLaunch);
const workspace: ConfinementPolicy = { name: 'workspace', writable: [W], hidden: [`${W}/.env`, `${W}/a/b/key`] };

function bash(script: string, env: Record<string, string> = {}): Launch {
  return { program: 'bash', argv: ['bash', '-c', script], cwd: W, env: { PATH: '/usr/bin:/bin', W, O, ...env } };
}

function planned(policy = workspace): Extract<BackendPlan, { kind: 'confined' }> {
  const plan = found.isAvailable ? found.backend.plan(policy) : null;
  if (plan?.kind !== 'confined') throw new Error(plan?.kind);
  return plan;
}

function tree(): string[] {
  return readdirSync(base, { recursive: true, encoding: 'utf8' }).sort();
}

beforeEach((context) => {
  if (!found.isAvailable) context.skip(found.why);
  for (const folder of [W, O]) rmSync(folder, { recursive: true, force: true });
  for (const folder of [`${W}/.git/hooks`, `${W}/a/b`, O]) mkdirSync(folder, { recursive: true });
  for (const file of [`${W}/.git/config`, `${W}/.env`, `${W}/a/b/key`, `${O}/file`]) writeFileSync(file, 'old\n');
});

describe('a file that another program replaces loses its mount, which nothing notices', () => {
  test('hidden and protected files are reported as missing, and the new content can be read', async () => {
    const { enforcement, apply } = planned({ name: 'workspace', writable: [W], hidden: [`${W}/.env`] });
    const launch = tryLaunch(
      apply(bash('touch ready; for i in $(seq 200); do [ -e go ] && break; sleep 0.05; done; cat .env 1>&2')),
    );
    expect(await until(() => existsSync(`${W}/ready`), 15_000)).toBe(true);
    writeFileSync(`${W}/new`, 'NEW\n');
    renameSync(`${W}/new`, `${W}/.env`);
    writeFileSync(`${W}/go`, '');
    expect((await launch).text).toContain('NEW');
    expect(enforcement.held).not.toContain('hidden-content');
    expect(enforcement.held).not.toContain('protected-existing');
    const whys = enforcement.missing.map(({ why }) => why).join('\n');
    expect(whys).toContain(`${W}/.env can be read if it is replaced`);
    expect(whys).toContain(`${W}/.git/config can be changed if it is replaced`);
    expect(whys).not.toContain('removed and reported');
  });

  test('folders keep their mounts and count as held', () => {
    rmSync(`${W}/.git/config`);
    const { enforcement } = planned({ name: 'workspace', writable: [W], hidden: [O] });
    expect(enforcement.held).toContain('hidden-content');
    expect(enforcement.held).toContain('protected-existing');
  });

  test('a hidden name that does not exist yet is reported as well', () => {
    const policy = { name: 'workspace', writable: [W], watched: [`${O}/later`] } as const;
    expect(planned(policy).enforcement.held).not.toContain('hidden-content');
  });
});

describe('no places are made on the disk', () => {
  test('for names that are protected or hidden and do not exist', async () => {
    const policy = { ...workspace, hidden: [`${W}/none`, `${W}/no/folder/none`], protected: [`${W}/absent/file`] };
    const before = tree();
    expect(await tryLaunch(planned(policy).apply(bash('true')))).toMatchObject({ exitCode: 0 });
    expect(tree()).toEqual(before);
  });

  test('for what vanished after the plan was made: the command does not run', async () => {
    for (const path of [`${W}/.env`, `${W}/.git/hooks`, `${W}/a/b/key`, `${W}/a`]) {
      mkdirSync(`${W}/a/b`, { recursive: true });
      writeFileSync(`${W}/a/b/key`, 'x');
      const plan = planned();
      rmSync(path, { recursive: true });
      const before = tree();
      expect(() => plan.apply(bash('true'))).toThrow('has changed since the confinement was planned');
      expect(tree()).toEqual(before);
    }
  });

  test('for what vanished after the request was made: the same', async () => {
    for (const path of [`${W}/.env`, `${W}/.git/hooks`, `${W}/a/b/key`]) {
      const request = planned().apply(bash('echo ran > ran'));
      rmSync(path, { recursive: true });
      const before = tree();
      expect(await tryLaunch(request)).toMatchObject({ exitCode: 1, text: expect.stringContaining('source path') });
      expect(tree()).toEqual(before);
    }
  });

  test('when everything is killed in the middle', async () => {
    const mark = makeMark();
    const before = tree();
    const { program, argv, env } = planned().apply(bash('echo ready; sleep 300', mark.env));
    // As Node's runner does it: the group of bwrap alone.
    const child = spawn(program, argv.slice(1), { env, cwd: '/', stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    await once(child.stdout, 'data');
    process.kill(-(child.pid as number), 'SIGKILL');
    expect(await mark.untilGone(15_000)).toBe(0);
    expect(tree()).toEqual(before);
  });
});

describe('a folder that becomes a link while the command starts', () => {
  // The plan is made, then the exchange happens, then bwrap mounts: the worst moment, every time.
  const exchanges: [string, string, string][] = [
    ['the way to a protected name', '.git', '../o'],
    ['the way to a hidden name', 'a', '../o'],
    ['deeper on that way', 'a/b', '../../o'],
  ];
  for (const [name, path, target] of exchanges) {
    const script = 'echo new > $O/file; echo new > $W/a/file; echo new > $W/.git/file; exit 0';
    const exchange = () => {
      const plan = planned();
      // The source of a mount must exist there, or bwrap exits.
      for (const folder of ['hooks', 'b']) mkdirSync(`${O}/${folder}`, { recursive: true });
      for (const file of ['config', 'b/key', 'key']) writeFileSync(`${O}/${file}`, 'old\n');
      const request = plan.apply(bash(script));
      renameSync(join(W, path), join(W, `${path}.old`));
      symlinkSync(target, join(W, path));
      return request;
    };

    test(`${name}: nothing runs`, async () => {
      const { exitCode, text } = await tryLaunch(exchange());
      expect([exitCode, text]).toEqual([126, expect.stringContaining('nothing was run')]);
      expect(readFileSync(`${O}/file`, 'utf8')).toBe('old\n');
    });

    test(`${name}: without the look at the mounts it would get out`, async () => {
      const request = exchange();
      const argv = request.argv.map((word) => (word === CHECK ? 'shift 3; exec "$@"' : word));
      await tryLaunch({ ...request, argv });
      expect(readFileSync(`${O}/file`, 'utf8')).toBe('new\n');
    });
  }

  test('a folder that is exchanged for another one is noticed too', async () => {
    const request = planned({ ...workspace, writable: [W, `${W}/a`] }).apply(bash('true'));
    renameSync(`${W}/a`, `${W}/a.old`);
    symlinkSync('a.old', `${W}/a`);
    expect(await tryLaunch(request)).toMatchObject({ exitCode: 126 });
  });
});

describe('what runs before the command', () => {
  test('loads no library of the command', async (context) => {
    const source = `#include <stdlib.h>\n#include <stdio.h>\n__attribute__((constructor)) static void f(void) {
      fputs("loaded\\n", stderr); FILE *f = fopen(getenv("OUT"), "w"); if (f) fclose(f); }`;
    try {
      execFileSync('cc', ['-shared', '-fPIC', '-x', 'c', '-o', `${W}/evil.so`, '-'], { input: source });
    } catch {
      return context.skip('needs a C compiler');
    }
    const env = { LD_PRELOAD: `${W}/evil.so`, OUT: `${O}/outside` };
    const { exitCode, text } = await tryLaunch(planned().apply(bash('test "$LD_PRELOAD" = $W/evil.so', env)));
    expect([exitCode, existsSync(`${O}/outside`)]).toEqual([0, false]);
    // It is the command's wish, and there it is fulfilled.
    expect(text).toContain('loaded');
  });

  test.each([
    ['a traced shell', { SHELLOPTS: 'xtrace', PS4: '$(touch $O/outside)' }],
    ['a file for every shell', { ENV: '/dev/stdin', BASH_ENV: '$(touch $O/outside)' }],
    ['a function in place of a word', { 'BASH_FUNC_read%%': '() { touch $O/outside; }' }],
    ['other fields', { IFS: '/' }],
  ])('takes no orders from variables: %s', async (_, env) => {
    const names = Object.keys(env).filter((name) => /^\w+$/.test(name) && name !== 'SHELLOPTS' && name !== 'IFS');
    const script = names.map((name) => `test -n "$${name}"`).join(' && ') || 'true';
    const { exitCode } = await tryLaunch(planned().apply(bash(script, env)));
    expect([exitCode, existsSync(`${O}/outside`)]).toEqual([0, false]);
  });

  test('programs and words are never options, assignments or shell code', async () => {
    const odd = `${W}/a=$(id) b`;
    copyFileSync('/usr/bin/printf', odd);
    chmodSync(odd, 0o755);
    const words = ['<%s>', '', '--', '$(id)', "'", '\n', 'X=1'];
    const printed: Launch = {
      program: '/bin/sh',
      argv: ['sh', '-c', '"$@" >&2', 'sh', odd, ...words],
      cwd: W,
      env: {},
    };
    const expected = words.slice(1).map((word) => `<${word}>`);
    expect(await tryLaunch(planned().apply(printed))).toEqual({ exitCode: 0, text: expected.join('') });
    expect(await tryLaunch(planned().apply({ program: odd, argv: [odd, 'x'], cwd: W, env: {} }))).toMatchObject({
      exitCode: 0,
    });
    expect(() => planned().apply({ program: '--help', argv: ['--help'], cwd: W, env: {} })).toThrow(
      'looks like an option',
    );
  });

  test('is a bwrap of root alone', () => {
    const mine = join(base, 'bwrap');
    copyFileSync('/bin/true', mine);
    chmodSync(mine, 0o777);
    expect(locateBubblewrap([mine])).toEqual({ why: `${mine} can be changed by users other than root` });
    expect(locateBubblewrap([join(base, 'none')])).toEqual({ why: expect.stringContaining('not installed') });
  });
});

describe('plans', () => {
  test('the filter must not be where commands write', () => {
    const plan = found.isAvailable ? found.backend.plan({ name: 'workspace', writable: [base] }) : null;
    expect(plan).toMatchObject({ kind: 'impossible', backend: 'bubblewrap', enforcement: { tier: 'none', held: [] } });
  });

  test('a changed filter is rewritten, and a missing one refuses the start', async () => {
    const read = () =>
      readdirSync(privateFolder).map((name) => readFileSync(join(privateFolder, name)).toString('hex'));
    planned();
    const before = read();
    for (const name of readdirSync(privateFolder)) {
      rmSync(join(privateFolder, name));
      writeFileSync(join(privateFolder, name), '');
    }
    const policies: ConfinementPolicy[] = [workspace, { name: 'restricted', network: 'none' }];
    for (const policy of policies) planned(policy);
    expect(read()).toEqual(expect.arrayContaining(before));
    const request = planned().apply(bash('true'));
    rmSync(privateFolder, { recursive: true });
    expect((await tryLaunch(request)).exitCode).not.toBe(0);
  });

  test('lists of ports are refused', () => {
    const plan = found.isAvailable
      ? found.backend.plan({ name: 'workspace', network: 'host', connectPorts: [443] })
      : null;
    expect(plan).toMatchObject({ kind: 'impossible', why: expect.stringContaining('list of ports') });
  });

  test('what it cannot open stays closed, and the plan says so', async () => {
    const policy = { ...workspace, proxyPort: 9, hostPorts: [9], publishPorts: [9], unixPaths: [`${O}/socket`] };
    const { cannot, enforcement } = planned(policy);
    expect([cannot.length, enforcement.held.includes('network'), enforcement.held.includes('unix-sockets')]).toEqual([
      4,
      true,
      true,
    ]);
    expect(planned().cannot).toEqual([]);
    expect(planned({ ...policy, network: 'host', unixSockets: 'any' }).cannot).toEqual([]);
  });

  test('no network means no internet sockets', async () => {
    const script = 'exec 3<>/dev/tcp/127.0.0.1/9';
    const { text } = await tryLaunch(planned({ ...workspace, network: 'none' }).apply(bash(script)));
    expect(text).toContain('Operation not permitted');
    expect((await tryLaunch(planned().apply(bash(script)))).text).toContain('Connection refused');
  });

  test('a machine without a filter says what is lost, and the rest holds', async () => {
    const other = await findBubblewrap({ ...options, architecture: 'riscv64' }, tryLaunch);
    const plan = other.isAvailable ? other.backend.plan(workspace) : null;
    if (plan?.kind !== 'confined') throw new Error(plan?.kind);
    const missing = plan.enforcement.missing.map(({ guarantee }) => guarantee);
    expect(missing).toEqual(expect.arrayContaining(['unix-sockets', 'privileges', 'terminals', 'kernel-surface']));
    expect(plan.enforcement.held).toEqual(GUARANTEES.filter((name) => !missing.includes(name)));
    expect(await tryLaunch(plan.apply(bash('echo new > $O/file')))).toMatchObject({ exitCode: 1 });
  });

  test('with parts of /proc masked, as in containers, the rest is enforced and the report says so', async (context) => {
    const within = ({ program, argv, ...rest }: Launch): Launch => ({
      ...rest,
      program: 'unshare',
      argv: [
        'unshare',
        '-m',
        'sh',
        '-c',
        'mount --bind /proc/sys /proc/sys && exec "$@"',
        'sh',
        program,
        ...argv.slice(1),
      ],
    });
    const possible = await tryLaunch(
      within({ program: 'true', argv: ['true'], cwd: '/', env: { PATH: '/usr/bin:/bin' } }),
    );
    if (possible.exitCode !== 0) return context.skip(`such a machine cannot be made here: ${possible.text}`);
    const other = await findBubblewrap(options, (request) => tryLaunch(within(request)));
    const plan = other.isAvailable ? other.backend.plan(workspace) : null;
    if (plan?.kind !== 'confined') throw new Error(JSON.stringify(other));
    expect(plan.enforcement.missing.map(({ guarantee }) => guarantee)).toContain('processes-unseen');
    const script = `echo x > /proc/sys/kernel/core_pattern || echo x > $O/file || cat /proc/${process.pid}/environ`;
    expect((await tryLaunch(within(plan.apply(bash(script))))).exitCode).toBe(1);
    expect(await tryLaunch(within(plan.apply(bash('echo new > $W/file'))))).toMatchObject({ exitCode: 0 });
  });

  test('a writable folder that is a link is what it leads to, and one that is absent is left out', async () => {
    symlinkSync(W, join(base, 'link'));
    const plan = planned({ name: 'workspace', writable: [join(base, 'link'), join(base, 'absent')] });
    rmSync(join(base, 'link'));
    expect(await tryLaunch(plan.apply(bash('echo new > $W/new && ! echo new > $O/file')))).toMatchObject({
      exitCode: 0,
    });
    expect(existsSync(join(base, 'absent'))).toBe(false);
  });

  test('names with blanks, quotes, newlines, backslashes and other letters', async () => {
    const names = [
      'a b',
      "it's",
      'two\nlines',
      'back\\slash',
      '\u00e9\u{1f600}',
      '-dash',
      '$(id)',
      'tab\there',
      '#*?[',
    ];
    for (const name of names) {
      mkdirSync(join(W, name, 'in'), { recursive: true });
      writeFileSync(join(W, name, 'in', 'key'), 'secret');
    }
    const policy = {
      ...workspace,
      hidden: names.map((name) => join(W, name, 'in', 'key')),
      protected: names.map((name) => join(W, name)),
    };
    const script = 'for d in */in; do cat "$d/key" && exit 4; done; exit 0';
    const inside = await tryLaunch(planned({ ...policy, protected: [] }).apply(bash(script)));
    expect(inside.exitCode).toBe(0);
    expect(await tryLaunch(planned(policy).apply(bash('echo x > "a b/new"')))).toMatchObject({ exitCode: 1 });
  });

  test('hundreds of writable folders', async () => {
    const many = Array.from({ length: 300 }, (_, i) => join(W, `many-${i}`));
    for (const folder of many) mkdirSync(folder);
    const plan = planned({ name: 'workspace', writable: many });
    const script = 'echo x > $W/many-0/f && echo x > $W/many-299/f && ! echo x > $W/f';
    expect(await tryLaunch(plan.apply(bash(script)))).toMatchObject({ exitCode: 0 });
  });
});

test('leftovers of the command end, or continue, as requested', async (context) => {
  if (!keeperUnderTest.isAvailable) return context.skip(keeperUnderTest.reason);
  const other = await findBubblewrap({ ...options, endsTree: true }, tryLaunch);
  const plan = other.isAvailable ? other.backend.plan(workspace) : null;
  if (plan?.kind !== 'confined') throw new Error(plan?.kind);
  const runner = new KeeperRunner(keeperUnderTest.path);
  try {
    const [ended, left] = [makeMark(), makeMark()];
    const script = 'setsid sleep 300 & disown; echo early';
    const request = plan.apply(bash(script, ended.env));
    expect(await runner.start({ ...request, lingerMs: 20 }).done).toMatchObject({ exitCode: 0, hasLeftovers: false });
    expect(await ended.untilGone(15_000)).toBe(0);
    const leaving = plan.apply(bash('read x < $W/stop & echo early', left.env));
    execFileSync('mkfifo', [`${W}/stop`]);
    const exit = await runner.start({ ...leaving, leftovers: 'leave' }).done;
    expect(exit).toMatchObject({ exitCode: 0, hasLeftovers: true });
    expect(await until(() => left.count() > 0, 15_000)).toBe(true);
    writeFileSync(`${W}/stop`, 'now\n');
    expect(await left.untilGone(15_000)).toBe(0);
  } finally {
    await runner.close();
  }
});
