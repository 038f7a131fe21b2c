// Runs the checks over the facts. Checks that name programs only see those programs, so a hundred checks stay cheap.

import type { CommandFact, Facts } from '../core/facts.ts';
import type { Policy } from '../core/policy.ts';
import type { Finding, VerdictName } from '../core/verdict.ts';
import { type Check, type CommandCheck, type Hit, type Subject, TOUCHES, type WholeCheck } from './check.ts';

export interface CheckIndex {
  /** Those that name the programs that they are about. */
  readonly named: readonly CommandCheck[];
  /** By the name of a program: one list for each that some check names, made when it first occurs. */
  readonly byName: Map<string, readonly CommandCheck[]>;
  readonly everyCommand: readonly CommandCheck[];
  /** By the effects of a command: one list for each combination, created when it first occurs. */
  readonly byTouch: Map<number, readonly CommandCheck[]>;
  readonly whole: readonly WholeCheck[];
}

export function indexChecks(checks: readonly Check[]): CheckIndex {
  const named: CommandCheck[] = [];
  const everyCommand: CommandCheck[] = [];
  const whole: WholeCheck[] = [];
  for (const check of checks) {
    if ('inspectWhole' in check) whole.push(check);
    else if (check.names === undefined) everyCommand.push(check);
    else named.push(check);
  }
  return { named, byName: new Map(), everyCommand, byTouch: new Map(), whole };
}

function checksAbout(index: CheckIndex, name: string): readonly CommandCheck[] {
  let checks = index.byName.get(name);
  if (checks === undefined) {
    checks = index.named.filter(({ names }) => names?.includes(name));
    // Names that no check knows are not kept: there is no end of them.
    if (checks.length > 0) index.byName.set(name, checks);
  }
  return checks;
}

function touchOf({ effects, redirects }: CommandFact): number {
  return (
    (effects.reads.length > 0 ? 1 : 0) |
    (effects.writes.length > 0 ? 2 : 0) |
    (effects.deletes.length > 0 ? 4 : 0) |
    (effects.executes.length > 0 ? 8 : 0) |
    (redirects.length > 0 ? 16 : 0)
  );
}

function checksFor(index: CheckIndex, command: CommandFact): readonly CommandCheck[] {
  const touch = touchOf(command);
  let checks = index.byTouch.get(touch);
  if (checks === undefined) {
    checks = index.everyCommand.filter(
      ({ touches }) => touches === undefined || touches.some((each) => (touch >> TOUCHES.indexOf(each)) & 1),
    );
    index.byTouch.set(touch, checks);
  }
  return checks;
}

export function runChecks(index: CheckIndex, subject: Subject): Finding[] {
  const collected = new Collected(subject);
  for (const check of index.whole) {
    const hits = check.inspectWhole(subject);
    if (hits !== null) collected.add(check, hits, null);
  }
  const { commands } = subject.facts;
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at] as CommandFact;
    for (const check of checksFor(index, command)) {
      const hits = check.inspect(command, subject);
      if (hits !== null) collected.add(check, hits, at);
    }
    if (command.name === null) continue;
    for (const check of checksAbout(index, command.name)) {
      const hits = check.inspect(command, subject);
      if (hits !== null) collected.add(check, hits, at);
    }
  }
  return collected.findings;
}

/** A loop makes many facts of one text: one finding is enough. */
export function keyOf({ id, span, message }: Finding): string {
  return `${id} ${span?.[0]} ${span?.[1]} ${message}`;
}

class Collected {
  readonly findings: Finding[] = [];
  readonly #seen = new Set<string>();
  readonly #subject: Subject;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  add(check: Check, hits: Hit | readonly Hit[], at: number | null): void {
    for (const hit of Array.isArray(hits) ? (hits as readonly Hit[]) : [hits as Hit]) {
      const finding = toFinding(check, hit, at, this.#subject);
      const key = keyOf(finding);
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      this.findings.push(finding);
    }
  }
}

function toFinding(check: Check, hit: Hit, at: number | null, { facts, policy }: Subject): Finding {
  const severity = hit.severity ?? check.severity;
  return {
    id: check.id,
    layer: check.layer,
    verdict: overridden(check.id, severity, hit.verdict ?? check.verdict, policy),
    severity,
    message: hit.message ?? check.message,
    instead: hit.instead ?? check.instead,
    span: hit.span === undefined ? spanOf(facts, at) : hit.span,
    command: at,
    rule: null,
    confidence: hit.confidence ?? null,
    ...(hit.entry === undefined ? {} : { entry: hit.entry }),
    ...(hit.threat === undefined ? {} : { threat: hit.threat }),
  };
}

/** The policy can change the verdict of a check; critical findings are at least asked about. */
function overridden(id: string, severity: Finding['severity'], own: VerdictName, policy: Policy): VerdictName {
  const wanted = Object.hasOwn(policy.checks, id) ? policy.checks[id] : undefined;
  if (wanted === undefined) return own;
  return wanted === 'allow' && severity === 'critical' && own !== 'allow' ? 'ask' : wanted;
}

function spanOf(facts: Facts, at: number | null): CommandFact['span'] | null {
  return at === null ? null : (facts.commands[at]?.span ?? null);
}
