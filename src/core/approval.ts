// The vocabulary of asking: what a person is asked, and what the answer was. Data only.

import type { Effects } from './facts.ts';
import type { Finding, Severity } from './verdict.ts';

export const APPROVAL_SCOPES = ['once', 'session', 'project', 'user'] as const;
/** How long an answer holds. Everything wider than `once` needs a rule. */
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number];

export const REMOTE_SURFACES = ['cli', 'dashboard', 'socket'] as const;
/** What may answer from another process: `hardshell approve`, the dashboard, or a program that does not say what it is. */
export type RemoteSurface = (typeof REMOTE_SURFACES)[number];

export const SURFACE_NAMES = ['callback', 'terminal', 'mcp', 'webhook', 'other', ...REMOTE_SURFACES] as const;
/** Through what a person can be asked. */
export type SurfaceName = (typeof SURFACE_NAMES)[number];

/** Who answered. The list is closed: audit records and metrics refer to it. The last six can only deny. */
export const ANSWERED_BY = [
  ...SURFACE_NAMES,
  'timeout',
  'cancelled',
  'nobody',
  'closed',
  'too-many',
  'too-long',
] as const;
export type AnsweredBy = (typeof ANSWERED_BY)[number];

export interface ApprovalRequest {
  /** Exactly what would run. */
  readonly command: string;
  /** The same for a person, without a needless `cd`. */
  readonly display: string;
  /** What it does, in the words of whoever asks for it: nobody has checked them. */
  readonly description?: string;
  readonly cwd: string;
  /** `null`: answers cannot hold for a session. */
  readonly session: string | null;
  readonly user: string | null;
  readonly profile: string | null;
  /** Of the request, as it came. */
  readonly caller?: string | undefined;
  readonly risk: Severity;
  readonly findings: readonly Finding[];
  /** Rules that would allow it from now on; empty when no rule should. */
  readonly suggestions: readonly string[];
  /** `null` when nothing is known. */
  readonly effects: Effects | null;
}

/** What a surface says. */
export interface Reply {
  readonly verdict: 'allow' | 'deny';
  /** Default `once`. A denial always holds once. */
  readonly scope?: ApprovalScope;
  readonly rule?: string | null;
  readonly reason?: string | null;
  /** For the scope `session`: milliseconds since 1970 after which it no longer counts. */
  readonly until?: number | null;
}

/** What the one who asked gets, exactly once. */
export interface Answer {
  readonly verdict: 'allow' | 'deny';
  readonly by: AnsweredBy;
  readonly scope: ApprovalScope;
  readonly rule: string | null;
  readonly reason: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface PendingApproval {
  /** A few letters and digits to type: `k7mw`. */
  readonly code: string;
  readonly request: ApprovalRequest;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly deadline: number;
  /** How many callers wait for this answer. */
  readonly waiting: number;
  /** The scopes that an answer may have here. */
  readonly scopes: readonly ApprovalScope[];
}

/** What the one who answers gets. */
export type Receipt =
  /** `problem`: the answer stands, but its rule could not be saved. */
  | { readonly status: 'accepted'; readonly answer: Answer; readonly problem: string | null }
  | { readonly status: 'already-answered'; readonly answer: Answer }
  | { readonly status: 'unknown-code' }
  /** The reply makes no sense here; the request still waits. */
  | { readonly status: 'refused'; readonly problem: string };
