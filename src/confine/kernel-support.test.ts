import { expect, test } from 'vitest';
import { KeeperBackend } from './backends/keeper.ts';
import { diskFolders } from './folders.ts';
import { findKernelSupport } from './kernel-support.ts';
import type { ConfineAttempt, ConfinementSpec } from './port.ts';

const held: ConfineAttempt = { held: ['namespaces'], missing: [] };
const lacking: ConfineAttempt = { held: [], missing: [{ step: 'scope', error: 'ENOSYS' }] };
const refused: ConfineAttempt = { failed: 'namespaces', error: 'EPERM' };

/** Answers by tier, and records the requests. */
function attempts(answers: Record<ConfinementSpec['tier'], ConfineAttempt>) {
  const asked: string[] = [];
  const attempt = async (spec: ConfinementSpec) => {
    asked.push(spec.tier);
    return answers[spec.tier];
  };
  return { asked, attempt };
}

test('the best available tier, without unnecessary attempts', async () => {
  const { asked, attempt } = attempts({ namespaces: held, landlock: held });
  expect(await findKernelSupport(attempt)).toEqual({
    tier: 'namespaces',
    missing: [],
    why: null,
    hasOwnSockets: true,
  });
  expect(asked).toEqual(['namespaces']);
});

test('a kernel that cannot tell sockets apart has namespaces and reports, and no sockets of its own', async () => {
  const attempt = async ({ unixSockets }: ConfinementSpec): Promise<ConfineAttempt> =>
    unixSockets === 'own' ? { failed: 'sockets', error: 'ENOENT' } : held;
  expect(await findKernelSupport(attempt)).toEqual({ tier: 'namespaces', missing: [], why: null });
});

test('without notifications there are neither reports nor own sockets', async () => {
  const attempt = async ({ unixSockets, reports }: ConfinementSpec): Promise<ConfineAttempt> =>
    unixSockets === 'own' || reports !== undefined ? { failed: 'broker', error: 'EBUSY' } : held;
  expect(await findKernelSupport(attempt)).toEqual({
    tier: 'namespaces',
    missing: [],
    why: null,
    withoutReports: 'broker: EBUSY',
  });
});

test('overlays, if the kernel mounts one', async () => {
  const { attempt } = attempts({ namespaces: { held: ['namespaces', 'overlays'], missing: [] }, landlock: held });
  expect((await findKernelSupport(attempt)).hasOverlays).toBe(true);
});

test('without namespaces Landlock, with what it lacks and why', async () => {
  const { attempt } = attempts({ namespaces: refused, landlock: lacking });
  expect(await findKernelSupport(attempt)).toEqual({
    tier: 'landlock',
    missing: [{ step: 'scope', error: 'ENOSYS' }],
    why: 'the kernel refused namespaces (namespaces: EPERM)',
  });
});

test('nothing, said as such', async () => {
  const { attempt } = attempts({ namespaces: refused, landlock: { failed: 'files', error: 'ENOSYS' } });
  const { tier, why } = await findKernelSupport(attempt);
  expect(tier).toBe('none');
  expect(why).toContain('files: ENOSYS');
});

test('namespaces can be declined', async () => {
  const { asked, attempt } = attempts({ namespaces: held, landlock: held });
  expect((await findKernelSupport(attempt, { allowNamespaces: false })).tier).toBe('landlock');
  expect(new Set(asked)).toEqual(new Set(['landlock']));
});

test('without a broker Landlock is still available, and the broker never becomes optional', async () => {
  const attempt = async ({ tier, network }: ConfinementSpec): Promise<ConfineAttempt> => {
    if (tier === 'namespaces') return refused;
    return network === 'listed' ? { failed: 'broker', error: 'EPERM' } : { held: [], missing: [] };
  };
  const probe = await findKernelSupport(attempt);
  expect(probe).toMatchObject({ tier: 'landlock', missing: [], withoutBroker: 'broker: EPERM' });
  expect(new KeeperBackend(probe, diskFolders).proxy).toBe('none');
});
