// How far an answer applies: scopes, rules, grants and saving, through the broker.

import { describe, expect, test } from 'vitest';
import { createClock, makeRequest } from '../../test/approving/subject.ts';
import type { ApprovalRequest, Reply } from '../core/approval.ts';
import { type BrokerOptions, createBroker } from './broker.ts';

const RULE = 'Bash(git push:*)';

async function askAndAnswer(reply: Reply, options: BrokerOptions = {}, request: ApprovalRequest = makeRequest()) {
  const clock = createClock();
  const problems: string[] = [];
  const broker = createBroker({
    now: clock.now,
    setTimer: clock.setTimer,
    onProblem: (message) => problems.push(message),
    ...options,
  });
  broker.attach({ name: 'terminal', present() {}, withdraw() {} });
  const asked = broker.ask(request);
  const pending = broker.pending()[0];
  const receipt = broker.answer(pending?.code as string, reply, 'terminal');
  return { broker, clock, problems, asked, receipt, pending };
}

describe('refused, and still pending', () => {
  test.each<[string, unknown, RegExp]>([
    ['no object', 'allow', /not an object/],
    ['null', null, /not an object/],
    ['another verdict', { verdict: 'yes' }, /"allow" or "deny"/],
    ['a truthy verdict', { verdict: true }, /"allow" or "deny"/],
    ['another scope', { verdict: 'allow', scope: 'always' }, /one of once, session/],
    ['no rule', { verdict: 'allow', scope: 'session' }, /needs a rule\. Suggested: Bash\(git push:\*\)/],
    ['an empty rule', { verdict: 'allow', scope: 'session', rule: ' ' }, /needs a rule/],
    ['a rule that was not suggested', { verdict: 'allow', scope: 'session', rule: 'Bash(*)' }, /was not suggested/],
    ['a rule without a scope', { verdict: 'allow', rule: RULE }, /needs a scope/],
    ['a host that saves nothing', { verdict: 'allow', scope: 'user', rule: RULE }, /cannot save rules for the user/],
    ['an end in the past', { verdict: 'allow', scope: 'session', rule: RULE, until: 5 }, /in the future/],
    ['an infinite end', { verdict: 'allow', scope: 'session', rule: RULE, until: Infinity }, /in the future/],
    ['an end of one answer', { verdict: 'allow', until: 9e15 }, /Only an answer for the session/],
  ])('%s', async (_, reply, problem) => {
    const { broker, receipt } = await askAndAnswer(reply as Reply);
    expect(await receipt).toEqual({ status: 'refused', problem: expect.stringMatching(problem) });
    expect(broker.pending()).toHaveLength(1);
    expect(broker.grants('s1')).toEqual([]);
    broker.close();
  });

  test('a reply that throws when it is read', async () => {
    const reply = {
      get verdict(): 'allow' {
        throw new Error('trap');
      },
    };
    expect(await (await askAndAnswer(reply)).receipt).toMatchObject({
      status: 'refused',
      problem: expect.stringMatching(/trap/),
    });
  });

  test('a session scope without a session', async () => {
    const reply: Reply = { verdict: 'allow', scope: 'session', rule: RULE };
    const { receipt, pending } = await askAndAnswer(reply, {}, makeRequest({ session: null }));
    expect(await receipt).toMatchObject({ status: 'refused', problem: expect.stringMatching(/has no session/) });
    expect(pending?.scopes).toEqual(['once']);
  });

  test.each([
    ['says no', () => 'It would allow an interpreter.', /would allow an interpreter/],
    [
      'throws',
      () => {
        throw new Error('bad grammar');
      },
      /could not be checked: bad grammar/,
    ],
    ['says nonsense', () => undefined as unknown as null, /could not be checked/],
  ])('a rule for which the check %s', async (_, checkRule, problem) => {
    const reply: Reply = { verdict: 'allow', scope: 'session', rule: 'Bash(python:*)' };
    expect(await (await askAndAnswer(reply, { checkRule })).receipt).toEqual({
      status: 'refused',
      problem: expect.stringMatching(problem),
    });
  });

  test.each(['Bash(a\nb)', 'Bash(\x1b[2J)', `Bash(${'x'.repeat(1_000)})`])(
    'the rule %j, even if the check accepts it',
    async (rule) => {
      const reply: Reply = { verdict: 'allow', scope: 'session', rule };
      expect(await (await askAndAnswer(reply, { checkRule: () => null })).receipt).toMatchObject({ status: 'refused' });
    },
  );
});

test('a check during which the question is closed comes too late', async () => {
  const clock = createClock();
  const broker = createBroker({
    now: clock.now,
    setTimer: clock.setTimer,
    checkRule: () => {
      clock.advance(5 * 60_000);
      return null;
    },
  });
  broker.attach({ name: 'terminal', present() {}, withdraw() {} });
  const asked = broker.ask(makeRequest());
  const code = broker.pending()[0]?.code as string;
  const reply: Reply = { verdict: 'allow', scope: 'session', rule: 'Bash(ls)' };
  expect(await broker.answer(code, reply)).toMatchObject({ status: 'already-answered', answer: { by: 'timeout' } });
  expect(await asked).toMatchObject({ verdict: 'deny', by: 'timeout' });
  expect(broker.grants('s1')).toEqual([]);
});

