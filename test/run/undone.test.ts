// Protected names that do not exist when a command starts: what it creates under them is removed and reported.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunEvent, RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest as found, keeperStderr } from '../contract/keeper-under-test.ts';

type Undone = Extract<RunEvent, { type: 'undone' }>;
const keeper = found.isAvailable ? found.path : '';

function makeFolder(parents: readonly string[]): string | null {
  for (const parent of parents) {
    try {
      return mkdtempSync(join(parent, 'hardshell-undone-'));
    } catch {}
  }
  return null;
}

const reason = found.isAvailable ? '' : found.reason;
if (reason !== '') test('undone', (context) => context.skip(reason));

describe.skipIf(!found.isAvailable).each(['namespaces', 'landlock'] as const)('undone by %s', (tier) => {
  const base = (found.isAvailable && makeFolder(['/srv', '/opt', homedir()])) || '';
  const [work, quarantine] = [join(base, 'work'), join(base, 'quarantine')];
  const runner = new KeeperRunner(keeper, { stderr: keeperStderr });
  let unavailable: string | null = null;
  let events: Undone[] = [];
  const specOf = (more: Partial<ConfinementSpec> = {}): ConfinementSpec => ({
    tier,
    reads: 'all',
    network: tier === 'namespaces' ? 'own' : 'none',
    unixSockets: 'pairs',
    paths: [
      { kind: 'write', path: work },
      { kind: 'device', path: '/dev/null' },
    ],
    absent: ['.envrc', '.vscode', 'not/there/yet'].map((name) => join(work, name)),
    quarantine,
    optional: ['proc', 'terminals', 'loopback', 'files', 'refer', 'truncate', 'device-ioctl', 'scope'],
    ...more,
  });
  const start = (command: string, more: Partial<ConfinementSpec> = {}, request: Partial<RunRequest> = {}) => {
    events = [];
    return runner.start(
      {
        program: '/bin/bash',
        argv: ['bash', '-c', command],
        cwd: work,
        env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
        timeoutMs: 30_000,
        confinement: specOf(more),
        ...request,
      },
      (event) => void (event.type === 'undone' && events.push(event)),
    );
  };

  beforeEach(async (context) => {
    rmSync(base, { recursive: true, force: true });
    mkdirSync(work, { recursive: true });
    const probe = await findKernelSupport(attemptConfinement(runner), { allowNamespaces: tier === 'namespaces' });
    unavailable = probe.tier === tier ? null : (probe.why ?? 'another tier was found');
    if (unavailable !== null) context.skip(unavailable);
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));
  afterAll(() => runner.close());

  const made: Record<string, { command: string; name: string; kept: (path: string) => boolean }> = {
    'a file': { command: 'echo run > .envrc', name: '.envrc', kept: (path) => readFileSync(path, 'utf8') === 'run\n' },
    'a folder with 10,000 files': {
      command: 'mkdir .vscode; cd .vscode; seq 10000 | xargs touch 2> /dev/null; true',
      name: '.vscode',
      kept: (path) => lstatSync(path).isDirectory(),
    },
    'a link': { command: 'ln -s /etc/passwd .envrc', name: '.envrc', kept: (path) => lstatSync(path).isSymbolicLink() },
    'a link to nothing': {
      command: 'ln -s nowhere .envrc',
      name: '.envrc',
      kept: (path) => lstatSync(path).isSymbolicLink(),
    },
    'a pipe': { command: 'mkfifo .envrc', name: '.envrc', kept: (path) => lstatSync(path).isFIFO() },
    'a name that was moved there': {
      command: 'echo run > x; mv x .envrc',
      name: '.envrc',
      kept: (path) => readFileSync(path, 'utf8') === 'run\n',
    },
    'a second name of a file': {
      command: 'echo run > x; ln x .envrc',
      name: '.envrc',
      kept: (path) => readFileSync(path, 'utf8') === 'run\n',
    },
    'a folder that cannot be entered': {
      command: 'mkdir -p x/y; chmod 0 x; mv x .vscode',
      name: '.vscode',
      kept: (path) => lstatSync(path).isDirectory(),
    },
    'a link on the way to the name': {
      command: 'mkdir -p real/there; echo run > real/there/yet; ln -s real not',
      name: 'not',
      kept: (path) => lstatSync(path).isSymbolicLink(),
    },
  };
  for (const [name, row] of Object.entries(made))
    test(`${name} is moved away and reported`, async () => {
      // The first look may come while the command is still at work: what it makes next is seen again.
      await start(row.command).done;
      expect(existsSync(join(work, row.name)) || readdirSync(work).includes(row.name)).toBe(false);
      expect(events.length).toBeGreaterThan(0);
      for (const { path, isLeft } of events) expect([path, isLeft]).toEqual([join(work, row.name), undefined]);
      const { movedTo } = events[0] as Undone;
      expect(movedTo).toMatch(new RegExp(`^${quarantine}/\\d+-\\d+-\\d+-${row.name.replace('.', '\\.')}$`));
      expect(row.kept(movedTo as string)).toBe(true);
    });

  test('a name below folders that were not there either', async () => {
    await start('mkdir -p not/there; echo run > not/there/yet').done;
    expect(readdirSync(join(work, 'not/there'))).toEqual([]);
    expect(events.map(({ path }) => path)).toContain(join(work, 'not/there/yet'));
  });

  test('while the command runs, not only when it has ended', async () => {
    // It ends only when the file was removed.
    const { exitCode, cause } = await start('echo run > .envrc; while [ -e .envrc ]; do sleep 0.05; done; exit 7').done;
    expect([exitCode, cause, events.length]).toEqual([7, 'none', 1]);
  });

  test('a name that is created again and again ends up absent, and is reported a limited number of times', async () => {
    await start('i=0; while [ $i -lt 3000 ]; do echo $i > .envrc; i=$((i+1)); done').done;
    expect(existsSync(join(work, '.envrc'))).toBe(false);
    expect(events.length).toBeGreaterThan(0);
    expect(events.length).toBeLessThanOrEqual(4);
    expect(readdirSync(quarantine).length).toBeLessThanOrEqual(4);
    // 3,000 rounds of two processes are work, which a busy machine needs time for.
  }, 120_000);

  test('a name that is created again and again leaves room for others', async () => {
    await start('i=0; while [ $i -lt 300 ]; do echo $i > .envrc; sleep 0.003; i=$((i+1)); done; mkdir .vscode').done;
    const [last] = events.filter(({ path }) => path === join(work, '.vscode'));
    expect(last?.movedTo).toEqual(expect.any(String));
  }, 120_000);

  test('a folder that the command has closed', async () => {
    await start('mkdir not; mkdir not/there; echo run > not/there/yet; chmod 0 not/there', {
      absent: [join(work, 'not/there/yet')],
    }).done;
    expect(existsSync(join(work, 'not/there/yet'))).toBe(false);
  });

  test('without a quarantine it is removed', async () => {
    const { quarantine: _, ...spec } = specOf();
    await start('mkdir -p .vscode/a/b; ln -s / .vscode/a/root; echo x > .vscode/a/b/c', {}, { confinement: spec }).done;
    expect(readdirSync(work)).toEqual([]);
    expect(events[0]).toEqual({ type: 'undone', path: join(work, '.vscode'), movedTo: null });
    expect(existsSync('/etc/passwd')).toBe(true);
  });

  test('on another file system it is copied, and no link is followed', async (context) => {
    const elsewhere = makeFolder(['/dev/shm']);
    if (elsewhere === null) return context.skip('there is no other file system');
    try {
      const command = 'mkdir -p x/a; echo one > x/a/one; ln -s /etc x/link; mkfifo x/pipe; mv x .vscode';
      await start(command, { quarantine: join(elsewhere, 'kept'), absent: [join(work, '.vscode')] }).done;
      expect(existsSync(join(work, '.vscode'))).toBe(false);
      // Without the types of its entries it would itself follow the link.
      const kept = readdirSync(join(elsewhere, 'kept'), { recursive: true, withFileTypes: true });
      expect(kept.map(({ name }) => name.replace(/^\d.*-/, '')).sort()).toEqual(['.vscode', 'a', 'link', 'one']);
      expect(kept.find(({ name }) => name === 'link')?.isSymbolicLink()).toBe(true);
      expect(existsSync('/etc/passwd')).toBe(true);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  test('what is too large for another file system is removed, and no more than the limit is ever copied', async (context) => {
    const elsewhere = makeFolder(['/dev/shm']);
    if (elsewhere === null) return context.skip('there is no other file system');
    try {
      const kept = join(elsewhere, 'kept');
      // Each fits, all of them do not; and a task makes them twice.
      const command =
        'for n in .vscode .envrc; do mkdir $n; for i in 1 2 3; do yes | head -c 30000000 > $n/$i; done; done; truncate -s 1T .vscode/huge';
      await start(`mkdir x; cd x; ${command}; mv .vscode .envrc ..`, { quarantine: kept }).done;
      expect(readdirSync(work)).toEqual(['x']);
      const sizes = readdirSync(kept, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => lstatSync(join(entry.parentPath, entry.name)).size);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(64 << 20);
      expect([...new Set(sizes)]).toEqual([30_000_000]);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  test('a tree that is deeper than descriptors reach is removed', async () => {
    const { quarantine: _, ...spec } = specOf();
    const command = 'mkdir -p "$0/x/$(printf "d/%.0s" {1..500})"; mv "$0/x" "$0/.vscode"';
    const argv = ['bash', '-c', command, work];
    await start('', {}, { argv, confinement: spec }).done;
    expect(readdirSync(work)).toEqual([]);
    expect(events.map(({ path, isLeft }) => [path, isLeft])).toEqual([[join(work, '.vscode'), undefined]]);
  });

  test('a writable folder in one that may only be read is looked through', async () => {
    if (tier !== 'namespaces') return;
    const paths = [
      { kind: 'read-only', path: base },
      { kind: 'write', path: work },
      { kind: 'device', path: '/dev/null' },
    ] as const;
    await start('mkdir -p a/.git; echo "[core]" > a/.git/config; echo "fsmonitor = x" >> a/.git/config', {
      paths,
      swept: [work],
    }).done;
    expect(events.map(({ path }) => path)).toEqual([join(work, 'a/.git/config')]);
    expect(readdirSync(join(work, 'a/.git'))).toEqual([]);
  });

  const closed: Record<string, string> = {
    'the folder of the name': 'chmod 0 not/there',
    'the folder above that': 'chmod 0 not',
    'both of them': 'chmod 0 not/there; chmod 0 not',
  };
  for (const [name, script] of Object.entries(closed))
    test(`closing ${name} hides nothing`, async () => {
      await start(`mkdir -p not/there; echo run > not/there/yet; ${script}`).done;
      const modes = ['not', 'not/there'].map((path) => {
        const { mode } = lstatSync(join(work, path));
        chmodSync(join(work, path), 0o700);
        return mode & 0o777;
      });
      expect(readdirSync(join(work, 'not/there'))).toEqual([]);
      expect(modes).toContain(0);
    });

  test('a name that is there already stops the start: the plan did not see it', async () => {
    writeFileSync(join(work, '.envrc'), 'mine\n');
    await expect(start('true').done).rejects.toThrow(/EEXIST for the confinement's protected names/);
    expect(readFileSync(join(work, '.envrc'), 'utf8')).toBe('mine\n');
  });

  test('everything else stays where it is, and nothing is made', async () => {
    await start('mkdir src; echo x > src/file; echo x > .envrc.example').done;
    expect(readdirSync(work).sort()).toEqual(['.envrc.example', 'src']);
    expect([events, existsSync(quarantine)]).toEqual([[], false]);
  });
});
