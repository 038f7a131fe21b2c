import { expect, test } from 'vitest';
import type { ChangedFile, RunChanges } from '../../../core/staging.ts';
import { changeLines } from './outcome.ts';

const NONE: RunChanges = {
  id: 'bash-aaaa',
  state: 'landed',
  created: 0,
  changed: 0,
  deleted: 0,
  folders: 0,
  files: [],
  omitted: 0,
  heldBack: [],
};
const ASKED = { isPerson: false, isAsked: true };
const folder = (change: ChangedFile['change']): ChangedFile => ({ path: '/p/d', change, type: 'folder', bytes: 0 });

test.each<[Partial<RunChanges>, string]>([
  [{ created: 1, changed: 2 }, '3 files changed (1 created, 2 changed). Undo: hardshell undo bash-aaaa'],
  [{ created: 1, folders: 1 }, '1 file created. Undo: hardshell undo bash-aaaa'],
  [{ folders: 2, files: [folder('created'), folder('created')] }, '2 folders created. Undo: hardshell undo bash-aaaa'],
  [{ folders: 2, files: [folder('created'), folder('deleted')] }, '2 folders changed. Undo: hardshell undo bash-aaaa'],
  [{ folders: 1, files: [folder('mode')] }, '1 folder changed. Undo: hardshell undo bash-aaaa'],
  [{ state: 'held', deleted: 1 }, '1 file deleted, held for review: hardshell changes bash-aaaa'],
  [{ state: 'landing', created: 1 }, 'Interrupted while the changes landed. Complete it: hardshell apply bash-aaaa'],
  [
    { state: 'running' },
    `Interrupted: the changes are not in the project. Look at them: hardshell changes bash-aaaa
  Then make or delete them: hardshell apply bash-aaaa, hardshell drop bash-aaaa`,
  ],
])('%j', (changes, line) => {
  expect(changeLines({ changes: { ...NONE, ...changes }, whyNoUndo: null }, ASKED)).toEqual([line]);
});

test('what cannot be undone is told in addition', () => {
  const whyNoUndo = 'changes of /opt/f are not staged: it is outside of the project';
  expect(changeLines({ changes: { ...NONE, created: 1 }, whyNoUndo }, ASKED)[1]).toBe(
    `Cannot be undone: ${whyNoUndo}.`,
  );
});

test.each<[string, Partial<RunChanges> | null, readonly number[]]>([
  // In a script, at a terminal, asked for.
  ['changes that landed', { created: 1 }, [0, 1, 1]],
  ['nothing was staged', null, [0, 0, 1]],
  ['changes that landed, and others', { created: 1 }, [0, 2, 2]],
  ['changes that are held', { state: 'held', created: 1 }, [1, 1, 1]],
  [
    'changes that were held back',
    { created: 1, heldBack: [{ path: '/p/.vscode', change: 'created', why: 'protected', detail: '' }] },
    [1, 1, 1],
  ],
])('who is told of %s', (name, changes, counts) => {
  const whyNoUndo = name.endsWith('others') || changes === null ? 'changes of /opt/f are not staged' : null;
  const result = { changes: changes === null ? null : { ...NONE, ...changes }, whyNoUndo };
  const readers = [
    { isPerson: false, isAsked: false },
    { isPerson: true, isAsked: false },
    { isPerson: false, isAsked: true },
  ];
  expect(readers.map((reader) => changeLines(result, reader).length)).toEqual(counts);
});
