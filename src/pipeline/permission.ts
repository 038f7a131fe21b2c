// A request → the settings that hold for it, the verdict, and the yes or no of whoever is asked.
// Fails closed: settings that cannot be read are thrown, a question that nobody answers is a no.

import { homedir } from 'node:os';
import type { Broker } from '../approve/broker.ts';
import type { HeldSandbox } from '../config/held.ts';
import type { LoadedSettings } from '../config/load.ts';
import type { EnvironmentSettings } from '../config/settings.ts';
import type { Answer } from '../core/approval.ts';
import type { Facts } from '../core/facts.ts';
import { type Policy, userPolicyOf } from '../core/policy.ts';
import type { Probe } from '../core/probe.ts';
import type { RunOptions } from '../core/running.ts';
import { VERDICTS, type Verdict } from '../core/verdict.ts';
import type { NamedPaths } from '../decide/paths/named-paths.ts';
import {
  type Authorized,
  type AuthorizeRequest,
  type Checked,
  type Classifier,
  check,
  loadPolicy,
  namedIn,
  policyOfProfile,
  policyWith,
  rememberedDisk,
  settle,
  withThreats,
} from './check.ts';
import { narrowPolicy } from './narrowing.ts';
import { heldSandbox, holdManaged, isManaged, judgeWidening } from './sandbox/managed.ts';
import { judgeLeaving } from './sandbox/outside.ts';

export interface Question {
  /** Exactly what would run, as shell text. */
  readonly text: string;
  readonly policy: Policy;
  readonly environment: Required<EnvironmentSettings>;
  readonly sandbox: HeldSandbox;
  readonly limits: LoadedSettings['limits'];
  readonly waitingShells: number | null;
  /** Hosts that the machine's own settings do not name cannot be allowed by anybody else. */
  readonly areHostsFixed: boolean;
  /** Nor do answers become rules where only the machine's own count. */
  readonly areRulesFixed: boolean;
  readonly options: RunOptions;
  readonly request: AuthorizeRequest;
}

export interface Asking {
  readonly broker: Broker;
  readonly classifier?: Classifier | undefined;
  readonly settingsFile?: string | undefined;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
}

export function prepareQuestion(text: string, options: RunOptions, asking: Asking): Question {
  const { cwd, session, user, signal, shell } = options;
  const settings = settingsFor(options, asking);
  const { policy } = settings;
  const home = homedir();
  const isHomeDropped = settings.environment.drop.includes('HOME');
  // `~` is what the command will find there; what lies in the real home is protected all the same.
  const seen = settings.environment.set.HOME ?? (isHomeDropped ? undefined : asking.hostEnvironment.HOME);
  const seconds = settings.approval.timeoutSeconds;
  return {
    text,
    policy,
    environment: settings.environment,
    sandbox: heldSandbox(settings, isManaged(settings) ? loadPolicy({ cwd, isManagedOnly: true }) : null),
    limits: settings.limits,
    waitingShells: settings.waitingShells,
    areHostsFixed: settings.switches.managedDomainsOnly,
    areRulesFixed: settings.switches.managedRulesOnly,
    options,
    request: {
      cwd,
      shell,
      variables: seen?.startsWith('/') ? { HOME: seen } : {},
      policy,
      context: {
        canSetEnvironment: true,
        project: options.originalCwd ?? null,
        home: home.startsWith('/') ? home : null,
        ...(user === undefined ? {} : { user }),
      },
      broker: options.assumeYes === true ? { ask: sayYes, grants: (id) => asking.broker.grants(id) } : asking.broker,
      // Whether something may leave the sandbox is no question for a classifier.
      ...(asking.classifier === undefined || options.withoutSandbox === true ? {} : { classifier: asking.classifier }),
      ...(session === undefined ? {} : { session }),
      ...(options.profile === undefined ? {} : { profile: options.profile }),
      caller: options.caller,
      ...(options.description === undefined ? {} : { description: options.description }),
      ...(seconds === null ? {} : { timeoutMs: seconds * 1000 }),
      ...(signal === undefined ? {} : { signal }),
    },
  };
}

export function policyFor(options: RunOptions, asking: Pick<Asking, 'settingsFile'>): Policy {
  return settingsFor(options, asking).policy;
}

