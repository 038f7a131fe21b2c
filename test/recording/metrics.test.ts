// Counting: quantiles against exact values, every figure of a request, bounds, and the text for Prometheus read strictly.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ObservedRequest } from '../../src/core/observer.ts';
import { check } from '../../src/host/deciding.ts';
import {
  type Answer,
  createBroker,
  createMetrics,
  createShell,
  type Enforcement,
  type Metrics,
  type RunResult,
  type SandboxViolation,
} from '../../src/host.ts';
import { Distribution, QUANTILE_ERROR } from '../../src/record/metrics/distribution.ts';
import { writeFamilies } from '../../src/record/metrics/prometheus.ts';
import { readPrometheus } from './readers/prometheus-reader.ts';

/** The same numbers in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

describe('quantiles are within their stated error of the exact ones', () => {
  const random = createRandom(7);
  const many = (make: (at: number) => number, count = 5000) => Array.from({ length: count }, (_, at) => make(at));
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  test.each<[string, number[]]>([
    ['one value', [42]],
    ['two values', [1, 1000]],
    ['all the same', many(() => 17.3, 100)],
    ['evenly spread', many(() => random() * 1000)],
    ['like times of commands', many(() => Math.exp(3 + 2 * normal()))],
    ['two far groups', many((at) => (at % 10 === 0 ? 60_000 : 3) * (1 + random() / 100))],
    ['very small and very large', many(() => 10 ** (random() * 11 - 2.9))],
    ['rising, which a window would forget', many((at) => at + 1)],
  ])('%s', (_, values) => {
    const times = new Distribution([10, 100]);
    for (const value of values) times.add(value);
    const sorted = [...values].sort((a, b) => a - b);
    for (const q of [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1]) {
      const exact = sorted[Math.floor(q * (sorted.length - 1))] as number;
      const found = times.quantile(q) as number;
      expect(Math.abs(found - exact) / exact, `q ${q}: ${found} instead of ${exact}`).toBeLessThanOrEqual(
        QUANTILE_ERROR + 1e-9,
      );
    }
    expect(times.cumulative()).toEqual([10, 100].map((bound) => values.filter((value) => value <= bound).length));
    expect(times.average).toBeCloseTo(values.reduce((sum, each) => sum + each, 0) / values.length, 6);
  });

  test('what is no number does not count, and less than nothing is nothing', () => {
    const times = new Distribution([1]);
    expect([times.quantile(0.5), times.average]).toEqual([null, null]);
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -5, 0]) times.add(value);
    expect([times.count, times.sum, times.quantile(0.99), times.cumulative()]).toEqual([2, 0, 0, [2]]);
  });

  test('of what is outside of the range the ends are exact', () => {
    const times = new Distribution([]);
    for (const value of [1e-7, 1e12]) times.add(value);
    expect([times.quantile(0), times.quantile(1)]).toEqual([1e-7, 1e12]);
  });
});

function requestOf(command: string): ObservedRequest {
  const [task, session] = ['bash-k7mw2q', 's1'];
  return {
    task,
    command,
    args: null,
    shell: 'bash',
    cwd: '/w',
    session,
    user: null,
    profile: null,
    isBackground: false,
  };
}

const ANSWER: Answer = { verdict: 'allow', by: 'terminal', scope: 'once', rule: null, reason: null, at: 1 };
const HALF: Enforcement = {
  tier: 'landlock',
  held: ['network'],
  missing: [{ guarantee: 'devices', why: '' }],
  reported: [],
};
const VIOLATION: SandboxViolation = {
  kind: 'network',
  operation: 'connect',
  target: 'evil.example:443',
  rule: '',
  instead: '',
};

function endOf(wallMs: number, more: Partial<RunResult> = {}): RunResult {
  const disk = { readBytes: 5, writeBytes: 7 };
  const usage = {
    wallMs,
    userMs: 30,
    systemMs: 10,
    peakMemoryBytes: 1000,
    ...disk,
    sentBytes: 100,
    receivedBytes: 200,
  };
  return { status: 'exited', isError: false, startedAt: 1, usage, outputBytes: 11, ...more } as RunResult;
}

const NEVER_RAN = { startedAt: null, usage: null, outputBytes: 0 } as const;

class Clock {
  time = 1000;
  readonly now = (): number => this.time;
}

/** One that ran after a question, one that was refused, one that was ended for its time, one that could not start. */
function tellStory(metrics: Metrics, clock: Clock): void {
  const { observer } = metrics;
  const asked = requestOf('git push');
  observer.onVerdict(asked, { ...check(asked.command, { cwd: '/w' }), elapsedMs: 2 });
  clock.time += 5000;
  observer.onAnswer(asked, ANSWER);
  clock.time += 20;
  observer.onStart(asked, { pid: 7, at: 1, enforcement: HALF, sandboxMs: 10, withheld: [] });
  observer.onViolation(asked, VIOLATION);
  observer.onEnd(asked, endOf(190));

  const refused = requestOf('rm -rf /');
  observer.onVerdict(refused, { ...check(refused.command, { cwd: '/w' }), elapsedMs: 4 });
  observer.onEnd(refused, endOf(0, { ...NEVER_RAN, status: 'denied', isError: true }));

  const slow = requestOf('cd /w && git status');
  observer.onVerdict(slow, check(slow.command, { cwd: '/w' }));
  observer.onStart(slow, { pid: 8, at: 1, enforcement: null, sandboxMs: 1, withheld: [] });
  observer.onEnd(slow, endOf(2000, { status: 'timed-out', isError: true }));

  const broken = requestOf('./tool-of-mine --token hunter2');
  observer.onVerdict(broken, check(broken.command, { cwd: '/w' }));
  observer.onEnd(broken, endOf(0, { ...NEVER_RAN, status: 'failed', isError: true }));
}

