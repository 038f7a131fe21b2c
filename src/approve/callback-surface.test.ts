import { expect, test } from 'vitest';
import { makeRequest } from '../../test/approving/subject.ts';
import { createBroker } from './broker.ts';
import { callbackSurface, type OnAsk } from './callback-surface.ts';

async function askCallback(onAsk: unknown) {
  const broker = createBroker();
  broker.attach(callbackSurface(onAsk as OnAsk));
  return broker.ask(makeRequest());
}

test.each<[string, unknown, object]>([
  ['allow', () => 'allow', { verdict: 'allow', by: 'callback', scope: 'once' }],
  ['deny, later', async () => 'deny', { verdict: 'deny', by: 'callback' }],
  ['an object', () => ({ verdict: 'deny', reason: 'no' }), { verdict: 'deny', reason: 'no' }],
  [
    'a session',
    () => ({ verdict: 'allow', scope: 'session', rule: 'Bash(git push:*)' }),
    { verdict: 'allow', scope: 'session', rule: 'Bash(git push:*)' },
  ],
  [
    'a rule that was not suggested',
    () => ({ verdict: 'allow', scope: 'session', rule: 'Bash(*)' }),
    { verdict: 'deny' },
  ],
  ['undefined', () => undefined, { verdict: 'deny', reason: expect.stringMatching(/returned neither/) }],
  ['true', () => true, { verdict: 'deny', reason: expect.stringMatching(/returned neither/) }],
  ['another word', () => 'yes', { verdict: 'deny', reason: expect.stringMatching(/returned neither/) }],
  ['another object', () => ({ verdict: 'ALLOW' }), { verdict: 'deny' }],
  [
    'an exception',
    () => {
      throw new Error('broken');
    },
    { verdict: 'deny', reason: 'The function that answers questions failed: broken' },
  ],
  [
    'a rejection',
    () => Promise.reject(new Error('broken')),
    { verdict: 'deny', reason: expect.stringMatching(/broken/) },
  ],
  ['a rejection with nothing', () => Promise.reject(), { verdict: 'deny' }],
  [
    'a rejection that cannot be shown',
    () =>
      Promise.reject({
        toString: () => {
          throw new Error('never');
        },
      }),
    { verdict: 'deny' },
  ],
  ['not a function', 'allow', { verdict: 'deny' }],
])('a callback that gives %s', async (_, onAsk, answer) => {
  expect(await askCallback(onAsk)).toMatchObject(answer);
});

test('it gets the request, the code and the scopes, and learns when another surface answered', async () => {
  const broker = createBroker();
  let heard: AbortSignal | undefined;
  broker.attach(
    callbackSurface((request, { code, scopes, signal }) => {
      expect({ command: request.command, code, scopes }).toEqual({
        command: 'git push origin main',
        code: broker.pending()[0]?.code,
        scopes: ['once', 'session'],
      });
      heard = signal;
      return new Promise(() => {});
    }),
  );
  const asked = broker.ask(makeRequest());
  expect(heard?.aborted).toBe(false);
  await broker.answer(broker.pending()[0]?.code as string, { verdict: 'allow' });
  expect(heard?.aborted).toBe(true);
  await asked;
});
