import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { diskFolders } from './folders.ts';
import type { KernelSupport } from './kernel-support.ts';
import { plan } from './plan.ts';
import type { FolderReader } from './reading.ts';
import { rememberPlans } from './remembered-plans.ts';

const probe: KernelSupport = { tier: 'namespaces', missing: [] } as unknown as KernelSupport;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plans-'));
  mkdirSync(join(folder, 'project'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const policy = () => ({
  name: 'workspace' as const,
  writable: [join(folder, 'project')],
  hidden: [join(folder, 'project/secret')],
});

test.runIf(process.platform === 'linux')('the same policy has the same plan until its disk changes', () => {
  const remember = rememberPlans(probe, diskFolders);
  const first = remember(policy());
  expect(first).toEqual(plan(policy(), probe, diskFolders));
  expect(remember(policy())).toBe(first);
  expect(remember({ ...policy(), hidden: [] })).not.toBe(first);
  writeFileSync(join(folder, 'project/other'), '');
  expect(remember(policy())).toBe(first);
  writeFileSync(join(folder, 'project/secret'), '');
  const second = remember(policy());
  expect(second).not.toBe(first);
  expect(second).toEqual(plan(policy(), probe, diskFolders));
});

test.runIf(process.platform === 'linux')('few plans are kept', () => {
  const remember = rememberPlans(probe, diskFolders);
  const first = remember(policy());
  for (let port = 1; port <= 20; port += 1) remember({ ...policy(), publishPorts: [port] });
  expect(remember(policy())).not.toBe(first);
});

describe.runIf(process.platform === 'linux')('a command with a stage', () => {
  const staged = (id: string) => ({
    ...policy(),
    stage: { folder: join(folder, 'stages', id), mode: 'apply' as const },
  });

  test('has the plan of the one before, with its own stage', () => {
    let observed = 0;
    const counting: FolderReader = {
      ...diskFolders,
      observe: () => {
        observed += 1;
        return (diskFolders.observe as NonNullable<FolderReader['observe']>)();
      },
    };
    const remember = rememberPlans(probe, counting);
    for (const id of ['first', 'second', 'third']) {
      expect(remember(staged(id))).toEqual(plan(staged(id), probe, diskFolders));
      // As the command does: it stays there until it is pruned.
      mkdirSync(join(folder, 'stages', id), { recursive: true });
    }
    // The folder of the stages was made after the first.
    expect(observed).toBe(2);
  });

  test('keeps no plan of another policy from being remembered', () => {
    const remember = rememberPlans(probe, diskFolders);
    const first = remember(policy());
    for (let id = 1; id <= 20; id += 1) remember(staged(String(id)));
    expect(remember(policy())).toBe(first);
  });

  test('is planned anew when the disk changes', () => {
    mkdirSync(join(folder, 'stages'));
    const remember = rememberPlans(probe, diskFolders);
    remember(staged('first'));
    writeFileSync(join(folder, 'project/secret'), '');
    expect(remember(staged('second'))).toEqual(plan(staged('second'), probe, diskFolders));
  });

  test('does not stage a folder that contains its stages', () => {
    const remember = rememberPlans(probe, diskFolders);
    const inside = (id: string) => ({
      ...policy(),
      stage: { folder: join(folder, 'project/stages', id), mode: 'apply' as const },
    });
    for (const id of ['first', 'second']) {
      const planned = remember(inside(id));
      expect(planned.kind === 'confined' && planned.staged?.direct.map(({ path }) => path)).toEqual([
        join(folder, 'project'),
      ]);
    }
  });
});
