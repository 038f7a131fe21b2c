// `failure.message` of a command that did not run says why: not the same sentence for five different reasons.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  callbackSurface,
  createBroker,
  createShell,
  DEFAULT_POLICY,
  type OnAsk,
  type RunOptions,
} from '../../src/index.ts';

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-messages-')));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function messageOf(command: string, options: RunOptions & { onAsk?: OnAsk; timeout?: number } = {}) {
  const { onAsk, timeout, ...call } = options;
  const broker = createBroker(timeout === undefined ? {} : { timeout });
  if (onAsk !== undefined) broker.attach(callbackSurface(onAsk));
  const shell = createShell({
    cwd: base,
    policy: DEFAULT_POLICY,
    recording: false,
    broker,
    tasksFolder: join(base, 'tasks'),
  });
  try {
    const { status, failure } = await shell.run(command, call);
    expect(status).toBe('denied');
    return failure?.message;
  } finally {
    await shell.close();
  }
}

test.each<[string, string, Parameters<typeof messageOf>[1], RegExp]>([
  ['an unfinished quote', 'echo "a', {}, /^Invalid bash: .*(quote|unterminated|unexpected).* \(character \d+\)\.$/i],
  ['an unfinished quote, in a mode without questions', 'echo "a', { mode: 'dont-ask' }, /^Invalid bash: /],
  ['no one to ask', 'npm publish', {}, /^Not approved: there was no one to ask\. \S/],
  [
    'a program that does not exist',
    'no-such-program x',
    {},
    /^Not approved: there was no one to ask\. .*`no-such-program`/,
  ],
  [
    'a callback that threw',
    'npm publish',
    {
      onAsk: () => {
        throw new Error('boom');
      },
    },
    /^Not approved: The function that answers questions failed: boom\. \S/,
  ],
  [
    'no answer in time',
    'npm publish',
    { onAsk: () => new Promise(() => {}), timeout: 50 },
    /^Not approved: no answer within 50 ms\. \S/,
  ],
  ['a no', 'npm publish', { onAsk: () => 'deny' }, /^Not approved: the answer was no\. \S/],
  [
    'a no with a reason',
    'npm publish',
    { onAsk: () => ({ verdict: 'deny', reason: 'Not on Friday' }) },
    /^Not approved: Not on Friday\. \S/,
  ],
  ['a check', 'rm -rf /', {}, /^The command was refused because it is not safe: This deletes /],
  ['a mode', 'touch x', { mode: 'plan' }, /^The policy does not allow this command: .*plan/i],
  ['a list', 'ls', { narrowing: { allowedCommands: ['cat'] } }, /^The policy does not allow this command: .*ls/],
])('%s', async (_, command, options, message) => {
  expect(await messageOf(command, options)).toMatch(message);
});
