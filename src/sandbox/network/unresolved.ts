// Output about hosts that could not be resolved → the reason: in the sandbox only the proxy resolves names.
// A line of output proves nothing, so this explains a failure and is not a violation.

import type { SandboxViolation } from '../../core/confinement.ts';

const MAX_TEXT = 256 << 10;

/** Messages of curl, git, ssh, wget, Node, Go, Ruby, Python and the C library. */
const UNRESOLVED =
  /could not resolve (?:host|hostname|proxy)|unable to resolve host address|getaddrinfo|dial tcp: lookup |Failed to open TCP connection to |temporary failure in name resolution|network is unreachable|ENETUNREACH|EAI_AGAIN/i;

/** `none`: there should be a proxy, but this machine does not let commands reach one. */
export type WayOut = 'proxy' | 'none' | 'restricted';

/** `null` if the output shows no failed lookup, or a violation explains it already: nothing is told twice. */
export function explainUnresolved(output: string, seen: readonly SandboxViolation[], way: WayOut): string | null {
  const isTold = way === 'proxy' && seen.some(({ kind }) => kind === 'network');
  if (isTold || !UNRESOLVED.test(output.slice(-MAX_TEXT))) return null;
  return REASONS[way];
}

const REASONS: Readonly<Record<WayOut, string>> = {
  proxy:
    'In the sandbox, hosts can be reached only through the proxy that HTTPS_PROXY names, and only if domains.allow lists them.',
  none: 'The sandbox has no network on this machine; `hardshell doctor` says why.',
  restricted: 'The restricted sandbox has no network.',
};
