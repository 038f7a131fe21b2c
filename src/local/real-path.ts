// Paths with links resolved: three answers for what does not exist.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** `null` if the path does not exist. */
export function realPath(path: string): string | null {
  try {
    // Most paths that a plan asks about do not exist, and an error costs more than all the rest.
    return existsSync(path) ? realpathSync.native(path) : null;
  } catch {
    return null;
  }
}

/** The path itself if it does not exist. */
export function realPathOrSame(path: string): string {
  return realPath(path) ?? path;
}

/** Resolved as far as the path exists. */
export function realPathOfNearest(path: string): string {
  const real = realPath(path);
  if (real !== null) return real;
  const parent = dirname(path);
  return parent === path ? path : join(realPathOfNearest(parent), basename(path));
}
