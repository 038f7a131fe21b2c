// Shared by the tests of approvals: a manual clock, requests to ask about, a surface that remembers.

import { type BrokerOptions, createBroker } from '../../src/approve/broker.ts';
import type { GiveAnswer, Surface } from '../../src/approve/surface.ts';
import type { Answer, ApprovalRequest, PendingApproval } from '../../src/core/approval.ts';

export interface Clock {
  now(): number;
  setTimer(callback: () => void, delayMs: number): () => void;
  /** Moves on and calls what is due, in order. */
  advance(ms: number): void;
  /** How many timers are running. */
  running(): number;
}

export function createClock(start = 1_000_000): Clock {
  let time = start;
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => time,
    setTimer(callback, delayMs) {
      const timer = { at: time + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        time = next.at;
        next.callback();
      }
      time = end;
    },
    running: () => timers.size,
  };
}

export function makeRequest(changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    command: 'git push origin main',
    display: 'git push origin main',
    cwd: '/w/p',
    session: 's1',
    user: null,
    profile: null,
    risk: 'medium',
    findings: [],
    suggestions: ['Bash(git push:*)'],
    effects: null,
    ...changes,
  };
}

export interface Spy extends Surface {
  readonly shown: { pending: PendingApproval; give: GiveAnswer }[];
  readonly withdrawn: { code: string; answer: Answer }[];
}

export function spy(changes: Partial<Surface> = {}): Spy {
  const shown: Spy['shown'] = [];
  const withdrawn: Spy['withdrawn'] = [];
  return {
    name: 'terminal',
    present: (pending, give) => void shown.push({ pending, give }),
    withdraw: (code, answer) => void withdrawn.push({ code, answer }),
    ...changes,
    shown,
    withdrawn,
  };
}

export function setUp(options: BrokerOptions = {}) {
  const clock = createClock();
  const problems: string[] = [];
  const broker = createBroker({
    now: clock.now,
    setTimer: clock.setTimer,
    onProblem: (message) => problems.push(message),
    ...options,
  });
  return { broker, clock, problems };
}

export const codeOf = (surface: Spy, index = 0): string => surface.shown[index]?.pending.code as string;
