// Staged changes through the whole tool: what lands, what is held back, what can be undone, and where staging is not possible.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStages as openStagedCommands } from '../../src/stage/stages.ts';
import { until } from '../contract/marks.ts';
import { hasProgram, makePlace, outside, type Place, type PlaceOptions, whyNoKeeper, writeTree } from './place.ts';

let place: Place;
const more: Place[] = [];

function open(options: PlaceOptions = {}): Place {
  const made = makePlace({ settings: { staging: 'apply' }, ...options });
  more.push(made);
  writeTree(made.project, { 'a.txt': 'one\n', 'src/x.ts': 'x\n' });
  outside('git', ['init', '-q'], made.project);
  return made;
}

afterEach(async () => {
  for (const each of more.splice(0)) await each.close();
});

const read = (name: string) => readFileSync(join(place.project, name), 'utf8');

describe.skipIf(whyNoKeeper !== null)('staged changes', () => {
  beforeEach(() => {
    place = open();
  });

  test('land when the command has ended, are listed, and can be undone and made again', async () => {
    const result = await place.run('echo two >> a.txt; rm -r src; mkdir new; echo n > new/file');
    expect(result).toMatchObject({ exitCode: 0, whyNoUndo: null, violations: [] });
    expect(result.changes).toMatchObject({
      id: result.task,
      state: 'landed',
      created: 1,
      changed: 1,
      deleted: 1,
      folders: 2,
    });
    expect(result.changes?.files).toContainEqual({
      path: join(place.project, 'a.txt'),
      change: 'changed',
      type: 'file',
      bytes: 8,
    });
    expect(result.files).toMatchObject({ isComplete: true, changed: [join(place.project, 'a.txt')] });
    expect(read('a.txt')).toBe('one\ntwo\n');
    const stages = openStagedCommands();
    expect((await stages.list()).map(({ id, state, command }) => [id, state, command])).toEqual([
      [result.task, 'landed', result.command],
    ]);
    expect(await stages.undo(result.task)).toMatchObject({ kind: 'done' });
    expect([read('a.txt'), read('src/x.ts'), existsSync(join(place.project, 'new'))]).toEqual(['one\n', 'x\n', false]);
    expect(await stages.redo(result.task)).toMatchObject({ kind: 'done' });
    expect([read('a.txt'), read('new/file')]).toEqual(['one\ntwo\n', 'n\n']);
  });

  test('a newer change of the user is never undone, and kept aside by force', async () => {
    const { task } = await place.run('echo two >> a.txt; echo y > y');
    writeFileSync(join(place.project, 'a.txt'), 'mine\n');
    const stages = openStagedCommands();
    expect(await stages.undo(task)).toEqual({ kind: 'refused', conflicts: [join(place.project, 'a.txt')], aside: [] });
    expect(existsSync(join(place.project, 'y'))).toBe(true);
    const { kind, aside } = await stages.undo(task, { force: true });
    expect([kind, read('a.txt'), readFileSync(aside[0]?.movedTo ?? '', 'utf8')]).toEqual(['done', 'one\n', 'mine\n']);
  });

  test('a command that changes nothing leaves no stage', async () => {
    writeFileSync(join(place.project, 'look.sh'), 'cat a.txt; echo x > /tmp/x');
    const result = await place.run('bash ./look.sh');
    expect(result).toMatchObject({ exitCode: 0, changes: null, whyNoUndo: null, files: { isComplete: true } });
    expect(await openStagedCommands().list()).toEqual([]);
  });

  test('files that came and went again are no change', async () => {
    writeFileSync(join(place.project, 'lock.sh'), 'touch src/lock; rm src/lock');
    expect(await place.run('bash ./lock.sh')).toMatchObject({ exitCode: 0, changes: null, whyNoUndo: null });
    expect(await openStagedCommands().list()).toEqual([]);
  });

  test('protected names are held back and reported; everything else lands', async () => {
    const script = [
      'mkdir -p .vscode pkg; echo {} > .vscode/tasks.json',
      'echo "#!/bin/sh" > .git/hooks/pre-commit',
      'printf "[core]\\n\\thooksPath = /tmp/x\\n" >> .git/config',
      'echo ok > pkg/ok',
    ].join('\n');
    writeFileSync(join(place.project, 'build.sh'), script);
    const result = await place.run('bash ./build.sh');
    expect(read('pkg/ok')).toBe('ok\n');
    for (const name of ['.vscode', '.git/hooks/pre-commit']) expect(existsSync(join(place.project, name))).toBe(false);
    expect(read('.git/config')).not.toContain('hooksPath');
    expect(result.changes?.heldBack.map(({ path, change, why }) => [path, change, why])).toEqual(
      expect.arrayContaining([
        [join(place.project, '.git/config'), 'changed', 'protected'],
        [join(place.project, '.git/hooks/pre-commit'), 'created', 'protected'],
        [join(place.project, '.vscode'), 'created', 'protected'],
      ]),
    );
    expect(result.violations).toContainEqual({
      kind: 'protected-name',
      operation: 'create',
      target: join(place.project, '.vscode'),
      rule: `protected: ${join(place.project, '.vscode')}`,
      instead: 'It was held back, because it controls what runs outside of the sandbox. Ask the user to create it.',
    });
    expect(result.output).toContain('<sandbox_violations>');
    expect(result.enforcement.missing).toEqual([]);
    const held = [...(await openStagedCommands().diff(result.task, 'held-back'))].map(({ path }) => path);
    expect(held).toEqual(expect.arrayContaining(['.git/config', '.vscode/tasks.json']));
  });

  test('what would lead git or other programs astray is held back', async () => {
    const script = [
      'mkfifo .git/config.lock; mv -T .git/config.lock .git/config',
      'ln -s /proc/$$/root/tmp leads-to-process; ln -s /proc/self/fd/0 stdin; mkdir config; mkfifo pipe',
    ].join('\n');
    writeFileSync(join(place.project, 'build.sh'), script);
    const { changes } = await place.run('bash ./build.sh');
    expect(changes?.heldBack.map(({ path }) => path).sort()).toEqual(
      ['.git/config', 'leads-to-process'].map((name) => join(place.project, name)),
    );
    for (const name of ['config', 'pipe', 'stdin'])
      expect(lstatSync(join(place.project, name), { throwIfNoEntry: false })).toBeDefined();
    await place.run("git config --file .gitmodules submodule.x.update '!touch x'");
    expect(existsSync(join(place.project, '.gitmodules'))).toBe(false);
  });

  test('the address of a partial clone does not change', async () => {
    outside('git', ['config', 'remote.origin.url', 'https://example.com/x'], place.project);
    outside('git', ['config', 'remote.origin.promisor', 'true'], place.project);
    const { violations } = await place.run('git remote set-url origin https://evil.example/x');
    expect(violations).toMatchObject([
      { operation: 'configure', target: expect.stringContaining('remote.origin.url') },
    ]);
    expect(read('.git/config')).not.toContain('evil');
  });

  test('review: nothing is in the project before it is applied, and dropped changes never are', async () => {
    const first = await place.run('echo two >> a.txt', { staging: 'review' });
    expect(first.changes).toMatchObject({ state: 'held', changed: 1 });
    expect(first.files).toMatchObject({ changed: [], isComplete: true });
    const second = await place.run('rm src/x.ts', { staging: 'review' });
    expect([read('a.txt'), read('src/x.ts')]).toEqual(['one\n', 'x\n']);
    const stages = openStagedCommands();
    expect([...(await stages.diff(first.task))].flatMap(({ lines }) => lines)).toContain('+two');
    expect(await stages.apply(first.task)).toMatchObject({ kind: 'done' });
    expect(await stages.drop(second.task)).toMatchObject({ kind: 'done' });
    expect([read('a.txt'), read('src/x.ts')]).toEqual(['one\ntwo\n', 'x\n']);
  });

  test('no command can read the stages', async () => {
    const { task } = await place.run('echo two >> a.txt');
    const stages = join(place.home, '.local/state/hardshell/stages');
    expect(readdirSync(stages)).toContain(task);
    const { output } = await place.run(
      `bash -c 'ls -a ${stages}; cat ${stages}/${task}/meta.json; echo x > ${stages}/${task}/state'`,
    );
    expect(output).not.toContain(task.concat('\n'));
    expect(readFileSync(join(stages, task, 'state'), 'utf8')).toBe('landed');
  });

  test('a server, and settings of git beside a background command, are not staged', async () => {
    writeTree(place.project, { 'package.json': '{"scripts":{"dev":"echo two >> a.txt"}}' });
    const server = await place.run('npm run dev');
    expect(server).toMatchObject({ exitCode: 0, changes: null, whyNoUndo: 'it is a server, or watches files' });
    const { task } = await place.start('sleep 30; true > after');
    const command = 'git remote add other https://example.com/x';
    const whyNoUndo = 'it changes settings of git while a background command runs';
    expect(await place.run(command)).toMatchObject({ exitCode: 0, whyNoUndo, violations: [] });
    expect(await (await place.shell.task(task))?.info()).toMatchObject({ state: 'running' });
    expect(read('.git/config')).toContain('example.com');
  });

  test('a file that a background command writes is not replaced under it', async (context) => {
    if (!hasProgram('python3')) context.skip('python3 is not installed');
    const log = "import time; f = open('log', 'a'); open('ready', 'w'); time.sleep(60)";
    writeTree(place.project, { log: 'one\n', 'write.sh': 'echo two >> log; echo two >> a.txt' });
    await place.start(`python3 -c "${log}"`);
    await until(() => existsSync(join(place.project, 'ready')), 20_000);
    const { changes, violations } = await place.run('bash ./write.sh');
    expect(changes?.heldBack).toMatchObject([{ path: join(place.project, 'log'), why: 'conflict', detail: 'open' }]);
    expect(violations).toMatchObject([{ rule: 'another program has the file open for writing' }]);
    expect([read('log'), read('a.txt')]).toEqual(['one\n', 'one\ntwo\n']);
    // A program that replaces the file does so with staging, too.
    const replaced = await place.run('echo three > other && mv other log');
    expect([replaced.violations, read('log')]).toEqual([[], 'three\n']);
  });

  test('background commands and commands that only read are not staged', async () => {
    const { whyNoUndo } = await place.run('cat a.txt');
    expect(whyNoUndo).toBe('the command is known to change nothing');
    const started = await place.start('echo two >> a.txt');
    expect(started).toMatchObject({ status: 'running', whyNoUndo: 'changes of background commands are not staged' });
    await (await place.shell.task(started.task))?.wait();
    expect(read('a.txt')).toBe('one\ntwo\n');
    expect(await openStagedCommands().list()).toEqual([]);
  });

  test('a command that continues as a task lands when it ends', async () => {
    const result = await place.run('echo two >> a.txt; sleep 1; echo three >> a.txt', { backgroundAfter: 200 });
    expect(result).toMatchObject({ status: 'running', changes: null, whyNoUndo: 'the command is still running' });
    await (await place.shell.task(result.task))?.wait();
    expect(read('a.txt')).toBe('one\ntwo\nthree\n');
    expect(await openStagedCommands().undo(result.task)).toMatchObject({ kind: 'done' });
    expect(read('a.txt')).toBe('one\n');
  });
});

