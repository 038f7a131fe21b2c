// Long commands, as clients meet them: progress, cancelling, answers in time, many at once, clients that go away.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connected, connect, KINDS, processesWith, Surroundings, uniqueSeconds, until } from './subject.ts';

const place = new Surroundings();
afterAll(() => place.close());

/** A separate tree: the second `sleep` is in another process group. */
const treeOf = (seconds: string): string => `setsid sleep ${seconds} & sleep ${seconds}`;
const aliveOf = (seconds: string): (() => boolean) => {
  return () => processesWith(seconds).length >= 2;
};

describe.each(KINDS)('$name', (kind) => {
  let client: Connected;
  beforeAll(async () => {
    client = await connect(place, kind, { args: ['--answer-within', '3'] });
  });
  afterAll(() => client.close());

  test('progress comes while the command runs: the last line, the time, ever greater', async () => {
    const seen: { progress: number; message?: string }[] = [];
    const answer = await client.call(
      'bash',
      { command: 'printf "first\\n\\033[31mred\\033[0m li\\u200bne\\n"; sleep 1.5; echo over' },
      { onprogress: (progress) => seen.push(progress) },
    );
    expect(answer.structuredContent?.output).toContain('over');
    expect(seen.length).toBeGreaterThanOrEqual(1);
    expect(seen[0]?.message).toMatch(/^red li\\u\{200b\}ne · \d+ s/);
    const steps = seen.map(({ progress }) => progress);
    expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
  });

  test('cancelling ends the whole tree', async () => {
    const seconds = uniqueSeconds();
    const cancel = new AbortController();
    const call = client.call('bash', { command: treeOf(seconds) }, { signal: cancel.signal });
    const failed = expect(call).rejects.toThrow();
    await until(aliveOf(seconds));
    cancel.abort();
    await failed;
    await until(() => processesWith(seconds).length === 0);
    // The conversation continues.
    expect((await client.call('bash', { command: 'echo alive' })).structuredContent?.output).toBe('alive\n');
  });

  test('a command that takes long is reported as running, in time, and continues', async () => {
    const seconds = uniqueSeconds();
    const answer = await client.call('bash', { command: `echo begun; sleep ${seconds}` }, { timeout: 15_000 });
    const { status, task_id: id } = answer.structuredContent ?? {};
    expect(status).toBe('running');
    const read = await client.call('task_output', { task_id: id });
    expect(read.structuredContent?.output).toBe('begun\n');
    expect(processesWith(seconds)).not.toEqual([]);
    await client.call('task_stop', { task_id: id });
    await until(() => processesWith(seconds).length === 0);
  });

  test('64 calls at once each get their own answer', async () => {
    const numbers = Array.from({ length: 64 }, (_, i) => i);
    const answers = await Promise.all(numbers.map((i) => client.call('bash', { command: `echo number ${i}` })));
    expect(answers.map((answer) => answer.structuredContent?.output)).toEqual(numbers.map((i) => `number ${i}\n`));
  });

  test('a client that goes away in the middle of a call leaves no process behind', async () => {
    const seconds = uniqueSeconds();
    const other = await connect(place, kind);
    const call = other.call('bash', { command: treeOf(seconds) });
    call.catch(() => {});
    await until(aliveOf(seconds));
    await other.close();
    await until(() => processesWith(seconds).length === 0);
  });
});
