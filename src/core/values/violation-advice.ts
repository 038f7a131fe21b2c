// What a model can do about a violation. `instead` may be addressed to the user of hardshell.

import type { SandboxViolation } from '../confinement.ts';

export function adviceForModel({ kind, rule, instead }: SandboxViolation): string {
  switch (kind) {
    case 'network':
      return adviceForNetwork(rule, instead);
    case 'socket':
      return 'Do without the socket, or ask the user to allow it.';
    case 'resource':
      return 'Do without it, or ask the user to allow it.';
    case 'process':
    case 'file':
    case 'protected-name':
      return instead;
  }
}

function adviceForNetwork(rule: string, instead: string): string {
  if (rule.startsWith('domains')) return 'Do without the host, or ask the user to allow it.';
  if (rule.startsWith('the network was lost')) return instead;
  if (rule.startsWith('the restricted sandbox')) return 'Do without the network, or ask the user for another sandbox.';
  if (instead.startsWith('Allow it: --allow-port'))
    return 'Do without this port of the machine, or ask the user to allow it.';
  return 'Use the proxy that HTTPS_PROXY names, or ask the user to allow the connection.';
}