const CONNECT = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('SOCKET'); print(s.recv(9).decode())";
const SERVE =
  "import socket; s = socket.socket(socket.AF_UNIX); s.bind('own.sock'); s.listen(); open('ready', 'w'); c, _ = s.accept(); c.sendall(b'served')";

describe.skipIf(whyNoKeeper !== null)('a staged command cannot tell the difference', () => {
  beforeEach(() => {
    place = open();
  });

  const commit = () => {
    outside('git', ['add', '.'], place.project);
    outside('git', ['commit', '-qm', 'first'], place.project);
  };

  test('git clones a repository of the project, also after its objects were moved; other links stay links', async () => {
    commit();
    outside('git', ['clone', '-q', '.', 'library'], place.project);
    writeTree(place.project, { 'move.sh': 'cd library/.git; mv objects moved; mv moved objects' });
    const steps = [
      'git clone -q library one && git -C one log --format=%s',
      'bash ./move.sh && git clone -q library two && git -C two log --format=%s',
      'ln a.txt b.txt && stat -c %h b.txt',
    ];
    for (const step of steps) {
      const { exitCode, output, violations } = await place.run(step);
      expect([step, exitCode, output, violations]).toEqual([step, 0, step.startsWith('ln') ? '2\n' : 'first\n', []]);
    }
    expect(outside('git', ['-C', 'two', 'fsck', '--strict'], place.project)).toBe('');
    expect(statSync(join(place.project, 'b.txt')).nlink).toBe(2);
  });

  test('git removes a worktree; a worktree that stays keeps the file that says where its settings are', async () => {
    commit();
    const added = await place.run('git worktree add -q one && git worktree add -q two');
    expect(added).toMatchObject({ exitCode: 0, violations: [] });
    writeFileSync(join(place.project, 'build.sh'), 'rm .git/worktrees/one/commondir');
    const { violations } = await place.run('bash ./build.sh');
    expect(violations).toMatchObject([{ operation: 'delete', target: expect.stringContaining('commondir') }]);
    for (const name of ['one', 'two'])
      expect(await place.run(`git worktree remove ${name}`)).toMatchObject({ exitCode: 0, violations: [] });
    expect(existsSync(join(place.project, '.git/worktrees'))).toBe(false);
  });

  test('a socket on which a background command listens is reached; one of another program is not', async (context) => {
    if (!hasProgram('python3')) context.skip('python3 is not installed');
    const connect = (name: string) => place.run(`python3 -c "${CONNECT.replace('SOCKET', name)}"`);
    const server = createServer((socket) => socket.end('outside')).listen(join(place.project, 'host.sock'));
    try {
      await place.start(`python3 -c "${SERVE}"`);
      await until(() => existsSync(join(place.project, 'ready')), 20_000);
      expect(await connect('own.sock')).toMatchObject({ exitCode: 0, output: 'served\n', violations: [] });
      const refused = await connect('host.sock');
      expect(refused.output).not.toContain('outside');
      expect(refused.violations).toMatchObject([{ operation: 'connect', target: join(place.project, 'host.sock') }]);
    } finally {
      server.close();
    }
  });
});

