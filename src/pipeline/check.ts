// One command without running it: parse → analyze → decide, then the classifier and the broker if approval is needed.
// Here the pure stages meet the disk and the clock.

import { tmpdir } from 'node:os';
import { type AnalyzeOptions, analyze } from '../analyze/analyze.ts';
import type { Broker } from '../approve/broker.ts';
import { DEFAULT_CONTEXT, DEFAULT_POLICY } from '../core/default-policy.ts';
import { HardshellError } from '../core/errors.ts';
import type { Facts } from '../core/facts.ts';
import {
  type Check,
  type ChecksOf,
  callback,
  checkOptions,
  objectWith,
  signal,
  text,
  unchecked,
} from '../core/option-checks.ts';
import type { Classification, Context, Policy, PolicyRule } from '../core/policy.ts';
import type { Probe } from '../core/probe.ts';
import type { ProfileName } from '../core/profile-names.ts';
import type { Permission } from '../core/running.ts';
import { defined } from '../core/values/defined.ts';
import { type SettingsLayer, stricterOf, VERDICTS, type Verdict } from '../core/verdict.ts';
import { decide } from '../decide/decide.ts';
import { rememberAnswers } from '../decide/remembering-probe.ts';
import { parseRule } from '../decide/rules/patterns/grammar.ts';
import { createDiskProbe } from '../local/disk.ts';
import { nameWarnings } from '../profiles/claude-code/wording.ts';
import { currentFolder } from '../terms/current-folder.ts';
import { thisMachine } from '../terms/machine.ts';
import { loadPolicyFor, withProfile } from '../terms/policy.ts';
import { previewEdits } from './edit-previews.ts';
import { CHECK_REQUEST } from './policy-check.ts';
import { hearThreatRules } from './threats/threat-rules.ts';

export interface CheckRequest extends AnalyzeOptions {
  /** Absolute path of the folder in which the command would start. Default: the current folder of the process. */
  readonly cwd?: string | undefined;
  /** Instead of the settings of the folder: managed settings are not added to it. */
  readonly policy?: Policy;
  /** The restrictions of this profile apply, too. */
  readonly profile?: ProfileName;
  /** Missing values come from this machine: its disk, its clock, and the home folder, unless `variables` has HOME. */
  readonly context?: Partial<Omit<Context, 'cwd'>>;
}

export interface CheckResult {
  readonly facts: Facts;
  readonly verdict: Verdict;
}

/**
 * Analyzes a command and decides about it, by the settings of its folder unless `policy` is given. Runs nothing; reads the
 * disk to load settings, to follow links and to inspect repositories.
 */
export function check(command: string, request: CheckRequest = {}): CheckResult {
  checkOptions(request, CHECK_REQUEST);
  const known = completeRequest(request);
  const facts = analyze(command, analysisOf(known));
  return { facts, verdict: decideFor(facts, known.policy, contextOf(known)) };
}

interface CompleteRequest extends CheckRequest {
  readonly cwd: string;
  readonly policy: Policy;
}

/** The folder and its settings are looked up here: nothing below knows of the process. */
function completeRequest<Request extends CheckRequest>(request: Request): Request & CompleteRequest {
  const { cwd = currentFolder(), policy, profile, variables, context } = request;
  const project = context?.project ?? cwd;
  if (policy !== undefined) return { ...request, cwd, policy: withProfile(policy, profile, project) };
  // Rules of the settings may begin with `~`.
  const home = variables?.HOME ?? thisMachine({}).home;
  return {
    ...request,
    cwd,
    policy: loadPolicyFor({ cwd, project, profile }),
    context: { home, ...context },
  };
}

/** The strictest verdict of several projects that a command may belong to. */
export function checkForAll(command: string, request: CompleteRequest, projects: readonly string[]): CheckResult {
  const facts = analyze(command, analysisOf(request));
  const context = contextOf(request);
  const decideIn = (project: string | null) => decideFor(facts, request.policy, { ...context, project });
  const [first = null, ...rest] = projects;
  const verdict = rest.reduce((strictest, project) => stricterOf(strictest, decideIn(project)), decideIn(first));
  return { facts, verdict };
}

