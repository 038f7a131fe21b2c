// An observer is told of every step, in order; a step that cannot be reported does not happen.

import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../core/default-policy.ts';
import type { ShellObserver } from '../../core/observer.ts';
import { createShell } from '../shell.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-observed-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function run(command: string, observer: ShellObserver, more = {}) {
  const shell = createShell({ tasksFolder: join(base, 'tasks'), observers: [observer] });
  try {
    const policy = { ...DEFAULT_POLICY, mode: 'bypass' } as const;
    return await shell.run(command, { cwd: base, policy, ...more });
  } finally {
    await shell.close();
  }
}

function listen(): { readonly steps: string[]; readonly observer: ShellObserver } {
  const steps: string[] = [];
  const observer: ShellObserver = {
    onVerdict: async ({ command }, { verdict }) => void steps.push(`verdict ${command} ${verdict.decision}`),
    onAnswer: (_, { verdict, by }) => void steps.push(`answer ${verdict} ${by}`),
    onStart: (_, { pid, enforcement }) => void steps.push(`start ${pid > 0} ${enforcement?.tier !== undefined}`),
    onViolation: (_, { operation }) => void steps.push(`violation ${operation}`),
    onEnd: (_, { status, exitCode }) => void steps.push(`end ${status} ${exitCode}`),
  };
  return { steps, observer };
}

test('a command that runs', async () => {
  const { steps, observer } = listen();
  await run('exit 3', observer);
  expect(steps).toEqual(['verdict exit 3 allow', 'start true true', 'end exited 3']);
});

test('a command that is denied', async () => {
  const { steps, observer } = listen();
  await run('rm -rf /', observer);
  expect(steps).toEqual(['verdict rm -rf / deny', 'end denied null']);
});

test('a command that is asked about', async () => {
  const { steps, observer } = listen();
  await run('touch a', observer, { policy: { ...DEFAULT_POLICY, requireConfirmation: true }, assumeYes: true });
  expect(steps).toEqual(['verdict touch a ask', 'answer allow caller', 'start true true', 'end exited 0']);
});

test.each(['onVerdict', 'onAnswer'] as const)('%s that fails keeps it from running', async (step) => {
  const { steps, observer } = listen();
  const broken = { ...observer, [step]: () => Promise.reject(new Error('the disk is full')) };
  const policy = { ...DEFAULT_POLICY, requireConfirmation: true };
  const result = await run('touch made', broken, { policy, assumeYes: true });
  expect(result).toMatchObject({ status: 'failed', failure: { type: 'system_error' } });
  expect(result.failure?.message).toMatch(/could not be recorded: the disk is full/);
  expect(existsSync(join(base, 'made'))).toBe(false);
  expect(steps.at(-1)).toBe('end failed null');
});

test('an end that cannot be reported does not change the result', async () => {
  const events: string[] = [];
  const result = await run(
    'echo x',
    { onEnd: () => Promise.reject(new Error('late')) },
    {
      onEvent: (event: { type: string; message?: string }) => void events.push(event.message ?? event.type),
    },
  );
  expect(result).toMatchObject({ status: 'exited', output: 'x\n' });
  expect(events.at(-2)).toMatch(/Recording failed: late/);
});

test('a task that continues is reported once more when it has ended', async () => {
  const { steps, observer } = listen();
  const ended = new Promise<void>((resolve) => {
    const { onEnd } = observer;
    Object.assign(observer, {
      onEnd: async (...args: Parameters<NonNullable<typeof onEnd>>) => {
        await onEnd?.(...args);
        if (args[1].status === 'exited') resolve();
      },
    });
  });
  const shell = createShell({ tasksFolder: join(base, 'tasks'), observers: [observer] });
  const policy = { ...DEFAULT_POLICY, mode: 'bypass' } as const;
  await shell.start('sleep 0.2; exit 4', { cwd: base, policy });
  await ended;
  await shell.close();
  expect(steps).toEqual(['verdict sleep 0.2; exit 4 allow', 'start true true', 'end running null', 'end exited 4']);
});