test.skipIf(whyNoKeeper !== null)(
  'the size of the store is checked after each command, and the oldest go',
  async () => {
    place = open({ settings: { staging: 'apply', stagingStore: { maxMegabytes: 1 } } });
    writeFileSync(join(place.project, 'large'), Buffer.alloc(800_000, 'a'));
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      ids.push((await place.run('printf x >> large')).task);
      // What has ended within the last seconds stays.
      utimesSync(join(place.home, '.local/state/hardshell/stages', ids[at] ?? '', 'state'), 1, 1);
    }
    expect((await openStagedCommands().list()).map(({ id }) => id)).toEqual(ids.slice(2));
  },
);

const heldFailure = (why: string) => ({
  status: 'failed',
  failure: { message: expect.stringMatching(new RegExp(`cannot be held for review: .*${why}`)) },
});

describe.skipIf(whyNoKeeper !== null)('review is not bypassed', () => {
  test('by a background command, unless it is known to change nothing', async () => {
    place = open({ settings: { staging: 'review' } });
    expect(await place.start('echo two >> a.txt')).toMatchObject(heldFailure('background'));
    writeFileSync(join(place.project, 'build.sh'), 'echo two >> a.txt');
    expect(await place.start('bash ./build.sh')).toMatchObject(heldFailure('background'));
    const reading = await place.start('cat a.txt');
    expect(reading.status).toBe('running');
    await (await place.shell.task(reading.task))?.wait();
    const restricted = await place.start('bash ./build.sh', { sandbox: { name: 'restricted' } });
    expect(restricted.status).toBe('running');
    await (await place.shell.task(restricted.task))?.wait();
    expect(read('a.txt')).toBe('one\n');
  });

  test('by a command without a sandbox', async () => {
    place = open({ settings: { staging: 'review', sandbox: { excludedCommands: ['tee'] } } });
    const options = { sandbox: { name: 'unrestricted' } } as const;
    expect(await place.run('echo two >> a.txt', options)).toMatchObject(heldFailure('without a sandbox'));
    expect(await place.run('tee a.txt', { input: 'two\n' })).toMatchObject(heldFailure('without a sandbox'));
    expect(await place.run('cat a.txt', options)).toMatchObject({ exitCode: 0, output: 'one\n' });
    expect(read('a.txt')).toBe('one\n');
  });

  test('by a file outside of the project that was allowed', async () => {
    place = open({ settings: { staging: 'review', mode: 'default' } });
    const yes = { input: 'two\n', assumeYes: true };
    const other = join(place.base, 'other.txt');
    const fresh = join(place.base, 'fresh.txt');
    writeFileSync(other, 'other\n');
    const allowed = await place.run(`echo two | tee ${other}`, { assumeYes: true, sandbox: { allowWrite: [other] } });
    expect(allowed).toMatchObject(heldFailure('it is not a folder'));
    expect(await place.run(`tee ${other}`, yes)).toMatchObject(heldFailure(`${other} .*outside`));
    expect(await place.run(`tee ${fresh}`, yes)).toMatchObject(heldFailure(`${fresh} .*outside`));
    expect([readFileSync(other, 'utf8'), existsSync(fresh)]).toEqual(['other\n', false]);
    expect(await place.run('tee a.txt > /dev/null', yes)).toMatchObject({ changes: { state: 'held' } });
  });
});

