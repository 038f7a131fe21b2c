// What a user sees of the tasks: the table, and the message for an unknown id.

import { describe, expect, test } from 'vitest';
import type { TaskInfo } from '../../../host.ts';
import { createTerminal } from '../show/terminal.ts';
import { hintFor } from './find.ts';
import { age, drawTasks } from './list.ts';

const terminal = createTerminal({ color: false }, { LANG: 'C.UTF-8', COLUMNS: '80' }, {
  isTTY: false,
} as typeof process.stdout);
const NOW = 1_000_000_000_000;

function taskOf(fields: Partial<TaskInfo>): TaskInfo {
  return {
    id: 'bash-k7mw2q',
    command: 'npm test',
    description: null,
    state: 'finished',
    status: 'exited',
    pid: 10,
    pgid: 10,
    cwd: '/w/p',
    session: null,
    startedAt: NOW - 90_000,
    finishedAt: NOW - 1_000,
    exitCode: 0,
    signal: null,
    cause: null,
    notes: [],
    outputFile: '/s/x.out',
    outputBytes: 3,
    ...fields,
  };
}

describe('the table', () => {
  test('a task that hardshell ended says why', () => {
    const tasks = [
      taskOf({ status: 'timed-out', exitCode: null, signal: 'SIGTERM' }),
      taskOf({ status: 'limited', exitCode: null, signal: 'SIGKILL' }),
    ];
    expect(drawTasks(tasks, { now: NOW, older: 0 }, terminal).slice(1)).toEqual([
      'bash-k7mw2q  timed out  1 min  SIGTERM  npm test',
      'bash-k7mw2q  limited    1 min  SIGKILL  npm test',
    ]);
  });

  test('a task that was ended to protect a file says so below its row', () => {
    const notes = ['It was ended to protect a file: /w/p/.git/config\x1b[2J.', 'The sandbox refused 1 operation.'];
    const task = taskOf({ status: 'failed', exitCode: null, signal: 'SIGKILL', cause: 'exposed', notes });
    expect(drawTasks([task], { now: NOW, older: 0 }, terminal).slice(1)).toEqual([
      'bash-k7mw2q  failed  1 min  SIGKILL  npm test',
      '  It was ended to protect a file: /w/p/.git/config\\e[2J.',
    ]);
  });

  test('one line for each task', () => {
    const tasks = [
      taskOf({ id: 'bash-aaaaaa', state: 'running', exitCode: null, finishedAt: null, startedAt: NOW - 5_000 }),
      taskOf({ command: 'make\x1b[2J all' }),
      taskOf({ id: 'bash-bbbbbb', exitCode: null, signal: 'SIGTERM' }),
      taskOf({ id: 'bash-cccccc', state: 'lost', exitCode: null, startedAt: NOW - 3 * 86_400_000 }),
    ];
    expect(drawTasks(tasks, { now: NOW, older: 2 }, terminal)).toEqual([
      'ID           STATE     AGE    EXIT     COMMAND',
      'bash-aaaaaa  running   5 s             npm test',
      'bash-k7mw2q  finished  1 min  0        make\\e[2J all',
      'bash-bbbbbb  finished  1 min  SIGTERM  npm test',
      'bash-cccccc  lost      3 d    ?        npm test',
      '2 that ended more than a day ago: hardshell tasks --all',
    ]);
  });

  test('no tasks', () => {
    expect(drawTasks([], { now: NOW, older: 0 }, terminal)).toEqual([
      'No tasks. Start one with: hardshell run --background COMMAND',
    ]);
  });
});

test.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [86_400_000, '1 d'],
])('an age of %d ms', (ms, text) => {
  expect(age(ms)).toBe(text);
});

describe('an id that is not there', () => {
  const tasks = ['bash-k7mw2q', 'bash-zzzzzz'].map((id) => ({ id }));
  test.each<[string, string[] | null, string]>([
    ['bash-k7mw2p', null, 'Did you mean bash-k7mw2q?'],
    ['k7mw2q', null, 'Did you mean bash-k7mw2q?'],
    ['bash-k7', null, 'Did you mean bash-k7mw2q?'],
    ['BASH-K7MW2Q', null, 'Did you mean bash-k7mw2q?'],
    ['bash', null, 'Tasks: bash-k7mw2q, bash-zzzzzz. `hardshell tasks --all` lists them.'],
    ['x', null, 'Tasks: bash-k7mw2q, bash-zzzzzz. `hardshell tasks --all` lists them.'],
    ['x', [], 'No tasks. Start one with: hardshell run --background COMMAND'],
    [
      'x',
      ['a-1', 'a-2', 'a-3', 'a-4', 'a-5', 'a-6'],
      'Tasks: a-1, a-2, a-3, a-4, a-5 and 1 more. `hardshell tasks --all` lists them.',
    ],
  ])('%s among %j', (id, ids, hint) => {
    expect(hintFor(id, ids === null ? tasks : ids.map((each) => ({ id: each })))).toBe(hint);
  });
});
