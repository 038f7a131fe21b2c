// Stages as native/ leaves them, by hand: the upper layer comes from a real overlay.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { diffStage } from './diff.ts';
import { type Journal, parseJournal } from './journal.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) {
    execFileSync('chmod', ['-R', 'u+rwX', folder]);
    rmSync(folder, { recursive: true });
  }
});

interface Made {
  readonly root: string;
  readonly folder: string;
}

function makeStage(prepare: (root: string) => void, script: string): Made {
  const base = mkdtempSync(join(tmpdir(), 'stage-diff-'));
  made.push(base);
  const [root, folder] = [join(base, 'project'), join(base, 'stage')];
  mkdirSync(root);
  for (const name of ['upper', 'work', 'undo']) mkdirSync(join(folder, '0', name), { recursive: true });
  prepare(root);
  const options = `userxattr,volatile,lowerdir=${root},upperdir=${folder}/0/upper,workdir=${folder}/0/work`;
  execFileSync('unshare', [
    '-Urm',
    'sh',
    '-ec',
    `mount -t overlay overlay -o ${options} ${root}; cd ${root}; ${script}`,
  ]);
  return { root, folder };
}

function journalOf({ root }: Made, ...records: string[]): Journal {
  const units = records.filter((record) => record.startsWith('unit')).length;
  const names = records.filter((record) => record.startsWith('name')).length;
  const held = records.length - units - names;
  const all = ['hardshell-stage 1', `root\t0\t${root}`, ...records, `end\t${units}\t${names}\t${held}`];
  return parseJournal(Buffer.from(all.map((record) => `${record}\0`).join(''))) as Journal;
}

function patchOf(stage: Made, state: 'held' | 'landed', journal: Journal): string {
  return [...diffStage({ ...stage, state, stateAt: Date.now() }, journal)]
    .flatMap(({ lines }) => lines.map((line) => `${line}\n`))
    .join('');
}

test('held changes: the new files are in the stage, and git applies the diff', () => {
  const stage = makeStage((root) => {
    writeFileSync(join(root, 'a b.txt'), 'one\ntwo\n');
    writeFileSync(join(root, 'gone'), 'x');
    writeFileSync(join(root, 'tool'), 'run\n', { mode: 0o644 });
  }, "echo three >> 'a b.txt'; rm gone; mkdir new; printf 'é' > new/file; chmod 755 tool; ln -s 'a b.txt' link; printf 'a\\0b' > bin");
  const journal = journalOf(
    stage,
    'name\tchanged\tf\t14\t0\ta b.txt',
    'name\tdeleted\tf\t0\t0\tgone',
    'name\tcreated\td\t0\t0\tnew',
    'name\tcreated\tf\t2\t0\tnew/file',
    'name\tmode\tf\t4\t0\ttool',
    'name\tcreated\tl\t7\t0\tlink',
  );
  const patch = patchOf(stage, 'held', journal);
  expect(Buffer.from(patch, 'latin1').toString('utf8')).toBe(`diff --git a/a b.txt b/a b.txt
--- a/a b.txt\t
+++ b/a b.txt\t
@@ -1,2 +1,3 @@
 one
 two
+three
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
\\ No newline at end of file
diff --git a/new/file b/new/file
new file mode 100644
--- /dev/null
+++ b/new/file
@@ -0,0 +1 @@
+é
\\ No newline at end of file
diff --git a/tool b/tool
old mode 100644
new mode 100755
diff --git a/link b/link
new file mode 120000
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+a b.txt
\\ No newline at end of file
`);
  execFileSync('git', ['apply', '-'], { cwd: stage.root, input: Buffer.from(patch, 'latin1') });
  expect(readFileSync(join(stage.root, 'a b.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  expect(patchOf(stage, 'held', journalOf(stage, 'name\tcreated\tf\t3\t0\tbin'))).toContain(
    'Binary files /dev/null and b/bin differ',
  );
});

test('landed changes: what was replaced is in the stage, also of trees', () => {
  const stage = makeStage((root) => {
    writeFileSync(join(root, 'a'), 'old\n');
    mkdirSync(join(root, 'tree'));
    writeFileSync(join(root, 'tree', 'b'), 'b\n');
  }, 'echo new > a; rm -r tree');
  const { root, folder } = stage;
  execFileSync('sh', ['-ec', `mv ${root}/a 0/undo/0; mv 0/upper/a ${root}/a; mv ${root}/tree 0/undo/1`], {
    cwd: folder,
  });
  const journal = journalOf(
    stage,
    'unit\t0\tchanged\t0\t1:2\t1:1\t0.0:0.0\ta',
    'unit\t1\tdeleted\t0\t-\t1:3\t0.0:0.0\ttree',
    'name\tchanged\tf\t4\t0\ta',
    'name\tdeleted\td\t0\t0\ttree',
    'name\tdeleted\tf\t0\t0\ttree/b',
  );
  const patch = patchOf(stage, 'landed', journal);
  expect(patch).toContain('-old\n+new\n');
  expect(patch).toContain('--- a/tree/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n');
});

test('a deleted folder that was held back is shown file by file', () => {
  const stage = makeStage((root) => {
    mkdirSync(join(root, 'tree', 'inner'), { recursive: true });
    writeFileSync(join(root, 'tree', 'inner', 'b'), 'b\n');
  }, 'rm -r tree');
  const journal = journalOf(stage, 'held\tprotected\t\t0\ttree');
  const diffs = [...diffStage({ ...stage, state: 'landed', stateAt: Date.now() }, journal, 'held-back')];
  expect(diffs.map(({ path, lines }) => [path, ...lines.slice(-3)])).toEqual([
    ['tree/inner/b', '+++ /dev/null', '@@ -1 +0,0 @@', '-b'],
  ]);
});

test('a folder that became a link to secrets shows none of them', () => {
  const stage = makeStage((root) => mkdirSync(join(root, 'src')), 'echo new > src/key');
  const secrets = mkdtempSync(join(tmpdir(), 'stage-secrets-'));
  made.push(secrets);
  writeFileSync(join(secrets, 'key'), 'SECRET\n');
  rmSync(join(stage.root, 'src'), { recursive: true });
  symlinkSync(secrets, join(stage.root, 'src'));
  const changed = journalOf(
    stage,
    'unit\t0\tchanged\t0\t1:2\t1:1\t0.0:0.0\tsrc/key',
    'name\tchanged\tf\t4\t0\tsrc/key',
  );
  for (const state of ['held', 'landed'] as const) expect(patchOf(stage, state, changed)).not.toContain('SECRET');
  const outside = journalOf(stage, `name\tchanged\tf\t4\t0\t../../${secrets.split('/').at(-1)}/key`);
  expect(patchOf(stage, 'held', outside)).not.toContain('SECRET');
});

test('a file of two megabytes, and one that cannot be read, are only named', () => {
  const stage = makeStage(() => {}, 'head -c 2000000 /dev/zero > large; echo x > closed');
  const lines = patchOf(stage, 'held', journalOf(stage, 'name\tcreated\tf\t2000000\t0\tlarge'));
  expect(lines).toContain('Too large to compare: 0 bytes before, 2000000 bytes now.');
  chmodSync(join(stage.folder, '0', 'upper', 'closed'), 0);
  expect(patchOf(stage, 'held', journalOf(stage, 'name\tcreated\tf\t2\t0\tclosed'))).toContain('diff --git a/closed');
});