describe('grants', () => {
  test('an answer for the session is a rule with its folder', async () => {
    const { broker, asked } = await askAndAnswer({ verdict: 'allow', scope: 'session', rule: RULE });
    expect(await asked).toMatchObject({ verdict: 'allow', scope: 'session', rule: RULE });
    expect(broker.grants('s1')).toEqual([
      {
        text: RULE,
        list: 'allow',
        origin: { layer: 'session', file: null, line: null },
        until: null,
        base: '/w/p',
        because: 'approved for the session (terminal)',
      },
    ]);
    expect(broker.grants('s2')).toEqual([]);
  });

  test('granted again in the same folder it is one rule, in another folder another', async () => {
    const reply: Reply = { verdict: 'allow', scope: 'session', rule: RULE };
    const { broker, clock } = await askAndAnswer(reply);
    for (const cwd of ['/w/p', '/w/q']) {
      void broker.ask(makeRequest({ cwd }));
      await broker.answer(broker.pending()[0]?.code as string, { ...reply, until: clock.now() + 5 });
    }
    expect(broker.grants('s1').map(({ base, until }) => [base, until])).toEqual([
      ['/w/p', clock.now() + 5],
      ['/w/q', clock.now() + 5],
    ]);
  });

  test('it expires at its end', async () => {
    const { broker, clock } = await askAndAnswer({ verdict: 'allow', scope: 'session', rule: RULE, until: 1_060_000 });
    clock.advance(59_999);
    expect(broker.grants('s1')).toHaveLength(1);
    clock.advance(1);
    expect(broker.grants('s1')).toEqual([]);
  });

  test('one or all can be revoked', async () => {
    const { broker } = await askAndAnswer({ verdict: 'allow', scope: 'session', rule: RULE });
    expect(broker.revoke('s1', 'Bash(other)')).toBe(0);
    expect(broker.revoke('s1', RULE)).toBe(1);
    expect(broker.grants('s1')).toEqual([]);
    const again = broker.ask(makeRequest());
    await broker.answer(broker.pending()[0]?.code as string, { verdict: 'allow', scope: 'session', rule: RULE });
    await again;
    expect(broker.revoke('s1')).toBe(1);
    expect(broker.revoke('s1')).toBe(0);
  });

  test('a denial applies once, for any scope, and is never refused', async () => {
    const { broker, asked } = await askAndAnswer({ verdict: 'deny', scope: 'user', rule: 'Bash(*)' });
    expect(await asked).toMatchObject({ verdict: 'deny', scope: 'once', rule: null });
    expect(broker.grants('s1')).toEqual([]);
  });

  test('a rule that passes the check is granted', async () => {
    const seen: string[] = [];
    const checkRule = (rule: string, request: ApprovalRequest) => {
      seen.push(`${rule} for ${request.command}`);
      return null;
    };
    const { broker, receipt } = await askAndAnswer(
      { verdict: 'allow', scope: 'session', rule: 'Bash(git push origin main)' },
      { checkRule },
    );
    expect(await receipt).toMatchObject({ status: 'accepted' });
    expect(seen).toEqual(['Bash(git push origin main) for git push origin main']);
    expect(broker.grants('s1').map(({ text }) => text)).toEqual(['Bash(git push origin main)']);
  });
});

describe('saving', () => {
  test.each(['project', 'user'] as const)('for the %s', async (scope) => {
    const saved: unknown[] = [];
    const { receipt, asked, pending } = await askAndAnswer(
      { verdict: 'allow', scope, rule: RULE },
      { saveRule: (...call) => void saved.push(call) },
    );
    expect(pending?.scopes).toEqual(['once', 'session', 'project', 'user']);
    expect(await asked).toMatchObject({ verdict: 'allow', scope, rule: RULE });
    expect(await receipt).toMatchObject({ status: 'accepted', problem: null });
    expect(saved).toEqual([[scope, RULE, makeRequest()]]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('when it %s the answer stands and the failure is reported', async (_, saveRule) => {
    const { receipt, asked, problems } = await askAndAnswer(
      { verdict: 'allow', scope: 'user', rule: RULE },
      { saveRule },
    );
    expect(await asked).toMatchObject({ verdict: 'allow' });
    const problem = `The answer counts, but the rule ${RULE} was not saved: disk full`;
    expect(await receipt).toMatchObject({ status: 'accepted', problem });
    expect(problems).toEqual([problem]);
  });

  test('a rule that was saved and has no effect is not said to be unsaved', async () => {
    const saveRule = async (): Promise<string | undefined> => 'this folder is not trusted';
    const { receipt } = await askAndAnswer({ verdict: 'allow', scope: 'project', rule: RULE }, { saveRule });
    const problem = `The answer counts, but the rule ${RULE} has no effect: this folder is not trusted`;
    expect(await receipt).toMatchObject({ status: 'accepted', problem });
  });

  test('when it hangs the answer does not', async () => {
    const { receipt, asked, clock } = await askAndAnswer(
      { verdict: 'allow', scope: 'user', rule: RULE },
      { saveRule: () => new Promise(() => {}) },
    );
    expect(await asked).toMatchObject({ verdict: 'allow' });
    clock.advance(10_000);
    expect(await receipt).toMatchObject({
      status: 'accepted',
      problem: expect.stringMatching(/longer than 10 seconds/),
    });
  });
});
