// Spans and instruments through the real OpenTelemetry API, with in-memory providers.

import * as api from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ObservedRequest } from '../../src/core/observer.ts';
import { check } from '../../src/host/deciding.ts';
import { type OtelApi, otelObserver, type RunResult } from '../../src/host.ts';

interface KeptSpan {
  readonly name: string;
  readonly attributes: api.Attributes;
  readonly events: string[];
  readonly parent: api.SpanContext | undefined;
  status: api.SpanStatus | null;
  isEnded: boolean;
}

/** The smallest providers that the API accepts. */
class Memory {
  readonly spans: KeptSpan[] = [];
  readonly points: [name: string, value: number, attributes: api.Attributes][] = [];

  readonly tracerProvider: api.TracerProvider = {
    getTracer: () => ({
      startSpan: (name, options = {}, context = api.context.active()) => this.#startSpan(name, options, context),
      startActiveSpan: () => {
        throw new Error('It is not used.');
      },
    }),
  };

  readonly meterProvider: api.MeterProvider = {
    getMeter: () => {
      const keep =
        (name: string) =>
        (value: number, attributes: api.Attributes = {}) =>
          void this.points.push([name, value, attributes]);
      const meter = {
        createCounter: (name: string) => ({ add: keep(name) }),
        createUpDownCounter: (name: string) => ({ add: keep(name) }),
        createHistogram: (name: string) => ({ record: keep(name) }),
      };
      return meter as unknown as api.Meter;
    },
  };

  #startSpan(name: string, { attributes = {} }: api.SpanOptions, context: api.Context): api.Span {
    const parent = api.trace.getSpanContext(context);
    const kept: KeptSpan = { name, attributes: { ...attributes }, events: [], parent, status: null, isEnded: false };
    this.spans.push(kept);
    const span = {
      setAttributes: (more: api.Attributes) => Object.assign(kept.attributes, more) && span,
      addEvent: (event: string) => {
        kept.events.push(event);
        return span;
      },
      setStatus: (status: api.SpanStatus) => {
        kept.status = status;
        return span;
      },
      end: () => {
        if (kept.isEnded) throw new Error('It ended twice.');
        kept.isEnded = true;
      },
    };
    return span as unknown as api.Span;
  }
}

let memory: Memory;
beforeEach(() => {
  memory = new Memory();
  expect(api.trace.setGlobalTracerProvider(memory.tracerProvider)).toBe(true);
  expect(api.metrics.setGlobalMeterProvider(memory.meterProvider)).toBe(true);
});
afterEach(() => {
  api.trace.disable();
  api.metrics.disable();
});

const COMMAND = 'git status --porcelain';
const request: ObservedRequest = {
  task: 'bash-k7mw2q',
  command: COMMAND,
  args: null,
  shell: 'bash',
  cwd: '/secret-project',
  session: 's1',
  user: 'me',
  profile: null,
  isBackground: false,
};

function endOf(more: Partial<RunResult> = {}): RunResult {
  const usage = { wallMs: 250, userMs: 30, systemMs: 10, peakMemoryBytes: 1000, readBytes: 5, writeBytes: 7 };
  const base = { status: 'exited', isError: false, exitCode: 0, signal: null, startedAt: 1, usage, outputBytes: 11 };
  return { ...base, failure: null, ...more } as RunResult;
}

test('a request is one span, with verdict, tier and exit, and without its command', async () => {
  const observer = await otelObserver();
  const judged = check(COMMAND, { cwd: '/secret-project' });
  observer.onVerdict(request, { ...judged, elapsedMs: 3 });
  observer.onAnswer(request, { verdict: 'allow', by: 'mcp', scope: 'once', rule: null, reason: null, at: 1 });
  const enforcement = { tier: 'landlock', held: [], missing: [], reported: [] } as const;
  observer.onStart(request, { pid: 7, at: 1, enforcement, sandboxMs: 4, withheld: [] });
  observer.onViolation(request, {
    kind: 'file',
    operation: 'write',
    target: '/etc/shadow',
    rule: '',
    instead: '',
  });
  expect(memory.spans[0]?.isEnded).toBe(false);
  observer.onEnd(request, endOf());
  expect(memory.spans.length).toBe(1);
  expect(memory.spans[0]).toMatchObject({
    name: 'hardshell.request',
    isEnded: true,
    status: null,
    events: ['verdict', 'answer', 'start', 'violation'],
    attributes: {
      'hardshell.task': 'bash-k7mw2q',
      'hardshell.session': 's1',
      'hardshell.verdict': judged.verdict.decision,
      'hardshell.risk': judged.verdict.risk,
      'hardshell.tier': 'landlock',
      'hardshell.answer.by': 'mcp',
      'hardshell.status': 'exited',
      'hardshell.command.type': 'git',
      'process.exit.code': 0,
    },
  });
  expect(memory.points).toEqual([
    ['hardshell.verdicts', 1, { verdict: judged.verdict.decision, risk: judged.verdict.risk }],
    ['hardshell.decision.duration', 0.003, {}],
    ['hardshell.approval.duration', expect.any(Number), { verdict: 'allow', by: 'mcp' }],
    ['hardshell.running', 1, {}],
    ['hardshell.sandbox.creation.duration', 0.004, { tier: 'landlock' }],
    ['hardshell.violations', 1, { kind: 'file' }],
    ['hardshell.requests', 1, { status: 'exited' }],
    ['hardshell.running', -1, {}],
    ['hardshell.output', 11, {}],
    ['hardshell.execution.duration', 0.25, { type: 'git', outcome: 'succeeded' }],
  ]);
  const all = JSON.stringify([memory.spans, memory.points]);
  for (const text of ['porcelain', 'secret-project', '/etc/shadow']) expect(all).not.toContain(text);
});

