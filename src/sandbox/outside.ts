// Whether a command runs outside of the sandbox: by the settings, because its programs are excluded, or because the
// request asks for it. A request alone is not enough: a setting must allow such requests, and then the user must approve.

import type { CommandFact, Facts } from '../core/facts.ts';
import type { Mode } from '../core/policy.ts';
import { type Finding, SEVERITIES, strictest, type Verdict } from '../core/verdict.ts';
import type { SandboxTerms } from '../terms/sandbox.ts';
import type { Terms } from '../terms/terms.ts';

/** Null if it is confined; otherwise the reason, for people. */
export function whyOutside({ name, isLeaving, excludedCommands }: SandboxTerms, facts: Facts): string | null {
  if (name === 'unrestricted') return 'the policy asks for no confinement';
  if (isLeaving) return 'the request asked to run outside of the sandbox, and that was allowed';
  const excluded = new Set(excludedCommands);
  if (excluded.size === 0 || !startsOnly(facts, excluded)) return null;
  return 'sandbox.excludedCommands names every program that the command starts';
}

/** They do not change what a name means, unlike `alias`, `export`, `hash` or `eval`. */
const PLAIN_BUILTINS: ReadonlySet<string | null> = new Set(['cd', 'echo', 'true', 'false', ':', 'pwd']);

/** Anything that could be an assignment without a command: `PATH=.;`, `for PATH in`, `${PATH:=x}`, `((PATH=1))`. */
const SETS_VARIABLES = /(?:^|[\s;&|(){}`!])[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=|\b(?:for|select)\s|\$\{|\(\(|\$\[/;

/**
 * If there is one other program, or anything unknown, the sandbox stays. Names count as written: `./docker` may be a file
 * of an earlier command, and a variable (PATH, LD_PRELOAD, GIT_SSH_COMMAND) can make a name run anything.
 */
function startsOnly({ command, status, commands }: Facts, excluded: ReadonlySet<string>): boolean {
  if (status !== 'understood' || SETS_VARIABLES.test(command)) return false;
  const isPlain = ({ kind, name, argv: [first], assignments }: CommandFact) => {
    if (assignments.length > 0) return false;
    if (kind === 'builtin') return PLAIN_BUILTINS.has(name);
    return kind === 'program' && typeof first === 'string' && excluded.has(first);
  };
  return commands.some(({ kind }) => kind === 'program') && commands.every(isPlain);
}

/** The verdict on a request to leave the sandbox: at least a question, and a denial unless the settings allow it. */
export function judgeLeaving(verdict: Verdict, { sandbox, policy }: Pick<Terms, 'sandbox' | 'policy'>): Verdict {
  if (!sandbox.isLeaving) return verdict;
  const finding = findingFor(sandbox, policy.mode);
  return {
    ...verdict,
    decision: strictest([verdict.decision, finding.verdict]),
    risk: SEVERITIES[Math.max(SEVERITIES.indexOf(verdict.risk), SEVERITIES.indexOf('high'))] ?? 'high',
    action: finding.verdict === 'deny' ? 'block' : verdict.action === 'run' ? ASKED[finding.verdict] : verdict.action,
    findings: [finding, ...verdict.findings],
    // A rule allows a command, but does not say where it runs.
    suggestions: [],
  };
}

const ASKED = { allow: 'run', ask: 'confirm', deny: 'block' } as const;

function findingFor({ canLeave, managed }: SandboxTerms, mode: Mode): Finding {
  const base = { id: 'outside-sandbox', layer: 'sandbox', severity: 'high', span: null, command: null } as const;
  const rest = { rule: null, confidence: null };
  const fixed = managed?.name ?? null;
  const where = fixed === null ? 'the settings' : `the managed settings (${fixed.file}:${fixed.line})`;
  if (!canLeave)
    return {
      ...base,
      ...rest,
      verdict: 'deny',
      message: `The request asks to run outside of the sandbox, which ${where} do not allow.`,
      instead: `Run it inside the sandbox, or ${
        fixed === null
          ? 'set sandbox.allowUnsandboxed to true in your own settings'
          : 'ask the administrator of this machine for sandbox.allowUnsandboxed'
      }.`,
    };
  const verdict = mode === 'bypass' ? 'allow' : mode === 'dont-ask' || mode === 'plan' ? 'deny' : 'ask';
  return {
    ...base,
    ...rest,
    verdict,
    message: 'The request asks to run outside of the sandbox: the command would not be confined.',
    instead: 'Allow what it needs in the sandbox settings; `hardshell learn` finds out what that is.',
  };
}
