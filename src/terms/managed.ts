// A caller's policy → the same policy under the managed settings: what these forbid stays forbidden.
// The attack: a program that passes its own policy to replace the settings files.

import type { LoadedSettings } from '../config/load.ts';
import { managedMode } from '../config/managed.ts';
import type { Policy } from '../core/policy.ts';
import { strictest, type VerdictName } from '../core/verdict.ts';
import { isWithin, type Machine } from './machine.ts';

/** `managed`: only the managed file; `null` if there is none. */
export function applyManaged(
  policy: Policy,
  managed: Pick<LoadedSettings, 'policy' | 'switches' | 'origins'> | null,
  machine: Pick<Machine, 'realPath'>,
): Policy {
  if (managed === null) return policy;
  const { policy: fixed, switches } = managed;
  const stricter = (id: string, verdict: VerdictName) => strictest([verdict, policy.checks[id] ?? verdict]);
  const isDropped = ({ list, text }: Policy['rules'][number]) =>
    list === 'allow' &&
    (switches.managedRulesOnly ||
      (switches.managedPathsOnly && /^\s*(?:Read|Edit|Write)\b/.test(text)) ||
      (switches.managedDomainsOnly && /^\s*(?:WebFetch|Network)\b/.test(text)));
  return {
    ...policy,
    mode: managedMode(managed, policy.mode),
    rules: [...fixed.rules.filter(({ list }) => list !== 'allow'), ...policy.rules.filter((rule) => !isDropped(rule))],
    roots: switches.managedPathsOnly ? commonRoots(policy.roots, fixed.roots, machine) : policy.roots,
    confineReads: policy.confineReads || fixed.confineReads,
    protectedPaths: [...fixed.protectedPaths, ...policy.protectedPaths],
    secretPaths: [...fixed.secretPaths, ...policy.secretPaths],
    allowedCommands:
      policy.allowedCommands === null || fixed.allowedCommands === null
        ? (policy.allowedCommands ?? fixed.allowedCommands)
        : common(policy.allowedCommands, fixed.allowedCommands),
    blacklist: {
      commands: [...fixed.blacklist.commands, ...policy.blacklist.commands],
      directories: [...fixed.blacklist.directories, ...policy.blacklist.directories],
    },
    domains: {
      allow: switches.managedDomainsOnly ? common(policy.domains.allow, fixed.domains.allow) : policy.domains.allow,
      deny: [...fixed.domains.deny, ...policy.domains.deny],
    },
    users: { ...policy.users, ...fixed.users },
    checks: {
      ...policy.checks,
      ...Object.fromEntries(Object.entries(fixed.checks).map(([id, verdict]) => [id, stricter(id, verdict)])),
    },
    requireConfirmation: policy.requireConfirmation || fixed.requireConfirmation,
    allowBypass: policy.allowBypass && fixed.allowBypass,
  };
}

function common(asked: readonly string[], fixed: readonly string[]): readonly string[] {
  return asked.filter((item) => fixed.includes(item));
}

/** `null`: the folder of the request. */
function commonRoots(
  asked: readonly string[] | null,
  fixed: readonly string[] | null,
  machine: Pick<Machine, 'realPath'>,
): readonly string[] | null {
  if (asked === null || fixed === null) return fixed;
  return asked.filter((root) => isWithin(root, fixed, machine));
}
