// Terms → permission: the verdict on the command, and the user's answer.
// The command is analyzed once, and checked again when time has passed. A question without an answer is a no.

import { analyze } from '../analyze/analyze.ts';
import type { Broker } from '../approve/broker.ts';
import { isStricterStaging } from '../config/layers/keys.ts';
import type { Answer } from '../core/approval.ts';
import type { Facts } from '../core/facts.ts';
import type { Context, MissingReliance, PolicyRule, ThreatOutcome, ThreatRule } from '../core/policy.ts';
import type { Probe } from '../core/probe.ts';
import type { Permission } from '../core/running.ts';
import { VERDICTS, type Verdict } from '../core/verdict.ts';
import { type NamedPaths, namedPaths, pathsNamedByRules } from '../decide/paths/named-paths.ts';
import { stagingOfRules } from '../decide/rules/staging.ts';
import { judgeInside } from '../sandbox/inside.ts';
import { judgeWidening } from '../sandbox/managed.ts';
import { judgeLeaving } from '../sandbox/outside.ts';
import { judgeProtectedWrites } from '../sandbox/protected-writes.ts';
import { promiseOf } from '../sandbox/reliance.ts';
import type { Terms } from '../terms/terms.ts';
import {
  askIfNeeded,
  type CheckResult,
  type Classifier,
  contextHere,
  decideFor,
  rememberedDisk,
  withThreats,
} from './check.ts';

/** An analyzed command: its terms, its facts, and who may be asked about it. */
export interface AnalyzedCommand {
  readonly terms: Terms;
  readonly facts: Facts;
  readonly broker: Pick<Broker, 'ask' | 'grants'>;
  readonly classifier: Classifier | undefined;
  /** How long the analysis took. */
  readonly analyzeMs: number;
  /** Results of slow threat rules. */
  readonly threats?: ReadonlyMap<ThreatRule, ThreatOutcome>;
  /** What the sandbox turned out not to hold when it was about to run. */
  readonly unheld?: readonly MissingReliance[];
}

export interface WhoAnswers {
  readonly broker: Pick<Broker, 'ask' | 'grants'>;
  readonly classifier?: Classifier | undefined;
}

export function understand(terms: Terms, { broker, classifier }: WhoAnswers): AnalyzedCommand {
  const { text, cwd, shell, homeSeen, questions } = terms;
  const began = performance.now();
  const facts = analyze(text, { cwd, shell, variables: homeSeen === null ? {} : { HOME: homeSeen } });
  return {
    terms: withRuleStaging(terms, facts),
    facts,
    broker: questions.isYesAssumed ? { ask: sayYes, grants: (session) => broker.grants(session) } : broker,
    classifier: questions.canClassify ? classifier : undefined,
    analyzeMs: performance.now() - began,
  };
}

/** A rule can make it stricter, for the commands that it matches. */
function withRuleStaging(terms: Terms, facts: Facts): Terms {
  const { policy, staging } = terms;
  if (!policy.rules.some((rule) => rule.staging !== undefined)) return terms;
  const asked = stagingOfRules({ facts, policy, context: contextOf({ terms, facts }, []) });
  return isStricterStaging(staging.mode, asked) ? terms : { ...terms, staging: { ...staging, mode: asked } };
}

/** Reached only with `ask`: a denied command is not asked about. */
async function sayYes(): Promise<Answer> {
  const reason = 'The caller approved it in advance.';
  return { verdict: 'allow', by: 'caller', scope: 'once', rule: null, reason, at: Date.now() };
}

/** Before a command runs, slow threat rules are awaited. */
export async function hearRules(analyzed: AnalyzedCommand): Promise<AnalyzedCommand> {
  const { threats } = await withThreats(analyzed.facts, analyzed.terms.policy, contextOf(analyzed, []));
  return threats === undefined ? analyzed : { ...analyzed, threats };
}

export interface CheckedCommand extends CheckResult {
  /** The disk as it was: a yes opens only what the user was shown. */
  readonly disk: Probe;
  readonly elapsedMs: number;
}