describe('what is counted', () => {
  const clock = new Clock();
  const metrics = createMetrics({ now: clock.now });
  tellStory(metrics, clock);
  metrics.markFalsePositive('rm-root');
  const snapshot = metrics.snapshot();

  test('executions', () => {
    const { medianExecutionTime, p95ExecutionTime, p99ExecutionTime, ...stats } = snapshot.executionStats;
    expect(stats).toEqual({
      totalExecutions: 2,
      successfulExecutions: 1,
      failedExecutions: 1,
      timedOutExecutions: 1,
      cancelledExecutions: 0,
      limitedExecutions: 0,
      signalledExecutions: 0,
      runningExecutions: 0,
      avgExecutionTime: 1095,
      requests: { exited: 1, denied: 1, 'timed-out': 1, failed: 1 },
    });
    for (const value of [medianExecutionTime, p95ExecutionTime, p99ExecutionTime]) {
      expect(value).toBeGreaterThanOrEqual(190);
      expect(value).toBeLessThanOrEqual(190 * 1.01);
    }
  });

  test('types of commands', () => {
    expect(snapshot.commandTypeStats).toEqual({
      git: {
        count: 2,
        avgDuration: 1095,
        medianDuration: snapshot.executionStats.medianExecutionTime,
        p95Duration: snapshot.executionStats.p95ExecutionTime,
        p99Duration: snapshot.executionStats.p99ExecutionTime,
        successRate: 0.5,
        resourceUsage: { memoryUsage: 1000, cpuTime: 40, diskIO: 12, outputBytes: 11 },
      },
    });
  });

  test('security', () => {
    const { verdicts, risks, threatsByCheck, findingsByLayer, ...stats } = snapshot.securityStats;
    expect(stats).toMatchObject({
      blockedCommands: 1,
      securityViolations: 1,
      falsePositives: 1,
      falsePositivesByCheck: { 'rm-root': 1 },
      violationsByKind: { network: 1 },
      avgDecisionTime: 3,
    });
    expect(verdicts.allow + verdicts.ask + verdicts.deny).toBe(4);
    expect(verdicts.deny).toBe(1);
    expect(Object.values(risks).reduce((sum, each) => sum + each, 0)).toBe(4);
    const { verdict } = check('rm -rf /', { cwd: '/w' });
    const safety = verdict.findings.filter(({ layer }) => layer === 'safety').map(({ id }) => id);
    expect(safety.length).toBeGreaterThan(0);
    for (const id of safety) expect(threatsByCheck).toHaveProperty(id);
    expect(stats.threatDetections).toBe(Object.values(threatsByCheck).reduce((sum, each) => sum + each, 0));
    expect(findingsByLayer.safety).toBeGreaterThan(0);
  });

  test('resources', () => {
    expect(snapshot.resourceStats).toEqual({
      avgMemoryUsage: 1000,
      peakMemoryUsage: 1000,
      avgCpuUsage: (100 * 80) / 2190,
      totalCpuTime: 80,
      totalDiskIO: 24,
      totalDiskRead: 10,
      totalDiskWrite: 14,
      totalNetworkIO: 600,
      totalOutputBytes: 22,
    });
  });

  test('the sandbox', () => {
    const { p95SandboxCreationTime, p95StartDelay, ...stats } = snapshot.sandboxStats;
    expect(stats).toEqual({
      tiers: { landlock: 1, none: 1 },
      sandboxCreationTime: 10,
      sandboxOverhead: 10 / 200,
      isolationEffectiveness: 0.25,
      avgStartDelay: 10,
    });
    expect([p95SandboxCreationTime, p95StartDelay]).toEqual([10, 0]);
  });

  test('approvals', () => {
    const { p95AnswerTime, medianAnswerTime, asked, ...stats } = snapshot.approvalStats;
    expect(stats).toEqual({
      pending: 0,
      answered: 1,
      allowed: 1,
      denied: 0,
      answeredBy: { terminal: 1 },
      avgAnswerTime: 5000,
    });
    expect([medianAnswerTime, p95AnswerTime]).toEqual([5000, 5000]);
    expect(asked).toBe(snapshot.securityStats.verdicts.ask);
  });

  test('no text of a command is in any figure', () => {
    const all = JSON.stringify(snapshot) + metrics.prometheus();
    for (const text of ['tool-of-mine', 'hunter2', 'evil.example', 'push']) expect(all).not.toContain(text);
  });
});

