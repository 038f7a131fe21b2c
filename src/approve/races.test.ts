// Any order of events: every caller gets exactly one answer, and an approval only if that question was approved.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClock, makeRequest } from '../../test/approving/subject.ts';
import type { Answer, Receipt } from '../core/approval.ts';
import { createBroker } from './broker.ts';
import type { GiveAnswer } from './surface.ts';

const small = fc.nat({ max: 3 });
const event = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), command: small, timeout: fc.constantFrom(0, 1, 5, 50) }),
  fc.record({ do: fc.constant('attach' as const), kind: fc.constantFrom('quiet', 'throws', 'rejects', 'denies') }),
  fc.record({ do: fc.constant('detach' as const), surface: small }),
  fc.record({ do: fc.constant('allow' as const), question: fc.nat({ max: 9 }), twice: fc.boolean() }),
  fc.record({ do: fc.constant('deny' as const), question: fc.nat({ max: 9 }) }),
  fc.record({ do: fc.constant('nonsense' as const), question: fc.nat({ max: 9 }) }),
  fc.record({ do: fc.constant('abort' as const), caller: fc.nat({ max: 9 }) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 4, 100) }),
  fc.record({ do: fc.constant('breathe' as const) }),
  fc.record({ do: fc.constant('close' as const) }),
);

test('for any interleaving exactly one answer, and never an approval that was not given', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const clock = createClock();
      const broker = createBroker({ now: clock.now, setTimer: clock.setTimer, maxPending: 3 });
      const callers: { command: string; controller: AbortController; answers: Answer[] }[] = [];
      const shown: { command: string; give: GiveAnswer }[] = [];
      const detachers: (() => void)[] = [];
      const allowances = new Map<string, number>();
      const receipts: Promise<void>[] = [];

      const give = (index: number, reply: unknown): void => {
        const target = shown[index % Math.max(1, shown.length)];
        if (target === undefined) return;
        const sent = target.give(reply as { verdict: 'allow' }).then((receipt: Receipt) => {
          if (receipt.status === 'accepted' && receipt.answer.verdict === 'allow')
            allowances.set(target.command, (allowances.get(target.command) ?? 0) + 1);
        });
        receipts.push(sent);
      };

      for (const step of events) {
        if (step.do === 'ask') {
          const caller = { command: `c${step.command}`, controller: new AbortController(), answers: [] as Answer[] };
          callers.push(caller);
          void broker
            .ask(makeRequest({ command: caller.command }), {
              timeout: step.timeout,
              signal: caller.controller.signal,
            })
            .then((answer) => caller.answers.push(answer));
        } else if (step.do === 'attach') {
          detachers.push(
            broker.attach({
              name: 'other',
              present(pending, answer) {
                if (step.kind === 'throws') throw new Error('no');
                shown.push({ command: pending.request.command, give: answer });
                if (step.kind === 'denies') void answer({ verdict: 'deny' });
                return step.kind === 'rejects' ? Promise.reject(new Error('no')) : undefined;
              },
              withdraw() {
                throw new Error('no');
              },
            }),
          );
        } else if (step.do === 'detach') detachers[step.surface]?.();
        else if (step.do === 'allow') {
          give(step.question, { verdict: 'allow' });
          if (step.twice) give(step.question, { verdict: 'allow' });
        } else if (step.do === 'deny') give(step.question, { verdict: 'deny' });
        else if (step.do === 'nonsense') give(step.question, { verdict: 'allow', scope: 'user', rule: 'Bash(*)' });
        else if (step.do === 'abort') callers[step.caller]?.controller.abort();
        else if (step.do === 'advance') clock.advance(step.ms);
        else if (step.do === 'breathe') await Promise.resolve();
        else broker.close();
        expect(broker.pending().length).toBeLessThanOrEqual(3);
      }
      broker.close();
      await Promise.all(receipts);
      await new Promise((resolve) => setImmediate(resolve));

      for (const caller of callers) {
        expect(caller.answers).toHaveLength(1);
        if (caller.answers[0]?.verdict === 'allow') expect(allowances.get(caller.command)).toBeGreaterThan(0);
      }
      expect(clock.running()).toBe(0);
      expect(broker.pending()).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
