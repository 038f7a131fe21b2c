// Runs the checks over the facts. Checks that name programs only see those programs, so that a hundred of them stay cheap.

import type { CommandFact, Facts } from '../core/facts.ts';
import type { Policy } from '../core/policy.ts';
import type { Finding, VerdictName } from '../core/verdict.ts';
import type { Check, CommandCheck, Hit, Subject, WholeCheck } from './check.ts';

export interface CheckIndex {
  readonly byName: ReadonlyMap<string, readonly CommandCheck[]>;
  readonly everyCommand: readonly CommandCheck[];
  readonly whole: readonly WholeCheck[];
}

export function indexChecks(checks: readonly Check[]): CheckIndex {
  const byName = new Map<string, CommandCheck[]>();
  const everyCommand: CommandCheck[] = [];
  const whole: WholeCheck[] = [];
  for (const check of checks) {
    if ('inspectWhole' in check) whole.push(check);
    else if (check.names === undefined) everyCommand.push(check);
    else for (const name of check.names) byName.set(name, [...(byName.get(name) ?? []), check]);
  }
  return { byName, everyCommand, whole };
}

export function runChecks(index: CheckIndex, subject: Subject): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  const add = (check: Check, hits: Hit | readonly Hit[] | null, at: number | null): void => {
    if (hits === null) return;
    for (const hit of Array.isArray(hits) ? (hits as readonly Hit[]) : [hits as Hit]) {
      const finding = toFinding(check, hit, at, subject);
      // A loop makes many facts of one text: one finding says it.
      const key = `${finding.id} ${finding.span?.[0]} ${finding.span?.[1]} ${finding.message}`;
      if (seen.has(key)) continue;
      seen.add(key);
      findings.push(finding);
    }
  };
  for (const check of index.whole) add(check, check.inspectWhole(subject), null);
  for (const [at, command] of subject.facts.commands.entries()) {
    for (const check of index.everyCommand) add(check, check.inspect(command, subject), at);
    const named = command.name === null ? undefined : index.byName.get(command.name);
    if (named) for (const check of named) add(check, check.inspect(command, subject), at);
  }
  return findings;
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
  };
}

/** The policy may give a check another verdict; what is critical is at least asked about. */
function overridden(id: string, severity: Finding['severity'], own: VerdictName, policy: Policy): VerdictName {
  const wanted = Object.hasOwn(policy.checks, id) ? policy.checks[id] : undefined;
  if (wanted === undefined) return own;
  return wanted === 'allow' && severity === 'critical' && own !== 'allow' ? 'ask' : wanted;
}

function spanOf(facts: Facts, at: number | null): CommandFact['span'] | null {
  return at === null ? null : (facts.commands[at]?.span ?? null);
}
