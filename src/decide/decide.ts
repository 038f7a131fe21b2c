// Facts × policy × context → verdict. Pure: the disk is read only through the context's probe.
// Everything that matters becomes a finding, and the strictest finding is the verdict, in any order.

import type { CommandFact, Facts, Reason } from '../core/facts.ts';
import { type Context, originOf, type Policy, userPolicyOf } from '../core/policy.ts';
import {
  byStrictness,
  type Finding,
  type Severity,
  strictest,
  type Verdict,
  type VerdictName,
} from '../core/verdict.ts';
import { answerByConfinement } from './auto/answer.ts';
import type { Subject } from './check.ts';
import { CHECKS } from './checks/table.ts';
import { type Coverage, coverCommands, exactRules } from './coverage.ts';
import { indexChecks, keyOf, runChecks } from './engine.ts';
import { applyMode, effectiveMode, isModeFinding } from './modes.ts';
import { rememberAnswers } from './remembering-probe.ts';
import { neutralisingEnvironment } from './repository/git/git-findings.ts';
import { assessRisk } from './risk.ts';
import { matchRules, type RuleMatch } from './rules/match.ts';
import { suggestRules } from './suggest.ts';

const INDEX = indexChecks(CHECKS);
/** A hostile text can cause thousands; the verdict considers all of them, the list keeps the strictest. */
export const MAX_FINDINGS = 200;

export function decide(facts: Facts, policy: Policy, context: Context): Verdict {
  const subject: Subject = { facts, policy, context: { ...context, probe: rememberAnswers(context.probe) } };
  const mode = effectiveMode(policy);
  const matches = matchRules(subject);
  const exact = exactRules(facts, matches);
  const coverage = coverCommands(subject, matches, exact, mode);
  const uncovered = coverage.flatMap((each, index) => (each === null ? [index] : []));
  const open = isVouchedFor(subject) ? NONE : uncovered;
  const found = [
    ...judgeUser(subject),
    ...matches.flatMap((match) => judgeMatch(match, facts)),
    ...facts.reasons.map(cannotTell),
    ...answer(runChecks(INDEX, subject), exact),
    ...judgeCoverage(subject, coverage, open),
    ...judgeClassification(subject, open),
  ];
  const isReadOnly =
    facts.readOnly || (facts.status === 'understood' && coverage.every((each) => each?.by === 'read-only'));
  const { findings, reliesOn } =
    mode === 'auto' ? answerByConfinement(found, subject, { open, matches }) : { findings: found, reliesOn: NONE };
  const final = applyMode(findings, policy, { mode, isReadOnly });
  const decision = strictest(final.map((finding) => finding.verdict));
  const { risk, score, action } = assessRisk(final, decision, facts);
  return {
    decision,
    risk,
    score,
    action,
    readOnly: isReadOnly,
    findings: mostImportant(final),
    suggestions: canBeAllowed(decision, final) ? suggestRules(subject, uncovered) : NONE,
    environment: decision === 'deny' ? {} : (neutralisingEnvironment(subject) ?? {}),
    reliesOn: decision === 'allow' ? reliesOn : NONE,
  };
}

const NONE: readonly never[] = [];

/** A rule cannot override a refusal by a check; it can override one by the mode. */
function canBeAllowed(verdict: VerdictName, findings: readonly Finding[]): boolean {
  return verdict === 'ask' || (verdict === 'deny' && findings.some(isModeFinding));
}

/** The classifier is sure that the analyzed part may run. */
function isVouchedFor({ context, facts }: Subject): boolean {
  const { classification } = context;
  return facts.status === 'understood' && classification?.behavior === 'allow' && classification.confidence > CERTAIN;
}

function judgeUser({ policy, context }: Subject): Finding[] {
  const { user } = context;
  const hasUsers = Object.keys(policy.users).length > 0;
  if (user === null || !hasUsers || userPolicyOf(policy, user) !== null) return [];
  const message = `The policy lists users, and '${user}' is not one of them.`;
  const instead = 'Add the user, or "*" for everyone else, under "users" in the settings.';
  return [finding('unknown-user', 'users', 'deny', 'high', message, { instead })];
}

function judgeMatch(match: RuleMatch, facts: Facts): Finding[] {
  const { rule } = match;
  if (rule.list === 'allow') return [];
  const name = match.command === null ? null : nameOf(facts.commands[match.command]);
  const what = match.path ?? match.host ?? name ?? 'this command';
  const because = rule.because === null ? '' : ` ${rule.because}`;
  const may = match.isPossible ? `may match the rule ${rule.text} when it runs` : `is matched by the rule ${rule.text}`;
  const verdict = match.isPossible ? 'ask' : rule.list;
  const where = match.how === 'any-words' ? 'Text that cannot be analyzed with certainty' : `\`${what}\``;
  return [
    finding(
      `${rule.list}-rule`,
      'rules',
      verdict,
      verdict === 'deny' ? 'high' : 'medium',
      `${where} ${may}.${because}`,
      {
        instead: `Change the rule in ${rule.origin.file ?? `the ${rule.origin.layer} settings`} if it is no longer wanted.`,
        span: match.span,
        command: match.command,
        rule: originOf(rule),
      },
    ),
  ];
}

function cannotTell({ id, message, span }: Reason): Finding {
  return finding('cannot-tell', 'analysis', 'ask', 'medium', `Cannot determine what would run: ${message} (${id}).`, {
    instead: 'Write the command out with literal words, or split it into separate commands.',
    span,
  });
}