test('what runs and what waits is known at any time, and a reset does not make it less than nothing', () => {
  const metrics = createMetrics();
  const { observer } = metrics;
  const [waiting, running] = [requestOf('git push'), requestOf('ls')];
  const asked = check('git push', { cwd: '/w' });
  expect(asked.verdict.decision).toBe('ask');
  observer.onVerdict(waiting, asked);
  observer.onVerdict(running, check('ls', { cwd: '/w' }));
  observer.onStart(running, { pid: 1, at: 1, enforcement: null, withheld: [] });
  const gauges = () => {
    const { executionStats, approvalStats } = metrics.snapshot();
    return [executionStats.runningExecutions, approvalStats.pending];
  };
  expect(gauges()).toEqual([1, 1]);
  metrics.reset();
  expect(gauges()).toEqual([1, 1]);
  observer.onEnd(running, endOf(1, { status: 'running', usage: null }));
  expect(gauges()).toEqual([1, 1]);
  observer.onEnd(waiting, endOf(0, { ...NEVER_RAN, status: 'cancelled', isError: true }));
  observer.onEnd(running, endOf(5));
  // A task that was quick: `running` comes after its end.
  observer.onEnd(running, endOf(1, { status: 'running', usage: null }));
  observer.onEnd(running, endOf(5));
  expect(gauges()).toEqual([0, 0]);
  expect(metrics.snapshot().executionStats).toMatchObject({
    totalExecutions: 1,
    requests: { cancelled: 1, exited: 1 },
  });
});

test('a second look at the same request does not find the same threat twice', () => {
  const metrics = createMetrics();
  const request = requestOf('rm -rf /');
  const judged = check('rm -rf /', { cwd: '/w' });
  metrics.observer.onVerdict(request, judged);
  const once = metrics.snapshot().securityStats.threatDetections;
  metrics.observer.onVerdict(request, judged);
  expect(once).toBeGreaterThan(0);
  expect(metrics.snapshot().securityStats.threatDetections).toBe(once);
});

test('names cannot fill the memory: programs and checks beyond the bound are `other`', () => {
  const metrics = createMetrics({ maxCommandTypes: 3, programs: ['mine'] });
  for (const command of ['ls', 'mine --now', 'git status', 'cat a', 'grep a b', './x1', './x2', 'x3']) {
    const request = requestOf(command);
    metrics.observer.onVerdict(request, check(command, { cwd: '/w' }));
    metrics.observer.onStart(request, { pid: 1, at: 1, enforcement: null, withheld: [] });
    metrics.observer.onEnd(request, endOf(1));
  }
  for (let at = 0; at < 1000; at += 1) metrics.markFalsePositive(`check-${at}`);
  const { commandTypeStats, securityStats } = metrics.snapshot();
  const counts = Object.entries(commandTypeStats).map(([name, { count }]) => [name, count]);
  expect(counts).toEqual([
    ['ls', 1],
    ['mine', 1],
    ['git', 1],
    ['other', 5],
  ]);
  expect(Object.keys(securityStats.falsePositivesByCheck).length).toBe(257);
  expect(securityStats).toMatchObject({ falsePositives: 1000, falsePositivesByCheck: { other: 1000 - 256 } });
});

test.each([0, 1.5, Number.NaN, 1e9])('maxCommandTypes %s is refused', (maxCommandTypes) => {
  expect(() => createMetrics({ maxCommandTypes })).toThrow('whole number');
});

test('a failure to count a step stops nothing', () => {
  const { observer } = createMetrics();
  expect(() => observer.onVerdict(requestOf('ls'), {} as never)).not.toThrow();
});

