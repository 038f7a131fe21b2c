// What a permission of the mode auto relies on: promised by the terms of a request, and held by the sandbox that was
// planned for it. The attack: a verdict that counts on a sandbox which the run then does not have.

import type { ConfineGuarantee } from '../core/confinement.ts';
import type { Facts } from '../core/facts.ts';
import type { Confinement, MissingReliance } from '../core/policy.ts';
import { RELIANCES, type Reliance } from '../core/verdict.ts';
import type { Terms } from '../terms/terms.ts';
import type { Sandbox } from './command-sandbox.ts';
import { shownSecrets } from './hidden-reads.ts';
import { whyOutside } from './outside.ts';

/** `protected-absent` is not among them: such names are removed or held back when the command ends. */
const NEEDED: Readonly<Record<Reliance, readonly ConfineGuarantee[]>> = {
  'writes-confined': ['writes-outside', 'metadata-outside'],
  'code-protected': ['protected-existing'],
  'secrets-hidden': ['hidden-content', 'processes-unseen'],
  'network-allowlist': ['network', 'unix-sockets'],
  'machine-apart': ['devices', 'signals-outside', 'shared-ipc', 'terminals', 'privileges', 'kernel-surface'],
  undoable: [],
};

/** Before anything is planned. `lost`: what an attempt to run it has shown to be missing. */
export function promiseOf(terms: Terms, facts: Facts, lost: readonly MissingReliance[]): Confinement {
  const missing = [...lost, ...findMissing(terms, facts)];
  return { held: RELIANCES.filter((each) => !missing.some(({ guarantee }) => guarantee === each)), missing };
}

function findMissing(terms: Terms, facts: Facts): MissingReliance[] {
  const { sandbox, staging, isBackground } = terms;
  const outside = whyOutside(sandbox, facts);
  if (outside !== null) return RELIANCES.map((guarantee) => ({ guarantee, why: outside }));
  const missing: MissingReliance[] = [];
  const say = (guarantee: Reliance, why: string) => missing.push({ guarantee, why });
  const [shown] = shownSecrets(terms);
  if (shown !== undefined) say('secrets-hidden', `sandbox.filesystem.allowRead shows ${shown}`);
  const open = whyNetworkIsOpen(terms);
  if (open !== null) say('network-allowlist', open);
  if (sandbox.name === 'restricted') return missing;
  if (staging.mode === 'off') say('undoable', 'staging is off');
  else if (isBackground) say('undoable', 'changes of background commands are not staged');
  return missing;
}

/** A socket of Docker or of an ssh agent is a way out of the sandbox, and what a socket leads to is not known. */
function whyNetworkIsOpen({ network, policy }: Terms): string | null {
  if (network === null) return null;
  const { isAny, paths } = network.unixSockets;
  if (isAny) return 'sandbox.network.allowAllUnixSockets is on';
  if (paths.length > 0) return `sandbox.network.allowUnixSockets opens ${paths[0]}`;
  const rules = policy.rules.filter(({ list }) => list === 'allow').map(({ text }) => text);
  const every = [
    ...network.allow,
    ...rules.flatMap((text) => /^\s*(?:Network|WebFetch)\((.*)\)\s*$/.exec(text)?.[1] ?? []),
  ];
  const wide = every.find((host) => EVERY_HOST.test(host));
  return wide === undefined ? null : `the settings allow every host (${wide})`;
}

/** A whole top-level domain counts as well. */
const EVERY_HOST = /^(?:domain:)?\*(?:\.[^.:]+)?(?::(?:\*|\d+))?$|\/0(?::(?:\*|\d+))?$/;

/** What the permission relies on and the sandbox does not hold. */
export function findLacking(reliesOn: readonly Reliance[], sandbox: Sandbox): MissingReliance[] {
  const { enforcement, isUndoable } = sandbox;
  const missing: MissingReliance[] = [];
  for (const guarantee of reliesOn) {
    if (guarantee === 'undoable' && !isUndoable) missing.push({ guarantee, why: 'its changes cannot be staged here' });
    const lost = NEEDED[guarantee].find((each) => !enforcement.held.includes(each));
    if (lost === undefined) continue;
    const why = enforcement.missing.find((each) => each.guarantee === lost)?.why ?? 'this sandbox does not hold it';
    missing.push({ guarantee, why: `${lost} (${why})` });
  }
  return missing;
}
