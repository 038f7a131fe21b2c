// Events of a run: numbered without gaps, whole characters, their reader sets the pace.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import type { RunOptions, RunResult, ShellEvent } from '../../src/core/running.ts';
import { makeMark } from '../contract/marks.ts';
import { createSubject, FREE, fixture, hasKeeper, type Subject } from './subject.ts';

const EVERYTHING = { allow: ['Bash'], ask: [], deny: [], roots: null, limits: {} };

let subject: Subject;
beforeAll(() => {
  subject = createSubject();
});
afterAll(() => subject.close());

async function collect(command: string, more = {}) {
  const stream = subject.shell.stream(command, subject.options(more));
  const events: ShellEvent[] = [];
  for await (const event of stream) events.push(event);
  return { events, result: await stream.result };
}

const textOf = (events: readonly ShellEvent[], type: string) =>
  events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');

/** What each option does to a command; every option has a row. */
const OPTIONS: Record<keyof RunOptions, [command: string, options: Partial<RunOptions>]> = {
  cwd: ['pwd', { cwd: '/' }],
  originalCwd: ['cd /', { originalCwd: '/' }],
  session: ['pwd', { session: 's' }],
  user: ['pwd', { user: 'nobody-knows-them', policy: { ...FREE, users: { someone: EVERYTHING } } }],
  signal: ['pwd', { signal: AbortSignal.abort() }],
  caller: ['pwd', { caller: 'c' }],
  policy: ['touch made', { policy: { ...FREE, allowedCommands: ['ls'] } }],
  mode: ['touch made', { mode: 'plan' }],
  profile: ['ls /..', { profile: 'mcp-guide', cwd: '/' }],
  profiles: ['echo secret', { profile: 'proposal-0028', profiles: { 'proposal-0028': { blockedCommands: ['echo'] } } }],
  narrowing: ['touch made', { narrowing: { blacklist: { commands: ['touch'] } } }],
  view: ['seq 20000', { view: 'claude-code' }],
  viewCharacters: ['seq 2000', { view: 'proposal-0028', viewCharacters: 100 }],
  shell: ['echo "$BASH_VERSION"', { shell: 'sh' }],
  args: ['echo', { args: ['$HOME'] }],
  timeout: ['echo begin; sleep 60', { timeout: 300 }],
  keepTimeout: ['echo begin; sleep 60', { timeout: 300, keepTimeout: true }],
  env: ['echo "$GREETING"', { env: { GREETING: 'hello' } }],
  preserveEnvironment: ['pwd', { preserveEnvironment: true }],
  input: ['cat', { input: 'input' }],
  isInputOpen: ['cat', { isInputOpen: true }],
  streams: ['echo out; echo err >&2', { streams: 'split' }],
  backgroundAfter: ['sleep 60', { backgroundAfter: 300 }],
  limits: ['ulimit -n', { limits: { openFiles: 50 } }],
  sandbox: ['touch made', hasKeeper ? { sandbox: { name: 'restricted' } } : {}],
  withoutSandbox: ['pwd', { withoutSandbox: true }],
  keepOutput: ['pwd', { keepOutput: false }],
  staging: ['touch made', { staging: 'apply' }],
  stripAnsi: [String.raw`printf 'a\e[31mb'`, { stripAnsi: true }],
  wantsDetails: ['pwd', { wantsDetails: true }],
  description: ['pwd', { description: 'Where' }],
  onEvent: ['pwd', { onEvent: () => {} }],
  assumeYes: ['touch made', { policy: DEFAULT_POLICY, assumeYes: true }],
};

test.each(Object.entries(OPTIONS))(
  'the option %s holds in a stream as it does in a run',
  async (_, [command, more]) => {
    const shown = async (result: RunResult) => {
      const { status, exitCode, output, stdout, stderr, isTruncated, cwdCause, verdict, failure, details } = result;
      const environment = Object.keys(details?.environment ?? {}).sort();
      const kept = output.replaceAll(result.task, 'TASK');
      return {
        status,
        exitCode,
        kept,
        stdout,
        stderr,
        isTruncated,
        cwdCause,
        verdict,
        type: failure?.type,
        environment,
      };
    };
    const plain = await subject.run(command, more);
    const made = join(subject.folder, 'made');
    const wasMade = existsSync(made);
    rmSync(made, { force: true });
    const { result } = await collect(command, more);
    expect(await shown(result)).toEqual(await shown(plain));
    expect(existsSync(made)).toBe(wasMade);
    rmSync(made, { force: true });
  },
);

