// The spine: request → parse → analyze → decide, with the classifier and the broker where a question is left.
// Here the pure stages meet the disk, the clock and the settings.

import { homedir, tmpdir } from 'node:os';
import { type AnalyzeOptions, analyze } from '../analyze/analyze.ts';
import type { Broker } from '../approve/broker.ts';
import { heldMode } from '../config/held.ts';
import { type LoadedSettings, type LoadOptions, loadSettings } from '../config/load.ts';
import type { Answer } from '../core/approval.ts';
import { DEFAULT_CONTEXT, DEFAULT_POLICY } from '../core/default-policy.ts';
import { HardshellError } from '../core/errors.ts';
import type { Facts } from '../core/facts.ts';
import type { Classification, Context, Policy, PolicyRule } from '../core/policy.ts';
import type { Probe } from '../core/probe.ts';
import type { ProfileName } from '../core/profile-names.ts';
import type { RunContext } from '../core/running.ts';
import { type SettingsLayer, VERDICTS, type Verdict } from '../core/verdict.ts';
import { MCP_GUIDE_BLACKLIST } from '../decide/checks/lists/mcp-guide-lists.ts';
import { CHECKS } from '../decide/checks/table.ts';
import { decide } from '../decide/decide.ts';
import { type NamedPaths, namedPaths, pathsNamedByRules } from '../decide/paths/named-paths.ts';
import { rememberAnswers } from '../decide/remembering-probe.ts';
import { parseRule } from '../decide/rules/patterns/grammar.ts';
import { createDiskProbe } from '../probe/disk.ts';
import { hearThreatRules } from './threats/threat-rules.ts';

export interface CheckRequest extends AnalyzeOptions {
  /** Absolute path of the folder in which the command would start. */
  readonly cwd: string;
  readonly policy?: Policy;
  /** What is not given comes from this machine: its disk, its clock, HOME from the variables. */
  readonly context?: Partial<Omit<Context, 'cwd'>>;
}

export interface Checked {
  readonly facts: Facts;
  readonly verdict: Verdict;
}

/** Understands a command and decides about it. Runs nothing; reads the disk only to follow links and to look into repositories. */
export function check(command: string, request: CheckRequest): Checked {
  const facts = analyze(command, request);
  return { facts, verdict: decideFor(facts, request, contextOf(request).project) };
}

/** The strictest verdict of several projects that a command may belong to. */
export function checkForAll(command: string, request: CheckRequest, projects: readonly string[]): Checked {
  const facts = analyze(command, request);
  const [first = null, ...rest] = projects;
  const verdict = rest.reduce(
    (strictest, project) => stricterOf(strictest, decideFor(facts, request, project)),
    decideFor(facts, request, first),
  );
  return { facts, verdict };
}

/** Relative paths in rules are meant from the project: another folder, which a model may choose, makes none of them wider. */
function decideFor(facts: Facts, request: CheckRequest, project: string | null): Verdict {
  const context = { ...contextOf(request), project };
  const decideFrom = (cwd: string) => decide(facts, request.policy ?? DEFAULT_POLICY, { ...context, cwd });
  const here = decideFrom(context.cwd);
  return project === null || project === context.cwd ? here : stricterOf(here, decideFrom(project));
}

function stricterOf(one: Verdict, other: Verdict): Verdict {
  return VERDICTS.indexOf(other.verdict) > VERDICTS.indexOf(one.verdict) ? other : one;
}

/** The same request with what its threat rules say: those may take their time. */
export async function withThreats<Request extends CheckRequest>(command: string, request: Request): Promise<Request> {
  const { threatRules } = request.policy ?? DEFAULT_POLICY;
  if (threatRules.length === 0) return request;
  const threats = await hearThreatRules(threatRules, analyze(command, request), contextOf(request));
  return { ...request, context: { ...request.context, threats } };
}

/** The paths that a command names, as the disk is now: all of them, or those that allow rules name as well. */
export function namedIn(facts: Facts, request: CheckRequest, by: 'anyone' | 'rules'): NamedPaths {
  const subject = { facts, policy: request.policy ?? DEFAULT_POLICY, context: contextOf(request) };
  return by === 'rules' ? pathsNamedByRules(subject) : namedPaths(subject);
}

const probe = createDiskProbe();

/** For one look: what was asked once has the same answer until the end of it, whoever changes links meanwhile. */
export function rememberedDisk(): Probe {
  return rememberAnswers(probe) ?? probe;
}

function contextOf(request: CheckRequest): Context {
  return {
    ...DEFAULT_CONTEXT,
    cwd: request.cwd,
    home: request.variables?.HOME ?? null,
    temporary: TEMPORARY,
    now: Date.now(),
    probe,
    ...request.context,
  };
}

const TEMPORARY: readonly string[] = [...new Set(['/tmp', '/var/tmp', tmpdir()])];

/**
 * A function that may know better: it sees what no rule decides, and says allow, ask or deny with a confidence.
 * Over 0.9 it counts; whatever it throws or returns otherwise leaves the question to a person.
 */
export type Classifier = (command: string, facts: Facts, verdict: Verdict) => Promise<Classification>;

