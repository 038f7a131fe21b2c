// The runner with our own streams, over a fake runner that records its calls.

import { describe, expect, test } from 'vitest';
import type { ShellOptions } from '../../../../host.ts';
import { createDirectRunner, type Direct } from './direct-runner.ts';

type Runner = NonNullable<ShellOptions['runner']>;
type Request = Parameters<Runner['start']>[0];
type Listener = NonNullable<Parameters<Runner['start']>[1]>;

const REQUEST: Request = { program: 'cat', argv: ['cat'], cwd: '/', env: {}, spool: { path: '/nowhere' } };
const OUTPUT = { type: 'output', stream: 'stdout', offset: 0, bytes: Buffer.from([0xff, 0]) } as const;

function fake(options: { refuseAfter?: number } = {}) {
  const log: unknown[] = [];
  let listener: Listener | undefined;
  let request: Request | undefined;
  let end = (): void => {};
  const done = new Promise<never>((_, reject) => {
    end = () => reject(new Error('over'));
  });
  done.catch(() => {});
  let taken = 0;
  const runner: Runner = {
    start(given, listen) {
      request = given;
      listener = listen;
      return {
        started: Promise.resolve({
          pid: 1,
          firstPid: 1,
          supervisorPid: null,
          startedAtMs: 0,
          cgroup: [],
          hasProcessLimit: false,
        }),
        done,
        kill: (how) => void log.push(['kill', how]),
        signal() {},
        async write(bytes) {
          if (taken === options.refuseAfter) return false;
          taken += 1;
          log.push(['write', Buffer.from(bytes).toString()]);
          return true;
        },
        endInput: () => void log.push('end'),
        detach() {},
        noteProxy() {},
        peek: () => done,
      };
    },
    guarantees: async () => [],
    close: async () => void log.push('close'),
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { runner, log, settle, end: () => end(), listener: () => listener, request: () => request };
}

async function* words(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('input', () => {
  test('is poured into the command, and ended', async () => {
    const { runner, log, settle, request } = fake();
    createDirectRunner(runner, { input: words('a', 'b') }).start(REQUEST);
    await settle();
    expect([request()?.stdin, log]).toEqual(['open', [['write', 'a'], ['write', 'b'], 'end']]);
  });

  test('ends when the command takes no more', async () => {
    const { runner, log, settle } = fake({ refuseAfter: 1 });
    createDirectRunner(runner, { input: words('a', 'b', 'c') }).start(REQUEST);
    await settle();
    expect(log).toEqual([['write', 'a'], 'end']);
  });

  test('that the tool gives itself comes first', async () => {
    const { runner, log, settle, request } = fake();
    const stdin = Buffer.from('own');
    createDirectRunner(runner, { input: words('a') }).start({ ...REQUEST, stdin });
    await settle();
    expect([request()?.stdin, log]).toEqual([stdin, []]);
  });
});

describe('output', () => {
  test.each<[string, Direct, Partial<Request>]>([
    ['is not slowed down without a listener', {}, {}],
    ['waits for a listener', { onEvent() {}, sampleMs: 5 }, { isPaced: true, isQuiet: false, sampleMs: 5 }],
  ])('%s', (_, direct, more) => {
    const { runner, request } = fake();
    createDirectRunner(runner, direct).start(REQUEST);
    expect(request()).toEqual({ ...REQUEST, ...more });
  });

  test('reaches both, and the slower one holds it back', async () => {
    const { runner, listener } = fake();
    const heard: unknown[] = [];
    let release = (): void => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const direct = createDirectRunner(runner, { onEvent: (event) => void heard.push(event) });
    direct.start(REQUEST, (event) => {
      heard.push(event);
      return slow;
    });
    let isDone = false;
    const wait = Promise.resolve(listener()?.(OUTPUT)).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([heard, isDone]).toEqual([[OUTPUT, OUTPUT], false]);
    release();
    await wait;
    expect(isDone).toBe(true);
  });
});

test('killNow gives no time, and only to what still runs', async () => {
  const { runner, log, end, settle } = fake();
  const direct = createDirectRunner(runner, {});
  direct.start(REQUEST);
  direct.killNow();
  end();
  await settle();
  direct.killNow();
  expect(log).toEqual([['kill', { graceMs: 0 }]]);
});
