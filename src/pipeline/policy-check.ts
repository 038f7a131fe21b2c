// A caller's own policy or narrowing → an error that names what is wrong in it: a misspelled restriction must not be ignored.

import { SHELLS } from '../core/facts.ts';
import {
  type Check,
  type ChecksOf,
  callback,
  count,
  flag,
  folder,
  listOf,
  mapOf,
  milliseconds,
  oneOf,
  orNull,
  recordOf,
  text,
  texts,
  wrong,
} from '../core/option-checks.ts';
import { type Blacklist, type Context, MODES, type Narrowing, type Policy, type UserPolicy } from '../core/policy.ts';
import { PROFILES } from '../core/profile-names.ts';
import { LIMITS } from '../core/running.ts';
import { findNearest } from '../core/values/nearest.ts';
import { VERDICTS } from '../core/verdict.ts';
import { CHECKS } from '../decide/checks/table.ts';

const blacklist = recordOf({ commands: texts, directories: texts } satisfies ChecksOf<Blacklist>);

const NARROWING: ChecksOf<Narrowing> = {
  allowedCommands: texts,
  roots: listOf(folder, 'absolute paths'),
  blacklist,
  requireConfirmation: oneOf([true]),
};

export const checkNarrowing: Check = (name, value) => {
  const check = recordOf(NARROWING);
  if (Array.isArray(value)) for (const each of value) check(name, each);
  else check(name, value);
};

const KNOWN_CHECKS: ReadonlySet<string> = new Set(CHECKS.map(({ id }) => id));

const verdicts: Check = (name, value) => {
  mapOf(oneOf(VERDICTS))(name, value);
  for (const id of Object.keys(value as object)) {
    if (KNOWN_CHECKS.has(id)) continue;
    const near = findNearest(id, KNOWN_CHECKS);
    throw wrong(
      `Unknown check in ${name}: ${id}.`,
      near === null ? 'docs/checks.md lists all checks.' : `Did you mean ${near}?`,
    );
  }
};

/** Rules have an origin, which is for display. */
const rule: Check = (name, value) => {
  const { text: words, list } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof words !== 'string') throw wrong(`${name} must be a list of rules: { text, list, … }.`);
  oneOf(VERDICTS)(`${name}: the list of ${words}`, list);
};

const threatRule: Check = (name, value) => {
  const { id, detect, timeout } = (value ?? {}) as Readonly<Record<string, unknown>>;
  text(`${name}: id`, id);
  callback(`${name}: detect`, detect);
  if (timeout !== undefined) milliseconds(`${name}: timeout`, timeout);
};

const LIMIT_CHECKS = Object.fromEntries(LIMITS.map((name) => [name, count]));

const user = recordOf({
  allow: texts,
  ask: texts,
  deny: texts,
  roots: orNull(listOf(folder, 'absolute paths')),
  limits: recordOf(LIMIT_CHECKS),
} satisfies ChecksOf<UserPolicy>);

const POLICY: ChecksOf<Policy> = {
  mode: oneOf(MODES),
  rules: listOf(rule, 'rules'),
  roots: orNull(listOf(folder, 'absolute paths')),
  confineReads: flag,
  protectedPaths: texts,
  secretPaths: texts,
  allowedCommands: orNull(texts),
  blacklist,
  domains: recordOf({ allow: texts, deny: texts }),
  users: mapOf(user),
  checks: verdicts,
  threatRules: listOf(threatRule, 'threat rules'),
  requireConfirmation: flag,
  allowBypass: flag,
};

/** A policy is usually passed with every call; it is checked once. */
const checked = new WeakSet<object>();

export const checkPolicy: Check = (name, value) => {
  if (typeof value === 'object' && value !== null && checked.has(value)) return;
  const hint = 'Start from DEFAULT_POLICY: { ...DEFAULT_POLICY, mode: … }.';
  recordOf(POLICY, hint)(name, value);
  const policy = value as Readonly<Record<string, unknown>>;
  const missing = Object.keys(POLICY).find((each) => policy[each] === undefined);
  if (missing !== undefined) throw wrong(`${name}.${missing} is missing.`, hint);
  checked.add(policy);
};

/** The context of `check`; what it leaves out comes from this machine. */
const CONTEXT: ChecksOf<Omit<Context, 'cwd'>> = {
  project: orNull(folder),
  home: orNull(text),
  temporary: texts,
  user: orNull(text),
  now: (name, value) => {
    if (typeof value !== 'number') throw wrong(`${name} must be a number of milliseconds since 1970.`);
  },
  probe: orNull(recordLike),
  grants: listOf(rule, 'rules'),
  classification: orNull(recordLike),
  threats: recordLike,
  canSetEnvironment: flag,
  confinement: recordLike,
};

function recordLike(name: string, value: unknown): void {
  if (typeof value !== 'object') throw wrong(`${name} must be an object.`);
}

/** Options that analysis needs, and `check`. */
export const CHECK_REQUEST = {
  cwd: folder,
  shell: oneOf(SHELLS),
  variables: mapOf(text),
  policy: checkPolicy,
  profile: oneOf(PROFILES),
  context: recordOf(CONTEXT),
};