/** A rule for exactly these words answers questions about them; it never overrides a refusal. */
function answer(findings: readonly Finding[], exact: readonly (RuleMatch | null)[]): readonly Finding[] {
  if (exact.length === 0) return findings;
  return findings.map((each) => {
    const rule = each.command === null ? undefined : exact[each.command]?.rule;
    if (each.verdict !== 'ask' || rule === undefined) return each;
    return { ...each, verdict: 'allow', rule: originOf(rule) };
  });
}

function judgeCoverage(subject: Subject, coverage: readonly (Coverage | null)[], open: readonly number[]): Finding[] {
  const { facts } = subject;
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const [index, cover] of coverage.entries()) {
    const command = facts.commands[index] as CommandFact;
    const added = cover === null ? judgeOpen(command, index, open) : judgeCovered(cover, command, index);
    if (added === null || seen.has(keyOf(added))) continue;
    seen.add(keyOf(added));
    findings.push(added);
  }
  if (findings.length > 0 || facts.status !== 'understood') return findings;
  const isEmpty = facts.commands.length === 0;
  const message = isEmpty ? 'Nothing would run.' : 'Every part only reads.';
  return [finding('read-only', 'read-only', 'allow', 'low', message, {})];
}

function judgeOpen(command: CommandFact, index: number, open: readonly number[]): Finding | null {
  if (!open.includes(index)) return null;
  const what = describe(command);
  return finding('no-rule', 'rules', 'ask', severityOf(command), `Nothing allows \`${nameOf(command)}\`: ${what}.`, {
    instead: 'Approve it once, or allow it with a rule.',
    span: command.span,
    command: index,
  });
}

function judgeCovered(cover: Coverage, command: CommandFact, index: number): Finding | null {
  if (cover.by === 'read-only' || cover.by === 'wrapper') return null;
  const at = { span: command.span, command: index };
  const name = `\`${nameOf(command)}\``;
  if (cover.by === 'rule') {
    const { rule } = cover.match;
    const message = `${name} is allowed by the rule ${rule.text}.`;
    return finding('allow-rule', 'rules', 'allow', 'low', message, { ...at, rule: originOf(rule) });
  }
  const why = {
    edits: 'only changes files of the project, and edits are accepted',
    domains: 'only contacts hosts that the policy allows',
    bypass: 'is not asked about in this mode',
  }[cover.by];
  return finding(
    `allowed-${cover.by}`,
    cover.by === 'domains' ? 'rules' : 'mode',
    'allow',
    'low',
    `${name} ${why}.`,
    at,
  );
}

const CERTAIN = 0.9;

/** The classifier counts only if no rule decides; it can refuse, and can approve commands that are fully analyzed. */
function judgeClassification({ context, facts }: Subject, open: readonly number[]): Finding[] {
  const { classification } = context;
  if (classification === null) return [];
  const { behavior, confidence, reason } = classification;
  const because = reason === null ? '' : `: ${reason}`;
  const isOpen = open.length > 0 || facts.status !== 'understood';
  const counts = confidence > CERTAIN && (behavior === 'allow' || isOpen);
  const verdict = counts ? behavior : 'allow';
  const said = `The classifier chose ${behavior} with confidence ${confidence.toFixed(2)}${because}.`;
  return [finding('classifier', 'classifier', verdict, behavior === 'deny' ? 'high' : 'low', said, { confidence })];
}

const SEVERITY_OF_CLASS: Readonly<Record<CommandFact['class'], Severity>> = {
  neutral: 'low',
  list: 'low',
  search: 'low',
  read: 'low',
  network: 'medium',
  write: 'low',
  delete: 'medium',
  execute: 'medium',
  privilege: 'high',
  unknown: 'medium',
};

function severityOf(command: CommandFact): Severity {
  return SEVERITY_OF_CLASS[command.class];
}

function describe(command: CommandFact): string {
  const { effects } = command;
  if (effects.privilege) return 'it runs with different privileges';
  if (effects.unknown.length > 0) return `its effects are unknown (${effects.unknown[0]})`;
  if (effects.deletes.length > 0) return 'it deletes files';
  if (effects.executes.length > 0) return 'it runs code chosen by files or configuration';
  if (effects.writes.length > 0) return 'it changes files';
  if (effects.changes.length > 0) return `it would ${effects.changes[0]}`;
  if (effects.network.length > 0) return 'it contacts hosts';
  if (effects.discloses.length > 0) return 'it prints secrets';
  if (command.elsewhere !== null) return `it runs on another system (${command.elsewhere})`;
  return 'it is not known to be read-only';
}

function nameOf(command: CommandFact | undefined): string {
  if (command === undefined) return 'this command';
  if (command.kind === 'redirect') return 'a redirection';
  const path = command.invocation?.path.join(' ');
  return path ?? command.name ?? 'an unknown command';
}

function finding(
  id: string,
  layer: Finding['layer'],
  verdict: Finding['verdict'],
  severity: Severity,
  message: string,
  more: Partial<Pick<Finding, 'instead' | 'span' | 'command' | 'rule' | 'confidence'>>,
): Finding {
  return {
    id,
    layer,
    verdict,
    severity,
    message,
    instead: null,
    span: null,
    command: null,
    rule: null,
    confidence: null,
    ...more,
  };
}

function mostImportant(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_FINDINGS) return findings;
  return [...findings].sort(byStrictness).slice(0, MAX_FINDINGS);
}
