// A command line in the test's process answers as the real program does: exit code and both streams. And it leaves nothing
// behind in the process: variables, folder, listeners.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { BIN } from './programs.ts';
import { runVerb } from './run-verb.ts';

const FOLDER = realpathSync(mkdtempSync(join(tmpdir(), 'hs-verb-')));
const ENV = { PATH: process.env.PATH, HOME: FOLDER, LANG: 'C.UTF-8' };
afterAll(() => rmSync(FOLDER, { recursive: true }));

test.each<[args: string[], input?: string]>([
  [[]],
  [['--version']],
  [['check', 'git push --force']],
  [['check', 'ls "']],
  [['check', '--json', '-'], 'npm install\n'],
  [['chekc', 'ls']],
  [['check', '--no-such-option', 'ls']],
  [['analyze', '--batch'], '{"id":1,"command":"ls"}\nnot JSON\n'],
  [['hook', 'codex'], JSON.stringify({ hook_event_name: 'PreToolUse', cwd: FOLDER, tool_input: { command: 'ls' } })],
  [['hook', 'codex'], 'not JSON'],
  [['hook', 'no-such-agent']],
  [['config', 'path']],
  [['run', '--yes', 'cat; echo told >&2; exit 7'], 'given\n'],
])('%j', async (args, input = '') => {
  const options = { cwd: FOLDER, env: ENV, input };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { ...options, encoding: 'utf8' });
  expect(await runVerb(args, options)).toEqual({ status, stdout, stderr });
});

test('nothing of it stays', async () => {
  const look = () => ({
    cwd: process.cwd(),
    env: { ...process.env },
    exitCode: process.exitCode,
    listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
  });
  const before = look();
  await runVerb(['hook', 'codex'], { cwd: FOLDER, env: ENV, input: 'not JSON' });
  await runVerb(['chekc'], { cwd: '/', env: {} });
  expect(look()).toEqual(before);
});

test('those that come at the same time wait for each other', async () => {
  const answers = await Promise.all(
    ['/', FOLDER].map((cwd) => runVerb(['analyze', '--json', 'touch here'], { cwd, env: ENV })),
  );
  expect(answers.map(({ stdout }) => JSON.parse(stdout).effects.writes[0].path)).toEqual([
    '/here',
    join(FOLDER, 'here'),
  ]);
});
