import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskFolders } from './folders.ts';
import type { KernelSupport } from './kernel-support.ts';
import { plan } from './plan.ts';
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
