// The activity of a shell tool → a span for each request and the instruments of a meter, through the OpenTelemetry API.
// Does not reveal commands, unless configured; does nothing if the API is not installed.

import type { ObservedRequest, ShellObserver } from '../../../core/observer.ts';
import type { RunResult } from '../../../core/running.ts';
import { createRedactor } from '../../redact/redactor.ts';
import { classifyCommand } from '../command-type.ts';
import { harmless } from '../harmless.ts';
import { classifyOutcome } from '../registry.ts';
import { loadOtelApi, type OtelApi, type OtelAttributes, type OtelMeter, type OtelSpan } from './api.ts';

export interface OtelOptions {
  /** Instead of the installed `@opentelemetry/api`. */
  readonly api?: OtelApi;
  /** Spans contain the command, without secrets, and its folder. Default false. */
  readonly withCommand?: boolean;
  /** Whose secret values are removed. Default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly onProblem?: (error: unknown) => void;
}

interface Traced {
  readonly span: OtelSpan;
  type: string;
  decidedAt: number;
  isStarted: boolean;
  isOver: boolean;
}

const SCOPE = 'hardshell';

/** Create it after the SDK was registered: meters created earlier record nothing. */
export async function otelObserver(options: OtelOptions = {}): Promise<Required<ShellObserver>> {
  const api = options.api ?? (await loadOtelApi());
  return harmless(api === null ? {} : createObserver(api, options), options.onProblem);
}

function createObserver(api: OtelApi, { withCommand = false, environment = process.env }: OtelOptions): ShellObserver {
  const tracer = api.trace.getTracer(SCOPE);
  const instruments = createInstruments(api.metrics.getMeter(SCOPE));
  const redactor = createRedactor(environment);
  const traced = new WeakMap<ObservedRequest, Traced>();

  const begin = (request: ObservedRequest): Traced => {
    const known = traced.get(request);
    if (known !== undefined) return known;
    const { task, session, profile, isBackground, command, cwd } = request;
    const attributes: OtelAttributes = { 'hardshell.task': task, 'hardshell.background': isBackground };
    if (session !== null) attributes['hardshell.session'] = session;
    if (profile !== null) attributes['hardshell.profile'] = profile;
    if (withCommand) {
      attributes['process.command_line'] = redactor.text(command);
      attributes['process.working_directory'] = redactor.text(cwd);
    }
    const span = tracer.startSpan('hardshell.request', { attributes });
    const flight = { span, type: 'other', decidedAt: performance.now(), isStarted: false, isOver: false };
    traced.set(request, flight);
    return flight;
  };

  return {
    onVerdict(request, { facts, verdict, elapsedMs }) {
      const flight = begin(request);
      flight.type = classifyCommand(facts, new Set());
      flight.decidedAt = performance.now();
      const { decision: said, risk, score, findings } = verdict;
      flight.span.setAttributes({
        'hardshell.verdict': said,
        'hardshell.risk': risk,
        'hardshell.score': score,
        'hardshell.command.type': flight.type,
        'hardshell.command.class': facts.class,
        'hardshell.findings': [...new Set(findings.map(({ id }) => id))],
      });
      flight.span.addEvent('verdict', { 'hardshell.verdict': said });
      instruments.verdicts.add(1, { verdict: said, risk });
      if (elapsedMs !== undefined) instruments.decisions.record(elapsedMs / 1000);
    },
    onAnswer(request, { verdict, by, scope }) {
      const flight = begin(request);
      const now = performance.now();
      flight.span.addEvent('answer', { 'hardshell.answer': verdict, 'hardshell.answer.by': by });
      flight.span.setAttributes({ 'hardshell.answer': verdict, 'hardshell.answer.by': by, 'hardshell.scope': scope });
      instruments.approvals.record((now - flight.decidedAt) / 1000, { verdict, by });
      flight.decidedAt = now;
    },
    onStart(request, { pid, enforcement, sandboxMs }) {
      const flight = begin(request);
      const tier = enforcement?.tier ?? 'none';
      flight.span.setAttributes({ 'process.pid': pid, 'hardshell.tier': tier });
      flight.span.addEvent('start', { 'hardshell.tier': tier });
      if (!flight.isStarted) instruments.running.add(1);
      flight.isStarted = true;
      if (sandboxMs !== undefined && tier !== 'none') instruments.creations.record(sandboxMs / 1000, { tier });
    },
    onViolation(request, { kind, operation }) {
      begin(request).span.addEvent('violation', { kind, operation });
      instruments.violations.add(1, { kind });
    },
    onOperation(request, { operation }) {
      begin(request).span.addEvent('operation', { operation });
    },
    onEnd(request, result) {
      const flight = begin(request);
      if (result.status === 'running') return void flight.span.addEvent('goes on as a task');
      if (flight.isOver) return;
      flight.isOver = true;
      describeEnd(flight.span, result, api.SpanStatusCode.ERROR);
      flight.span.end();
      instruments.requests.add(1, { status: result.status });
      if (!flight.isStarted) return;
      instruments.running.add(-1);
      instruments.output.add(result.outputBytes);
      if (result.usage !== null)
        instruments.executions.record(result.usage.wallMs / 1000, {
          type: flight.type,
          outcome: classifyOutcome(result),
        });
    },
  };
}

function describeEnd(span: OtelSpan, result: RunResult, error: number): void {
  const { status, exitCode, signal, usage, outputBytes, failure, isError } = result;
  const attributes: OtelAttributes = { 'hardshell.status': status, 'hardshell.output.bytes': outputBytes };
  if (exitCode !== null) attributes['process.exit.code'] = exitCode;
  if (signal !== null) attributes['hardshell.signal'] = signal;
  if (failure !== null) attributes['error.type'] = failure.type;
  if (usage !== null) {
    const { userMs, systemMs } = usage;
    if (userMs !== null && systemMs !== null) attributes['hardshell.cpu.ms'] = userMs + systemMs;
    if (usage.peakMemoryBytes !== null) attributes['hardshell.memory.peak.bytes'] = usage.peakMemoryBytes;
  }
  span.setAttributes(attributes);
  // A refusal is intended. The failure's own message may contain file names or parts of the command.
  if (isError && status !== 'denied') span.setStatus({ code: error, message: failure?.type ?? status });
}

function createInstruments(meter: OtelMeter) {
  const seconds = (description: string) => ({ description, unit: 's' });
  return {
    requests: meter.createCounter('hardshell.requests', { description: 'Requests that have ended.' }),
    verdicts: meter.createCounter('hardshell.verdicts', { description: 'Verdicts on commands.' }),
    violations: meter.createCounter('hardshell.violations', { description: 'Sandbox violations.' }),
    output: meter.createCounter('hardshell.output', { description: 'Output of commands.', unit: 'By' }),
    running: meter.createUpDownCounter('hardshell.running', { description: 'Currently running commands.' }),
    executions: meter.createHistogram('hardshell.execution.duration', seconds('How long commands ran.')),
    decisions: meter.createHistogram('hardshell.decision.duration', seconds('How long deciding took.')),
    approvals: meter.createHistogram('hardshell.approval.duration', seconds('How long answers took.')),
    creations: meter.createHistogram('hardshell.sandbox.creation.duration', seconds('How long setting it up took.')),
  };
}
