// Answers for a session → rules that the caller passes to `decide` with the next command.
// Kept in memory only. Grants dropped for lack of room are asked again, never allowed.

import type { PolicyRule } from '../core/policy.ts';

const MAX_RULES_PER_SESSION = 200;
const MAX_SESSIONS = 1_000;

export interface NewGrant {
  readonly rule: string;
  readonly until: number | null;
  /** The folder in which it was granted: relative paths in the rule always refer to it. */
  readonly cwd: string;
  readonly because: string;
}

export interface Grants {
  add(session: string, grant: NewGrant): void;
  list(session: string): readonly PolicyRule[];
  /** Without a rule, all of them. Returns how many there were. */
  revoke(session: string, rule?: string): number;
  clear(): void;
}

export function createGrants(now: () => number): Grants {
  const sessions = new Map<string, PolicyRule[]>();

  function living(session: string): PolicyRule[] {
    const time = now();
    const rules = (sessions.get(session) ?? []).filter(({ until }) => until === null || until > time);
    if (rules.length === 0) sessions.delete(session);
    else if (sessions.has(session)) sessions.set(session, rules);
    return rules;
  }

  return {
    add(session, { rule, until, cwd, because }) {
      const granted: PolicyRule = {
        text: rule,
        list: 'allow',
        origin: { layer: 'session', file: null, line: null },
        until,
        base: cwd,
        because,
      };
      const others = living(session).filter(({ text, base }) => text !== rule || base !== cwd);
      // Deleted first, so that the most recently used session is dropped last.
      sessions.delete(session);
      sessions.set(session, [...others, granted].slice(-MAX_RULES_PER_SESSION));
      const [oldest] = sessions.keys();
      if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    },
    list: (session) => [...living(session)],
    revoke(session, rule) {
      const rules = living(session);
      const kept = rule === undefined ? [] : rules.filter(({ text }) => text !== rule);
      if (kept.length === 0) sessions.delete(session);
      else sessions.set(session, kept);
      return rules.length - kept.length;
    },
    clear: () => sessions.clear(),
  };
}
