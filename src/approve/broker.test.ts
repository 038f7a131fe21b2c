import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { codeOf, makeRequest, setUp, spy } from '../../test/approving/subject.ts';
import { createBroker } from './broker.ts';
import type { GiveUp, Surface } from './surface.ts';

describe('one answer', () => {
  test('the first answer wins, all surfaces are notified, the second one gets the first answer back', async () => {
    const { broker, clock } = setUp();
    const [one, two] = [spy(), spy({ name: 'mcp' })];
    broker.attach(one);
    broker.attach(two);
    const asked = broker.ask(makeRequest());
    clock.advance(10);
    const [first, second] = await Promise.all([
      two.shown[0]?.give({ verdict: 'allow', reason: ' fine ' }),
      one.shown[0]?.give({ verdict: 'deny' }),
    ]);
    const answer = { verdict: 'allow', by: 'mcp', scope: 'once', rule: null, reason: 'fine', at: clock.now() };
    expect(await asked).toEqual(answer);
    expect(first).toEqual({ status: 'accepted', answer, problem: null });
    expect(second).toEqual({ status: 'already-answered', answer });
    expect(one.withdrawn).toEqual([{ code: codeOf(one), answer }]);
    expect(two.withdrawn).toEqual([{ code: codeOf(one), answer }]);
    expect(broker.pending()).toEqual([]);
    expect(clock.running()).toBe(0);
  });

  test('an answer by code, in upper or lower case, and a second time', async () => {
    const { broker } = setUp();
    const surface = spy();
    broker.attach(surface);
    const asked = broker.ask(makeRequest());
    expect(broker.find(codeOf(surface))).toEqual({ status: 'pending', pending: broker.pending()[0] });
    expect(await broker.answer(` ${codeOf(surface).toUpperCase()} `, { verdict: 'deny' })).toMatchObject({
      status: 'accepted',
    });
    expect(await asked).toMatchObject({ verdict: 'deny', by: 'other' });
    expect(await broker.answer(codeOf(surface), { verdict: 'allow' })).toMatchObject({
      status: 'already-answered',
      answer: { verdict: 'deny' },
    });
    expect(broker.find(codeOf(surface))).toMatchObject({ status: 'already-answered' });
    expect(await broker.answer('nope', { verdict: 'allow' })).toEqual({ status: 'unknown-code' });
  });

  test('a surface that answers while it is shown the request spares the others', async () => {
    const { broker } = setUp();
    broker.attach(spy({ present: (_, give) => void give({ verdict: 'allow' }) }));
    const second = spy();
    broker.attach(second);
    expect(await broker.ask(makeRequest())).toMatchObject({ verdict: 'allow', by: 'terminal' });
    expect(second.shown).toEqual([]);
    expect(second.withdrawn).toEqual([]);
  });
});

