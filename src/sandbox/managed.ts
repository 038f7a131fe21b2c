// The verdict on a request that exceeds the managed settings: a denial that names their file and line.
// The attack: `--sandbox unrestricted`, `allowWrite`, a yes to a command that names other paths.

import type { Managed } from '../config/managed.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import type { Finding, Verdict } from '../core/verdict.ts';
import type { NamedPaths } from '../decide/paths/named-paths.ts';
import { realPath } from '../local/real-path.ts';
import { isWithin } from '../terms/machine.ts';
import type { ManagedSandbox, SandboxTerms } from '../terms/sandbox.ts';

const DISK = { realPath };

interface ManagedTerms {
  readonly sandbox: SandboxTerms;
}

export function judgeWidening(verdict: Verdict, { sandbox }: ManagedTerms): Verdict {
  const findings = sandbox.managed === null ? [] : findWidenings(sandbox, sandbox.managed);
  if (findings.length === 0) return verdict;
  const all = [...findings, ...verdict.findings];
  return { ...verdict, decision: 'deny', risk: 'high', action: 'block', findings: all, suggestions: [] };
}

function findWidenings({ requestedWrites }: SandboxTerms, managed: ManagedSandbox): Finding[] {
  const { name, paths, hosts, places, refusedName, refusedHosts } = managed;
  const findings: Finding[] = [];
  if (name !== null && refusedName !== null)
    findings.push(refusal(name, `asks for the sandbox ${refusedName}`, `sandbox.name is fixed as ${name.value}`));
  // Checked on disk each time: a link may have changed.
  const folders = paths === null ? [] : requestedWrites.filter((path) => !isWithin(path, places, DISK));
  if (paths !== null && folders.length > 0)
    findings.push(refusal(paths, `asks to write in ${folders.join(', ')}`, 'managedPathsOnly is on'));
  if (hosts !== null && refusedHosts.length > 0)
    findings.push(refusal(hosts, `asks to reach ${refusedHosts.join(', ')}`, 'managedDomainsOnly is on'));
  return findings;
}

function refusal({ file, line }: Managed<unknown>, what: string, why: string): Finding {
  return {
    id: 'managed-sandbox',
    layer: 'sandbox',
    verdict: 'deny',
    severity: 'high',
    message: `The request ${what}, but in the managed settings (${file}:${line}) ${why}.`,
    instead: 'Leave it out of the request, or ask the administrator of this machine.',
    span: null,
    command: null,
    rule: null,
    confidence: null,
  };
}

/** Paths that an allowed command names open for it; if the managed settings fix paths, only those that were open already. */
export function withoutOpening(named: NamedPaths, { sandbox }: ManagedTerms): NamedPaths {
  const { managed } = sandbox;
  if (managed === null || managed.paths === null) return named;
  const { places } = managed;
  // A file that does not exist yet has no links.
  const isNewInside = (path: string) => realPath(path) === null && places.some((place) => isAtOrBelow(path, place));
  const isInside = (path: string) => isWithin(path, places, DISK) || isNewInside(path);
  return {
    reads: named.reads.filter(isInside),
    writes: named.writes.filter(({ path }) => isInside(path)),
    deletes: named.deletes.filter(({ path }) => isInside(path)),
  };
}
