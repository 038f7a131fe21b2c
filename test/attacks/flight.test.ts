// Descriptors in flight are counted for each user and compared with the limit of the process that sends: a command that fills the
// count must not keep others from starting. The limit of its own processes is lower than ours.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfinementPolicy } from '../../src/confine/plan.ts';
import type { RunHandle, RunRequest } from '../../src/run/port.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';
import { until } from '../contract/marks.ts';
import { isRoot, Place } from './place.ts';

const SOURCE = fileURLToPath(new URL('./flight-attack.c', import.meta.url));
const TIME_MS = 60_000;

for (const [hard, soft, files] of [
  [4096, 256, 3072],
  [4096, 4096, 3072],
  [1024, 1024, 768],
] as const)
  describe.skipIf(!keeperUnderTest.isAvailable)(`descriptors in flight, with ${soft} of ${hard} files`, () => {
    let place: Place;
    let unavailable: string | null = null;

    beforeAll(async () => {
      if (!keeperUnderTest.isAvailable) return;
      place = new Place(keeperUnderTest.path, keeperStderr, 'user', `ulimit -Sn ${soft}; ulimit -Hn ${hard}`);
      mkdirSync(place.path('w'));
      mkdirSync(place.path('worlds'));
      execFileSync('cc', ['-O1', '-Wall', '-Wextra', '-Werror', '-o', place.path('attack'), SOURCE]);
      chmodSync(place.path('attack'), 0o755);
      place.make({}, ['w']);
      unavailable = await place.open('namespaces');
    }, TIME_MS);
    afterAll(() => place?.close());

    function begin(script: string, world: string, more: Partial<RunRequest> = {}): RunHandle {
      const { spec } = place.plan({ network: 'none' } as ConfinementPolicy);
      return place.runner.start({
        program: '/bin/bash',
        argv: ['bash', '-c', script],
        cwd: place.path('w'),
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', A: place.path('attack') },
        timeoutMs: 30_000,
        graceMs: 0,
        lingerMs: 0,
        confinement: { ...spec, network: 'own', isShared: true, hostPorts: [9] },
        world: place.path(`worlds/${world}.sock`),
        room: 'same',
        ...more,
      });
    }

    async function run(script: string, world = 'one', more: Partial<RunRequest> = {}): Promise<string> {
      const { output } = await begin(script, world, more).done;
      return (await output.read(0, 10_000)).toString();
    }

    const rows = (name: string, body: () => Promise<void>) =>
      test(
        name,
        async (context) => {
          if (unavailable !== null) return context.skip(unavailable);
          await body();
        },
        TIME_MS,
      );

    rows('a command has the soft limit of the user, and fewer files than hardshell', async () => {
      for (const more of [{}, { stdin: Buffer.from('x') }]) {
        expect(await run('ulimit -Sn; ulimit -Hn', 'one', more)).toBe(`${Math.min(soft, files)}\n${files}\n`);
        expect(await run('ulimit -n', 'one', { ...more, limits: { openFiles: 100 } })).toBe('100\n');
        // What was asked for is given, as far as there is.
        expect(await run('ulimit -n', 'one', { ...more, limits: { openFiles: hard - 10 } })).toBe(`${hard - 10}\n`);
      }
    });

    rows('a command that fills the count keeps no other from starting, in its session or in a new one', async () => {
      let said = '';
      const full = begin('exec $A', 'one');
      full.done.catch(() => {});
      await full.started;
      expect(
        await until(async () => {
          said = (await (await full.peek()).read(0, 1_000)).toString();
          return said.includes('\n');
        }, 10_000),
      ).toBe(true);
      expect(said).toMatch(/^in flight \d+: Too many references/);
      for (const world of ['one', 'one', 'new', 'newer']) {
        const handle = begin('echo on', world);
        const { output } = await handle.done;
        expect((await output.read(0, 100)).toString()).toBe('on\n');
        expect((await handle.started).shares).toBe('processes');
      }
      full.kill({ graceMs: 0 });
      await full.done;
    });

    rows('a program outside of the sandbox that fills the count is named as the reason', async () => {
      const who = isRoot ? { uid: 65534, gid: 65534 } : {};
      const outside = spawn('bash', ['-c', `ulimit -n ${hard + 500}; exec ${place.path('attack')}`], {
        ...who,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(outside.stdout, 'data');
      await expect(run('echo on')).rejects.toMatchObject({
        message: expect.stringContaining('too many file descriptors in flight'),
        hint: expect.stringMatching(/^End the program/),
      });
      outside.kill('SIGKILL');
      await once(outside, 'exit');
      expect(await run('echo on')).toBe('on\n');
    });
  });
