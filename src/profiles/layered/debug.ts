// Analysis, verdict and events → LAYER's `debug_info`: parsing, security checks, timeline.

import type { CommandFact, Facts } from '../../core/facts.ts';
import type { ShellEvent } from '../../core/running.ts';
import type { Finding, Layer, Severity, Verdict } from '../../core/verdict.ts';
import { tokenize } from '../../parse/script.ts';
import type { Token } from '../../parse/tokens.ts';
import type { Fields } from '../shared/input.ts';

/** `ParsedCommand`. */
export function parsedCommand(facts: Facts, verdict: Verdict): Fields {
  return {
    originalCommand: facts.command,
    tokens: tokenize(facts.command).map((token) => tokenOf(token, facts)),
    ast: {
      type: new Set(facts.commands.map(({ pipeline }) => pipeline)).size > 1 ? 'list' : 'pipeline',
      commands: facts.commands.map(astOf),
    },
    securityAnalysis: {
      riskLevel: verdict.risk,
      status: facts.status,
      reasons: facts.reasons.map(({ id, message }) => ({ id, message })),
      findings: verdict.findings.map(({ id, severity, message }) => ({ id, severity, message })),
    },
    executionPlan: facts.commands.map(({ argv, via, cwd, class: kind }) => ({
      command: argv.map((word) => word ?? '…'),
      via: [...via],
      cwd: cwd === null ? null : [...cwd],
      class: kind,
    })),
    isSecure: verdict.risk === 'low',
  };
}

function tokenOf({ kind, text, start }: Token, facts: Facts): Fields {
  const quote = /^["']/.exec(text)?.[0];
  const value = { value: text, ...(quote === undefined ? {} : { quoted: true, quoteType: quote }) };
  if (kind === 'syntax' || kind === 'redirect') return { type: 'operator', ...value };
  if (quote !== undefined || kind === 'heredoc-body') return { type: 'string', ...value };
  if (kind === 'assignment' || text.startsWith('$')) return { type: 'variable', ...value };
  if (kind === 'comment') return { type: 'comment', ...value };
  if (facts.commands.some(({ words }) => words[0]?.span[0] === start)) return { type: 'command', ...value };
  if (text.startsWith('-')) return { type: 'option', ...value };
  return { type: /[/\\]/.test(text) ? 'path' : 'argument', ...value };
}

function astOf({ name, argv, invocation, redirects }: CommandFact): Fields {
  const options = [...(invocation?.leading ?? []), ...(invocation?.options ?? [])];
  return {
    name: name ?? '…',
    args: argv.slice(1).map((word) => word ?? '…'),
    options: Object.fromEntries(options.map(({ names, value }) => [names[0] ?? '', value ?? true])),
    redirections: redirects.map(({ operator, target }) => ({
      operator,
      target: target?.kind === 'literal' ? target.value : null,
    })),
  };
}

/** The document's five checks, in its order, and the findings that each collects. */
const CHECKS: readonly (readonly [check: string, type: string, layers: readonly Layer[]])[] = [
  ['whitelist_check', 'command_whitelist', ['rules', 'lists', 'users', 'mode', 'read-only', 'classifier']],
  ['dangerous_ops_check', 'dangerous_operations', ['safety', 'threats', 'warnings']],
  ['path_security_check', 'path_security', ['paths', 'repository']],
  ['injection_check', 'injection', ['confusion', 'analysis']],
];

/** `SecurityValidationResult` for each check. `limitPassed`: the limit that the command exceeded. */
export function securityChecks(verdict: Verdict, isAllowed: boolean, limitPassed: string | null): readonly Fields[] {
  const checks = CHECKS.map(([blockedBy, checkType, layers]) => {
    const findings = verdict.findings.filter(({ layer }) => layers.includes(layer));
    const against = isAllowed
      ? []
      : findings.filter((finding) => finding.verdict === verdict.decision && verdict.decision !== 'allow');
    return checkOf(blockedBy, checkType, findings, against);
  });
  const resource = {
    allowed: limitPassed === null,
    reason: limitPassed ?? 'All security checks passed',
    ...(limitPassed === null ? {} : { blockedBy: 'resource_access_check' }),
    riskLevel: limitPassed === null ? 'low' : 'medium',
    validationResults: [
      { passed: limitPassed === null, checkType: 'resource_access', details: limitPassed ?? 'No limit was exceeded' },
    ],
  };
  return [...checks, resource];
}

function checkOf(
  blockedBy: string,
  checkType: string,
  findings: readonly Finding[],
  against: readonly Finding[],
): Fields {
  const [first] = against;
  const risks: Severity[] = (against.length > 0 ? against : []).map(({ severity }) => severity);
  return {
    allowed: first === undefined,
    reason: first?.message ?? 'All security checks passed',
    ...(first === undefined ? {} : { blockedBy }),
    riskLevel: highest(risks),
    validationResults:
      findings.length === 0
        ? [{ passed: true, checkType, details: 'No findings' }]
        : findings.map((finding) => ({
            passed: !against.includes(finding),
            checkType,
            details: finding.message,
            matchedPattern: finding.id,
          })),
  };
}

function highest(risks: readonly Severity[]): Severity {
  for (const risk of ['critical', 'high', 'medium'] as const) if (risks.includes(risk)) return risk;
  return 'low';
}

/** `ExecutionEvent`: all events except text, each with its time. */
export class Timeline {
  readonly #events: Fields[] = [];

  add(type: string, timestamp: number, data: Fields = {}): void {
    this.#events.push({ type, timestamp, ...data });
  }

  hear(event: ShellEvent): void {
    switch (event.type) {
      case 'status':
        return this.add(event.status, event.time, event.pid === null ? {} : { pid: event.pid });
      case 'resource': {
        const { elapsedMs, cpuPercent, memoryBytes, processes, outputBytes } = event;
        return this.add('resource_update', event.time, { elapsedMs, cpuPercent, memoryBytes, processes, outputBytes });
      }
      case 'violation': {
        const { kind, operation, target, rule } = event;
        return this.add('violation', event.time, { kind, operation, target, rule });
      }
      case 'error':
        return this.add('error', event.time, { message: event.message });
      case 'stdout':
      case 'stderr':
        // Only the first piece of each stream is an event; the rest is in the output.
        if (!this.#events.some(({ type }) => type === `first_${event.type}`))
          this.add(`first_${event.type}`, event.time);
        return;
    }
  }

  events(): readonly Fields[] {
    return [...this.#events];
  }
}
