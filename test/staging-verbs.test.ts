// `hardshell changes`, `undo`, `redo`, `apply` and `drop` on real stages, as a person and a program see them.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditPlaces, tailAudit } from '../src/api/audit.ts';
import { openStagedCommands } from '../src/index.ts';
import { runVerb } from './run-verb.ts';
import { makePlace, type Place, whyNoKeeper, writeTree } from './sandboxed/place.ts';

const BIN = fileURLToPath(new URL('../bin/hardshell.js', import.meta.url));
let place: Place;

beforeEach(() => {
  place = makePlace({ settings: { staging: 'apply' } });
  writeTree(place.project, { 'a.txt': 'one\n', 'b.txt': 'b\n' });
});
afterEach(() => place.close());

const verb = (...args: string[]) =>
  runVerb(args, { cwd: place.project, env: { PATH: process.env.PATH, HOME: place.home } });
const stagesOf = ({ home }: Place) => join(home, '.local/state/hardshell/stages');
const read = (name: string) => readFileSync(join(place.project, name), 'utf8');

describe.skipIf(whyNoKeeper !== null)('staged changes on the command line', () => {
  test('without any, each verb says so, and exits with 1; the list is no error', async () => {
    expect(await verb('changes')).toMatchObject({ status: 0, stdout: expect.stringContaining('No staged changes') });
    for (const name of ['undo', 'redo', 'apply', 'drop'])
      expect(await verb(name, '--yes')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/Nothing to|No held/),
      });
  });

  test('a list, a patch, the files, an undo and a redo', async () => {
    const { task } = await place.run('echo two >> a.txt; rm b.txt; echo n > new.txt');
    const list = await verb('changes');
    expect(list.stdout).toMatch(new RegExp(`${task} +\\d+ s +landed +1 created, 1 changed, 1 deleted +echo two`));
    const patch = await verb('changes', '--last');
    expect(patch.stdout).toContain('diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+two\n');
    expect((await verb('changes', task)).stdout).toBe(patch.stdout);
    expect((await verb('changes', '--stat', task)).stdout).toBe('a.txt  +1 -0\nb.txt  +0 -1\nnew.txt  +1 -0\n');
    const undone = await verb('undo', '--yes');
    expect(undone).toMatchObject({
      status: 0,
      stdout: `Undone: ${task}, 1 created, 1 changed, 1 deleted. Redo: hardshell redo ${task}\n`,
    });
    expect([read('a.txt'), read('b.txt'), existsSync(join(place.project, 'new.txt'))]).toEqual(['one\n', 'b\n', false]);
    // The patch of undone changes is the same, and git applies it.
    const again = await verb('changes', task);
    expect(again.stdout).toBe(patch.stdout);
    const applied = spawnSync('git', ['apply', '-'], { cwd: place.project, input: again.stdout });
    expect([applied.status, read('new.txt')]).toEqual([0, 'n\n']);
    expect(await verb('redo', '--yes')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('changed since then'),
    });
    spawnSync('git', ['apply', '-R', '-'], { cwd: place.project, input: again.stdout });
    expect(await verb('redo', '--yes', '--force')).toMatchObject({ status: 0 });
    expect(read('a.txt')).toBe('one\ntwo\n');
  });

  test('a newer file stops an undo, and --force says where it is now', async () => {
    const { task } = await place.run('echo two >> a.txt');
    writeFileSync(join(place.project, 'a.txt'), 'mine\n');
    const refused = await verb('undo', '--yes');
    expect(refused).toEqual({
      status: 1,
      stdout: '',
      stderr: `hardshell: Cannot undo ${task}: changed since then: a.txt.\n  Keep the newer files aside and undo anyway: hardshell undo --force ${task}\n`,
    });
    const forced = await verb('undo', '--yes', '--force');
    const movedTo = /a\.txt was newer, and is now (\S+)/.exec(forced.stdout)?.[1] ?? '';
    expect([forced.status, read('a.txt'), readFileSync(movedTo, 'utf8')]).toEqual([0, 'one\n', 'mine\n']);
    // It is the only copy.
    const dropped = await verb('drop', '--yes', task);
    expect([dropped.status, readFileSync(movedTo, 'utf8')]).toEqual([70, 'mine\n']);
    expect(dropped.stderr).toContain('newer files that a forced undo or redo moved away');
  });

  test('what a forced redo replaced is newer than the command, and is not dropped with it', async () => {
    const { task } = await place.run('echo two >> a.txt');
    await verb('undo', '--yes');
    writeFileSync(join(place.project, 'a.txt'), 'mine\n');
    const forced = await verb('redo', '--yes', '--force');
    const movedTo = /a\.txt was newer, and is now (\S+)/.exec(forced.stdout)?.[1] ?? '';
    expect([forced.status, read('a.txt'), readFileSync(movedTo, 'utf8')]).toEqual([0, 'one\ntwo\n', 'mine\n']);
    const dropped = await verb('drop', '--yes', task);
    expect([dropped.status, readFileSync(movedTo, 'utf8')]).toEqual([70, 'mine\n']);
    expect(dropped.stderr).toContain(movedTo);
    // Another undo puts it back.
    expect((await verb('undo', '--yes', task)).status).toBe(0);
    expect(read('a.txt')).toBe('mine\n');
    expect((await verb('drop', '--yes', task)).status).toBe(0);
  });

  test('a refusal names the files in a folder that were changed, created or deleted since', async () => {
    const { task } = await place.run('mkdir -p new/sub; echo 1 > new/f; echo 1 > new/sub/g; echo 1 > new/h');
    writeFileSync(join(place.project, 'new/sub/g'), 'mine\n');
    rmSync(join(place.project, 'new/f'));
    writeFileSync(join(place.project, 'new/i'), 'mine\n');
    const { stderr } = await verb('undo', '--yes', task);
    const named = /changed since then: (.*)\.\n/.exec(stderr)?.[1]?.split(', ').sort();
    expect(named).toEqual(['new/f', 'new/i', 'new/sub/g']);
  });

  test('the last that was done is undone first, and a command that is in the way is named', async () => {
    const first = await place.run('echo two >> a.txt');
    const second = await place.run('echo three >> a.txt');
    const refused = await verb('undo', '--yes', first.task);
    expect(refused).toEqual({
      status: 1,
      stdout: '',
      stderr: `hardshell: Cannot undo ${first.task}: another command changed the same files: a.txt.\n  Undo ${second.task} first: hardshell undo ${second.task}\n`,
    });
    expect((await verb('undo', '--yes')).stdout).toContain(`Undone: ${second.task}`);
    expect((await verb('redo', '--yes')).stdout).toContain(`Made again: ${second.task}`);
    expect(read('a.txt')).toBe('one\ntwo\nthree\n');
    // It started first, and landed last.
    const task = await place.run('sleep 1; echo late >> b.txt', { backgroundAfter: 100 });
    await place.run('echo new > new.txt');
    await (await place.shell.task(task.task))?.wait();
    expect((await verb('undo', '--yes')).stdout).toContain(`Undone: ${task.task}`);
    expect((await verb('undo', '--yes')).stdout).not.toContain(task.task);
    // What was undone last is made again first.
    expect((await verb('redo', '--yes')).stdout).not.toContain(task.task);
    expect((await verb('redo', '--yes')).stdout).toContain(`Made again: ${task.task}`);
  });

  test('held changes are shown, applied or dropped', async () => {
    const { task } = await place.run('echo two >> a.txt', { staging: 'review' });
    expect((await verb('changes', task)).stdout).toContain('+two');
    expect(await verb('undo', '--yes', task)).toMatchObject({
      status: 1,
      stderr: `hardshell: Cannot undo ${task}: its changes are held.\n  Apply them: hardshell apply ${task}\n`,
    });
    expect(await verb('apply', '--yes')).toMatchObject({ status: 0, stdout: expect.stringContaining('Applied') });
    expect(read('a.txt')).toBe('one\ntwo\n');
    const second = await place.run('rm b.txt', { staging: 'review' });
    expect(await verb('drop', '--yes')).toMatchObject({ status: 0 });
    expect([read('b.txt'), (await verb('changes')).stdout.includes(second.task)]).toEqual(['b\n', false]);
  });

  test('a patch is never made of contents that are not known', async () => {
    const { task } = await place.run('echo two >> a.txt; echo n > n.txt; echo x >> b.txt');
    expect((await verb('changes', task)).stderr).toBe('');
    writeFileSync(join(place.project, 'a.txt'), 'mine\n');
    rmSync(join(place.project, 'n.txt'));
    const newer = await verb('changes', task);
    expect(newer.stderr).toBe('Changed since then, and shown as they are now: a.txt, n.txt\n');
    expect(newer.stdout).toContain('+mine');
    expect(await verb('drop', '--yes', task)).toMatchObject({ status: 0 });
    const message = `The changes of ${task} were dropped: their contents are no longer known.`;
    expect(await verb('changes', task)).toEqual({ status: 1, stdout: '', stderr: `hardshell: ${message}\n` });
    const asJson = await verb('changes', '--json', task);
    expect(JSON.parse(asJson.stdout).error).toEqual({ code: 'dropped', message, hint: null });
  });

  test('an undo that was interrupted is completed by the next one, which undoes nothing else', async () => {
    const first = await place.run('echo two >> a.txt');
    const second = await place.run('echo x >> b.txt');
    const interrupt = () => writeFileSync(join(stagesOf(place), second.task, 'state'), 'undoing');
    interrupt();
    expect(await verb('undo', '--yes')).toMatchObject({ status: 0, stdout: expect.stringContaining(second.task) });
    expect([read('a.txt'), read('b.txt')]).toEqual(['one\ntwo\n', 'b\n']);
    expect((await verb('redo', '--yes')).status).toBe(0);
    interrupt();
    expect((await verb('changes')).stdout).toMatch(new RegExp(`${second.task} .* undone `));
    expect((await verb('redo', '--yes', second.task)).status).toBe(0);
    interrupt();
    const again = await verb('undo', '--yes', second.task);
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining(`Undone: ${second.task}`)]);
    expect((await verb('undo', '--yes')).stdout).toContain(`Undone: ${first.task}`);
  });

  test('what --force does not resolve is refused with the reason, and where the files are', async () => {
    await place.run('mkdir d; echo 1 > d/x');
    const later = await place.run('echo 2 > d/x');
    renameSync(join(place.project, 'd'), join(place.project, 'moved'));
    const moved = await verb('undo', '--yes', '--force', later.task);
    expect([moved.status, moved.stderr]).toEqual([
      1,
      expect.stringContaining('the folder was moved, deleted or replaced: d/x.'),
    ]);
    const original = /The original of d\/x: (.*)/.exec(moved.stderr)?.[1] ?? '';
    expect(readFileSync(original, 'utf8')).toBe('1\n');
    renameSync(join(place.project, 'moved'), join(place.project, 'd'));
    writeFileSync(join(place.project, 'd/x'), 'mine\n');
    expect((await verb('undo', '--yes', '--force', later.task)).status).toBe(0);
    const redone = await verb('redo', '--yes', '--force', later.task);
    expect([redone.status, redone.stderr]).toEqual([1, expect.stringContaining('only a newer version was kept: d/x.')]);
  });

  test('a held command that changed nothing is removed', async () => {
    const { task } = await place.run('echo two >> a.txt', { staging: 'review' });
    const records = ['hardshell-stage 1', `root\t0\t${place.project}`, 'end\t0\t0\t0'];
    writeFileSync(join(stagesOf(place), task, 'journal'), records.map((record) => `${record}\0`).join(''));
    expect((await verb('changes')).stdout).toContain('No staged changes in this folder');
    expect(existsSync(join(stagesOf(place), task))).toBe(false);
  });

  test('what is held back is shown apart, and cannot be applied', async () => {
    writeFileSync(join(place.project, 'make.sh'), 'mkdir .vscode; echo {} > .vscode/tasks.json');
    const { task } = await place.run('bash ./make.sh');
    expect((await verb('changes')).stdout).toMatch(new RegExp(`${task} +\\d+ s +held back +none, 1 held back`));
    const shown = await verb('changes', '--held', task);
    expect(shown.stdout).toContain('+++ b/.vscode/tasks.json');
    expect(shown.stderr).toContain('.vscode: it controls what runs outside of the sandbox');
    expect(await verb('apply', '--yes', task)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Nothing else of'),
    });
    expect(existsSync(join(place.project, '.vscode'))).toBe(false);
    expect(await verb('drop', '--yes', task)).toMatchObject({ status: 0 });
  });

  test('as JSON', async () => {
    const { task } = await place.run('echo two >> a.txt');
    const list = JSON.parse((await verb('changes', '--json')).stdout);
    expect(list).toMatchObject({ schemaVersion: 1, changes: [{ id: task, state: 'landed', changed: 1 }] });
    const one = JSON.parse((await verb('changes', '--json', task)).stdout);
    expect(one).toMatchObject({ id: task, diffs: [{ path: 'a.txt', diff: expect.stringContaining('+two\n') }] });
    const undone = JSON.parse((await verb('undo', '--json', '--yes')).stdout);
    expect(undone).toMatchObject({ id: task, state: 'undone', aside: [] });
    const none = await verb('undo', '--json', '--yes');
    expect([none.status, JSON.parse(none.stdout).error.code]).toEqual([1, 'no-such-changes']);
  });

  test('every undo, redo, apply and drop is in the audit log, done or refused', async () => {
    const { task } = await place.run('echo two >> a.txt; rm b.txt');
    await verb('redo', '--yes', task);
    await verb('undo', '--yes', task);
    await verb('redo', '--yes', task);
    writeFileSync(join(place.project, 'a.txt'), 'mine\n');
    await verb('undo', '--yes', task);
    await verb('undo', '--yes', '--force', task);
    // The newer file is the only copy: it is not dropped.
    await verb('drop', '--yes', task);
    const { task: other } = await place.run('echo x > x');
    await openStagedCommands().undo(other);
    const records = tailAudit({ folder: auditPlaces().folder, types: ['changes'] });
    const of = { task, command: 'echo two >> a.txt; rm b.txt', cwd: place.project, changed: 1, deleted: 1 };
    const cli = { ...of, by: 'cli', force: false };
    const a = join(place.project, 'a.txt');
    expect(records).toMatchObject([
      { ...cli, act: 'redo', outcome: 'refused', why: 'wrong-state', state: 'landed' },
      { ...cli, act: 'undo', outcome: 'done', why: null, state: 'undone', files: { changed: [a], conflicts: [] } },
      { ...cli, act: 'redo', outcome: 'done', why: null, state: 'landed' },
      { ...cli, act: 'undo', outcome: 'refused', why: 'conflict', state: 'landed', files: { conflicts: [a] } },
      { ...cli, act: 'undo', force: true, outcome: 'done', state: 'undone' },
      { ...cli, act: 'drop', outcome: 'failed', why: 'stage-failed', state: 'undone' },
      { task: other, act: 'undo', by: 'program', outcome: 'done', state: 'undone' },
    ]);
    const shown = await verb('audit', 'query', '--type', 'changes', '--oldest');
    expect(shown.stdout.split('\n')[0]).toMatch(/redo +refused \(cli\), wrong-state +bash-\w+ +echo two/);
    expect(shown.stdout.split('\n')[1]).toMatch(/undo +done \(cli\) +bash-\w+ +echo two/);
    const byPath = await verb('audit', 'query', '--type', 'changes', '--path', 'b.txt', '--json');
    expect(byPath.stdout.trim().split('\n')).toHaveLength(6);
  }, 60_000);

  test('a log that cannot be written does not stop an undo, and is reported', async () => {
    const { task } = await place.run('echo two >> a.txt');
    writeTree(join(place.home, '.local/state/hardshell'), { audit: 'not a folder' });
    expect(await verb('undo', '--yes', task)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('hardshell: This could not be recorded: Cannot create the folder'),
    });
    expect(read('a.txt')).toBe('one\n');
  });

  test('the record of a command has what it changed', async () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [BIN, 'run', '--yes', '--staging', ...args], {
        cwd: place.project,
        env: { PATH: process.env.PATH, HOME: place.home },
      });
    writeFileSync(join(place.project, 'make.sh'), 'mkdir .vscode; echo {} > .vscode/tasks.json');
    run('review', 'echo two >> a.txt; rm b.txt; echo n > n; sh ./make.sh');
    run('apply', 'echo two');
    const [first, second] = tailAudit({ folder: auditPlaces().folder, types: ['end'] });
    expect(first).toMatchObject({ changes: { state: 'held', created: 1, changed: 1, deleted: 1, heldBack: 1 } });
    expect(second).not.toHaveProperty('changes');
    const shown = await verb('audit', 'query', '--type', 'end', '--oldest');
    expect(shown.stdout.split('\n')[0]).toMatch(/\+1 ~1 -1 held, 1 held back/);
  });

  test('without a terminal, nothing is changed unless --yes says so', async () => {
    const { task } = await place.run('echo two >> a.txt');
    expect(await verb('undo')).toMatchObject({
      status: 2,
      stderr: `hardshell: No terminal to ask in, so nothing was changed.\n  Add --yes: hardshell undo --yes ${task}\n`,
    });
    expect(read('a.txt')).toBe('one\ntwo\n');
  });

  test('an unknown ID, options that do not fit, and a command that runs inside', async () => {
    const { task } = await place.run('echo two >> a.txt');
    expect(await verb('undo', '--yes', `${task.slice(0, -1)}0`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`Did you mean ${task}?`),
    });
    expect(await verb('changes', '--stat')).toMatchObject({ status: 2 });
    expect(await verb('changes', '--last', task)).toMatchObject({ status: 2 });
    const inside = { PATH: process.env.PATH, HOME: place.home, HARDSHELL: '1' };
    const refused = await runVerb(['undo', '--yes'], { cwd: place.project, env: inside });
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot undo staged changes') });
    expect(await verb('run', '--background', '--staging', 'apply', 'true')).toMatchObject({ status: 2 });
  });

  test('changes of other folders are listed with --all only', async () => {
    await place.run('echo two >> a.txt');
    const elsewhere = await runVerb(['changes'], {
      cwd: place.home,
      env: { PATH: process.env.PATH, HOME: place.home },
    });
    expect(elsewhere.stdout).toContain('1 in other folders: hardshell changes --all');
    const all = await runVerb(['changes', '--all'], {
      cwd: place.home,
      env: { PATH: process.env.PATH, HOME: place.home },
    });
    expect(all.stdout).toContain('landed');
  });

  test('`run` tells a conflict from a refusal, and does not advise to allow it', async () => {
    const child = spawn(
      process.execPath,
      [BIN, 'run', '--yes', '--staging', 'apply', 'echo x > a.txt; echo ready; sleep 3'],
      { cwd: place.project, env: { PATH: process.env.PATH, HOME: place.home }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let stderr = '';
    child.stderr.on('data', (bytes: Buffer) => {
      stderr += bytes.toString();
    });
    await once(child.stdout, 'data');
    writeFileSync(join(place.project, 'a.txt'), 'mine\n');
    await once(child, 'close');
    expect(stderr).toMatch(
      /^hardshell: Held back:\n {2}write \S+\/a\.txt: changed outside while the command ran\n {4}The change was held/,
    );
    expect(stderr).not.toMatch(/allow-write|refused/);
    expect(read('a.txt')).toBe('mine\n');
  });

  test('`run` ends with what was changed, and how to undo it', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [BIN, 'run', '--yes', ...args], {
        cwd: place.project,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: place.home },
      });
    const applied = run('--staging', 'apply', 'echo two >> a.txt; echo n > n; echo out');
    expect([applied.status, applied.stdout]).toEqual([0, 'out\n']);
    expect(applied.stderr).toMatch(
      /^hardshell: 2 files changed \(1 created, 1 changed\)\. Undo: hardshell undo bash-\w+\n$/,
    );
    const held = run('--staging', 'review', 'rm n');
    expect(held.stderr).toMatch(/^hardshell: 1 file deleted, held for review: hardshell changes bash-\w+\n$/);
    const direct = run('rm n');
    expect([direct.status, direct.stderr]).toEqual([0, '']);
  });
});
