// A command is analyzed once, and checked again after a wait: for changes on disk.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createBroker } from '../approve/broker.ts';
import { callbackSurface, type OnAsk } from '../approve/callback-surface.ts';
import type { Facts } from '../core/facts.ts';
import type { RunOptions, RunResult } from '../core/running.ts';
import type { Verdict } from '../core/verdict.ts';
import { createShell } from './shell.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-permission-')));
const work = join(base, 'work');
const link = join(work, 'link');
const guarded = join(work, 'guarded');
const RULE = `Edit(/${guarded})`;
const settingsFile = join(base, 'settings.json');
writeFileSync(settingsFile, JSON.stringify({ permissions: { ask: [RULE] } }));
afterAll(() => rmSync(base, { recursive: true }));

beforeEach(() => {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  symlinkSync(join(work, 'inside'), link);
});

interface Seen {
  readonly facts: Facts;
  readonly verdict: Verdict;
}

/** Runs a command, and collects what observers are told of each decision. */
async function run(command: string, onAsk: OnAsk, options: Partial<RunOptions> = {}) {
  const seen: Seen[] = [];
  const broker = createBroker();
  broker.attach(callbackSurface(onAsk));
  const observer = { onVerdict: (_: unknown, judged: Seen) => void seen.push(judged) };
  const shell = createShell({ broker, observers: [observer], settingsFile, tasksFolder: join(base, 'tasks') });
  try {
    const result: RunResult = await shell.run(command, { cwd: work, sandbox: { name: 'unrestricted' }, ...options });
    return { seen, result };
  } finally {
    await shell.close();
    broker.close();
  }
}

test('a link that is changed after the question is asked about again, with the same facts', async () => {
  let asked = 0;
  const { seen, result } = await run('touch link', async () => {
    asked += 1;
    if (asked === 1) {
      rmSync(link);
      symlinkSync(guarded, link);
    }
    return { verdict: 'allow' };
  });
  expect(asked).toBe(2);
  expect(seen).toHaveLength(2);
  expect(seen.map(({ verdict }) => verdict.findings.some(({ rule }) => rule?.text === RULE))).toEqual([false, true]);
  expect(seen[1]?.facts).toBe(seen[0]?.facts);
  expect(result.facts).toBe(seen[0]?.facts);
  expect(result.exitCode).toBe(0);
});

test('a no to the changed command keeps it from running', async () => {
  let asked = 0;
  const { result } = await run('touch link', async () => {
    asked += 1;
    if (asked > 1) return { verdict: 'deny' };
    rmSync(link);
    symlinkSync(guarded, link);
    return { verdict: 'allow' };
  });
  expect([asked, result.status]).toEqual([2, 'denied']);
});

test('a yes in advance covers one decision', async () => {
  const { seen, result } = await run('touch link', () => Promise.reject(new Error('nobody is asked')), {
    assumeYes: true,
  });
  expect([seen.length, result.exitCode, result.answer?.by]).toEqual([1, 0, 'caller']);
});
