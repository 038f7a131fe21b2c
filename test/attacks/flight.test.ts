// Descriptors in flight are counted for each user and compared with the limit of the process that sends: a command that fills the
// count must not keep others from starting. The limit of its own processes is lower than ours.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { describe, expect } from 'vitest';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';
import { until } from '../contract/marks.ts';
import { isRoot } from './place.ts';
import { RoomCommands } from './room-commands.ts';

for (const [hard, soft, files] of [
  [4096, 256, 3072],
  [4096, 4096, 3072],
  [1024, 1024, 768],
  [9000, 1024, 9000 - Math.min(2250, 1024 + 253 * cpus().length)],
] as const)
  describe.skipIf(!keeperUnderTest.isAvailable)(`descriptors in flight, with ${soft} of ${hard} files`, () => {
    const room = new RoomCommands('./flight-attack.c', 'user', {
      before: `ulimit -Sn ${soft}; ulimit -Hn ${hard}`,
      spec: { hostPorts: [9] },
    });
    const begin = (script: string, world: string, more = {}) => room.begin(script, { world, more });
    const run = (script: string, world = 'one', more = {}) => room.run(script, { world, more });
    const rows = room.test.bind(room);

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
      const outside = spawn('bash', ['-c', `ulimit -n ${hard + 500}; exec ${room.place.path('attack')}`], {
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
