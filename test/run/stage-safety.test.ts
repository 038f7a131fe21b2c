// Stages that are attacked while they are judged, on a full disk, and the order of calls that a power cut must not turn around.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keeperUnderTest as found } from '../contract/keeper-under-test.ts';
import { canStage, describeTree, StageFolder } from './stage-folder.ts';

const keeper = found.isAvailable ? found.path : '';
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const ROUNDS = Number(process.env.HARDSHELL_STRESS ?? 10);

describe.skipIf(!found.isAvailable || !canStage())('a stage is safe', { timeout: 120_000 + ROUNDS * 5000 }, () => {
  let base = '';
  let root = '';
  const children: ChildProcess[] = [];
  const at = (name: string) => join(root, name);

  beforeEach(() => {
    base = mkdtempSync(join(homedir(), 'hardshell-safety-'));
    root = join(base, 'project');
    mkdirSync(at('src/deep'), { recursive: true });
    mkdirSync(at('gone'));
    for (let i = 0; i < 40; i++) writeFileSync(at(`src/deep/${i}`), `file ${i}\n`);
    for (const name of ['a', 'b', 'gone/x']) writeFileSync(at(name), `${name}\n`);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    rmSync(base, { recursive: true, force: true });
  });

  const CHANGES = `
      for i in {0..39}; do echo more >> src/deep/$i; done
      rm -r gone; echo new > n; mkdir tree; echo t > tree/t; rm b`;

  /** Calls of a verb that order files, rename them or link them: `name: call`. */
  function trace(stage: StageFolder, verb: string): string[] {
    const log = join(base, 'trace');
    const calls = 'sync_file_range,fsync,rename,renameat,renameat2,linkat,unlinkat';
    const argv = ['-y', '-o', log, '-e', `trace=${calls}`, keeper, 'stage', verb, stage.path];
    expect(spawnSync('strace', argv, { encoding: 'utf8' })).toMatchObject({ status: 0 });
    return readFileSync(log, 'utf8').split('\n');
  }

  test('what recovery needs is written out before the project changes, and marks before their state', (context) => {
    if (!has('strace')) context.skip('strace is not installed');
    const stage = new StageFolder(keeper, base, [root]);
    writeFileSync(join(stage.path, 'meta.json'), '{}');
    stage.change(CHANGES);
    const verbs = { apply: ['journal', 'state', 'landed'], undo: ['state', 'undone'], redo: ['state', 'landed'] };
    for (const [verb, [first = '', ...files]] of Object.entries(verbs)) {
      const lines = trace(stage, verb);
      const written = (name: string) =>
        lines.findIndex((line) => line.includes(`/${name}>`) && line.includes('WAIT_AFTER'));
      const published = (name: string) => lines.findIndex((line) => line.includes(`"${name}.new"`));
      const changed = lines.findIndex((line) => line.includes(`<${root}`));
      const lastState = lines.findLastIndex((line) => line.includes('"state.new"'));
      for (const name of [first, ...files]) {
        expect([verb, name, written(`${name}.new`)]).not.toContain(-1);
        expect(written(`${name}.new`)).toBeLessThan(published(name));
      }
      expect(changed).toBeGreaterThan(published('state'));
      expect(changed).toBeGreaterThan(published(first));
      expect(lastState).toBeGreaterThan(published(files.at(-1) ?? ''));
      expect(lastState).toBeGreaterThan(lines.findLastIndex((line) => line.includes(`<${root}`)));
      if (verb !== 'apply') continue;
      for (const name of ['confinement', 'meta.json']) {
        expect(written(name)).toBeGreaterThanOrEqual(0);
        expect(written(name)).toBeLessThan(published('journal'));
      }
    }
  });

  test('a folder that is exchanged with a link all the time leads no verb out of the project', async (context) => {
    if (!has('python3')) context.skip('python3 is not installed');
    const outside = join(base, 'outside');
    mkdirSync(join(outside, 'deep'), { recursive: true });
    for (let i = 0; i < 40; i++) writeFileSync(join(outside, 'deep', String(i)), 'theirs\n');
    const before = describeTree(outside);
    const stage = new StageFolder(keeper, base, [root]);
    stage.change(CHANGES);
    // RENAME_EXCHANGE: one or the other is there at every moment.
    const racer = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
root, link = os.fsencode(sys.argv[1]), os.fsencode(sys.argv[2])
os.symlink(sys.argv[3], sys.argv[2])
print('ready', flush=True)
while os.path.exists(os.path.dirname(sys.argv[2])):
    if libc.renameat2(-100, root, -100, link, 2) != 0: sys.exit(ctypes.get_errno())`;
    const argv = ['-c', racer, at('src'), join(base, 'link'), outside];
    const child = spawn('python3', argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    const states = new Set<string>();
    for (let round = 0; round < ROUNDS; round++)
      for (const verb of ['apply', 'undo', 'redo', 'recover']) {
        stage.verb(verb, ...(verb === 'undo' || verb === 'redo' ? ['--force'] : []));
        states.add(stage.state);
        expect(describeTree(outside)).toEqual(before);
      }
    expect(child.exitCode).toBe(null);
    expect(states).toContain('landed');
  });

  test('a shared mapping that the command left with another process changes no judged file', async (context) => {
    if (!has('python3')) context.skip('python3 is not installed');
    mkdirSync(at('.git'));
    writeFileSync(at('.git/HEAD'), 'ref: refs/heads/main\n');
    const stage = new StageFolder(keeper, base, [root]);
    stage.change("printf '[core]\\n;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;\\n' > .git/config");
    const writer = `
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR); view = mmap.mmap(fd, 0); os.close(fd)
print('ready', flush=True); sys.stdin.readline()
view[7:28] = b'fsmonitor = evil\\n;;;;'; view.flush(); print('done', flush=True); sys.stdin.readline()`;
    const child = spawn('python3', ['-c', writer, stage.at(0, 'upper', '.git/config')]);
    children.push(child);
    await once(child.stdout, 'data');
    expect(stage.verb('apply')).toMatchObject({ code: 0, stderr: '' });
    expect(stage.held()).toEqual([]);
    child.stdin.write('\n');
    await once(child.stdout, 'data');
    expect(readFileSync(at('.git/config'), 'utf8')).toMatch(/^\[core\]\n;{32}\n$/);
  });

  test('a journal with any byte changed crashes no verb, and leads none out of the project', () => {
    const stage = new StageFolder(keeper, base, [root]);
    mkdirSync(join(base, 'outside'));
    writeFileSync(join(base, 'outside/o'), 'o\n');
    stage.change(CHANGES);
    expect(stage.verb('apply').code).toBe(0);
    const journal = readFileSync(join(stage.path, 'journal'));
    const outside = describeTree(join(base, 'outside'));
    for (let round = 0; round < ROUNDS * 3; round++) {
      const damaged = Buffer.from(journal);
      const place = Math.floor(Math.random() * damaged.length);
      damaged[place] = Math.floor(Math.random() * 256);
      writeFileSync(join(stage.path, 'journal'), damaged);
      for (const verb of ['undo', 'redo']) {
        const { code } = stage.verb(verb);
        expect([0, 1, 2], `byte ${place} is ${damaged[place]}`).toContain(code);
      }
      expect(describeTree(join(base, 'outside'))).toEqual(outside);
      writeFileSync(join(stage.path, 'journal'), journal);
      stage.verb('recover');
      if (stage.state === 'undone') stage.verb('redo');
    }
  });

  test('on a full disk a verb says so, changes nothing, and works when there is space', (context) => {
    const stage = new StageFolder(keeper, base, [root]);
    const [disk, upper] = [join(base, 'disk'), stage.at(0, 'upper')];
    mkdirSync(disk);
    // The whole place is copied to a small disk, which is mounted over it.
    const layers = `lowerdir=${root},upperdir=${upper},workdir=${stage.at(0, 'work')}`;
    const script = `
set -e
mount -t tmpfs -o size=3m,mode=700 disk ${disk}
cp -a ${root} ${stage.path} ${disk}
mount --bind ${disk} ${base}
sleep 0.02; touch ${stage.path}/begun
mount -t overlay -o userxattr,volatile,${layers} stage ${root} || exit 77
(cd ${root}; ${CHANGES}; for i in {0..200}; do echo $i > many-$i; done)
umount ${root}
look() { (cd ${root}; find . -printf '%p %m %T@\n' | sort; cat src/deep/* b gone/x 2>&1) | md5sum; }
fill() { dd if=/dev/zero of=${base}/fill bs=4096 2> /dev/null || true; }
verb() { set +e; ${keeper} stage $1 ${stage.path}; echo "$1 $?"; set -e; }
before=$(look); fill
verb apply
[ "$(look)" = "$before" ] && echo same
rm ${base}/fill; verb apply
after=$(look); fill
verb undo
rm ${base}/fill; verb recover; cat ${stage.path}/state; echo
if [ "$(cat ${stage.path}/state)" = landed ]; then [ "$(look)" = "$after" ] && echo same; verb undo; else echo same; echo undo 0; fi
[ "$(look)" = "$before" ] && echo same`;
    const { status, stdout, stderr } = spawnSync('unshare', ['-Urm', 'bash', '-c', script], { encoding: 'utf8' });
    if (status === 77) context.skip('this kernel has no overlay on tmpfs');
    const lines = stdout.trim().split('\n');
    expect(stderr).toMatch(/hardshell: staged changes: .*No space left on device/);
    expect([lines.slice(0, 3), lines.slice(-2)]).toEqual([
      ['apply 2', 'same', 'apply 0'],
      ['undo 0', 'same'],
    ]);
  });
});