describe('no answer means deny', () => {
  test('after five minutes', async () => {
    const { broker, clock } = setUp();
    const surface = spy();
    broker.attach(surface);
    const asked = broker.ask(makeRequest());
    clock.advance(5 * 60_000 - 1);
    expect(broker.pending()).toHaveLength(1);
    clock.advance(1);
    const answer = await asked;
    expect(answer).toMatchObject({ verdict: 'deny', by: 'timeout', at: clock.now() });
    expect(answer.reason).toBe('No answer within 300 s.');
    expect(surface.withdrawn).toHaveLength(1);
    expect(await surface.shown[0]?.give({ verdict: 'allow' })).toEqual({ status: 'already-answered', answer });
  });

  test('when the surface that waits for the caller gives up, but not after an answer', async () => {
    const { broker } = setUp();
    const giveUps: GiveUp[] = [];
    broker.attach(spy({ present: (_, __, giveUp) => void giveUps.push(giveUp) }));
    const asked = broker.ask(makeRequest());
    giveUps[0]?.('No one was there.');
    const answer = await asked;
    expect(answer).toMatchObject({ verdict: 'deny', by: 'timeout', reason: 'No one was there.' });
    const again = broker.ask(makeRequest());
    const [{ code } = { code: '' }] = broker.pending();
    await broker.answer(code, { verdict: 'allow' });
    giveUps[1]?.('Too late.');
    expect(await again).toMatchObject({ verdict: 'allow' });
    expect(broker.find(code)).toMatchObject({ status: 'already-answered', answer: { verdict: 'allow' } });
  });

  test('at once with a timeout of 0, without showing it', async () => {
    const { broker } = setUp();
    const surface = spy();
    broker.attach(surface);
    expect(await broker.ask(makeRequest(), { timeout: 0 })).toMatchObject({ verdict: 'deny', by: 'timeout' });
    expect(surface.shown).toEqual([]);
  });

  test.each([-1, Number.NaN, '5' as unknown as number])(
    'a timeout of %s is an error of the caller',
    async (timeout) => {
      const { broker } = setUp();
      await expect(broker.ask(makeRequest(), { timeout })).rejects.toThrow('timeout must be');
      expect(() => createBroker({ timeout })).toThrow('timeout must be');
    },
  );

  test('an infinite timeout is the longest that timers support', async () => {
    const { broker, clock } = setUp();
    broker.attach(spy());
    const asked = broker.ask(makeRequest(), { timeout: Number.POSITIVE_INFINITY });
    expect(broker.pending()[0]?.deadline).toBe(clock.now() + 2 ** 31 - 1);
    broker.close();
    await asked;
  });

  test('when it is cancelled, before or while it waits', async () => {
    const { broker, clock } = setUp();
    const surface = spy();
    broker.attach(surface);
    expect(await broker.ask(makeRequest(), { signal: AbortSignal.abort() })).toMatchObject({ by: 'cancelled' });
    const controller = new AbortController();
    const asked = broker.ask(makeRequest(), { signal: controller.signal });
    controller.abort();
    expect(await asked).toMatchObject({ verdict: 'deny', by: 'cancelled' });
    expect(surface.withdrawn).toHaveLength(1);
    expect(clock.running()).toBe(0);
  });

  test('a signal that outlives the request keeps no listener', async () => {
    const { broker } = setUp();
    const surface = spy();
    broker.attach(surface);
    const { signal } = new AbortController();
    const asked = broker.ask(makeRequest(), { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await surface.shown[0]?.give({ verdict: 'allow' });
    await asked;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('when there is no surface; the reason, which models read, names no commands for people', async () => {
    const { broker } = setUp();
    const rules = ["Bash(echo 'it''s')"];
    expect(await broker.ask(makeRequest({ suggestions: rules }))).toMatchObject({
      verdict: 'deny',
      by: 'nobody',
      reason: 'There was no one to ask.',
    });
  });

  test('when the last surface goes, and not before', async () => {
    const { broker } = setUp();
    const detachOne = broker.attach(spy());
    const socket = spy({ name: 'socket' });
    const detachTwo = broker.attach(socket);
    const asked = broker.ask(makeRequest());
    detachOne();
    expect(broker.pending()).toHaveLength(1);
    detachTwo();
    detachTwo();
    expect(await asked).toMatchObject({ verdict: 'deny', by: 'nobody' });
    expect(await socket.shown[0]?.give({ verdict: 'allow' })).toMatchObject({ status: 'refused' });
  });

  test('when the broker is closed, and after that', async () => {
    const { broker, clock } = setUp();
    const surface = spy();
    broker.attach(surface);
    const asked = [broker.ask(makeRequest()), broker.ask(makeRequest({ command: 'ls' }))];
    broker.close();
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ verdict: 'deny', by: 'closed' });
    expect(surface.withdrawn).toHaveLength(2);
    broker.attach(surface);
    expect(await broker.ask(makeRequest())).toMatchObject({ by: 'closed' });
    expect(clock.running()).toBe(0);
  });
});

describe('surfaces that misbehave', () => {
  const throwing = (): Surface => ({
    name: 'webhook',
    present: () => {
      throw new Error('no network');
    },
    withdraw: () => {
      throw new Error('no network');
    },
  });
  const rejecting = (): Surface => ({ ...throwing(), present: () => Promise.reject(new Error('no network')) });
  const hanging = (): Surface => ({ ...throwing(), present: () => new Promise(() => {}) });

  test.each([
    ['throws', throwing],
    ['rejects', rejecting],
    ['hangs', hanging],
  ])('one that %s does not keep the others from answering', async (_, create) => {
    const { broker } = setUp();
    broker.attach(create());
    const surface = spy();
    broker.attach(surface);
    broker.attach(create());
    const asked = broker.ask(makeRequest());
    await Promise.resolve();
    await surface.shown[0]?.give({ verdict: 'allow' });
    expect(await asked).toMatchObject({ verdict: 'allow' });
  });

  test.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('if every one %s, no one can be asked', async (_, create) => {
    const { broker, problems } = setUp();
    broker.attach(create());
    broker.attach(create());
    const answer = await broker.ask(makeRequest());
    expect(answer).toMatchObject({ verdict: 'deny', by: 'nobody' });
    expect(answer.reason).toMatch(/^There was no one to ask: no network\.$/);
    expect(problems).toEqual(Array(2).fill('The surface webhook could not ask: no network'));
  });

  test('one that is attached later sees what waits', async () => {
    const { broker } = setUp();
    broker.attach(hanging());
    const asked = broker.ask(makeRequest());
    const late = spy();
    broker.attach(late);
    broker.attach(late);
    expect(late.shown).toHaveLength(1);
    await late.shown[0]?.give({ verdict: 'deny', reason: 'no' });
    expect(await asked).toMatchObject({ verdict: 'deny', reason: 'no' });
  });

  test('one that is exchanged while another is shown the request sees it once', () => {
    const { broker } = setUp();
    const second = spy();
    const first = spy({
      present: () => {
        detach();
        broker.attach(second);
      },
    });
    broker.attach(first);
    const detach = broker.attach(second);
    void broker.ask(makeRequest());
    expect(second.shown).toHaveLength(1);
    broker.close();
  });

  test('the listener for problems may throw too', async () => {
    const { broker } = setUp({
      onProblem: () => {
        throw new Error('full');
      },
    });
    broker.attach(throwing());
    expect(await broker.ask(makeRequest())).toMatchObject({ by: 'nobody' });
  });
});
