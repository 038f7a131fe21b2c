// A policy and the additions of one request → a policy that is as strict or stricter, never laxer.
// The attack: a model that names its own folders and programs. It gets only those of them that were allowed before.

import type { Narrowing, Policy } from '../core/policy.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { TEMPORARY_FOLDERS } from '../core/values/temporary-folders.ts';
import { extendBlacklist } from '../decide/checks/lists/mcp-guide-lists.ts';
import type { Machine } from './machine.ts';

type Disk = Pick<Machine, 'realPath' | 'temporary'>;

export function narrowPolicy(
  policy: Policy,
  narrowing: Narrowing | readonly Narrowing[] | undefined,
  folder: string,
  machine: Disk,
): Policy {
  const all: readonly Narrowing[] = narrowing === undefined ? [] : [narrowing].flat();
  return all.reduce((narrowed, each) => narrowOnce(narrowed, each, folder, machine), policy);
}

function narrowOnce(policy: Policy, narrowing: Narrowing, folder: string, machine: Disk): Policy {
  const { allowedCommands, roots, blacklist, requireConfirmation } = narrowing;
  const before = policy.roots ?? [folder, ...TEMPORARY_FOLDERS, machine.temporary];
  return {
    ...policy,
    ...(allowedCommands === undefined ? {} : { allowedCommands: common(policy.allowedCommands, allowedCommands) }),
    ...(roots === undefined
      ? {}
      : { roots: commonFolders(before, roots, machine), checks: { ...policy.checks, ...REFUSE_OUTSIDE } }),
    ...(blacklist === undefined ? {} : { blacklist: extendBlacklist(policy.blacklist, blacklist) }),
    requireConfirmation: policy.requireConfirmation || requireConfirmation === true,
  };
}

/** Naming the only folders means: no questions about others, and no way out through a link in any mode. */
const REFUSE_OUTSIDE = Object.fromEntries(
  [...['cwd', 'write', 'delete', 'read'].map((what) => `${what}-outside-roots`), 'symlink-escapes'].map((id) => [
    id,
    'deny' as const,
  ]),
);

function common(before: readonly string[] | null, asked: readonly string[]): readonly string[] {
  return before === null ? [...asked] : asked.filter((name) => before.includes(name));
}

/** If one contains the other, the inner one. Links are resolved first: a link inside may lead outside. */
function commonFolders(before: readonly string[], asked: readonly string[], { realPath }: Disk): readonly string[] {
  // A folder that does not exist is ignored: what it will be is not known.
  const outer = before.flatMap((folder) => realPath(folder) ?? []);
  const inner = asked.flatMap((folder) => realPath(folder) ?? []);
  return [
    ...new Set([
      ...inner.filter((folder) => outer.some((root) => isAtOrBelow(folder, root))),
      ...outer.filter((root) => inner.some((folder) => isAtOrBelow(root, folder))),
    ]),
  ];
}