describe('the text for Prometheus', () => {
  test('is exactly in the format, with the figures of the snapshot', () => {
    const clock = new Clock();
    const metrics = createMetrics({ now: clock.now });
    readPrometheus(metrics.prometheus());
    tellStory(metrics, clock);
    const families = readPrometheus(metrics.prometheus());
    const sampleOf = (family: string, sample = family) => families.get(family)?.samples.get(sample);
    expect(sampleOf('hardshell_requests_total', 'hardshell_requests_total status=denied')).toBe(1);
    const executions = 'hardshell_executions_total';
    expect(sampleOf(executions, `${executions} outcome=succeeded type=git`)).toBe(1);
    expect(sampleOf(executions, `${executions} outcome=timed-out type=git`)).toBe(1);
    const seconds = 'hardshell_execution_seconds';
    expect(families.get(seconds)?.type).toBe('histogram');
    expect(sampleOf(seconds, `${seconds}_bucket le=0.1 type=git`)).toBe(0);
    expect(sampleOf(seconds, `${seconds}_bucket le=0.25 type=git`)).toBe(1);
    expect(sampleOf(seconds, `${seconds}_bucket le=2.5 type=git`)).toBe(2);
    expect(sampleOf(seconds, `${seconds}_sum type=git`)).toBe(2.19);
    expect(sampleOf('hardshell_starts_total', 'hardshell_starts_total tier=landlock')).toBe(1);
    expect(sampleOf('hardshell_approvals_total', 'hardshell_approvals_total by=terminal verdict=allow')).toBe(1);
    expect(sampleOf('hardshell_cpu_seconds_total', 'hardshell_cpu_seconds_total mode=user')).toBe(0.06);
    expect(sampleOf('hardshell_violations_total', 'hardshell_violations_total kind=network')).toBe(1);
    expect(sampleOf('hardshell_peak_memory_bytes')).toBe(1000);
  });

  test('labels and help with everything that must be escaped come back as they were', () => {
    const value = 'a"b\\c\nd\\n{}=,é\u2028';
    const text = writeFamilies([
      {
        name: 'x_total',
        help: 'one\\two\nthree "four"',
        type: 'counter',
        samples: [{ labels: { l: value }, value: 1 }],
      },
    ]);
    expect(text.split('\n').length).toBe(4);
    const family = readPrometheus(text).get('x_total');
    expect(family?.help).toBe('one\\two\nthree "four"');
    expect([...(family?.samples ?? [])]).toEqual([[`x_total l=${value}`, 1]]);
  });

  test.each([
    ['a_total 1'],
    ['# HELP a x\n# TYPE a counter\na 1\n'],
    ['# HELP a_total x\n# TYPE a_total counter\na_total{l="\\t"} 1\n'],
    ['# HELP h x\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n'],
    ['# HELP h x\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n'],
  ])('the reader itself refuses %j', (text) => {
    expect(() => readPrometheus(text)).toThrow();
  });
});

describe('a real tool', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'hs-metrics-'));
  const metrics = createMetrics();
  const broker = createBroker();
  const shell = createShell({ broker, observers: [metrics.observer], tasksFolder: join(cwd, 'tasks') });
  beforeAll(async () => {
    await shell.run('echo hello', { cwd });
    await shell.run('cat missing', { cwd });
    await shell.run('rm -rf /', { cwd, assumeYes: true });
    const { task } = await shell.start('echo later', { cwd });
    await (await shell.task(task))?.wait({ timeout: 15_000 });
    // The task is over before its end is reported.
    for (let at = 0; at < 500 && metrics.snapshot().executionStats.totalExecutions < 3; at += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
  });
  afterAll(async () => {
    await shell.close();
    broker.close();
    rmSync(cwd, { recursive: true, force: true });
  });

  test('is counted, with what it took', () => {
    const { executionStats, securityStats, resourceStats, sandboxStats } = metrics.snapshot();
    expect(executionStats).toMatchObject({
      totalExecutions: 3,
      successfulExecutions: 2,
      runningExecutions: 0,
      requests: { exited: 3, denied: 1 },
    });
    expect(executionStats.avgExecutionTime).toBeGreaterThan(0);
    expect(securityStats).toMatchObject({ blockedCommands: 1, verdicts: { deny: 1 } });
    expect(securityStats.avgDecisionTime).toBeGreaterThan(0);
    expect(resourceStats.totalOutputBytes).toBeGreaterThan('hello\nlater\n'.length);
    expect(Object.values(sandboxStats.tiers).reduce((sum, each) => sum + each, 0)).toBe(3);
    expect(sandboxStats.avgStartDelay).toBeGreaterThan(0);
    readPrometheus(metrics.prometheus());
  });
});
