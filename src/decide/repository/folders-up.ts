// A folder → itself and all parent folders, as programs climb them: from the real folder, not from a link to it.

import { posix } from 'node:path';
import type { Probe } from '../../core/probe.ts';

const MAX_LEVELS = 64;

export function foldersUp(start: string, probe: Probe): readonly string[] {
  const folders: string[] = [];
  for (let at = probe.realPath(start) ?? start; folders.length < MAX_LEVELS; at = posix.dirname(at)) {
    folders.push(at);
    if (at === posix.dirname(at)) break;
  }
  return folders;
}
