// The verbs of a stage on upper layers made by a plain overlay: what lands, what is held, and that it can be undone.

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { keeperUnderTest as found } from '../contract/keeper-under-test.ts';
import { canStage, describeTree, readJournal, StageFolder } from './stage-folder.ts';

const keeper = found.isAvailable ? found.path : '';
describe.skipIf(!found.isAvailable || !canStage())('a stage', { timeout: 60_000 }, () => {
  let base = '';
  let root = '';
  const at = (name: string) => join(root, name);
  const write = (name: string, text: string) => writeFileSync(at(name), text);
  const read = (name: string) => readFileSync(at(name), 'utf8');

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'hardshell-stage-'));
    root = join(base, 'project');
    for (const folder of ['src/deep', 'old/inner', 'docs']) mkdirSync(at(folder), { recursive: true });
    for (const name of ['a', 'b', 'src/x', 'src/deep/y', 'old/p', 'old/inner/q', 'docs/r']) write(name, `${name}\n`);
    symlinkSync('a', at('link'));
    chmodSync(at('src/x'), 0o640);
  });
  afterEach(() => {
    spawnSync('chmod', ['-R', 'u+rwx', base]);
    rmSync(base, { recursive: true, force: true });
  });

  const stageOf = (spec?: Partial<ConfinementSpec>) => new StageFolder(keeper, base, [root], spec);

  const CHANGES = `
    echo more >> a; rm b; echo new > n; mkdir -p tree/one; echo t > tree/one/t; chmod 600 src/x
    rm -r old; rm link; ln -s b link; rm -r docs; mkdir docs; echo s > docs/s; echo f > src/deep/z; : >> src/deep/y`;

  test('lands exactly what the command did, and undo and redo are exact too', () => {
    const before = describeTree(root);
    const stage = stageOf();
    stage.change(CHANGES);
    expect(describeTree(root)).toEqual(before);
    expect(stage.verb('apply')).toEqual({ code: 0, records: [], stderr: '' });
    expect(stage.state).toBe('landed');
    const after = describeTree(root);
    expect(read('a')).toBe('a\nmore\n');
    expect(existsSync(at('old'))).toBe(false);
    expect(read('docs/s')).toBe('s\n');
    expect(stage.held()).toEqual([]);
    expect(stage.names().sort()).toEqual(
      [
        ...[
          'changed a',
          'deleted b',
          'created n',
          'created tree',
          'created tree/one',
          'created tree/one/t',
          'mode src/x',
        ],
        ...['deleted old', 'deleted old/p', 'deleted old/inner', 'deleted old/inner/q', 'changed link'],
        ...['deleted docs/r', 'created docs/s', 'created src/deep/z'],
      ].sort(),
    );
    expect(stage.verb('check').code).toBe(0);
    expect(stage.verb('undo')).toEqual({ code: 0, records: [], stderr: '' });
    expect(describeTree(root)).toEqual(before);
    expect(stage.state).toBe('undone');
    expect(stage.verb('redo')).toEqual({ code: 0, records: [], stderr: '' });
    expect(describeTree(root)).toEqual(after);
    expect(stage.verb('undo').code).toBe(0);
    expect(describeTree(root)).toEqual(before);
  });

  test('a direct run leaves the same tree', () => {
    const copy = join(base, 'copy');
    spawnSync('cp', ['-a', root, copy]);
    const stage = stageOf();
    stage.change(CHANGES);
    stage.verb('apply');
    spawnSync('bash', ['-c', CHANGES], { cwd: copy });
    expect(describeTree(root, false)).toEqual(describeTree(copy, false));
  });

  test('nothing is left of a stage without changes', () => {
    const stage = stageOf();
    stage.change('cat a; : >> b');
    expect(stage.verb('apply').code).toBe(0);
    expect(existsSync(stage.path)).toBe(false);
  });

  test('drop leaves the project as it is', () => {
    const before = describeTree(root);
    const stage = stageOf();
    stage.change(CHANGES);
    expect(stage.verb('drop').code).toBe(0);
    expect(stage.state).toBe('dropped');
    expect(existsSync(stage.at(0, 'upper'))).toBe(false);
    expect(describeTree(root)).toEqual(before);
  });

  test('a file that others changed in the meantime is held, the rest lands', () => {
    const stage = stageOf();
    stage.change('echo x >> a; echo y >> b; rm -r old; echo z > fresh; mkdir made');
    appendFileSync(at('a'), 'theirs\n');
    appendFileSync(at('old/inner/q'), 'theirs\n');
    write('fresh', 'theirs\n');
    mkdirSync(at('made'));
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held().sort()).toEqual(['conflict a', 'conflict fresh', 'conflict old']);
    expect([read('a'), read('b'), read('old/inner/q'), read('fresh')]).toEqual([
      'a\ntheirs\n',
      'b\ny\n',
      'old/inner/q\ntheirs\n',
      'theirs\n',
    ]);
  });

  test('undo refuses to lose a later change, and keeps it aside if it is forced', () => {
    const before = describeTree(root, false);
    const stage = stageOf();
    stage.change('echo x >> a; mkdir tree; echo t > tree/t; rm b; rm -r docs; mkdir docs');
    stage.verb('apply');
    appendFileSync(at('a'), 'later\n');
    appendFileSync(at('tree/t'), 'later\n');
    write('b', 'later\n');
    const after = describeTree(root);
    expect(stage.verb('check')).toMatchObject({ code: 1 });
    const { code, records } = stage.verb('undo');
    expect([code, records.sort()]).toEqual([1, ['conflict\t0\ta', 'conflict\t0\tb', 'conflict\t0\ttree']]);
    expect(describeTree(root)).toEqual(after);
    const forced = stage.verb('undo', '--force');
    expect(forced.code).toBe(0);
    expect(describeTree(root, false)).toEqual(before);
    const kept = forced.records.map((record) => {
      const [, n, place, path] = record.split('\t') as [string, string, string, string];
      const file = stage.at(Number(n), place, path === 'tree' ? 't' : '');
      return `${path}: ${readFileSync(file, 'utf8')}`;
    });
    expect(kept.sort()).toEqual(['a: a\nx\nlater\n', 'b: later\n', 'tree: t\nlater\n']);
  });

  test('redo refuses what others changed after the undo', () => {
    const stage = stageOf();
    stage.change('echo x >> a; echo y >> b; rm -r old');
    stage.verb('apply');
    stage.verb('undo');
    appendFileSync(at('a'), 'later\n');
    write('old/inner/q', 'later\n');
    expect(stage.verb('redo')).toMatchObject({ code: 1, records: ['conflict\t0\ta', 'conflict\t0\told'] });
    expect(read('b')).toBe('b\n');
    expect(stage.verb('redo', '--force').code).toBe(0);
    expect([read('a'), existsSync(at('old'))]).toEqual(['a\nx\n', false]);
    expect(stage.verb('undo').code).toBe(0);
    expect([read('a'), read('old/inner/q'), read('b')]).toEqual(['a\nlater\n', 'later\n', 'b\n']);
  });

  test('names with line ends, tabs and bytes that are no text land', () => {
    const stage = stageOf();
    stage.change(
      `echo 1 > $'line\\nend'; echo 2 > $'a\\ttab'; echo 3 > $'\\xff\\xfe'; mkdir $'d\\n'; echo 4 > $'d\\n/x'`,
    );
    expect(stage.verb('apply').code).toBe(0);
    expect([read('line\nend'), read('a\ttab'), read('d\n/x')]).toEqual(['1\n', '2\n', '4\n']);
    expect(stage.names()).toContain('created a\ttab');
    expect(stage.verb('undo').code).toBe(0);
    expect(existsSync(at('line\nend'))).toBe(false);
  });

  test('hard links of new files stay linked, and those of changed files are all undone', () => {
    writeFileSync(at('h1'), 'h\n');
    spawnSync('ln', [at('h1'), at('h2')]);
    const before = describeTree(root);
    const stage = stageOf();
    stage.change('echo n > n1; ln n1 n2; echo x >> h1; echo y >> h2');
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held()).toEqual([]);
    appendFileSync(at('n1'), 'm\n');
    expect(read('n2')).toBe('n\nm\n');
    writeFileSync(at('n1'), 'n\n');
    expect(stage.verb('undo').code).toBe(1);
    expect(stage.verb('undo', '--force').code).toBe(0);
    expect(describeTree(root)).toEqual(before);
  });

  test('modes do not stop the landing: read-only files and folders', () => {
    chmodSync(at('docs'), 0o555);
    chmodSync(at('a'), 0o444);
    const before = describeTree(root);
    const stage = stageOf();
    stage.change('chmod u+w docs a; echo x >> a; echo y > docs/y; chmod 555 docs; chmod 444 a; mkdir -m 500 shut');
    expect(stage.verb('apply').code).toBe(0);
    expect([read('a'), read('docs/y')]).toEqual(['a\nx\n', 'y\n']);
    expect(stage.verb('undo').code).toBe(0);
    expect(describeTree(root)).toEqual(before);
  });

  test('guarded and taken names are held, at any depth and inside of new trees', () => {
    mkdirSync(at('src/.vscode'));
    write('src/.vscode/tasks.json', '{}');
    write('guarded', 'g\n');
    const stage = stageOf({
      stage: { folder: join(base, 'stage'), mode: 'apply', guarded: [at('guarded'), at('absent')] },
      sweptNames: { taken: ['.vscode', '.envrc', '.github/hooks'], packages: ['node_modules'], unsearched: [] },
      kept: [at('kept')],
    });
    stage.change(`
      echo x >> guarded; mkdir absent; echo x > absent/y; echo x > src/.vscode/tasks.json; echo x > src/.vscode/new
      mkdir -p new/.vscode new/.github/hooks new/node_modules/m/.vscode kept/.vscode
      echo x > new/.vscode/a; echo x > new/.github/hooks/h; echo x > new/file; echo x > new/node_modules/m/.vscode/a
      echo x > kept/.vscode/a; echo x > .envrc`);
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held().sort()).toEqual([
      'protected .envrc',
      'protected absent',
      'protected guarded',
      'protected new/.github/hooks',
      'protected new/.vscode',
      'protected src/.vscode/new',
      'protected src/.vscode/tasks.json',
    ]);
    expect([read('guarded'), read('src/.vscode/tasks.json'), read('new/file')]).toEqual(['g\n', '{}', 'x\n']);
    expect(existsSync(at('new/.vscode'))).toBe(false);
    expect([read('new/node_modules/m/.vscode/a'), read('kept/.vscode/a')]).toEqual(['x\n', 'x\n']);
    expect(existsSync(at('absent'))).toBe(false);
    expect(stage.verb('undo').code).toBe(0);
    expect(existsSync(at('new'))).toBe(false);
  });

  test('a tree with a protected name is neither deleted nor moved nor replaced', () => {
    const stage = stageOf({ stage: { folder: join(base, 'stage'), mode: 'apply', guarded: [at('old/inner/q')] } });
    stage.change('rm -r old; rm -r docs; mkdir -p old/inner; echo other > old/inner/q');
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held()).toEqual(['protected old']);
    expect([read('old/inner/q'), existsSync(at('docs'))]).toEqual(['old/inner/q\n', false]);
  });

  test('a tree that was made again with the same protected file lands', () => {
    const stage = stageOf({ stage: { folder: join(base, 'stage'), mode: 'apply', guarded: [at('old/inner/q')] } });
    stage.change('cp -a old copy; rm -r old; mv copy old; echo more > old/more');
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held()).toEqual([]);
    expect([read('old/more'), read('old/inner/q')]).toEqual(['more\n', 'old/inner/q\n']);
  });

  test('what was moved to a name that is held stays where it was', () => {
    write('src/keep', 'keep\n');
    const before = describeTree(root);
    const stage = stageOf({ sweptNames: { taken: ['.envrc', '.vscode'], packages: [], unsearched: [] } });
    stage.change(`
      mv a .envrc; mv b new; mkdir fresh; mv src/x fresh/.envrc
      mkdir fresh/.vscode; mv old/inner/q fresh/.vscode/q; rm -r old; rm docs/r; echo other > fresh/ok`);
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held().sort()).toEqual(
      ['.envrc', 'a', 'fresh/.envrc', 'fresh/.vscode', 'old', 'src/x'].map((name) => `protected ${name}`),
    );
    expect(readJournal(stage.path).find(({ kind, path }) => kind === 'held' && path === 'a')?.fields[1]).toBe(
      'moved to .envrc',
    );
    expect([read('a'), read('src/x'), read('old/inner/q'), read('new')]).toEqual([
      'a\n',
      'src/x\n',
      'old/inner/q\n',
      'b\n',
    ]);
    expect(stage.names().sort()).toEqual([
      'created fresh',
      'created fresh/ok',
      'created new',
      'deleted b',
      'deleted docs/r',
    ]);
    expect(stage.verb('undo').code).toBe(0);
    expect(describeTree(root)).toEqual(before);
  });

  test('what was moved to a name that is held and then changed is not deleted either', () => {
    const stage = stageOf({ sweptNames: { taken: ['.envrc'], packages: [], unsearched: [] } });
    stage.change('mv a .envrc; echo more >> .envrc; rm b; echo 1 > n');
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held().sort()).toEqual(['protected .envrc', 'protected a', 'protected b']);
    expect([read('a'), read('b'), read('n')]).toEqual(['a\n', 'b\n', '1\n']);
  });

  test('a link in place of a folder of the project leads nothing out of it', () => {
    const outside = join(base, 'outside');
    mkdirSync(outside);
    const stage = stageOf();
    stage.change('echo x > src/deep/new; rm src/deep/y');
    writeFileSync(join(outside, 'y'), 'theirs');
    renameSync(at('src/deep'), at('src/moved'));
    symlinkSync(outside, at('src/deep'));
    stage.verb('apply');
    expect(existsSync(join(outside, 'new'))).toBe(false);
    expect(existsSync(join(outside, 'y'))).toBe(true);
    expect(stage.held()).toEqual(['conflict src/deep']);
  });

  test('a damaged journal, another user and an open folder are refused', () => {
    const stage = stageOf();
    stage.change('echo x > new');
    expect(stage.verb('apply').code).toBe(0);
    const journal = readFileSync(join(stage.path, 'journal'), 'latin1');
    for (const damaged of [
      journal.slice(0, -2),
      journal.replace('\tnew\0', '\t../new\0'),
      journal.replace('\tnew\0', '\t/etc/passwd\0'),
      journal.replace(`root\t0\t${root}`, `root\t0\t/`),
      journal.replace(/unit\t0/, 'unit\t7'),
      '',
    ]) {
      writeFileSync(join(stage.path, 'journal'), damaged, 'latin1');
      expect(stage.verb('undo')).toMatchObject({ code: 2 });
    }
    writeFileSync(join(stage.path, 'journal'), journal, 'latin1');
    chmodSync(stage.path, 0o755);
    expect(stage.verb('undo')).toMatchObject({ code: 2 });
    chmodSync(stage.path, 0o700);
    expect(stage.verb('undo')).toMatchObject({ code: 0 });
    expect(readJournal(stage.path).at(-1)?.kind).toBe('end');
  });

  test('a stage that another process works on is left alone', () => {
    const stage = stageOf();
    stage.change('echo x > new');
    const holder = `
import fcntl, subprocess, sys
lock = open(sys.argv[1], 'w'); fcntl.flock(lock, fcntl.LOCK_EX)
sys.exit(subprocess.call(sys.argv[2:]))`;
    const lock = join(stage.path, 'lock');
    const result = spawnSync('python3', ['-c', holder, lock, keeper, 'stage', 'apply', stage.path]);
    expect(result.status).toBe(3);
    expect(existsSync(at('new'))).toBe(false);
    expect(stage.verb('apply').code).toBe(0);
  });

  test('a descriptor that the command left with another process changes no judged file after the landing', () => {
    mkdirSync(at('.git'));
    write('.git/HEAD', 'ref: refs/heads/main\n');
    write('.git/config', '[user]\n\tname = a\n');
    const stage = stageOf({
      stage: { folder: join(base, 'stage'), mode: 'apply', guarded: [at('.git/config')] },
      settings: { files: [at('.git/config')], names: ['user.name'] },
    });
    stage.change(
      "printf '[user]\\n\\tname = b\\n' > .git/config; mkdir -p new/.git; echo x > new/.git/HEAD; printf '[core]\\n' > new/.git/config",
    );
    const kept = ['.git/config', 'new/.git/config'].map((name) => openSync(stage.at(0, 'upper', name), 'a'));
    expect(stage.verb('apply').code).toBe(0);
    for (const fd of kept) {
      writeSync(fd, '[core]\n\tfsmonitor = evil\n');
      closeSync(fd);
    }
    expect([read('.git/config'), read('new/.git/config')]).toEqual(['[user]\n\tname = b\n', '[core]\n']);
  });

  test('undo follows no link that was put in place of a folder', () => {
    const outside = join(base, 'outside');
    mkdirSync(outside);
    const stage = stageOf();
    stage.change('echo x > src/deep/new; rm src/deep/y');
    expect(stage.verb('apply').code).toBe(0);
    renameSync(at('src/deep'), at('src/moved'));
    symlinkSync(outside, at('src/deep'));
    writeFileSync(join(outside, 'new'), 'theirs');
    for (const more of [[], ['--force']]) stage.verb('undo', ...more);
    expect(readdirSync(outside)).toEqual(['new']);
    expect(readFileSync(join(outside, 'new'), 'utf8')).toBe('theirs');
  });

  test('the marks of an overlay cannot be made by a command, and do not land', () => {
    const stage = stageOf();
    stage.change(`
      ! mknod src/x2 c 0 0 2>&-; rm -f src/x; ! mknod src/x c 0 0 2>&-
      python3 -c "
import os
for path in ('docs', 'old/p'): os.setxattr(path, 'user.overlay.opaque', b'y')
os.setxattr('old/p', 'user.own', b'1')
os.mkdir('tree'); os.setxattr('tree', 'user.overlay.whiteout', b'y')"`);
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.names().sort()).toEqual(['created tree', 'deleted src/x', 'mode old/p']);
    expect(read('docs/r')).toBe('docs/r\n');
    const attributes = spawnSync(
      'python3',
      ['-c', "import os; print([os.listxattr(p) for p in ('docs', 'old/p', 'tree')])"],
      { cwd: root, encoding: 'utf8' },
    );
    expect(attributes.stdout).toBe("[[], ['user.own'], []]\n");
  });

  test('programs that run with the rights of their owner are held', () => {
    const stage = stageOf();
    stage.change(
      'cp /bin/true suid; chmod 4755 suid; mkdir bin; cp /bin/true bin/sgid; chmod 2755 bin/sgid; chmod u+s a; echo ok > bin/ok',
    );
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held().sort()).toEqual(['protected a', 'protected bin/sgid', 'protected suid']);
    expect(existsSync(at('bin/ok'))).toBe(true);
    expect(lstatSync(at('a')).mode & 0o7000).toBe(0);
  });

  test.skipIf(process.geteuid?.() !== 0)('the stage of another user is refused', () => {
    const stage = stageOf();
    stage.change('echo x > new');
    chownSync(stage.path, 12345, 12345);
    expect(stage.verb('apply')).toMatchObject({ code: 2 });
    expect(existsSync(at('new'))).toBe(false);
  });

  test('a folder that is too deep is held, and can be dropped', () => {
    const stage = stageOf();
    stage.change(`echo x > fine; mkdir -p ${'d/'.repeat(1100)}`);
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held()).toEqual(['failed d']);
    expect(read('fine')).toBe('x\n');
    expect(stage.verb('drop')).toEqual({ code: 0, records: [], stderr: '' });
  });

  test('pipes, sockets and sparse files land', () => {
    const stage = stageOf();
    stage.change(
      `mkfifo pipe; truncate -s 5M sparse; mkdir s; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('s/socket')"`,
    );
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.names().sort()).toEqual(['created pipe', 'created s', 'created s/socket', 'created sparse']);
    expect([lstatSync(at('pipe')).isFIFO(), lstatSync(at('s/socket')).isSocket()]).toEqual([true, true]);
    expect(lstatSync(at('sparse')).blocks).toBeLessThan(100);
  });
});
