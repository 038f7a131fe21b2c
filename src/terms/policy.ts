// The policy of one request: from the settings, or the caller's own under the managed settings; then the profile,
// the mode and the narrowing of the request, in this order.

import type { LoadedLayers, LoadedSettings } from '../config/load.ts';
import { managedMode } from '../config/managed.ts';
import type { Mode, Policy } from '../core/policy.ts';
import type { ProfileName } from '../core/profile-names.ts';
import type { ProfileRules } from '../core/profile-rules.ts';
import type { RunContext } from '../core/running.ts';
import { MCP_GUIDE_BLACKLIST } from '../decide/checks/lists/mcp-guide-lists.ts';
import { type Machine, thisMachine } from './machine.ts';
import { applyManaged } from './managed.ts';
import { narrowPolicy } from './narrowing.ts';
import { resolveProfile } from './profile.ts';
import { loadPolicy } from './settings.ts';

export type AskedPolicy = Pick<RunContext, 'policy' | 'mode' | 'narrowing'> & {
  readonly profile: ProfileName | null;
  readonly rules: ProfileRules | null;
};

export function resolvePolicy(
  { policy, mode, profile, rules, narrowing }: AskedPolicy,
  { settings, managed }: LoadedLayers,
  project: string,
  machine: Pick<Machine, 'realPath' | 'temporary'>,
): Policy {
  const base = withDocument(policy ?? settings.policy, profile, project);
  const asked = withMode(base, mode, settings);
  const allowed = policy === undefined ? asked : applyManaged(asked, managed, machine);
  return narrowPolicy(allowed, [rules?.narrowing ?? [], narrowing ?? []].flat(), project, machine);
}

interface Place {
  readonly cwd: string;
  /** The folder whose settings apply as well, if the command starts in another one. */
  readonly project: string;
  readonly profile?: ProfileName | undefined;
}

/** For a command that is only checked. */
export function loadPolicyFor({ cwd, project, profile }: Place): Policy {
  const settings = loadPolicy({ cwd, ...(project === cwd ? {} : { projects: [project] }) });
  return policyWith(settings, project, profile === undefined ? {} : { profile });
}

/** The policy of the settings with the mode and the profile of a request. Values fixed by the managed settings stay. */
export function policyWith(settings: LoadedSettings, cwd: string, asked: Pick<RunContext, 'mode' | 'profile'>): Policy {
  const { mode, profile } = asked;
  return withMode(withProfile(settings.policy, profile, cwd, settings), mode, settings);
}

/** A policy under the restrictions of a profile, with its configuration of the settings. */
export function withProfile(
  policy: Policy,
  profile: ProfileName | undefined,
  folder: string,
  settings: Pick<LoadedSettings, 'profiles'> = { profiles: {} },
): Policy {
  const rules = resolveProfile({ profile }, settings, folder);
  if (profile === undefined || rules === null) return policy;
  return narrowPolicy(withDocument(policy, profile, folder), rules.narrowing, folder, thisMachine({}));
}

function withMode(policy: Policy, mode: Mode | undefined, settings: LoadedSettings): Policy {
  return mode === undefined ? policy : { ...policy, mode: managedMode(settings, mode) };
}

const OUTSIDE_CHECKS = [
  ...['cwd-outside-roots', 'read-outside-roots', 'write-outside-roots', 'delete-outside-roots'],
  'symlink-escapes',
];

/** A profile's document may require more than the settings. */
function withDocument(policy: Policy, profile: ProfileName | null, folder: string): Policy {
  if (profile !== 'mcp-guide') return policy;
  const { commands, directories } = policy.blacklist;
  return {
    ...policy,
    roots: policy.roots ?? [folder],
    // Reads of paths that are not known before the command runs are asked about.
    confineReads: true,
    // Its sandbox directory is a hard boundary, not a question.
    checks: { ...policy.checks, ...Object.fromEntries(OUTSIDE_CHECKS.map((id) => [id, 'deny' as const])) },
    blacklist: {
      commands: [...new Set([...MCP_GUIDE_BLACKLIST.commands, ...commands])],
      directories: [...new Set([...MCP_GUIDE_BLACKLIST.directories, ...directories])],
    },
  };
}
