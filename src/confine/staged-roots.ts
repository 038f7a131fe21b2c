// What is wanted × a stage → the writable folders whose changes are staged, the names that the gate guards in them, and
// what is left for mounts. A folder that cannot be staged stays direct, protected as without a stage.

import { basename, dirname, join } from 'node:path';
import { isAtOrBelow, isAtOrBelowAny, isBelowAny } from '../core/values/containment.ts';
import type { ConfinementPolicy } from './confinement-policy.ts';
import type { ConfinedPath, ConfinementSpec, StageSpec } from './port.ts';
import { isOfNewRepository, listKeptNames, namesToSweep } from './protected-names.ts';
import type { FolderReader } from './reading.ts';
import type { Wanted } from './wanted-paths.ts';

/** Writable, and not staged. */
export interface DirectRoot {
  readonly path: string;
  readonly isFolder: boolean;
  readonly why: string;
}

export interface StagedRoots {
  /** Their number is their place in this list. */
  readonly roots: readonly string[];
  readonly direct: readonly DirectRoot[];
}

/** What a plan needs to stage changes. */
export interface StagingPlan extends StagedRoots {
  readonly paths: readonly ConfinedPath[];
  readonly spec: Pick<ConfinementSpec, 'stage' | 'kept' | 'sweptNames'>;
  /** Without what is below staged folders. */
  readonly wanted: Wanted;
}

/** `null` without a stage. Without roots, everything is direct. */
export function planStaging(policy: ConfinementPolicy, wanted: Wanted, folders: FolderReader): StagingPlan | null {
  const { stage } = policy;
  if (stage === undefined) return null;
  const outermost = wanted.swept.filter((path) => !isBelowAny(path, new Set(wanted.swept)));
  const direct = outermost.flatMap((path) => {
    const why = whyDirect(path, stage, policy, wanted, folders);
    return why === null ? [] : [{ path, isFolder: folders.isFile?.(path) !== true, why }];
  });
  const depth = (path: string) => path.split('/').length;
  // As the paths of a plan are ordered: the keeper numbers them in that order.
  const roots = outermost
    .filter((path) => !direct.some((each) => each.path === path))
    .sort((a, b) => depth(a) - depth(b));
  const staged = new Set(roots);
  const isStaged = (path: string) => isAtOrBelowAny(path, staged);
  const { guarded, absent, links } = wanted;
  // The gate judges a new repository by its content.
  const names = absent.filter((path) => !isOfNewRepository(path, folders));
  return {
    roots,
    direct,
    paths: roots.map((path, at) => ({ kind: 'staged', path, from: join(stage.folder, String(at)) })),
    spec:
      roots.length === 0
        ? {}
        : {
            stage: { ...stage, guarded: [...guarded, ...names, ...links].filter(isStaged) },
            sweptNames: namesToSweep(policy),
            kept: listKeptNames(policy).filter(isStaged),
          },
    wanted: {
      ...wanted,
      swept: wanted.swept.filter((path) => !isStaged(path)),
      openedFolders: wanted.openedFolders.filter((path) => !isStaged(path)),
      writable: wanted.writable.filter((path) => !isStaged(path)),
      guarded: guarded.filter((path) => !isStaged(path)),
      absent: absent.filter((path) => !isStaged(path)),
      links: links.filter((path) => !isStaged(path)),
    },
  };
}

/** The same roots with the stage of another command, which is in the same folder. */
export function stageIn(folder: string, spec: ConfinementSpec): ConfinementSpec {
  if (spec.stage === undefined) return spec;
  const paths = spec.paths.map((item) =>
    item.kind === 'staged' ? { ...item, from: join(folder, basename(item.from)) } : item,
  );
  return { ...spec, paths, stage: { ...spec.stage, folder } };
}

function whyDirect(
  root: string,
  { folder }: Pick<StageSpec, 'folder'>,
  { scratch = [] }: ConfinementPolicy,
  { omitted }: Wanted,
  folders: FolderReader,
): string | null {
  if (folders.isFile?.(root) === true) return 'it is not a folder';
  // The upper layer would be below the lower one, and caches of tools would be held back as hardshell's own files.
  // All stages are in one folder, so the answer is the same for each of them.
  if ([dirname(folder), ...scratch].some((path) => isAtOrBelow(folders.realPath(path) ?? path, root)))
    return "it contains hardshell's own files";
  if (omitted > 0) return 'there are too many writable folders to protect by name';
  return null;
}
