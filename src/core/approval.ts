// The vocabulary of approvals: what a person is asked, and what they answered. Data only.

import type { Effects } from './facts.ts';
import type { Finding, Severity } from './verdict.ts';

export const APPROVAL_SCOPES = ['once', 'session', 'project', 'user'] as const;
/** How long an answer applies. Everything wider than `once` needs a rule. */
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number];

export const REMOTE_SURFACES = ['cli', 'dashboard', 'socket'] as const;
/** Which program answers from another process: `hardshell approve`, the dashboard, or one that does not identify itself. */
export type RemoteSurface = (typeof REMOTE_SURFACES)[number];

export const SURFACE_NAMES = ['callback', 'terminal', 'mcp', 'webhook', 'other', ...REMOTE_SURFACES] as const;
/** The surfaces through which a person can be asked. */
export type SurfaceName = (typeof SURFACE_NAMES)[number];

/**
 * Who answered. The list is closed: audit records and metrics refer to it. `caller`: the request approved it in advance
 * (`--yes`, `assumeYes`). The last six can only deny.
 */
export const ANSWERED_BY = [
  ...SURFACE_NAMES,
  'caller',
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
  /** The same for display, without a redundant `cd`. */
  readonly display: string;
  /** What it does, in the caller's words. Not verified. */
  readonly description?: string;
  readonly cwd: string;
  /** `null`: answers cannot apply to a session. */
  readonly session: string | null;
  readonly user: string | null;
  readonly profile: string | null;
  /** From the request, unchanged. */
  readonly caller?: string | undefined;
  readonly risk: Severity;
  readonly findings: readonly Finding[];
  /** Rules that would always allow it; empty if no rule should. */
  readonly suggestions: readonly string[];
  /** `null` when nothing is known. */
  readonly effects: Effects | null;
  /** What `sed -i` would change in each file, as the files are now. */
  readonly edits?: readonly EditPreview[];
}

export interface EditPreview {
  /** Absolute; without a preview it may be a pattern, or say that the file is not known. */
  readonly file: string;
  /** A unified diff without the lines of file names; empty if no line would change, `null` if it is not known. */
  readonly diff: string | null;
  /** Why it is not known. */
  readonly why: string | null;
}

/** The answer that a surface gives. */
export interface Reply {
  readonly verdict: 'allow' | 'deny';
  /** Default `once`. A denial always applies once. */
  readonly scope?: ApprovalScope;
  readonly rule?: string | null;
  readonly reason?: string | null;
  /** For the scope `session`: milliseconds since 1970 after which it expires. */
  readonly until?: number | null;
}

/** The answer that the caller gets, exactly once. */
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
  /** A short code to type: `k7mw`. */
  readonly code: string;
  readonly request: ApprovalRequest;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly deadline: number;
  /** How many callers wait for this answer. */
  readonly waiting: number;
  /** The scopes that an answer can have here. */
  readonly scopes: readonly ApprovalScope[];
}

/** What a surface gets back for its answer. */
export type Receipt =
  /** `problem`: the answer counts, but its rule could not be saved. */
  | { readonly status: 'accepted'; readonly answer: Answer; readonly problem: string | null }
  | { readonly status: 'already-answered'; readonly answer: Answer }
  | { readonly status: 'unknown-code' }
  /** The reply is not valid here; the request is still pending. */
  | { readonly status: 'refused'; readonly problem: string };