function settingsFor(options: RunOptions, { settingsFile }: Pick<Asking, 'settingsFile'>): LoadedSettings {
  const { cwd, policy, mode, profile, narrowing } = options;
  // A session that has moved into a folder still belongs to the whole of where it began.
  const folder = options.originalCwd ?? cwd;
  if (policy === undefined) {
    // Whoever names another folder for a command does not leave the settings of the project behind.
    const projects = folder === cwd ? undefined : [folder];
    const loaded = loadPolicy({ cwd, projects, settingsFile });
    return { ...loaded, policy: narrowPolicy(policyWith(loaded, folder, options), narrowing, folder) };
  }
  const managed = loadPolicy({ cwd, isManagedOnly: true });
  const ruled = profile === undefined ? policy : policyOfProfile(profile, folder, policy);
  const wished = mode === undefined ? ruled : { ...ruled, mode };
  return { ...managed, policy: narrowPolicy(holdManaged(wished, managed), narrowing, folder) };
}

/** Reached with an `ask` only: a refusal is never put to anybody. */
async function sayYes(): Promise<Answer> {
  const reason = 'The caller said yes in advance.';
  return { verdict: 'allow', by: 'other', scope: 'once', rule: null, reason, at: Date.now() };
}

/** Before a command runs, whoever takes time to answer is waited for. */
export async function hearRules(question: Question): Promise<Question> {
  const request = await withThreats(question.text, question.request);
  return request === question.request ? question : { ...question, request };
}

/** The disk as it was when a command was judged: what a person was shown is what a yes opens. */
const disks = new WeakMap<Facts, Probe>();

/** As things are now: what a session was granted meanwhile counts, and so does what changed on the disk. */
export function look(question: Question): Checked {
  const { text, options, sandbox, policy, areRulesFixed } = question;
  const request = withGrants(question);
  const probe = request.context?.probe ?? rememberedDisk();
  const { facts, verdict } = check(text, { ...request, context: { ...request.context, probe } });
  disks.set(facts, probe);
  const usable = areRulesFixed ? { ...verdict, suggestions: [] } : verdict;
  const judged = judgeLeaving(usable, options, sandbox, policy.mode);
  return { facts, verdict: judgeWidening(judged, options, sandbox, policy) };
}

/** For the record: with how long it took. */
export function timedLook(question: Question): Checked & { readonly elapsedMs: number } {
  const began = performance.now();
  const looked = look(question);
  return { ...looked, elapsedMs: performance.now() - began };
}

function withGrants({ request, areRulesFixed }: Question): AuthorizeRequest {
  const { broker, session } = request;
  const grants = session === undefined || areRulesFixed ? [] : broker.grants(session);
  return { ...request, context: { ...request.context, grants } };
}

export interface Permitted extends Authorized {
  /** What the command names, as it was before a person said yes to it; `null` when nobody was asked. */
  readonly named: NamedPaths | null;
}

export async function permit(question: Question, looked: Checked, onAsk: () => void): Promise<Permitted> {
  const { text, request } = question;
  const seen = { ...request, context: { ...request.context, probe: disks.get(looked.facts) ?? rememberedDisk() } };
  // A link that leads elsewhere after the answer opens nothing else.
  const named = looked.verdict.verdict === 'ask' ? namedIn(looked.facts, seen, 'anyone') : null;
  const authorized = await settle(text, looked, request, onAsk);
  return { ...authorized, named: authorized.answer?.verdict === 'allow' ? named : null };
}

/** What allow rules name of a command: their yes is as good as a person's, for exactly that. */
export function namedByRules(question: Question, facts: Facts): NamedPaths {
  return namedIn(facts, withGrants(question), 'rules');
}

/** Whether a yes to `before` still holds: nothing is worse now, and nothing new was found. */
export function isCoveredBy(now: Verdict, before: Verdict): boolean {
  const known = new Set(before.findings.map(({ id, verdict, message }) => `${id} ${verdict} ${message}`));
  return (
    VERDICTS.indexOf(now.verdict) <= VERDICTS.indexOf(before.verdict) &&
    now.findings.every(({ id, verdict, message }) => verdict === 'allow' || known.has(`${id} ${verdict} ${message}`))
  );
}

/** Folders that `cd` may not leave. */
export function rootsOf(policy: Policy, options: RunOptions): readonly string[] {
  return userPolicyOf(policy, options.user ?? null)?.roots ?? policy.roots ?? [options.originalCwd ?? options.cwd];
}