describe('events', () => {
  test('tell the start, the output and the end, numbered without gaps', async () => {
    const { events, result } = await collect('echo one; sleep 0.1; echo two; exit 3');
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i));
    expect(events.every(({ task, time }) => task === result.task && time > 1e12)).toBe(true);
    expect(events[0]).toMatchObject({ type: 'status', status: 'started', pid: result.pid });
    expect(events.filter(({ type }) => type === 'stdout')).toMatchObject([
      { text: 'one\n', byteOffset: 0, line: 1 },
      { text: 'two\n', byteOffset: 4, line: 2 },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'status', status: 'exited' });
    expect(result).toMatchObject({ exitCode: 3, output: 'one\ntwo\n' });
  });

  test('half a character waits for its end', async () => {
    const { events } = await collect(`${fixture('half-character')}; printf '\\xe2'`);
    const pieces = events.flatMap((event) => ('text' in event ? [[event.text, event.byteOffset]] : []));
    expect(pieces.map(([text]) => text).join('')).toBe('a€b\ufffd');
    expect(pieces).toContainEqual(['a', 0]);
  });

  test('escape sequences are taken out, cut or not', async () => {
    const command = String.raw`printf 'a\e[3'; sleep 0.1; printf '1mred\e'; sleep 0.1; printf '[0mb'`;
    const { events, result } = await collect(command, { stripAnsi: true });
    expect(textOf(events, 'stdout')).toBe('aredb');
    expect(result.output).toBe('aredb');
  });

  test('split streams keep their names', async () => {
    const { events } = await collect(`${fixture('alternate')} 3`, { streams: 'split' });
    expect(textOf(events, 'stdout')).toBe('out 0\nout 1\nout 2\n');
    expect(textOf(events, 'stderr')).toBe('err 0\nerr 1\nerr 2\n');
  });

  test.skipIf(!hasKeeper)('a slow reader loses nothing, and holds the command back', async () => {
    const stream = subject.shell.stream(`${fixture('flood-stdout')} 12000000`, subject.options());
    let [next, count] = [0, 0];
    for await (const event of stream) {
      if (event.type !== 'stdout') continue;
      expect(event.byteOffset).toBe(next);
      expect(event.line).toBe(Math.floor(next / 16) + 1);
      next += event.text.length;
      count += 1;
      if (count % 16 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(next).toBe(12_000_000);
    const { task } = await stream.result;
    await (await subject.shell.task(task))?.remove();
  });

  test('leaving the loop ends the tree', async () => {
    const mark = makeMark();
    const stream = subject.shell.stream(fixture('sleep-with-children'), subject.options({ env: mark.env }));
    for await (const event of stream) if (event.type === 'stdout') break;
    expect(await stream.result).toMatchObject({ status: 'cancelled' });
    expect(await mark.untilGone(15_000)).toBe(0);
  });

  test('leaving the loop ends a command that floods', async () => {
    const stream = subject.shell.stream('yes', subject.options());
    for await (const event of stream) if (event.type === 'stdout') break;
    const result = await stream.result;
    expect(result).toMatchObject({ status: 'cancelled' });
    await (await subject.shell.task(result.task))?.remove();
  });

  test('a caller that wants only the result gets it without reading', async () => {
    const stream = subject.shell.stream(`${fixture('flood-stdout')} 4000000`, subject.options());
    const result = await stream.result;
    expect(result).toMatchObject({ status: 'exited', outputBytes: 4_000_000 });
    expect(() => stream[Symbol.asyncIterator]()).toThrow(/from the start/);
    await (await subject.shell.task(result.task))?.remove();
  });

  test('a callback hears them in order, one after the other', async () => {
    const seen: number[] = [];
    let isBusy = false;
    await subject.run(`${fixture('alternate')} 50`, {
      streams: 'split',
      async onEvent({ sequence }) {
        expect(isBusy).toBe(false);
        isBusy = true;
        await new Promise((resolve) => setTimeout(resolve, 1));
        isBusy = false;
        seen.push(sequence);
      },
    });
    expect(seen).toEqual(seen.map((_, i) => i));
    expect(seen.length).toBeGreaterThan(3);
  });

  test('a callback that throws ends the command, and the caller gets the error', async () => {
    const mark = makeMark();
    const running = subject.run(fixture('sleep-with-children'), {
      env: mark.env,
      onEvent: (event) => {
        if (event.type === 'stdout') throw new Error('of the caller');
      },
    });
    await expect(running).rejects.toThrow('of the caller');
    expect(await mark.untilGone(15_000)).toBe(0);
  });

  test('refused commands have a status, and no more', async () => {
    const { events, result } = await collect('rm -rf /');
    expect(events).toMatchObject([{ type: 'status', status: 'denied', pid: null, sequence: 0 }]);
    expect(result.status).toBe('denied');
  });

  test.skipIf(!hasKeeper)('limits and withheld variables are reported', async () => {
    const { events } = await collect('yes', { limits: { outputBytes: 50_000 }, env: { LD_PRELOAD: 'x' } });
    const errors = events.filter(({ type }) => type === 'error');
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/LD_PRELOAD/), violation: null },
      { violation: 'output-limit' },
    ]);
  });
});
