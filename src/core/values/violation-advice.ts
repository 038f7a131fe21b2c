// What a model can do about a violation. `instead` may be addressed to the user of hardshell.

import type { SandboxViolation } from '../confinement.ts';

export function adviceForModel({ kind, instead }: SandboxViolation): string {
  switch (kind) {
    case 'network':
    case 'socket':
    case 'process':
    case 'resource':
      return 'Do without it, or ask the user to allow it.';
    case 'file':
    case 'protected-name':
      return instead;
  }
}
