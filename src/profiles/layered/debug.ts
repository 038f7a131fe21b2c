// Analysis, verdict and events → LAYER's `debug_info`: parsing and timeline.

import type { CommandFact, Facts } from '../../core/facts.ts';
import type { ShellEvent } from '../../core/running.ts';
import type { Severity, Verdict } from '../../core/verdict.ts';
import { parse, tokenize } from '../../parse/script.ts';
import type { Token } from '../../parse/tokens.ts';
import type { Fields } from '../shared/input.ts';
import { usageOf } from './resource-usage.ts';
import { analyzeThreats } from './threat-analysis.ts';

/** `ParsedCommand`. */
export function parsedCommand(facts: Facts, verdict: Verdict, riskLevel: Severity): Fields {
  return {
    originalCommand: facts.command,
    tokens: tokenize(facts.command).map((token) => tokenOf(token, facts)),
    ast: {
      type: findAstType(facts.command),
      commands: facts.commands.map(astOf),
    },
    securityAnalysis: {
      riskLevel,
      status: facts.status,
      reasons: facts.reasons.map(({ id, message }) => ({ id, message })),
      findings: verdict.findings.map(({ id, severity, message }) => ({ id, severity, message })),
      threatAnalysis: analyzeThreats(verdict),
    },
    executionPlan: facts.commands.map(({ argv, via, cwd, class: kind }) => ({
      command: argv.map((word) => word ?? '…'),
      via: [...via],
      cwd: cwd === null ? null : [...cwd],
      class: kind,
    })),
    isSecure: riskLevel === 'low',
  };
}

/** The document has only pipelines; `compound` is a group, a condition, a loop or a function. */
function findAstType(command: string): 'pipeline' | 'list' | 'compound' | 'unknown' {
  const statements = parse(command).script?.commands ?? [];
  const [first] = statements;
  if (first === undefined) return 'unknown';
  const { type } = first.command;
  if (statements.length > 1 || type === 'AndOr') return 'list';
  return type === 'Command' || type === 'Pipeline' ? 'pipeline' : 'compound';
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

/** `ExecutionEvent`: all events except text, each with its time. */
export class Timeline {
  readonly #events: Fields[] = [];
  readonly #isMonitored: boolean;

  /** Without monitoring it has no resource updates. */
  constructor({ isMonitored = true }: { readonly isMonitored?: boolean } = {}) {
    this.#isMonitored = isMonitored;
  }

  add(type: string, timestamp: number, data: Fields = {}): void {
    this.#events.push({ type, timestamp, ...data });
  }

  hear(event: ShellEvent): void {
    switch (event.type) {
      case 'status':
        return this.add(event.status, event.time, event.pid === null ? {} : { pid: event.pid });
      case 'resource':
        if (this.#isMonitored) this.add('resource_update', event.time, { ...usageOf(event) });
        return;
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