describe.skipIf(whyNoKeeper !== null)('changes outside of the project', () => {
  test('are reported as such only if there are any', async () => {
    place = open({ settings: { staging: 'apply', mode: 'default' } });
    const other = join(place.base, 'other.txt');
    const fresh = join(place.base, 'fresh.txt');
    writeFileSync(other, 'other\n');
    const changed = await place.run(`tee a.txt ${other} ${fresh}`, { input: 'two\n', assumeYes: true });
    expect(changed).toMatchObject({
      changes: { state: 'landed', changed: 1 },
      whyNoUndo: `changes of ${other} and 1 more are not staged: it is outside of the project`,
    });
    expect([...changed.files.changed].sort()).toEqual([other, join(place.project, 'a.txt')].sort());
    expect(changed.files.created).toEqual([fresh]);
    writeFileSync(join(place.project, 'build.sh'), 'echo three >> a.txt');
    const kept = await place.run('bash ./build.sh', { assumeYes: true, sandbox: { allowWrite: [other] } });
    // It could have changed the file, and no one has looked before.
    expect(kept).toMatchObject({ changes: { state: 'landed' }, whyNoUndo: null, files: { isComplete: false } });
    writeFileSync(join(place.project, 'build.sh'), `echo four >> ${other}`);
    const direct = await place.run('bash ./build.sh', { assumeYes: true, sandbox: { allowWrite: [other] } });
    expect(direct).toMatchObject({
      changes: null,
      whyNoUndo: `changes of ${other} are not staged: it is not a folder`,
    });
  });
});

