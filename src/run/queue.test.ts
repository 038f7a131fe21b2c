import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type QueueLimits, RunQueue, type Slot } from './queue.ts';

/** One request, seen from outside. */
interface Job {
  readonly id: number;
  readonly session: string;
  readonly isReadOnly: boolean;
  readonly abort: AbortController;
  state: 'waiting' | 'running' | 'released' | 'aborted' | 'refused';
  slot: Slot | null;
}

class Bench {
  readonly queue: RunQueue;
  readonly jobs: Job[] = [];
  /** Ids in the order in which slots were given. */
  readonly given: number[] = [];

  constructor(limits: QueueLimits) {
    this.queue = new RunQueue(limits);
  }

  async ask(session: string, isReadOnly = false): Promise<Job> {
    const job: Job = {
      id: this.jobs.length,
      session,
      isReadOnly,
      abort: new AbortController(),
      state: 'waiting',
      slot: null,
    };
    this.jobs.push(job);
    this.queue.acquire({ session, isReadOnly, signal: job.abort.signal }).then(
      (slot) => {
        job.slot = slot;
        job.state = 'running';
        this.given.push(job.id);
      },
      (error: Error) => {
        job.state = error.name === 'AbortError' ? 'aborted' : 'refused';
      },
    );
    await settle();
    return job;
  }

  async release(job: Job | undefined): Promise<void> {
    if (job?.state !== 'running') return;
    job.state = 'released';
    job.slot?.release();
    await settle();
  }

  async abort(job: Job | undefined): Promise<void> {
    job?.abort.abort();
    await settle();
  }

