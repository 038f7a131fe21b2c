// What a result says about resources: usage with a reason for each missing value, how limits were enforced, and files that
// changed, each compared with what can be seen from outside.

import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunUsage } from '../../src/core/running.ts';
import { writeTree } from './place.ts';
import { useProjects } from './project.ts';
import { nameOfLoopback } from './registry.ts';

const TIME_MS = 120_000;

/** Each value is measured, or has a reason. */
function whyMissing(usage: RunUsage | null): string[] {
  const { unmeasured, ...values } = usage ?? ({ unmeasured: {} } as RunUsage);
  const missing = Object.entries(values).flatMap(([name, value]) => (value === null ? [name] : []));
  expect(Object.keys(unmeasured).sort()).toEqual(missing.sort());
  expect(Object.values(unmeasured).every((why) => why !== '')).toBe(true);
  return missing;
}

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { bare } = useProjects(tier);

  test(
    'events during a run have the keys of its usage, and nothing that was not measured has a value',
    async (context) => {
      const made = await bare(context);
      const { result, events } = await made.hear('sleep 1.3; /bin/true; exit 0');
      const updates = events.flatMap((event) => (event.type === 'resource' ? [event.usage] : []));
      expect(updates.length).toBeGreaterThan(0);
      for (const update of updates) expect(Object.keys(update).sort()).toEqual(Object.keys(result.usage ?? {}).sort());
      expect(whyMissing(updates[0] ?? null)).toEqual(['startedProcesses']);
      expect(whyMissing(result.usage)).toEqual(tier === 'namespaces' ? [] : ['startedProcesses']);
      expect(result.usage).toMatchObject({
        memoryMeasure: 'sampled',
        peakProcesses: 2,
        sentBytes: 0,
        receivedBytes: 0,
      });
      if (tier === 'namespaces') expect(result.usage?.startedProcesses).toBe(3);
    },
    TIME_MS,
  );

  test(
    'a command outside of the sandbox has no count of its traffic',
    async (context) => {
      const made = await bare(context);
      const { usage } = await made.run('true', { sandbox: 'unrestricted' });
      expect(usage).toMatchObject({ sentBytes: null, receivedBytes: null });
      expect(whyMissing(usage)).toContain('sentBytes');
    },
    TIME_MS,
  );

  test(
    'bytes that pass the proxy are counted',
    async (context) => {
      const host = await nameOfLoopback();
      if (host === null) return context.skip('the name of this machine does not lead to its loopback');
      const body = Buffer.alloc(300_000, 'a');
      const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const settings = {
        domains: { allow: [`${host}:${port}`] },
        sandbox: { network: { allowAddresses: [`127.0.0.1:${port}`] } },
      };
      const made = await bare(context, { settings }, ['curl']);
      const { usage, exitCode } = await made.run(`curl -sS -o got http://${host}:${port}/`);
      server.close();
      expect(exitCode).toBe(0);
      expect(usage?.receivedBytes).toBeGreaterThanOrEqual(body.length);
      expect(usage?.receivedBytes).toBeLessThan(body.length + 2000);
      expect(usage?.sentBytes).toBeGreaterThan(0);
      expect(usage?.sentBytes).toBeLessThan(2000);
    },
    TIME_MS,
  );

  test(
    'the result says what enforced each limit',
    async (context) => {
      const made = await bare(context);
      const limits = { memoryBytes: 1 << 30, processes: 50, cpuSeconds: 60, openFiles: 200, outputBytes: 1000 };
      const { limits: applied } = await made.run('sleep 0.3', { limits });
      const own = applied.filter(({ name, enforcement }) => name !== 'processes' || enforcement === 'polled');
      const entries = own.map(({ name, scope, value }) => `${name} ${scope} ${value}`);
      expect(entries).toEqual([
        'memoryBytes tree 1073741824',
        'processes tree 50',
        'cpuSeconds process 60',
        'cpuSeconds tree 60',
        'openFiles process 200',
        'outputBytes tree 1000',
      ]);
      const enforced = Object.fromEntries(
        applied.map(({ name, scope, enforcement }) => [`${name} ${scope}`, enforcement]),
      );
      expect(enforced).toMatchObject({
        'cpuSeconds process': 'kernel',
        'cpuSeconds tree': 'polled',
        'openFiles process': 'kernel',
        'outputBytes tree': 'counted',
      });
      for (const { enforcement, uncheckedMs } of applied) expect(uncheckedMs !== null).toBe(enforcement === 'polled');
    },
    TIME_MS,
  );

  test(
    'a limit that the kernel or the samples found exceeded is the reason that the result gives',
    async (context) => {
      const made = await bare(context);
      const { status, failure } = await made.run('for i in {1..100}; do sleep 1 & done; wait', {
        limits: { processes: 8 },
      });
      expect([status, failure?.type, failure?.context.limit]).toEqual(['limited', 'resource_limit_exceeded', 8]);
    },
    TIME_MS,
  );

  test(
    'files that a program changed unforeseen are listed if details are wanted',
    async (context) => {
      const made = await bare(context);
      writeTree(made.project, { 'kept/a': '1', 'kept/b': '1', 'kept/c': '1' });
      writeFileSync(
        join(made.project, 'work.sh'),
        'cd kept; echo 2 > a; rm b; mkdir -p new/deep; echo 3 > new/deep/file; mv c d; echo same > same; rm same\n',
      );
      const plain = await made.run('bash work.sh', { assumeYes: true });
      expect(plain.files).toMatchObject({ isComplete: false, why: expect.any(String) });
      writeTree(made.project, { 'kept/b': '1', 'kept/c': '1' });
      for (const path of ['kept/new', 'kept/d']) expect(existsSync(join(made.project, path))).toBe(true);
      const script = 'cd kept; echo 4 > a; rm -r b new; echo 5 > e; mkdir f; mv c g; echo 6 > h; rm h\n';
      writeFileSync(join(made.project, 'work.sh'), script);
      const { files } = await made.run('bash work.sh', { assumeYes: true, wantsDetails: true });
      const relative = (paths: readonly string[]) => paths.map((path) => path.slice(made.project.length + 1)).sort();
      expect(files).toMatchObject({ isComplete: true, why: null });
      expect(relative(files.created)).toEqual(['kept/e', 'kept/f', 'kept/g']);
      expect(relative(files.changed)).toEqual(['kept/a']);
      expect(relative(files.deleted)).toEqual(['kept/b', 'kept/c', 'kept/new', 'kept/new/deep', 'kept/new/deep/file']);
    },
    TIME_MS,
  );
});