/** The same as `check`, and where a question is left, the classifier is heard. */
export async function checkWithClassifier(
  command: string,
  request: CheckRequest,
  classifier: Classifier,
): Promise<Checked> {
  const heard = await withThreats(command, request);
  return classify(command, check(command, heard), heard, classifier);
}

async function classify(
  command: string,
  checked: Checked,
  request: CheckRequest,
  classifier: Classifier,
): Promise<Checked> {
  if (checked.verdict.verdict !== 'ask') return checked;
  const classification = await callClassifier(classifier, command, checked);
  if (classification === null) return checked;
  const policy = request.policy ?? DEFAULT_POLICY;
  const { facts } = checked;
  return { facts, verdict: decide(facts, policy, { ...contextOf(request), classification }) };
}

async function callClassifier(
  classifier: Classifier,
  command: string,
  { facts, verdict }: Checked,
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
  /** Who is asked where a question is left. */
  readonly broker: Pick<Broker, 'ask' | 'grants'>;
  readonly classifier?: Classifier;
  /** Answers may hold for it. */
  readonly session?: string;
  readonly profile?: ProfileName;
  readonly caller?: string | undefined;
  readonly description?: string;
  /** How long the question may wait; the broker's own time when it is left out. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface Authorized extends Checked {
  readonly isAllowed: boolean;
  /** `null` when nobody had to be asked. */
  readonly answer: Answer | null;
}

/** Decides, and where a question is left, asks: the classifier first, then people. Without a clear yes it is a no. */
export async function authorize(command: string, request: AuthorizeRequest): Promise<Authorized> {
  const { broker, session } = request;
  const grants = [...(request.context?.grants ?? []), ...(session === undefined ? [] : broker.grants(session))];
  const asked = await withThreats(command, { ...request, context: { ...request.context, grants } });
  return settle(command, check(command, asked), asked);
}

/** What `authorize` does after the first look. `onAsk` is told before a person is asked. */
export async function settle(
  command: string,
  looked: Checked,
  request: AuthorizeRequest,
  onAsk?: () => void,
): Promise<Authorized> {
  const { broker, classifier, session } = request;
  const checked = classifier === undefined ? looked : await classify(command, looked, request, classifier);
  const { facts, verdict } = checked;
  if (verdict.verdict !== 'ask') return { ...checked, isAllowed: verdict.verdict === 'allow', answer: null };
  onAsk?.();
  const answer = await broker.ask(
    {
      command,
      display: facts.display,
      ...(request.description === undefined ? {} : { description: request.description }),
      cwd: request.cwd,
      session: session ?? null,
      user: request.context?.user ?? null,
      profile: request.profile ?? null,
      caller: request.caller,
      risk: verdict.risk,
      findings: verdict.findings,
      suggestions: verdict.suggestions,
      effects: facts.effects,
    },
    {
      ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    },
  );
  return { ...checked, isAllowed: answer.verdict === 'allow', answer };
}

/** What settings may refer to. */
export const SETTINGS_KNOWLEDGE = { checkRule: parseRule, knownCheckIds: new Set(CHECKS.map((check) => check.id)) };

/** The settings that hold in a folder: those of the machine, the user, the project and, if named, a file. */
export function loadPolicy(options: Omit<LoadOptions, 'checkRule' | 'knownCheckIds' | 'home'>): LoadedSettings {
  const home = homedir();
  return loadSettings({ ...options, ...SETTINGS_KNOWLEDGE, home: home.startsWith('/') ? home : null });
}

/** The policy of the settings with what one request says. What the machine's own settings fix stays. */
export function policyWith(settings: LoadedSettings, cwd: string, wish: Pick<RunContext, 'mode' | 'profile'>): Policy {
  const { mode, profile } = wish;
  const base = profile === undefined ? settings.policy : policyOfProfile(profile, cwd, settings.policy);
  return mode === undefined ? base : { ...base, mode: heldMode(settings, mode) };
}

const OUTSIDE_CHECKS = ['cwd-outside-roots', 'write-outside-roots', 'delete-outside-roots'];

/** Where a profile's document asks for more than the settings say. */
export function policyOfProfile(profile: ProfileName, cwd: string, policy: Policy): Policy {
  if (profile !== 'mcp-guide') return policy;
  const { commands, directories } = policy.blacklist;
  return {
    ...policy,
    roots: policy.roots ?? [cwd],
    // Its sandbox directory is a border, not a question.
    checks: { ...policy.checks, ...Object.fromEntries(OUTSIDE_CHECKS.map((id) => [id, 'deny' as const])) },
    blacklist: {
      commands: [...new Set([...MCP_GUIDE_BLACKLIST.commands, ...commands])],
      directories: [...new Set([...MCP_GUIDE_BLACKLIST.directories, ...directories])],
    },
  };
}

/** `{allow: ['Bash(ls)'], …}` → rules of a layer without a file; a rule that cannot be read is the caller's mistake. */
export function rulesOf(lists: unknown, layer: SettingsLayer): PolicyRule[] {
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

/** Whether an allow rule matches a command, so that a person sees how far it reaches. Looks nothing up on the disk. */
export function matcherOf(rule: string): (command: string, cwd: string) => boolean {
  const policy = { ...DEFAULT_POLICY, rules: rulesOf({ allow: [rule] }, 'session') };
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
