// Whether a command runs outside of the sandbox: by the settings, because its programs are excluded, or because the
// request asks for it. Asking is not getting: it takes a setting that allows such requests, and then a person's yes.

import type { CommandFact, Facts } from '../core/facts.ts';
import type { Mode } from '../core/policy.ts';
import { type Finding, SEVERITIES, strictest, type Verdict } from '../core/verdict.ts';
import type { SandboxTerms } from '../pipeline/terms/sandbox.ts';
import type { Terms } from '../pipeline/terms.ts';

/** Null if it is confined; else the reason, for people. */
export function whyOutside({ name, isLeaving, excludedCommands }: SandboxTerms, facts: Facts): string | null {
  if (name === 'unrestricted') return 'the policy asks for no confinement';
  if (isLeaving) return 'the request asked to run outside of the sandbox, and that was allowed';
  const excluded = new Set(excludedCommands);
  if (excluded.size === 0 || !startsOnly(facts, excluded)) return null;
  return 'sandbox.excludedCommands names every program that the command starts';
}

/** They change nothing about what a name means, unlike `alias`, `export`, `hash` or `eval`. */
const PLAIN_BUILTINS: ReadonlySet<string | null> = new Set(['cd', 'echo', 'true', 'false', ':', 'pwd']);

/** Whatever could be an assignment that belongs to no command: `PATH=.;`, `for PATH in`, `${PATH:=x}`, `((PATH=1))`. */
const SETS_VARIABLES = /(?:^|[\s;&|(){}`!])[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=|\b(?:for|select)\s|\$\{|\(\(|\$\[/;

/**
 * One other program, or anything that is not known, and the sandbox stays. A name counts as it is written: `./docker` is
 * whatever a command before put there, and a variable (PATH, LD_PRELOAD, GIT_SSH_COMMAND) can make a name run anything.
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

/** The verdict on a request that wants to leave the sandbox: at least a question, and a no where nothing allows it. */
export function judgeLeaving(verdict: Verdict, { sandbox, policy }: Pick<Terms, 'sandbox' | 'policy'>): Verdict {
  if (!sandbox.isLeaving) return verdict;
  const finding = findingFor(sandbox, policy.mode);
  return {
    ...verdict,
    decision: strictest([verdict.decision, finding.verdict]),
    risk: SEVERITIES[Math.max(SEVERITIES.indexOf(verdict.risk), SEVERITIES.indexOf('high'))] ?? 'high',
    action: finding.verdict === 'deny' ? 'block' : verdict.action === 'run' ? ASKED[finding.verdict] : verdict.action,
    findings: [finding, ...verdict.findings],
    // A rule allows a command, and would not say where it runs.
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
          : 'ask whoever manages this machine for sandbox.allowUnsandboxed'
      }.`,
    };
  const verdict = mode === 'bypass' ? 'allow' : mode === 'dont-ask' || mode === 'plan' ? 'deny' : 'ask';
  return {
    ...base,
    ...rest,
    verdict,
    message: 'The request asks to run outside of the sandbox: nothing but this question would hold it back.',
    instead: 'Allow what it needs in the settings of the sandbox; `hardshell learn` finds out what that is.',
  };
}
