// What terms depend on besides the request and the settings: home, temporary folder, variables, links on the disk.

import { homedir } from 'node:os';
import { isAtOrBelow } from '../core/values/containment.ts';
import { machineTemporaryFolder } from '../local/places.ts';
import { realPath } from '../local/real-path.ts';

export interface Machine {
  readonly home: string | null;
  readonly temporary: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** With links resolved; `null` if the path does not exist. */
  readonly realPath: (path: string) => string | null;
}

export function thisMachine(variables: Machine['variables']): Machine {
  return { home: realHome(), temporary: machineTemporaryFolder(), variables, realPath };
}

function realHome(): string | null {
  const home = homedir();
  return home.startsWith('/') ? home : null;
}

/** Links are resolved first: a link inside may lead outside. A path that does not exist is not inside. */
export function isWithin(path: string, folders: readonly string[], { realPath }: Pick<Machine, 'realPath'>): boolean {
  const real = realPath(path);
  return real !== null && folders.some((folder) => isAtOrBelow(real, realPath(folder) ?? folder));
}