/** The current state: grants of the session in the meantime count, and so do changes on disk. */
export function checkNow(analyzed: AnalyzedCommand): CheckedCommand {
  const { terms, facts, analyzeMs } = analyzed;
  const began = performance.now();
  const disk = rememberedDisk();
  const decided = decideFor(facts, terms.policy, { ...contextOf(analyzed, grantsOf(analyzed)), probe: disk });
  const usable = terms.questions.canKeepAnswers ? decided : { ...decided, suggestions: [] };
  const widened = judgeProtectedWrites(judgeWidening(judgeLeaving(usable, terms), terms), terms);
  const verdict = judgeInside(widened, facts, terms);
  return { facts, verdict, disk, elapsedMs: analyzeMs + performance.now() - began };
}

function contextOf(
  analyzed: Pick<AnalyzedCommand, 'terms' | 'facts' | 'threats' | 'unheld'>,
  grants: readonly PolicyRule[],
): Context {
  const { terms, facts, threats, unheld = [] } = analyzed;
  const { cwd, originalCwd, home, user, policy } = terms;
  const heard = threats === undefined ? {} : { threats };
  const held = policy.mode === 'auto' ? { confinement: promiseOf(terms, facts, unheld) } : {};
  return contextHere(cwd, { canSetEnvironment: true, project: originalCwd, home, user, grants, ...heard, ...held });
}

function grantsOf({ terms, broker }: AnalyzedCommand): readonly PolicyRule[] {
  return terms.session === null || !terms.questions.canKeepAnswers ? [] : broker.grants(terms.session);
}

export interface RunPermission extends Permission {
  /** Paths that the command names, as they were before the user approved it; `null` if no one was asked. */
  readonly named: NamedPaths | null;
}

export async function permit(
  analyzed: AnalyzedCommand,
  checked: CheckedCommand,
  onAsk: () => void,
): Promise<RunPermission> {
  const { terms, broker, classifier } = analyzed;
  const { facts, verdict, disk } = checked;
  const { text: command, policy, session, profile, caller, description, signal } = terms;
  const context = contextOf(analyzed, []);
  // A link that is changed after the answer opens nothing else.
  const named = verdict.decision === 'ask' ? namedPaths({ facts, policy, context: { ...context, probe: disk } }) : null;
  const who = { session, profile, caller, description, signal, timeoutMs: terms.questions.timeoutMs };
  const asking = { command, policy, context, broker, classifier, ...who, onAsk };
  const permission = await askIfNeeded({ facts, verdict }, asking);
  return { ...permission, named: permission.answer?.verdict === 'allow' ? named : null };
}

/** For learning, an approval lets the command run, but opens neither the paths nor the hosts that it names. */
export function whatIsOpened(permission: RunPermission, by: { readonly doesApprovalOpen: boolean }): RunPermission {
  if (by.doesApprovalOpen || permission.answer === null) return permission;
  const { facts } = permission;
  const network = facts.effects.network.map((effect) => ({ ...effect, host: null }));
  return { ...permission, named: null, facts: { ...facts, effects: { ...facts.effects, network } } };
}

/** Paths that allow rules name: such a rule is as good as a user's yes, for exactly these paths. */
export function namedByRules(analyzed: AnalyzedCommand): NamedPaths {
  const { facts, terms } = analyzed;
  return pathsNamedByRules({ facts, policy: terms.policy, context: contextOf(analyzed, grantsOf(analyzed)) });
}

/** Whether an approval of `before` still applies: no finding is stricter now, and there is no new one. */
export function isCoveredBy(now: Verdict, before: Verdict): boolean {
  const known = new Set(before.findings.map(({ id, verdict, message }) => `${id} ${verdict} ${message}`));
  return (
    VERDICTS.indexOf(now.decision) <= VERDICTS.indexOf(before.decision) &&
    now.findings.every(({ id, verdict, message }) => verdict === 'allow' || known.has(`${id} ${verdict} ${message}`))
  );
}