/** Relative paths in rules are relative to the project: a model that chooses another folder cannot widen them. */
export function decideFor(facts: Facts, policy: Policy, context: Context): Verdict {
  const { cwd, project } = context;
  const here = decide(facts, policy, context);
  return project === null || project === cwd
    ? here
    : stricterOf(here, decide(facts, policy, { ...context, cwd: project }));
}

/** The results of threat rules go into the context; they may be slow. */
export async function withThreats(facts: Facts, { threatRules }: Policy, context: Context): Promise<Context> {
  if (threatRules.length === 0) return context;
  return { ...context, threats: await hearThreatRules(threatRules, facts, context) };
}

const probe = createDiskProbe();

/** For one decision: each question about the disk has one answer, even if the disk changes in the meantime. */
export function rememberedDisk(): Probe {
  return rememberAnswers(probe) ?? probe;
}

/** Only the options of the analysis: it refuses others. */
function analysisOf({ cwd, shell, variables }: AnalyzeOptions): AnalyzeOptions {
  return { cwd, shell, variables };
}

/** The current state of this machine. */
export function contextHere(cwd: string, known: Partial<Context>): Context {
  return { ...DEFAULT_CONTEXT, cwd, temporary: TEMPORARY, now: Date.now(), probe, ...known };
}

function contextOf({ cwd, variables, context }: CheckRequest & { readonly cwd: string }): Context {
  return contextHere(cwd, { home: variables?.HOME ?? null, ...context });
}

const TEMPORARY: readonly string[] = [...new Set([...DEFAULT_CONTEXT.temporary, tmpdir()])];

/**
 * A function that may know better: it is called if no rule decides, and says allow, ask or deny with a confidence.
 * It counts above 0.9; if it throws or returns anything else, the question goes to a person.
 */
export type Classifier = (command: string, facts: Facts, verdict: Verdict) => Promise<Classification>;

type Classifying = Pick<Asking, 'command' | 'policy' | 'context' | 'classifier'>;

async function classify(checked: CheckResult, asking: Classifying): Promise<CheckResult> {
  const { policy, context, classifier } = asking;
  if (classifier === undefined || checked.verdict.decision !== 'ask') return checked;
  const classification = await callClassifier(classifier, asking.command, checked);
  if (classification === null) return checked;
  const { facts } = checked;
  return { facts, verdict: decide(facts, policy, { ...context, now: Date.now(), classification }) };
}

async function callClassifier(
  classifier: Classifier,
  command: string,
  { facts, verdict }: CheckResult,
): Promise<Classification | null> {
  try {
    const { behavior, confidence, reason } = await classifier(command, facts, verdict);
    if (!VERDICTS.includes(behavior) || typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
      return null;
    }
    return { behavior, confidence, reason: typeof reason === 'string' ? reason : null };
  } catch {
    return null;
  }
}

