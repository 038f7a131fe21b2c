// A policy and what one request adds to it → a policy that is as strict or stricter, never laxer.
// The attack: a model that names its own folders and programs. It gets the part of them that it had already.

import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Narrowing, Policy } from '../core/policy.ts';
import { extendBlacklist } from '../decide/checks/lists/mcp-guide-lists.ts';
import { isAtOrBelow } from './sandbox/boundary.ts';

export function narrowPolicy(
  policy: Policy,
  narrowing: Narrowing | readonly Narrowing[] | undefined,
  folder: string,
): Policy {
  const all: readonly Narrowing[] = narrowing === undefined ? [] : [narrowing].flat();
  return all.reduce((narrowed, each) => narrowOnce(narrowed, each, folder), policy);
}

function narrowOnce(policy: Policy, narrowing: Narrowing, folder: string): Policy {
  const { allowedCommands, roots, blacklist, requireConfirmation } = narrowing;
  return {
    ...policy,
    ...(allowedCommands === undefined ? {} : { allowedCommands: common(policy.allowedCommands, allowedCommands) }),
    ...(roots === undefined
      ? {}
      : {
          roots: commonFolders(policy.roots ?? [folder, ...temporary()], roots),
          checks: { ...policy.checks, ...refuseOutside },
        }),
    ...(blacklist === undefined ? {} : { blacklist: extendBlacklist(policy.blacklist, blacklist) }),
    requireConfirmation: policy.requireConfirmation || requireConfirmation === true,
  };
}

/** Who names the only folders wants no question about others. */
const refuseOutside = Object.fromEntries(
  ['cwd', 'write', 'delete', 'read'].map((what) => [`${what}-outside-roots`, 'deny' as const]),
);

const temporary = () => ['/tmp', '/var/tmp', tmpdir()];

function common(held: readonly string[] | null, wished: readonly string[]): readonly string[] {
  return held === null ? [...wished] : wished.filter((name) => held.includes(name));
}

/** Where one lies in the other, the inner one. Links are followed first: a link inside may lead outside. */
function commonFolders(held: readonly string[], wished: readonly string[]): readonly string[] {
  const outer = held.flatMap(realFolder);
  const inner = wished.flatMap(realFolder);
  return [
    ...new Set([
      ...inner.filter((folder) => outer.some((root) => isAtOrBelow(folder, root))),
      ...outer.filter((root) => inner.some((folder) => isAtOrBelow(root, folder))),
    ]),
  ];
}

/** A folder that does not exist is none: what it will be is not known. */
function realFolder(path: string): readonly string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