describe.skipIf(whyNoKeeper !== null)('where changes cannot be staged', () => {
  test('a folder with the state of hardshell is changed directly, and protected as usual', async () => {
    place = open();
    process.env.HARDSHELL_STATE_DIR = join(place.project, 'state');
    try {
      writeFileSync(join(place.project, 'build.sh'), 'echo two >> a.txt; mkdir .vscode; echo {} > .vscode/tasks.json');
      const result = await place.run('bash ./build.sh');
      expect(result.changes).toBeNull();
      expect(result.whyNoUndo).toContain("it contains hardshell's own files");
      expect([read('a.txt'), existsSync(join(place.project, '.vscode'))]).toEqual(['one\ntwo\n', false]);
      const held = await place.run('echo three >> a.txt', { staging: 'review' });
      expect(held).toMatchObject({ status: 'failed', failure: { message: expect.stringContaining('cannot be held') } });
      expect(read('a.txt')).toBe('one\ntwo\n');
    } finally {
      delete process.env.HARDSHELL_STATE_DIR;
    }
  });

  test('without mounts the changes are made directly', async (context) => {
    place = open({ tier: 'landlock' });
    const result = await place.run('echo two >> a.txt');
    if (result.enforcement.tier !== 'landlock') context.skip('no Landlock here');
    expect(result).toMatchObject({ exitCode: 0, changes: null });
    expect(result.whyNoUndo).toBe('this sandbox has no mounts, which staging needs');
    expect(read('a.txt')).toBe('one\ntwo\n');
  });

  test('a mount below the project: the start is repeated, directly; a review is refused', async (context) => {
    place = open();
    const inner = join(place.project, 'inner');
    mkdirSync(inner);
    if (spawnSync('mount', ['-t', 'tmpfs', 'stage-test', inner]).status !== 0) context.skip('mounting needs root');
    try {
      const result = await place.run('echo two >> a.txt');
      expect(result).toMatchObject({ exitCode: 0, changes: null });
      expect(result.whyNoUndo).toMatch(/^changes cannot be staged here: /);
      expect(read('a.txt')).toBe('one\ntwo\n');
      const held = await place.run('echo three >> a.txt', { staging: 'review' });
      expect(held).toMatchObject({ status: 'failed', failure: { message: expect.stringContaining('cannot be held') } });
      expect(read('a.txt')).toBe('one\ntwo\n');
      expect(await openStagedCommands().list()).toEqual([]);
    } finally {
      spawnSync('umount', ['-l', inner]);
    }
  });

  test('a folder on another file system than the store: the changes are made directly, a review is refused', async (context) => {
    place = open({ parent: '/dev/shm' });
    const devices = new Set([place.project, place.home].map((path) => statSync(path).dev));
    if (devices.size < 2) context.skip('/dev/shm is no file system of its own');
    const result = await place.run('echo two >> a.txt');
    expect(result).toMatchObject({ exitCode: 0, changes: null, whyNoUndo: expect.stringContaining('file system') });
    const held = await place.run('echo three >> a.txt', { staging: 'review' });
    expect(held).toMatchObject({ status: 'failed', failure: { message: expect.stringContaining('cannot be held') } });
    expect(read('a.txt')).toBe('one\ntwo\n');
  });

  test('a store that cannot be written: the command runs directly, and a review is refused', async () => {
    place = open();
    const state = join(place.home, '.local/state/hardshell');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    writeFileSync(join(state, 'stages'), 'a file');
    const result = await place.run('echo two >> a.txt');
    expect(result).toMatchObject({ exitCode: 0, changes: null });
    expect(result.whyNoUndo).toMatch(/^changes cannot be staged: .*staged changes/);
    expect(read('a.txt')).toBe('one\ntwo\n');
    expect(await place.run('echo three >> a.txt', { staging: 'review' })).toMatchObject({ status: 'failed' });
    expect(read('a.txt')).toBe('one\ntwo\n');
  });
});
