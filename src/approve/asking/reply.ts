// The reply of a surface × what was asked → a checked reply, or why it is refused.
// A denial is never refused. An approval counts only as far as it is explicit and permitted.

import { APPROVAL_SCOPES, type ApprovalRequest, type ApprovalScope, type Reply } from '../../core/approval.ts';
import { describeError } from '../../core/values/error-text.ts';
import { boundText, MAX_RULE_CHARACTERS } from './request.ts';

export interface CheckedReply {
  readonly verdict: 'allow' | 'deny';
  readonly scope: ApprovalScope;
  readonly rule: string | null;
  readonly reason: string | null;
  readonly until: number | null;
}

/** Why a rule that was not suggested must not be granted, or `null`. */
export type CheckRule = (rule: string, request: ApprovalRequest) => string | null;

export interface ReplyTerms {
  readonly request: ApprovalRequest;
  readonly scopes: readonly ApprovalScope[];
  readonly checkRule: CheckRule | null;
  readonly now: number;
}

type Checked = { readonly ok: true; readonly reply: CheckedReply } | { readonly ok: false; readonly problem: string };

/** `said` comes from callbacks and sockets: its type is not reliable. */
export function checkReply(said: Reply, terms: ReplyTerms): Checked {
  const given: unknown = said;
  if (typeof given !== 'object' || given === null) return refuse('The answer is not an object with a verdict.');
  const { verdict, scope = 'once', rule = null, reason = null, until = null } = given as Record<string, unknown>;
  const text = typeof reason === 'string' && reason.trim() !== '' ? boundText(reason.trim()) : null;
  if (verdict === 'deny') return accept({ verdict, scope: 'once', rule: null, reason: text, until: null });
  if (verdict !== 'allow') return refuse('The verdict of an answer is "allow" or "deny".');
  if (!isScope(scope)) return refuse(`The scope of an answer is one of ${APPROVAL_SCOPES.join(', ')}.`);
  if (until !== null && (typeof until !== 'number' || !Number.isFinite(until) || until <= terms.now)) {
    return refuse('The end of a grant (until) must be a time in the future, in milliseconds since 1970.');
  }
  if (until !== null && scope !== 'session') return refuse('Only an answer for the session can expire (until).');
  if (scope === 'once') {
    if (rule !== null) return refuse('A rule needs a scope: session, project or user.');
    return accept({ verdict, scope, rule: null, reason: text, until: null });
  }
  const problem = findScopeProblem(scope, terms) ?? findRuleProblem(rule, scope, terms);
  if (problem !== null) return refuse(problem);
  return accept({ verdict, scope, rule: rule as string, reason: text, until });
}

function findScopeProblem(scope: ApprovalScope, terms: ReplyTerms): string | null {
  if (terms.scopes.includes(scope)) return null;
  if (scope === 'session')
    return 'This request has no session: it can only be allowed once. Leave the scope out, or pass a session.';
  return `The host that asks cannot save rules for the ${scope}.`;
}

const LINE_OR_CONTROL = () => /[\p{Cc}\p{Zl}\p{Zp}]/u;

function findRuleProblem(rule: unknown, scope: ApprovalScope, terms: ReplyTerms): string | null {
  if (typeof rule !== 'string' || rule.trim() === '') {
    return `The scope ${scope} needs a rule. ${listSuggestions(terms.request)}`;
  }
  if (terms.request.suggestions.includes(rule)) return null;
  if (rule.length > MAX_RULE_CHARACTERS) return `A rule has at most ${MAX_RULE_CHARACTERS} characters.`;
  if (LINE_OR_CONTROL().test(rule)) return 'A rule must not contain control characters or line ends.';
  if (terms.checkRule === null) return `The rule was not suggested for this command. ${listSuggestions(terms.request)}`;
  try {
    const problem: unknown = terms.checkRule(rule, terms.request);
    if (problem === null) return null;
    return typeof problem === 'string' ? problem : 'The rule could not be checked.';
  } catch (error) {
    return `The rule could not be checked: ${describeBounded(error)}`;
  }
}

function listSuggestions({ suggestions }: ApprovalRequest): string {
  if (suggestions.length === 0) return 'No rule is suggested for it: allow it once.';
  return `Suggested: ${suggestions.join(', ')}`;
}

function isScope(value: unknown): value is ApprovalScope {
  return APPROVAL_SCOPES.some((scope) => scope === value);
}

function accept(reply: CheckedReply): Checked {
  return { ok: true, reply };
}

function refuse(problem: string): Checked {
  return { ok: false, problem };
}

export function describeBounded(error: unknown): string {
  try {
    return boundText(describeError(error));
  } catch {
    return 'an error that cannot be shown';
  }
}