export interface AuthorizeRequest extends CheckRequest {
  /** Answers questions. */
  readonly broker: Pick<Broker, 'ask' | 'grants'>;
  readonly classifier?: Classifier;
  /** Answers may apply to this session. */
  readonly session?: string;
  readonly caller?: string | undefined;
  readonly description?: string;
  /** How long the question may wait, in milliseconds. Default: the broker's. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

const brokerCheck: Check = objectWith(['ask', 'grants'], 'Pass createBroker().');

const AUTHORIZE_REQUEST: ChecksOf<AuthorizeRequest> = {
  ...CHECK_REQUEST,
  broker: brokerCheck,
  classifier: callback,
  session: text,
  caller: text,
  description: text,
  timeout: unchecked,
  signal,
};

/**
 * Decides as `check` does, and asks if approval is needed: the classifier first, then people. Denied unless explicitly
 * approved.
 */
export async function authorize(command: string, request: AuthorizeRequest): Promise<Permission> {
  checkOptions(request, AUTHORIZE_REQUEST);
  brokerCheck('broker', request.broker);
  const { broker, session = null, profile = null, description = null, timeout = null } = request;
  const complete = completeRequest(request);
  const facts = analyze(command, analysisOf(complete));
  const { policy } = complete;
  const known = contextOf(complete);
  const grants = [...known.grants, ...(session === null ? [] : broker.grants(session))];
  const context = await withThreats(facts, policy, { ...known, grants });
  const checked = { facts, verdict: decideFor(facts, policy, context) };
  const { classifier, caller, signal: ended } = request;
  const who = { session, profile, description, timeoutMs: timeout, caller, signal: ended };
  return askIfNeeded(checked, { command, policy, context, broker, classifier, ...who });
}

/** The subject of a question, and who may answer it. */
export interface Asking {
  readonly command: string;
  readonly policy: Policy;
  readonly context: Context;
  readonly broker: Pick<Broker, 'ask'>;
  readonly classifier: Classifier | undefined;
  readonly session: string | null;
  readonly profile: ProfileName | null;
  readonly caller: string | undefined;
  readonly description: string | null;
  readonly timeoutMs: number | null;
  readonly signal: AbortSignal | undefined;
  /** Called before a person is asked. */
  readonly onAsk?: () => void;
}

export async function askIfNeeded(first: CheckResult, asking: Asking): Promise<Permission> {
  const { command, context, broker, session, profile, caller, description, timeoutMs, signal } = asking;
  const checked = await classify(first, asking);
  const { facts, verdict } = checked;
  if (verdict.decision !== 'ask') return { ...checked, isAllowed: verdict.decision === 'allow', answer: null };
  asking.onAsk?.();
  const edits = previewEdits(facts, verdict, context.cwd);
  const answer = await broker.ask(
    {
      command,
      display: facts.display,
      ...(description === null ? {} : { description }),
      cwd: context.cwd,
      session,
      user: context.user,
      profile,
      caller,
      risk: verdict.risk,
      findings: profile === 'claude-code' ? nameWarnings(verdict.findings, facts) : verdict.findings,
      suggestions: verdict.suggestions,
      effects: facts.effects,
      ...(edits.length === 0 ? {} : { edits }),
    },
    { ...(timeoutMs === null ? {} : { timeout: timeoutMs }), ...defined({ signal }) },
  );
  return { ...checked, isAllowed: answer.verdict === 'allow', answer };
}

/** `{allow: ['Bash(ls)'], …}` → rules of a layer without a file; an invalid rule is thrown. */
export function readRules(lists: unknown, layer: SettingsLayer): PolicyRule[] {
  if (typeof lists !== 'object' || lists === null || Array.isArray(lists)) throw invalidRules('must be an object');
  const rules: PolicyRule[] = [];
  for (const [name, texts] of Object.entries(lists)) {
    const list = VERDICTS.find((verdict) => verdict === name);
    if (list === undefined) throw invalidRules(`has no list "${name}"; there are allow, ask and deny`);
    if (!Array.isArray(texts)) throw invalidRules(`.${name} must be a list of rules`);
    for (const text of texts) rules.push(ruleOf(text, list, layer));
  }
  return rules;
}

/** Whether an allow rule matches a command, so that a person sees its scope. Does not access the disk. */
export function createMatcher(rule: string): (command: string, cwd: string) => boolean {
  const policy = { ...DEFAULT_POLICY, rules: readRules({ allow: [rule] }, 'session') };
  return (command, cwd) =>
    check(command, { cwd, policy, context: { probe: null } }).verdict.findings.some(
      (finding) => finding.rule?.text === rule,
    );
}

function ruleOf(text: unknown, list: PolicyRule['list'], layer: SettingsLayer): PolicyRule {
  if (typeof text !== 'string') throw invalidRules(`.${list} must contain strings`);
  const parsed = parseRule(text);
  if (!parsed.ok) {
    throw new HardshellError(
      'invalid-argument',
      `the rule '${text}' cannot be used: ${parsed.why}`,
      parsed.hint === null ? {} : { hint: parsed.hint },
    );
  }
  return { text, list, origin: { layer, file: null, line: null }, until: null, base: null, because: null };
}

function invalidRules(what: string): HardshellError {
  return new HardshellError('invalid-argument', `"rules" ${what}`, {
    hint: '{"allow": ["Bash(git status)"], "deny": []}',
  });
}
