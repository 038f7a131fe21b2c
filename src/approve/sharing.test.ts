// Many requests at once: how many can wait, how they are told apart, and which ones share a question.

import { describe, expect, test } from 'vitest';
import { makeRequest, setUp, spy } from '../../test/approving/subject.ts';

describe('bounds', () => {
  test('the request beyond the limit is denied, the others keep waiting', async () => {
    const { broker } = setUp({ maxPending: 2 });
    const surface = spy();
    broker.attach(surface);
    const asked = ['a', 'b'].map((command) => broker.ask(makeRequest({ command })));
    expect(await broker.ask(makeRequest({ command: 'c' }))).toMatchObject({ verdict: 'deny', by: 'too-many' });
    expect(broker.pending()).toHaveLength(2);
    await surface.shown[0]?.give({ verdict: 'allow' });
    expect(await asked[0]).toMatchObject({ verdict: 'allow' });
    void broker.ask(makeRequest({ command: 'c' }));
    expect(broker.pending()).toHaveLength(2);
    broker.close();
  });

  test('codes are unique and grow when the short ones are taken', () => {
    const { broker } = setUp({ random: () => 0 });
    broker.attach(spy());
    for (const command of ['a', 'b', 'c']) void broker.ask(makeRequest({ command }));
    expect(broker.pending().map((pending) => pending.code)).toEqual(['3333', '33333', '333333']);
    broker.close();
  });

  test('the code of an answered question is not used again soon', async () => {
    const { broker } = setUp({ random: () => 0 });
    const surface = spy();
    broker.attach(surface);
    void broker.ask(makeRequest());
    await surface.shown[0]?.give({ verdict: 'deny' });
    void broker.ask(makeRequest());
    expect(broker.pending().map(({ code }) => code)).toEqual(['33333']);
    broker.close();
  });

  test('a command that is too long to show is denied, not cut', async () => {
    const { broker } = setUp();
    broker.attach(spy());
    const command = 'x'.repeat(20_001);
    expect(await broker.ask(makeRequest({ command }))).toMatchObject({ verdict: 'deny', by: 'too-long' });
  });
});

describe('identical requests', () => {
  test('share one question and its answer', async () => {
    const { broker } = setUp();
    const surface = spy();
    broker.attach(surface);
    const asked = [broker.ask(makeRequest()), broker.ask(makeRequest()), broker.ask(makeRequest())];
    expect(surface.shown).toHaveLength(1);
    expect(broker.pending()[0]?.waiting).toBe(3);
    await surface.shown[0]?.give({ verdict: 'allow' });
    for (const answer of await Promise.all(asked)) expect(answer.verdict).toBe('allow');
  });

  test.each([
    ['command', { command: 'git push origin x' }],
    ['folder', { cwd: '/w/q' }],
    ['session', { session: 's2' }],
    ['user', { user: 'ann' }],
    ['risk', { risk: 'critical' as const }],
  ])('another %s is another question', async (_, changes) => {
    const { broker } = setUp();
    const surface = spy();
    broker.attach(surface);
    void broker.ask(makeRequest());
    void broker.ask(makeRequest(changes));
    expect(surface.shown).toHaveLength(2);
    broker.close();
  });

  test('each caller keeps its own timeout and its own signal; the question goes with the last', async () => {
    const { broker, clock } = setUp();
    const surface = spy();
    broker.attach(surface);
    const controller = new AbortController();
    const short = broker.ask(makeRequest(), { timeout: 1_000 });
    const cancelled = broker.ask(makeRequest(), { timeout: 9_000, signal: controller.signal });
    const long = broker.ask(makeRequest(), { timeout: 5_000 });
    expect(broker.pending()[0]?.deadline).toBe(clock.now() + 9_000);
    clock.advance(1_000);
    expect(await short).toMatchObject({ by: 'timeout' });
    controller.abort();
    expect(await cancelled).toMatchObject({ by: 'cancelled' });
    expect(surface.withdrawn).toEqual([]);
    await surface.shown[0]?.give({ verdict: 'allow' });
    expect(await long).toMatchObject({ verdict: 'allow' });
    // Once answered, the same request is a new question.
    void broker.ask(makeRequest());
    expect(surface.shown).toHaveLength(2);
    broker.close();
  });
});
