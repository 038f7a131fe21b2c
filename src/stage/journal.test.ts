import { expect, test } from 'vitest';
import { type Journal, parseJournal, parseSkipped, withoutSkipped } from './journal.ts';

const write = (...records: string[]) => Buffer.from(records.map((record) => `${record}\0`).join(''));
const ROOT = 'root\t0\t/home/a/project';

test('units, names and what was held back, with tabs and line ends in paths', () => {
  const journal = write(
    'hardshell-stage 1',
    ROOT,
    'unit\t0\tnew\t0\t64769:12\t-\t0.0:0.0\tsrc/a\tb\n.ts',
    'name\tcreated\tf\t12\t0\tsrc/a\tb\n.ts',
    'held\tprotected\tcore.hooksPath\t0\t.git/config',
    'end\t1\t1\t1',
  );
  expect(parseJournal(journal)).toEqual({
    roots: ['/home/a/project'],
    units: [{ number: 0, kind: 'new', root: 0, path: 'src/a\tb\n.ts' }],
    names: [{ change: 'created', type: 'f', bytes: 12, root: 0, path: 'src/a\tb\n.ts' }],
    held: [{ why: 'protected', detail: 'core.hooksPath', root: 0, path: '.git/config' }],
  });
});

test.each([
  ['empty', []],
  ['of another version', ['hardshell-stage 2', 'end\t0\t0\t0']],
  ['without an end', ['hardshell-stage 1', ROOT]],
  ['cut in the middle', ['hardshell-stage 1', ROOT, 'name\tcreated\tf\t1\t0\ta', 'end\t0\t2\t0']],
  ['with a root that is not listed', ['hardshell-stage 1', ROOT, 'name\tcreated\tf\t1\t1\ta', 'end\t0\t1\t0']],
  ['with an unknown record', ['hardshell-stage 1', 'extra\t1', 'end\t0\t0\t0']],
])('a journal %s is none', (_, records) => expect(parseJournal(write(...records))).toBeNull());

test('a journal whose last record has no end is none', () => {
  const whole = write('hardshell-stage 1', ROOT, 'end\t0\t0\t0');
  expect(parseJournal(whole)).not.toBeNull();
  expect(parseJournal(whole.subarray(0, -1))).toBeNull();
});

test('units that did not land are conflicts, with the names in them', () => {
  const journal = parseJournal(
    write(
      'hardshell-stage 1',
      ROOT,
      'unit\t0\tchanged\t0\t1:2\t1:1\t0.0:0.0\ta',
      'unit\t1\tnew\t0\t1:3\t-\t0.0:0.0\ttree',
      'name\tchanged\tf\t1\t0\ta',
      'name\tcreated\td\t0\t0\ttree',
      'name\tcreated\tf\t1\t0\ttree/b',
      'end\t2\t3\t0',
    ),
  ) as Journal;
  const marks = write('hardshell-marks 1', 'unit\t0\t1:2\t5.0', 'skip\t1\t1:3\t0.0', 'end');
  const landed = withoutSkipped(journal, parseSkipped(marks));
  expect(landed.names.map(({ path }) => path)).toEqual(['a']);
  expect(landed.held).toEqual([{ why: 'conflict', detail: '', root: 0, path: 'tree' }]);
  expect(withoutSkipped(journal, parseSkipped(Buffer.from('damaged')))).toBe(journal);
});