test('the command is there when it is asked for, without its secrets', async () => {
  const observer = await otelObserver({ withCommand: true, environment: { API_TOKEN: 'wIbbLe-48151623' } });
  const command = 'curl -H "Authorization: Bearer hunter2hunter2" https://a.example/wIbbLe-48151623';
  observer.onVerdict({ ...request, command }, check(command, { cwd: '/w' }));
  const said = memory.spans[0]?.attributes['process.command_line'];
  expect(said).toContain('curl -H');
  expect(said).not.toContain('hunter2');
  expect(said).not.toContain('wIbbLe');
});

test('the span hangs under the one that is active', async () => {
  const observer = await otelObserver();
  const parent = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 };
  const context = api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
  const manager = {
    active: () => context,
    with: () => {},
    bind: (_: unknown, target: unknown) => target,
    enable: () => manager,
    disable: () => manager,
  };
  api.context.setGlobalContextManager(manager as unknown as api.ContextManager);
  try {
    observer.onVerdict(request, check(COMMAND, { cwd: '/w' }));
  } finally {
    api.context.disable();
  }
  expect(memory.spans[0]?.parent).toEqual(parent);
});

describe('how it ends', () => {
  test.each<[string, Partial<RunResult>, string | null]>([
    ['an error of the command', { isError: true, exitCode: 2 }, 'exited'],
    ['a time limit', { isError: true, status: 'timed-out', exitCode: null, signal: 'SIGTERM' }, 'timed-out'],
    ['a refusal, which is no error', { isError: true, status: 'denied', startedAt: null, usage: null }, null],
    ['a success', {}, null],
  ])('%s', async (_, more, message) => {
    const observer = await otelObserver();
    observer.onVerdict(request, check(COMMAND, { cwd: '/w' }));
    observer.onEnd({ ...request }, endOf(more));
    observer.onEnd(request, endOf(more));
    const status = memory.spans[0]?.status ?? null;
    expect(status).toEqual(message === null ? null : { code: api.SpanStatusCode.ERROR, message });
    expect(memory.spans[0]?.isEnded).toBe(true);
  });

  test('a task keeps its span until it has ended, and ends it once', async () => {
    const observer = await otelObserver();
    observer.onVerdict(request, check(COMMAND, { cwd: '/w' }));
    observer.onEnd(request, endOf({ status: 'running', usage: null, exitCode: null }));
    expect(memory.spans[0]?.isEnded).toBe(false);
    observer.onEnd(request, endOf());
    observer.onEnd(request, endOf());
    expect(memory.spans[0]).toMatchObject({ isEnded: true, attributes: { 'hardshell.status': 'exited' } });
  });
});

test('an API that is given is used as it is', async () => {
  const observer = await otelObserver({ api });
  observer.onVerdict(request, check(COMMAND, { cwd: '/w' }));
  expect(memory.spans.length).toBe(1);
});

test('where the API is not installed, nothing happens', async () => {
  vi.doMock('@opentelemetry/api', () => {
    throw new Error('It is not installed.');
  });
  try {
    const observer = await otelObserver();
    observer.onVerdict(request, check(COMMAND, { cwd: '/w' }));
    observer.onEnd(request, endOf());
    expect(memory.spans).toEqual([]);
    expect(memory.points).toEqual([]);
  } finally {
    vi.doUnmock('@opentelemetry/api');
  }
});

test('a provider that throws stops no command, and is reported', async () => {
  const problems: unknown[] = [];
  const broken = {
    trace: {
      getTracer: () => ({
        startSpan: () => {
          throw new Error('broken');
        },
      }),
    },
    metrics: memory.meterProvider,
    SpanStatusCode: api.SpanStatusCode,
  } as unknown as OtelApi;
  const observer = await otelObserver({ api: broken, onProblem: (error) => problems.push(error) });
  observer.onVerdict(request, check(COMMAND, { cwd: '/w' }));
  expect(problems).toMatchObject([{ message: 'broken' }]);
});
