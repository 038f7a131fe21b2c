// Commands whose changes are staged, as the keeper runs them: what they see, what lands when they have ended, and when a
// start is refused.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import type { ConfinedPath, ConfinementSpec } from '../../src/confine/port.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunEvent, RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest as found, keeperStderr } from '../contract/keeper-under-test.ts';
import { describeTree, readJournal } from './stage-folder.ts';
import { BASH } from './waiting-shells.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const keeper = found.isAvailable ? found.path : '';

/** Not below a temporary folder: in namespaces those are new. */
function makeFolder(): string {
  for (const parent of ['/srv', '/opt', homedir()]) {
    try {
      return mkdtempSync(join(parent, 'hardshell-staged-'));
    } catch {}
  }
  throw new Error('there is no folder outside of the temporary ones');
}

describe.skipIf(!found.isAvailable)('staged commands', { timeout: 60_000 }, () => {
  let runner: KeeperRunner;
  let base = '';
  let number = 0;
  const root = () => join(base, 'project');
  const at = (name: string) => join(root(), name);
  const read = (name: string) => readFileSync(at(name), 'utf8');
  const stageFolder = () => join(base, 'stages', String(number));

  beforeEach(async (context) => {
    runner = new KeeperRunner(keeper, { stderr: keeperStderr, pool: 1 });
    const { tier } = await findKernelSupport(attemptConfinement(runner));
    if (tier !== 'namespaces') context.skip('this kernel has no user namespaces');
    base = makeFolder();
    mkdirSync(at('src'), { recursive: true });
    mkdirSync(join(base, 'stages'));
    writeFileSync(at('a'), 'a\n');
    writeFileSync(at('src/x'), 'x\n');
  });
  afterEach(async () => {
    await runner.close();
    if (base !== '') rmSync(base, { recursive: true, force: true });
  });

  const specOf = (more: Partial<ConfinementSpec> = {}, paths: readonly ConfinedPath[] = []): ConfinementSpec => ({
    tier: 'namespaces',
    reads: 'all',
    network: 'own',
    unixSockets: 'pairs',
    optional: ['proc', 'terminals', 'loopback', 'files', 'refer', 'truncate', 'device-ioctl', 'scope'],
    stage: { folder: stageFolder(), mode: 'apply', guarded: [] },
    ...more,
    paths: [
      { kind: 'device', path: '/dev/null' },
      { kind: 'staged', path: root(), from: join(stageFolder(), '0') },
      ...paths,
    ],
  });
  const newStage = () => {
    number += 1;
    mkdirSync(stageFolder(), { mode: 0o700 });
  };
  const request = (command: string, confinement: ConfinementSpec, more: Partial<RunRequest> = {}): RunRequest => ({
    program: BASH,
    argv: ['bash', '-c', command],
    cwd: root(),
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
    timeoutMs: 30_000,
    confinement,
    ...more,
  });
  /** In a stage that was made for it. */
  async function start(command: string, confinement: ConfinementSpec, by = runner) {
    const events: RunEvent[] = [];
    const handle = by.start(request(command, confinement), (event) => void events.push(event));
    const [, { output }] = await Promise.all([handle.started, handle.done]);
    const text = (await output.read(0, output.totalBytes)).toString();
    return { output: text, events, staged: events.find((event) => event.type === 'staged') };
  }
  const run = (command: string, more: Partial<ConfinementSpec> = {}, paths: readonly ConfinedPath[] = []) => {
    newStage();
    return start(command, specOf(more, paths));
  };
  const nextStage = () => join(base, 'stages', String(number + 1));

  test('changes land when the command has ended, before its exit is told', async () => {
    const { staged, events } = await run(
      'echo more >> a; echo n > n; rm src/x; mkdir -p t/u; echo v > t/u/v; cat a t/u/v',
    );
    expect(staged).toMatchObject({ state: 'landed', held: 0, names: 6 });
    expect(events.at(-1)?.type).toBe('staged');
    expect([read('a'), read('n'), read('t/u/v'), existsSync(at('src/x'))]).toEqual(['a\nmore\n', 'n\n', 'v\n', false]);
    expect(readFileSync(join(stageFolder(), 'state'), 'utf8')).toBe('landed');
  });

  test('while it runs, only the command sees its changes', async () => {
    newStage();
    const running = start('echo more >> a; cat a; sleep 1; cat a', specOf());
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(read('a')).toBe('a\n');
    expect((await running).output).toBe('a\nmore\na\nmore\n');
    expect(read('a')).toBe('a\nmore\n');
  });

  test('a command that changes nothing leaves no stage', async () => {
    expect((await run('cat a; : >> a')).staged).toEqual({
      type: 'staged',
      state: 'empty',
      landed: 0,
      held: 0,
      names: 0,
    });
    expect(readdirSync(join(base, 'stages'))).toEqual([]);
  });

  test('for review everything is held', async () => {
    const { staged } = await run('echo more >> a', { stage: { folder: nextStage(), mode: 'review', guarded: [] } });
    expect(staged).toMatchObject({ state: 'held', landed: 0, names: 1 });
    expect(read('a')).toBe('a\n');
    expect(readJournal(stageFolder()).filter(({ kind }) => kind === 'name')).toMatchObject([{ path: 'a' }]);
  });

  test('the stage is not there for the command if it is hidden, and its files cannot be written elsewhere', async () => {
    const { output, staged } = await run(
      `ls ${join(base, 'stages')}; echo x > ${join(base, 'outside')}; echo x > ${join(nextStage(), 'state')}; echo y > new`,
      {},
      [{ kind: 'mask', path: join(base, 'stages') }],
    );
    expect(output).toContain('Read-only file system');
    expect(output).not.toMatch(/^[0-9]+$/m);
    expect(existsSync(join(base, 'outside'))).toBe(false);
    expect(staged).toMatchObject({ state: 'landed', names: 1 });
  });

  test('guarded names are held, the rest lands', async () => {
    const guarded = [at('src/x')];
    const { staged } = await run('echo y >> src/x; echo z > src/z', {
      stage: { folder: nextStage(), mode: 'apply', guarded },
    });
    expect(staged).toMatchObject({ state: 'landed', held: 1, names: 1 });
    expect([read('src/x'), read('src/z')]).toEqual(['x\n', 'z\n']);
  });

  test('two commands at once: what both changed is held for the second, everything else lands', async () => {
    newStage();
    const slow = start('echo slow >> a; echo slow > slow; touch src/slow; sleep 1', specOf());
    const slowStage = stageFolder();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const other = new KeeperRunner(keeper, { stderr: keeperStderr, pool: 1 });
    newStage();
    await start('echo quick >> a; echo quick > quick', specOf(), other);
    await other.close();
    expect((await slow).staged).toMatchObject({ state: 'landed', held: 1 });
    expect([read('a'), read('slow'), read('quick')]).toEqual(['a\nquick\n', 'slow\n', 'quick\n']);
    expect(readFileSync(join(slowStage, '0/upper/a'), 'utf8')).toBe('a\nslow\n');
  });

  test('one command after the other: no change is a conflict', async () => {
    for (let i = 0; i < 8; i++) {
      appendFileSync(at('a'), 'outside\n');
      const { staged } = await run(`echo ${i} >> a; echo ${i} > src/x`);
      expect(staged).toMatchObject({ state: 'landed', held: 0 });
    }
    expect(read('a').split('\n')).toHaveLength(18);
  });

  test('processes that stay behind are ended before the changes land', async () => {
    const { staged } = await run('(while :; do echo x >> src/x; sleep 0.01; done) & echo y > y');
    expect(staged).toMatchObject({ state: 'landed' });
    const text = read('src/x');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(read('src/x')).toBe(text);
  });

  test('a stage is used for one command, and a second one leaves it as it is', async () => {
    await run('echo more >> a');
    const before = describeTree(stageFolder());
    await expect(start('echo again >> a', specOf())).rejects.toThrow(/stage/);
    expect(describeTree(stageFolder())).toEqual(before);
    expect(read('a')).toBe('a\nmore\n');
  });

  test('where renames or overlays are impossible the start fails with that step', async () => {
    for (const path of ['/dev/shm', '/proc']) {
      newStage();
      const confinement = specOf();
      const paths = confinement.paths.map((item) => (item.kind === 'staged' ? { ...item, path } : item));
      await expect(start('true', { ...confinement, paths })).rejects.toThrow(/stage/);
      // Nothing is left behind.
      expect(existsSync(stageFolder())).toBe(false);
    }
  });

  const RENAMES: readonly (readonly [name: string, script: string])[] = [
    ['a folder', "os.rename('src', 'lib')"],
    ['a folder into another', "os.mkdir('to'); os.rename('src', 'to/src')"],
    ['a deep folder', "os.rename('deep', 'other')"],
    ['over an empty folder', "os.mkdir('empty'); os.rename('deep', 'empty')"],
    ['there and back', "os.rename('deep', 'x'); os.rename('x', 'deep')"],
    [
      'a name that is used again',
      "os.rename('deep/one', 'x'); os.mkdir('deep/one'); open('deep/one/n', 'w').close(); os.rename('deep/one', 'y')",
    ],
    ['by descriptors', "d = os.open('deep', os.O_RDONLY); os.rename('one', 'uno', src_dir_fd=d, dst_dir_fd=d)"],
    ['over a folder that is not empty', "os.rename('deep', 'src')"],
    ['over a file', "os.rename('deep', 'a')"],
    ['into itself', "os.rename('deep', 'deep/one/x')"],
    ['a file', "os.rename('a', 'src/a')"],
    ['what is not there', "os.rename('none', 'x')"],
  ];
  test.skipIf(!hasPython).for(RENAMES)('folders can be renamed: %s', async ([, script]) => {
    mkdirSync(at('deep/one/two'), { recursive: true });
    for (const name of ['deep/p', 'deep/one/q', 'deep/one/two/r']) writeFileSync(at(name), name);
    chmodSync(at('deep/one'), 0o750);
    symlinkSync('p', at('deep/link'));
    const copy = join(base, 'copy');
    execFileSync('cp', ['-a', root(), copy]);
    const text = `import os\ntry:\n  ${script.replaceAll('; ', '\n  ')}\nexcept OSError as e:\n  print(e.errno)`;
    const direct = spawnSync('python3', ['-c', text], { cwd: copy, encoding: 'utf8' });
    const { output, staged } = await run(`python3 -c "${text.replaceAll('"', '\\"')}"`);
    expect(output).toBe(direct.stdout);
    expect(describeTree(root(), false)).toEqual(describeTree(copy, false));
    expect(staged).toMatchObject({ held: 0 });
  });

  test.skipIf(!hasPython)('renaming a folder uncovers nothing in it', async () => {
    mkdirSync(at('deep/one'), { recursive: true });
    writeFileSync(at('deep/secret'), 'a hidden text');
    writeFileSync(at('deep/plain'), 'plain');
    const script = "import os\ntry: os.rename('deep', 'new')\nexcept OSError as e: print(e.errno)";
    const { output } = await run(`python3 -c "${script}"; cat new/* deep/*; ls -R`, {}, [
      { kind: 'mask', path: at('deep/secret') },
    ]);
    expect(output).toMatch(/^16\n/);
    expect(readFileSync(at('deep/secret'), 'utf8')).toBe('a hidden text');
    expect(output).toContain('plain');
    expect(output).not.toContain('hidden text');
    expect(existsSync(at('new'))).toBe(false);
  });
});
