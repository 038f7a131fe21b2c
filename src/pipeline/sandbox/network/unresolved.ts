// What a command says about hosts whose address it could not find → violations: in the sandbox only the proxy looks names
// up. A line of output proves nothing, so these are marked as told; a host that the proxy has seen is left out.

import type { SandboxViolation } from '../../../core/confinement.ts';

const MAX_TEXT = 256 << 10;
const MAX_TOLD = 20;

/** As curl, git, ssh, wget, Node, Go, Ruby and the C library put it. */
const UNRESOLVED =
  /(?:could not resolve (?:host|hostname|proxy):? |unable to resolve host address |getaddrinfo (?:E[A-Z_]+ |for )|dial tcp: lookup |Failed to open TCP connection to )['"`‘“]?([a-z0-9][a-z0-9.-]{0,252}[a-z0-9])/gi;
/** Python, Perl and many more name no host. */
const NAMELESS = /temporary failure in name resolution|network is unreachable|ENETUNREACH|EAI_AGAIN/i;

/** `none`: there should be a proxy, and this machine lets none be reached. */
export type WayOut = 'proxy' | 'none' | 'restricted';

export function findUnresolved(output: string, seen: readonly SandboxViolation[], way: WayOut): SandboxViolation[] {
  const text = output.slice(-MAX_TEXT);
  const named = new Set(Array.from(text.matchAll(UNRESOLVED), ([, host]) => (host as string).toLowerCase()));
  const known = seen.filter(({ kind }) => kind === 'network').map(({ target }) => target);
  const hosts = [...named].filter((host) => !known.some((target) => target.startsWith(`${host}:`)));
  if (hosts.length === 0 && known.length === 0 && NAMELESS.test(text)) hosts.push('a host that is not named');
  return hosts.slice(0, MAX_TOLD).map((target) => ({
    kind: 'network',
    operation: 'connect',
    target,
    ...WHY[way],
    certainty: 'told',
  }));
}

const WHY: Readonly<Record<WayOut, Pick<SandboxViolation, 'rule' | 'instead'>>> = {
  proxy: {
    rule: 'hosts can only be reached through the proxy',
    instead: 'Use the proxy that HTTPS_PROXY names; the host must be in domains.allow.',
  },
  none: {
    rule: 'the sandbox has no network on this machine',
    instead: 'Run `hardshell doctor`: it says why, and what to do.',
  },
  restricted: {
    rule: 'the restricted sandbox has no network',
    instead: 'Run it in the workspace sandbox, and allow the host there.',
  },
};
