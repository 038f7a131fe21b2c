import { expect, test } from 'vitest';
import { notesOf } from './notes.ts';

const name = { path: '/p/.envrc', movedTo: null, isLeft: false };

test.each<[string, Parameters<typeof notesOf>[0], readonly string[]]>([
  ['nothing to say', { state: 'finished', cause: 'none', fields: { refused: 0, undone: 0, undoneNames: [] } }, []],
  ['a record without these fields', { state: 'finished', cause: null, fields: {} }, []],
  ['it still runs', { state: 'running', cause: null, fields: { refused: 1 } }, []],
  [
    'a file whose name is not known',
    { state: 'finished', cause: 'exposed', fields: {} },
    ['It was ended to protect a file: a hidden or protected file was replaced outside of the sandbox. Start it again.'],
  ],
  [
    'a name that was deleted',
    { state: 'finished', cause: 'none', fields: { undone: 1, undoneNames: [name] } },
    ['While it ran, 1 protected name appeared and was removed: /p/.envrc.'],
  ],
  [
    'a name that is still there',
    { state: 'finished', cause: 'none', fields: { undone: 1, undoneNames: [{ ...name, isLeft: true }] } },
    ['While it ran, 1 protected name appeared and was removed: /p/.envrc (still there: it could not be removed).'],
  ],
  [
    'names that are not well-formed are counted',
    { state: 'finished', cause: 'none', fields: { undone: 2, undoneNames: [null, { path: 1 }] } },
    ['While it ran, 2 protected names appeared and were removed: 2 more.'],
  ],
  [
    'processes that could not be ended',
    { state: 'finished', cause: 'stopped', fields: { unended: 12, unendedPids: [7, 8] } },
    ['12 processes could not be ended: 7, 8, 10 more.'],
  ],
  ['one refusal', { state: 'finished', cause: 'none', fields: { refused: 1 } }, ['The sandbox refused 1 operation.']],
])('%s', (_, record, notes) => {
  expect(notesOf(record)).toEqual(notes);
});
