// What to do about something that the sandbox refused: a model can do other things than the person it works for.

import type { SandboxViolation } from '../confinement.ts';

export function adviceForModel({ kind, instead }: SandboxViolation): string {
  switch (kind) {
    case 'network':
    case 'socket':
    case 'resource':
      return 'Do without it, or ask the person whom you work for to allow it.';
    case 'file':
    case 'protected-name':
      return instead;
  }
}

/** For a person at a terminal: an option of `hardshell run`, or a setting. */
export function adviceForPerson({ kind, operation, target, rule, instead }: SandboxViolation): string {
  if (kind !== 'file') return instead;
  if (rule.startsWith('hidden: ')) return `Show it: "sandbox": {"filesystem": {"allowRead": [${JSON.stringify(target)}]}}`;
  if (operation !== 'write' || rule.startsWith('protected: ')) return 'Change it yourself, outside of the sandbox.';
  return `Allow it: --allow-write ${quote(folderOf(target))}`;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
