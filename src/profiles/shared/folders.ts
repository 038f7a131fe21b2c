// A folder as a model names it → an absolute path.

import { homedir } from 'node:os';
import { resolve } from 'node:path';

export function resolveFolder(path: string, base: string): string {
  if (path === '~') return homedir();
  return resolve(base, path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : path);
}
