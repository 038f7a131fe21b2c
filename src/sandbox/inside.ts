// Documents of profiles that run commands without asking: what stays inside the sandbox and is not blocked runs unasked.
// Only the question about a missing rule is answered, and only if the kernel confines the command or it does not run.

import type { CommandFact, Facts } from '../core/facts.ts';
import { type Finding, strictest, type Verdict } from '../core/verdict.ts';
import { MAX_FINDINGS } from '../decide/decide.ts';
import type { Terms } from '../terms/terms.ts';
import { whyOutside } from './outside.ts';

export function judgeInside(verdict: Verdict, facts: Facts, terms: Terms): Verdict {
  if (verdict.decision !== 'ask' || !isConfined(facts, terms)) return verdict;
  // Of more findings only some are listed, and a question that is not listed cannot be answered here.
  if (verdict.findings.length >= MAX_FINDINGS) return verdict;
  const findings = verdict.findings.map((finding) => answer(finding, facts));
  const decision = strictest(findings.map((finding) => finding.verdict));
  // Other questions remain, and whoever answers them sees everything.
  if (decision !== 'allow') return verdict;
  return { ...verdict, decision, action: 'run', findings, suggestions: [] };
}

/** Settings that want more questions are obeyed: confirmations, and managed rules as the only ones. */
function isConfined(facts: Facts, { sandbox, policy, questions }: Terms): boolean {
  if (!questions.isInsideUnasked || policy.requireConfirmation || !questions.canKeepAnswers) return false;
  return sandbox.isRequired && !sandbox.isLeaving && whyOutside(sandbox, facts) === null;
}

function answer(finding: Finding, { commands }: Facts): Finding {
  const command = finding.command === null ? undefined : commands[finding.command];
  if (finding.id !== 'no-rule' || command === undefined || !staysInside(command)) return finding;
  const message = `${finding.message.replace(/\.$/, '')}; it is confined by the sandbox.`;
  return { ...finding, verdict: 'allow', message, instead: null };
}

/** Files outside are found by the checks of paths; this is about everything else that leaves the directory. */
function staysInside(command: CommandFact): boolean {
  const { network, privilege, changes, discloses } = command.effects;
  if (command.elsewhere !== null || privilege || network.length + discloses.length > 0) return false;
  return changes.length === 0 || changesOnlyFiles(command);
}

/** Changes without a path that are nevertheless only files, which the kernel holds inside. */
function changesOnlyFiles({ name, invocation }: CommandFact): boolean {
  if (name === 'mktemp') return true;
  const [program, subcommand = ''] = invocation?.path ?? [];
  return program === 'git' && IN_REPOSITORY.has(subcommand);
}

/** Not `config`, `maintenance` and the like: they change what runs later, also for the user. */
const IN_REPOSITORY: ReadonlySet<string> = new Set([
  ...['init', 'add', 'rm', 'mv', 'restore', 'checkout', 'switch', 'reset', 'stash', 'clean', 'apply', 'am'],
  ...['commit', 'merge', 'rebase', 'cherry-pick', 'revert', 'branch', 'tag', 'notes', 'update-ref', 'symbolic-ref'],
  ...['worktree', 'gc', 'prune', 'repack', 'pack-refs', 'update-index', 'read-tree', 'write-tree', 'commit-tree'],
]);
