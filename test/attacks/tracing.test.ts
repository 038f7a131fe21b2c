// Processes that trace each other with PTRACE_O_TRACEEXIT could never be killed: the request that would close a circle is refused, in
// one command and between commands of a room. Debuggers work. No test completes a circle: see trace-attack.c.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { RunEvent, RunListener, RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';
import { until } from '../contract/marks.ts';
import { RoomCommands } from './room-commands.ts';

const REFUSED = /^last .*: Operation not permitted$/m;

describe.skipIf(!keeperUnderTest.isAvailable)('tracers that hold processes at their exit', () => {
  const room = new RoomCommands('./trace-attack.c', 'user');
  const rows = room.test.bind(room);
  const begin = (script: string, more: Partial<RunRequest> = {}, listener?: RunListener) =>
    room.begin(script, { more, ...(listener && { listener }) });
  const run = (script: string, more: Partial<RunRequest> = {}) => room.run(script, { more });
  const hold = (script: string) => room.hold(script);

  const read = (name: string) => {
    try {
      return readFileSync(room.place.path(`w/${name}`), 'utf8');
    } catch {
      return '';
    }
  };

  const hasProgram = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  const ALONE: Partial<RunRequest> = { stdin: Buffer.from('x') };

  for (const [where, more] of [
    ['in a room', {}],
    ['in namespaces of its own', ALONE],
  ] as const) {
    rows(`a process that is traced does not trace its tracer, ${where}`, async () => {
      for (const first of ['seize', 'attach', 'traceme'])
        for (const last of ['seize', 'set', 'old']) {
          const said = await run(`$A circle ${first} ${last} main`, more);
          expect([first, last, said]).toEqual([first, last, expect.stringMatching(REFUSED)]);
          expect(said).toContain(`first ${first}: done`);
        }
    });

    rows(`nor do its threads, its children, or the process after it was released, ${where}`, async () => {
      for (const who of ['thread', 'inherited', 'after'])
        for (const last of ['seize', 'set']) {
          const said = await run(`$A circle seize ${last} ${who}`, more);
          expect([who, last, said]).toEqual([who, last, expect.stringMatching(REFUSED)]);
        }
      expect(await run('$A hidden-thread', more)).toBe(
        'first seize: done\nreleased: done\nlast seize: Operation not permitted\n',
      );
    });

    rows(`a circle of three is refused, ${where}`, async () => {
      for (const last of ['seize', 'set', 'old']) expect(await run(`$A triangle ${last}`, more)).toMatch(REFUSED);
    });

    rows(`a tracer that is not traced may have many targets, ${where}`, async () => {
      // More than are remembered at a time.
      expect(await run('$A many 1100', { ...more, timeoutMs: 50_000 })).toBe('all\n');
      // Passed on to the kernel, which does not know the other option.
      expect(await run('sleep 5 & $A last seize $!', more)).toBe('last seize: Input/output error\n');
      expect(await run('$A last seize 99999', more)).toBe('last seize: No such process\n');
    });
  }

  rows('commands trace those that started before them, and never those that started after them', async () => {
    const ask = 'until test -s later-$n; do sleep 0.05; done; $A last seize $(cat later-$n) > said-$n';
    const earlier = await hold(`sleep 30 & echo $! > target; for n in 1 2; do ${ask}; done; sleep 30`);
    expect(await until(() => read('target').endsWith('\n'), 10_000)).toBe(true);
    const target = Number(read('target'));
    // A process of the later command traces nothing, or one of the earlier command.
    for (const [n, script] of [
      [1, 'exec sleep 30'],
      [2, `exec $A hold ${target} 30`],
    ] as const) {
      const later = await hold(script);
      writeFileSync(room.place.path(`w/later-${n}`), `${later.pid}\n`);
      expect(await until(() => read(`said-${n}`).endsWith('\n'), 10_000)).toBe(true);
      expect(read(`said-${n}`)).toBe('last seize: Operation not permitted\n');
      expect(await run(`$A last seize ${earlier.pid}`)).toBe('last seize: Input/output error\n');
      await later.handle.kill({ graceMs: 0 });
      expect(await later.handle.done).toMatchObject({ cause: 'cancelled' });
    }
    await earlier.handle.kill({ graceMs: 0 });
    expect(await earlier.handle.done).toMatchObject({ cause: 'cancelled' });
  });

  rows('no process of the room that starts commands is a target', async () => {
    const held = await hold('exec sleep 30');
    for (const pid of [1, `$(ps -o ppid= -p ${held.pid})`, '$PPID'])
      expect(await run(`$A last seize ${pid}`)).toBe('last seize: Operation not permitted\n');
    await held.handle.kill({ graceMs: 0 });
    await held.handle.done;
  });

  rows('strace and gdb work on own processes, and on those of an earlier command', async () => {
    const held = await hold('while sleep 0.1; do :; done');
    if (hasProgram('strace')) {
      for (const more of [{}, ALONE]) {
        expect(await run('strace -f -o trace bash -c "ls / | wc -l" > lines && grep -c exited trace', more)).toMatch(
          /^[3-9]\n$/,
        );
        expect(
          await run('sleep 9 & strace -o trace -p $! & sleep 0.5; kill %1; wait; grep -c SIGTERM trace', more),
        ).toMatch(/[1-9]\n$/);
      }
      expect(
        await run(`timeout -s INT 1 strace -f -o trace -p ${held.pid} 2>&1 | head -1; grep -c clone trace`),
      ).toMatch(/attached\n[1-9]/);
      expect(await run(`kill -0 ${held.pid} && echo there`)).toBe('there\n');
    }
    if (hasProgram('gdb')) {
      expect(await run(`gdb -batch -nx -p ${held.pid} -ex "info inferiors" 2>&1`)).toContain(`process ${held.pid}`);
      expect(await run('gdb -batch -nx -ex run /bin/true 2>&1')).toContain('exited normally');
    }
    await held.handle.kill({ graceMs: 0 });
    await held.handle.done;
  });

  // A tracer outside of the sandbox is not ours to refuse.
  for (const [where, more] of [
    ['in a room', {}],
    ['in namespaces of its own', ALONE],
  ] as const)
    rows(
      `processes that a tracer outside holds are reported, and end when it lets them go, ${where}`,
      async (context) => {
        const events: RunEvent[] = [];
        const world = room.place.path('worlds/held.sock');
        const handle = begin('exec sleep 30', { ...more, world, timeoutMs: 2_000 }, (event) => void events.push(event));
        const { pid } = await handle.started;
        const tracer = spawn(room.place.path('attack'), ['hold', String(pid), '18'], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const [said] = (await once(tracer.stdout, 'data')) as [Buffer];
        if (!said.includes('done')) return context.skip(`cannot trace from outside: ${said}`);
        expect(await handle.done).toMatchObject({
          cause: 'timeout',
          exitCode: null,
          signal: 9,
          unended: { count: 1, pids: [pid] },
        });
        expect(events.filter(({ type }) => type === 'traced')).toEqual([{ type: 'traced', pid: 0, name: 'attack' }]);
        expect(existsSync(`/proc/${pid}`)).toBe(true);
        await once(tracer, 'exit');
        expect(await until(() => !existsSync(`/proc/${pid}`), 10_000)).toBe(true);
        expect(await run('echo on', { world })).toBe('on\n');
      },
    );
});