  in(state: Job['state'], session?: string): Job[] {
    return this.jobs.filter((job) => job.state === state && (session === undefined || job.session === session));
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const states = (bench: Bench) => bench.jobs.map((job) => job.state);

test('read-only commands of a session run in parallel, others alone and in order', async () => {
  const bench = new Bench({ concurrent: 8 });
  for (const isReadOnly of [true, true, false, true, false]) await bench.ask('a', isReadOnly);
  expect(states(bench)).toEqual(['running', 'running', 'waiting', 'waiting', 'waiting']);
  await bench.release(bench.jobs[0]);
  await bench.release(bench.jobs[1]);
  expect(states(bench).slice(2)).toEqual(['running', 'waiting', 'waiting']);
  await bench.release(bench.jobs[2]);
  expect(states(bench).slice(3)).toEqual(['running', 'waiting']);
});

test('with `writes`, read-only commands wait for nothing', async () => {
  const bench = new Bench({ concurrent: 8, order: 'writes' });
  for (const isReadOnly of [false, false, true]) await bench.ask('a', isReadOnly);
  expect(states(bench)).toEqual(['running', 'waiting', 'running']);
});

test('with `none`, only the slots count', async () => {
  const bench = new Bench({ concurrent: 2, order: 'none' });
  for (let i = 0; i < 3; i++) await bench.ask('a');
  expect(states(bench)).toEqual(['running', 'running', 'waiting']);
});

test('a session with many requests does not delay a session with one', async () => {
  const bench = new Bench({ concurrent: 1 });
  for (let i = 0; i < 50; i++) await bench.ask('greedy');
  const modest = await bench.ask('modest');
  // At most one turn of every other session.
  for (const job of bench.jobs.slice(0, 2)) await bench.release(job);
  expect(modest.state).toBe('running');
});

test('a full queue refuses with a message, and a full session leaves room for others', async () => {
  const bench = new Bench({ concurrent: 1, waiting: 3, waitingPerSession: 2 });
  for (const session of ['a', 'a', 'a', 'a', 'b', 'b']) await bench.ask(session);
  expect(states(bench)).toEqual(['running', 'waiting', 'waiting', 'refused', 'waiting', 'refused']);
  await expect(bench.queue.acquire({ session: 'a' })).rejects.toThrow(
    /^2 commands of this session are already waiting/,
  );
  await expect(bench.queue.acquire({ session: 'c' })).rejects.toMatchObject({
    code: 'cannot-start',
    hint: expect.any(String),
  });
});

test('with a queue length of zero, requests that can start at once still run', async () => {
  const bench = new Bench({ concurrent: 1, waiting: 0 });
  for (let i = 0; i < 2; i++) await bench.ask('a');
  expect(states(bench)).toEqual(['running', 'refused']);
});

test('a request that is already aborted takes no slot, and rejects with its reason', async () => {
  const queue = new RunQueue({ concurrent: 1 });
  const reason = new Error('gone');
  await expect(queue.acquire({ session: 'a', signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

test('aborting the first in line lets the next one start', async () => {
  const bench = new Bench({ concurrent: 8 });
  for (const isReadOnly of [true, false, true]) await bench.ask('a', isReadOnly);
  await bench.abort(bench.jobs[1]);
  expect(states(bench)).toEqual(['running', 'aborted', 'running']);
});

describe('run', () => {
  test('gives the slot back after success and after failure', async () => {
    const queue = new RunQueue({ concurrent: 1 });
    expect(await queue.run({ session: 'a' }, async () => queue.running)).toBe(1);
    await expect(queue.run({ session: 'a' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const fail = () => {
      throw new Error('at once');
    };
    await expect(queue.run({ session: 'a' }, fail)).rejects.toThrow('at once');
    expect(queue.running).toBe(0);
  });

  test('an abort between getting the slot and starting the work', async () => {
    const queue = new RunQueue({ concurrent: 1 });
    const abort = new AbortController();
    let hasBegun = false;
    const result = queue.run({ session: 'a', signal: abort.signal }, () => {
      hasBegun = true;
    });
    expect(queue.running).toBe(1);
    abort.abort();
    await expect(result).rejects.toMatchObject({ name: 'AbortError' });
    expect([hasBegun, queue.running]).toEqual([false, 0]);
  });

  test('no listener stays on a long-lived signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...words: Parameters<typeof add>) => {
      listeners++;
      add(...words);
    };
    signal.removeEventListener = (...words: Parameters<typeof remove>) => {
      listeners--;
      remove(...words);
    };
    const queue = new RunQueue({ concurrent: 1 });
    await Promise.all([1, 2, 3].map(() => queue.run({ session: 'a', signal }, () => {})));
    expect(listeners).toBe(0);
  });
});

test.each([{ concurrent: 0 }, { concurrent: 1.5 }, { concurrent: Number.NaN }, { concurrent: 1, waiting: -1 }])(
  'the limits %j are refused',
  (limits) => {
    expect(() => new RunQueue(limits)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  },
);

type Step = {
  readonly kind: 'ask' | 'release' | 'abort' | 'release-twice';
  readonly pick: number;
  readonly isReadOnly: boolean;
};
const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('ask', 'ask', 'ask', 'release', 'release', 'abort', 'release-twice'),
    pick: fc.nat(1_000),
    isReadOnly: fc.boolean(),
  }),
  { maxLength: 60 },
);
const limits = fc.record<QueueLimits>({
  concurrent: fc.integer({ min: 1, max: 4 }),
  waiting: fc.integer({ min: 0, max: 30 }),
  waitingPerSession: fc.integer({ min: 0, max: 12 }),
  order: fc.constantFrom('strict', 'writes', 'none'),
});
const SESSIONS = ['a', 'b', 'c'];

/** A model written from the documentation, not from the code. */
function mayStart(bench: Bench, job: Job, order: QueueLimits['order']): boolean {
  const running = bench.in('running', job.session);
  const earlier = bench.in('waiting', job.session).filter(({ id }) => id < job.id);
  if (order === 'none') return true;
  if (order === 'writes') return job.isReadOnly || ![...running, ...earlier].some((other) => !other.isReadOnly);
  return earlier.length === 0 && !running.some((other) => !other.isReadOnly || !job.isReadOnly);
}

async function play(bench: Bench, script: readonly Step[], check: () => void): Promise<void> {
  const one = (jobs: readonly Job[], pick: number) => jobs[pick % Math.max(1, jobs.length)];
  for (const { kind, pick, isReadOnly } of script) {
    if (kind === 'ask') await bench.ask(SESSIONS[pick % SESSIONS.length] as string, isReadOnly);
    else if (kind === 'release') await bench.release(one(bench.in('running'), pick));
    else if (kind === 'abort') await bench.abort(one(bench.jobs, pick));
    else one(bench.in('released'), pick)?.slot?.release();
    check();
  }
}

describe('for any sequence', () => {
  test('the limit is kept, no slot stays unused, and the order of each session is kept', async () => {
    await fc.assert(
      fc.asyncProperty(limits, steps, async (given, script) => {
        const bench = new Bench(given);
        await play(bench, script, () => {
          const running = bench.in('running');
          expect(running.length).toBeLessThanOrEqual(given.concurrent);
          expect([bench.queue.running, bench.queue.waiting]).toEqual([running.length, bench.in('waiting').length]);
          if (running.length < given.concurrent)
            expect(bench.in('waiting').filter((job) => mayStart(bench, job, given.order))).toEqual([]);
          for (const session of SESSIONS) {
            const mine = bench.in('running', session);
            const writers = mine.filter((job) => !job.isReadOnly).length;
            if (given.order !== 'none') expect(writers).toBeLessThanOrEqual(1);
            if (given.order === 'strict' && writers === 1) expect(mine).toHaveLength(1);
          }
        });
        for (const session of SESSIONS) {
          const ids = bench.given.filter((id) => bench.jobs[id]?.session === session);
          const ordered = given.order === 'writes' ? ids.filter((id) => !bench.jobs[id]?.isReadOnly) : ids;
          expect(ordered).toEqual([...ordered].sort((a, b) => a - b));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('no starvation and no leaks: as slots are released, all requests run, and nothing is left', async () => {
    await fc.assert(
      fc.asyncProperty(limits, steps, async (given, script) => {
        const bench = new Bench(given);
        await play(bench, script, () => {});
        for (let round = 0; bench.in('running').length > 0; round++) {
          expect(round).toBeLessThan(script.length + 1);
          await bench.release(bench.in('running')[0]);
        }
        expect(bench.in('waiting')).toEqual([]);
        expect([bench.queue.running, bench.queue.waiting]).toEqual([0, 0]);
        // All slots are really free again.
        const fresh = await Promise.all(Array.from({ length: given.concurrent }, (_, i) => bench.ask(`new-${i}`)));
        expect(fresh.map((job) => job.state)).toEqual(fresh.map(() => 'running'));
      }),
      { numRuns: 200 },
    );
  });

  test('sessions with waiting requests are served evenly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.nat(2), { minLength: 12, maxLength: 40 }),
        async (concurrent, asks) => {
          const bench = new Bench({ concurrent });
          await bench.ask('blocker', true);
          for (let i = 1; i < concurrent; i++) await bench.ask('blocker', true);
          for (const pick of asks) await bench.ask(SESSIONS[pick] as string, true);
          const served = () =>
            SESSIONS.map(
              (session) => bench.jobs.filter((job) => job.session === session && job.state !== 'waiting').length,
            );
          for (let job = bench.in('running')[0]; job !== undefined; job = bench.in('running')[0]) {
            await bench.release(job);
            const counts = served().filter((_, at) => bench.in('waiting', SESSIONS[at]).length > 0);
            expect(Math.max(...counts, 0) - Math.min(...counts, Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(1);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
