// Commands that share their processes, as root and as an ordinary user: what one can do to another, to the processes that start
// and end them, and to commands with other rights. Nothing outlives its command, and no command is reported as what it was not.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { describe, expect } from 'vitest';
import type { RunEvent, RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';
import { makeMark, pause, until } from '../contract/marks.ts';
import { isRoot } from './place.ts';
import { RoomCommands } from './room-commands.ts';

const ROOM = 'readlink /proc/self/ns/pid';

for (const as of ['root', 'user'] as const) {
  const reason = !keeperUnderTest.isAvailable ? 'there is no keeper' : as === 'root' && !isRoot ? 'needs root' : null;
  describe.skipIf(reason !== null)(`a room, as ${as}`, () => {
    const room = new RoomCommands('./room-attack.c', as);
    const begin = room.begin.bind(room);
    const run = room.run.bind(room);
    const hold = room.hold.bind(room);
    const rows = room.test.bind(room);

    /** Processes of this machine with that name, of this test. */
    function named(name: string): number[] {
      return readdirSync('/proc')
        .filter((entry) => /^\d+$/.test(entry))
        .filter((pid) => {
          try {
            // A new room has the name of its parent for a moment.
            return nameOf(pid) === name && nameOf(parentOf(pid)) !== name && isOurs(Number(pid));
          } catch {
            return false;
          }
        })
        .map(Number);
    }

    const nameOf = (pid: string | number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

    function parentOf(pid: string | number): number {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return Number(text.slice(text.lastIndexOf(')') + 4).split(' ')[0]);
    }

    function end(pids: readonly number[]): void {
      for (const pid of pids)
        try {
          process.kill(pid, 'SIGKILL');
        } catch {}
    }

    function isOurs(pid: number): boolean {
      for (let at = pid; at > 1; at = parentOf(at)) if (at === process.pid) return true;
      return false;
    }

    rows('commands with the same rights are in one room, and others are not', async () => {
      const first = await run(ROOM);
      expect(first).toMatch(/^pid:/);
      expect(await run(ROOM)).toBe(first);
      const others = [
        await run(ROOM, { room: 'other' }),
        await run(ROOM, { world: 'two' }),
        await run(ROOM, { policy: { hidden: [] } }),
        await run(ROOM, { spec: { hostPorts: [9] } }),
      ];
      expect(new Set([first, ...others]).size).toBe(5);
      expect(await run(ROOM)).toBe(first);
    });

    rows('a process sees, signals and debugs those of another command', async () => {
      const held = await hold('exec sleep 1002');
      expect(await run(`tr "\\0" " " < /proc/${held.pid}/cmdline`)).toBe('sleep 1002 ');
      expect(await run(`$A reach ${held.pid} | grep -c done`)).toMatch(/^1[0-9]\n$/);
      expect(await run(`kill -USR1 ${held.pid} && echo sent`)).toBe('sent\n');
      expect(await held.handle.done).toMatchObject({ signal: 10 });
    });

    rows(
      'no process reaches the first one of the room, or that of a command, in any way but SIGKILL and SIGSTOP',
      async () => {
        const held = await hold('exec sleep 1003');
        const jobs = (await run('$A jobs')).trim().split('\n');
        // Its own, that of the other command, and one that waits for the next.
        expect(jobs.length).toBeGreaterThanOrEqual(2);
        for (const pid of ['1', ...jobs]) expect([pid, await run(`$A reach ${pid} | grep done`)]).toEqual([pid, '']);
        expect(await run('for s in KILL STOP TERM USR1 SEGV; do kill -$s 1; done; echo on')).toBe('on\n');
        expect(
          await run(`for s in TERM INT USR1 USR2 CHLD SEGV ALRM; do kill -$s ${jobs.join(' ')}; done; echo on`),
        ).toContain('on\n');
        await held.handle.kill();
        expect(await held.handle.done).toMatchObject({ cause: 'cancelled' });
      },
    );

    rows('a command whose init is killed by another is reported as lost, and leaves nothing', async () => {
      const held = await hold('(setsid sleep 1004 &); (setsid bash -c "sleep 1005 & sleep 1006" &); exec sleep 1007');
      const script = `parent=$(ps -o ppid= -p ${held.pid}); kill -KILL $parent; echo killed`;
      expect(await run(script)).toBe('killed\n');
      await expect(held.handle.done).rejects.toThrow(/first process/);
      expect(await held.gone()).toBe(0);
      expect(await run('ps -eo args | grep -c "[s]leep 100[4-7]"')).toBe('0\n');
    });

    rows('an init that others stop goes on: its command ends as usual, and at its timeout', async () => {
      const stop = (pid: number) => `init=$(ps -o ppid= -p ${pid}); for i in $(seq 2000); do kill -STOP $init; done`;
      const ended = await hold('sleep 1; exit 7');
      await run(stop(ended.pid));
      expect(await ended.handle.done).toMatchObject({ cause: 'none', exitCode: 7 });
      const held = await hold('(setsid sleep 1008 &); exec sleep 1009', { more: { timeoutMs: 2_000 } });
      await run(stop(held.pid));
      expect(await held.handle.done).toMatchObject({ cause: 'timeout' });
      expect(await held.gone()).toBe(0);
    });

    rows('daemons and chains of processes end with their command, and the others go on', async () => {
      const held = await hold('exec sleep 1010');
      const mark = makeMark();
      const before = await run(ROOM);
      for (const script of [
        '(setsid sleep 1011 &) ; (setsid setsid sleep 1012 &)',
        '$A chain 300 3 & sleep 0.2',
        '$A chain 300 3 & $A chain 300 3 & sleep 0.1',
      ]) {
        const { exitCode } = await begin(script, { env: mark.env }).done;
        expect([script, exitCode]).toEqual([script, 0]);
        expect(mark.count()).toBe(0);
      }
      expect(await run(ROOM)).toBe(before);
      expect(await run(`kill -0 ${held.pid} && echo there`)).toBe('there\n');
      await held.handle.kill();
      await held.handle.done;
    });

    rows('a command that kills everything it sees ends the others of its room, and nothing is left', async () => {
      const world = 'six';
      const held = await hold('(setsid sleep 1021 &); exec sleep 1022', { world });
      // It ends with its own init.
      await expect(run('kill -KILL -1; sleep 20', { world })).rejects.toThrow(/first process/);
      await expect(held.handle.done).rejects.toThrow(/first process/);
      expect(await held.gone()).toBe(0);
      expect(await run('echo on', { world })).toBe('on\n');
    });

    rows('no command changes the limits or the scheduling of the first processes, or of another command', async () => {
      const world = 'seven';
      const held = await hold('exec sleep 1030', { world });
      const state = `for pid in 1 ${held.pid}; do cat /proc/$pid/limits; cut -d" " -f18,19,40,41 /proc/$pid/stat; grep Cpus /proc/$pid/status; done; ulimit -a; nice`;
      const before = await run(state, { world });
      const tried = await run(`for pid in 1 $($A jobs) ${held.pid} $PPID; do $A change $pid; done`, { world });
      expect(tried.match(/Operation not permitted/g)?.length).toBeGreaterThanOrEqual(27);
      expect(tried).not.toContain('done');
      expect(await run('$A change-all', { world })).not.toContain('done');
      expect(await run(`for pid in 1 $PPID ${held.pid}; do $A change-group $pid; done`, { world })).not.toContain(
        'done',
      );
      const files = await run(`for pid in 1 $($A jobs) ${held.pid}; do $A change-files $pid; done`, { world });
      expect(files).toMatch(/^oom_score_adj: /);
      expect(files).not.toContain('done');
      for (let round = 0; round < 3; round += 1) expect(await run(state, { world })).toBe(before);
      await held.handle.kill();
      await held.handle.done;
    });

    rows('a command changes the limits and the scheduling of its own processes, by number, too', async () => {
      const done = Array.from({ length: 9 }, () => 'done');
      const results = (text: string) => [...text.matchAll(/: (.*)$/gm)].map((match) => match[1]);
      for (const script of [
        'sleep 5 & $A change $!',
        '(setsid sleep 5 & echo $! > own); sleep 0.1; $A change $(cat own)',
        'exec $A change $$',
        '$A change-thread',
        '$A change 0',
      ])
        expect([script, results(await run(script))]).toEqual([script, done]);
      expect(await run('sleep 5 & renice -n 17 -p $! > /dev/null && ps -o ni= -p $! | tr -d " "')).toBe('17\n');
      expect(
        await run('sleep 5 & prlimit --pid $! --nofile=77 && prlimit --pid $! --nofile -o SOFT --noheadings'),
      ).toMatch(/^ *77\n$/);
      // Limits of others can be read.
      expect(await run('prlimit --pid 1 --nofile -o SOFT --noheadings')).toMatch(/^ *\d+\n$/);
    });

    rows('a command that blinds the first process of its room keeps nothing alive', async () => {
      const world = 'nine';
      const held = await hold('exec sleep 1031', { world });
      const lost = await hold('(setsid sleep 1034 &); exec sleep 1035', { world });
      const { supervisorPid } = (await lost.handle.started) as { supervisorPid: number };
      expect(await run('for pid in 1 $($A jobs); do $A blind $pid; done', { world })).not.toContain('done');
      process.kill(supervisorPid, 'SIGKILL');
      await expect(lost.handle.done).rejects.toThrow();
      expect(await lost.gone()).toBe(0);
      expect(await run(`kill -0 ${held.pid} && echo there`, { world })).toBe('there\n');
      await held.handle.kill();
      await held.handle.done;
    });

    rows('a command goes on when the process that waits for the next one is stopped', async () => {
      const world = 'eight';
      await run('true', { world });
      await pause(50);
      await run('for pid in $($A jobs); do [ $pid = $PPID ] || kill -STOP $pid; done', { world });
      expect(await run('echo on', { world })).toBe('on\n');
      expect(await run('echo on', { world })).toBe('on\n');
    });

    rows('a debugger that keeps a dead process does not keep its command', async () => {
      const held = await hold('sleep 1023 & echo $! > child; wait; exec sleep 1024', { more: { timeoutMs: 4_000 } });
      const keeper = await hold(`exec $A keep $(cat child)`);
      expect(await held.handle.done).toMatchObject({ cause: 'timeout' });
      expect(await run(`kill -0 ${keeper.pid} && echo there`)).toBe('there\n');
      await keeper.handle.kill();
      await keeper.handle.done;
    });

    rows('commands that are killed at random leave nothing, and the room goes on', async () => {
      const mark = makeMark();
      const script = '(setsid sleep 1025 &); $A chain 20 1 & sleep 1';
      for (let round = 0; round < 5; round += 1) {
        const handles = [0, 1, 2, 3].map(() => begin(script, { env: mark.env, more: { graceMs: 0 } }));
        await pause(round * 7);
        for (const handle of handles) handle.kill();
        await Promise.allSettled(handles.map(({ done }) => done));
        expect(await mark.untilGone(2_000)).toBe(0);
      }
      expect(await run('echo on')).toBe('on\n');
    });

    rows('when a chain outlives the init of its command, the room ends it', async () => {
      const mark = makeMark();
      const handle = begin('($A chain 300 4 &); sleep 0.2; kill -KILL $PPID; sleep 20', { env: mark.env });
      await expect(handle.done).rejects.toThrow(/first process/);
      expect(await mark.untilGone(5_000)).toBe(0);
      expect(await run('echo on')).toBe('on\n');
    });

    rows('a command with more rights is neither seen, signalled nor debugged by one with less', async () => {
      const more = { policy: { hidden: [] }, env: { TOKEN: 'secret' } };
      const held = await hold('exec sleep 1013', more);
      expect(await run('ps -eo args | grep -c "[s]leep 1013"')).toBe('0\n');
      // Whatever has its number here is not it.
      for (let pid = 1; pid < 40; pid += 1)
        expect(await run(`cat /proc/${pid}/environ 2>/dev/null | grep -c TOKEN`)).toBe('0\n');
      expect(await run(`ls /proc/*/root/${room.place.path('hidden')}/secret 2>/dev/null`)).toBe('');
      expect(await run(`cat /proc/*/cwd/../hidden/secret 2>/dev/null`)).toBe('');
      expect(await run(`cat ${room.place.path('hidden/secret')}`, more)).toBe('the secret\n');
      await held.handle.kill();
      await held.handle.done;
    });

    rows(
      'a tracer that attaches to every new process never gets one with capabilities or without a filter',
      async () => {
        const racer = begin('$A race 12', { more: { timeoutMs: 30_000 } });
        await pause(300);
        for (let round = 0; round < 100; round += 1) await Promise.all([run('true'), run('/bin/true')]);
        const { output } = await racer.done;
        const text = (await output.read(0, 100_000)).toString();
        const caught = text.match(/^caught .*$/gm) ?? [];
        expect(text).toMatch(/refused [1-9]/);
        for (const line of caught) expect(line).toMatch(/^caught (?:0{16} 2 1|\? \? \?)$/);
      },
    );

    rows('a command that asks to be traced by its parent runs', async () => {
      expect(await run('exec $A traceme')).toBe('continued\n');
    });

    rows('with its supervisor a command ends, and nothing else in its room does', async () => {
      const held = await hold('exec sleep 1014');
      const lost = await hold('(setsid sleep 1015 &); exec sleep 1016');
      const { supervisorPid } = (await lost.handle.started) as { supervisorPid: number };
      process.kill(supervisorPid, 'SIGKILL');
      await expect(lost.handle.done).rejects.toThrow();
      expect(await lost.gone()).toBe(0);
      expect(await run(`kill -0 ${held.pid} && echo there`)).toBe('there\n');
      await held.handle.kill();
      await held.handle.done;
    });

    rows('when the first process of the room is killed, its commands are lost, and the next one runs', async () => {
      const held = await hold('(setsid sleep 1017 &); exec sleep 1018', { world: 'three' });
      end(named('hs-room'));
      await expect(held.handle.done).rejects.toThrow(/first process/);
      expect(await held.gone()).toBe(0);
      expect(await run('echo on', { world: 'three' })).toBe('on\n');
    });

    rows(
      'a command is not reported as over before the kernel has ended everything in a room that was killed',
      async () => {
        const world = 'ten';
        for (let round = 0; round < 5; round += 1) {
          const mark = makeMark();
          const script = 'for i in $(seq 40); do (setsid sleep 1040 &); done; exec sleep 1041';
          const held = await hold(script, { world, env: mark.env });
          expect(await until(() => mark.count() === 41, 10_000)).toBe(true);
          end(named('hs-room'));
          await held.handle.done.catch(() => {});
          expect(mark.count()).toBe(0);
        }
      },
    );

    rows('a room that does not prove the end of a command in time is ended', async () => {
      const world = 'eleven';
      const other = await hold('exec sleep 1042', { world });
      const mark = makeMark();
      const held = await hold('(setsid sleep 1043 &); exec sleep 1044', { world, env: mark.env });
      const { firstPid } = await held.handle.started;
      const stopped = named('hs-room');
      for (const pid of stopped) process.kill(pid, 'SIGSTOP');
      // Its init cannot end its processes, and the room does not.
      process.kill(firstPid, 'SIGKILL');
      await held.handle.kill({ graceMs: 0 });
      expect(await held.handle.done).toMatchObject({ cause: 'cancelled' });
      expect(mark.count()).toBe(0);
      await expect(other.handle.done).rejects.toThrow(/first process/);
      expect(await run('echo on', { world })).toBe('on\n');
    });

    rows('the world ends a room that does not prove the end of a command whose supervisor was killed', async () => {
      const world = 'twelve';
      const held = await hold('(setsid sleep 1045 &); exec sleep 1046', { world });
      const { supervisorPid } = (await held.handle.started) as { supervisorPid: number };
      for (const pid of named('hs-room')) process.kill(pid, 'SIGSTOP');
      process.kill(supervisorPid, 'SIGKILL');
      await expect(held.handle.done).rejects.toThrow();
      expect(await held.gone()).toBe(0);
      expect(await run('echo on', { world })).toBe('on\n');
    });

    rows('a room whose priority was changed from outside is replaced, and its other commands go on', async () => {
      const world = 'thirteen';
      const held = await hold('exec sleep 1047', { world });
      const [nice, room] = (await run(`nice; ${ROOM}`, { world })).split('\n');
      for (const pid of named('hs-room')) setPriority(pid, 19);
      const seen: (string | undefined)[] = [];
      for (let round = 0; round < 5; round += 1) {
        // Another environment than that of shells that wait.
        const after = (await run(`nice; ${ROOM}`, { world, env: { N: String(round) } })).split('\n');
        expect(after[0]).toBe(nice);
        seen.push(after[1]);
      }
      // One process may have been made ahead; then one command starts apart; then there is a new room.
      expect(seen.slice(2)).not.toContain(room);
      expect(seen[4]).toBe(seen[3]);
      expect(existsSync(`/proc/${(await held.handle.started).pid}`)).toBe(true);
      await held.handle.kill();
      expect(await held.handle.done).toMatchObject({ cause: 'cancelled' });
      expect(await held.gone()).toBe(0);
    });

    rows('a command says with whom it shares processes', async () => {
      const world = 'fourteen';
      const shares = async (more: Partial<RunRequest>) => {
        const handle = begin('true', { world, more });
        await handle.done;
        const { shares, missesProcesses } = await handle.started;
        return missesProcesses && shares !== undefined ? 'missed' : shares;
      };
      expect(await shares({})).toBe('processes');
      expect(await shares({ stdin: Buffer.from('x') })).toBe('network');
      expect(await shares({ limits: { processes: 50 } })).toBe('network');
      expect(await shares({ world: room.place.path('w/no/such.sock') })).toBeUndefined();
      for (const pid of named('hs-room')) setPriority(pid, 19);
      const after = [];
      for (let round = 0; round < 5; round += 1) after.push(await shares({ umask: 0o20 + round }));
      expect(after).toContain('missed');
      expect(after[4]).toBe('processes');
    });

    rows('a command that is held by a tracer of another one ends at its timeout, and names it', async () => {
      const events: RunEvent[] = [];
      const held = await hold('sleep 1; echo on', {
        more: { timeoutMs: 2_000 },
        listener: (event) => void events.push(event),
      });
      const tracer = await hold(`exec -a "a tracer" $A stop ${held.pid}`);
      expect(await held.handle.done).toMatchObject({ cause: 'timeout' });
      expect(events.filter(({ type }) => type === 'traced')).toEqual([
        { type: 'traced', pid: tracer.pid, name: 'attack' },
      ]);
      expect(await held.gone()).toBe(0);
      await tracer.handle.kill();
      await tracer.handle.done;
    });

    rows('the input of a command is not read by another one', async () => {
      const held = await hold('echo $$ > reader; exec sleep 1048', { more: { stdin: 'open' } });
      await held.handle.write(Buffer.from('the password\n'));
      expect(await run('cat /proc/[0-9]*/fd/0 2>/dev/null < /dev/null & sleep 0.3; kill $! 2>/dev/null')).not.toContain(
        'password',
      );
      expect(await run('ps -eo args | grep -c "[s]leep 1048"')).toBe('0\n');
      const given = await begin('cat', { more: { stdin: Buffer.from('the password\n') } }).done;
      expect((await given.output.read(0, 100)).toString()).toBe('the password\n');
      await held.handle.kill();
      await held.handle.done;
    });

    rows('when it is stopped, commands still start', async () => {
      const held = await hold('exec sleep 1019', { world: 'four' });
      const stopped = named('hs-room');
      for (const pid of stopped) process.kill(pid, 'SIGSTOP');
      try {
        expect(await run('echo on', { world: 'four' })).toBe('on\n');
        expect(await run('echo on', { world: 'four' })).toBe('on\n');
      } finally {
        for (const pid of stopped) process.kill(pid, 'SIGCONT');
      }
      await held.handle.kill();
      await held.handle.done;
    });

    rows('when the process that keeps the world is killed at any moment, commands run and end', async () => {
      // After the loss of a supervisor its keeper ends what it is left with for a second: also rooms that have lost their world.
      await pause(1_200);
      const held = await hold('exec sleep 1020', { world: 'five' });
      for (let round = 0; round < 10; round += 1) {
        const started = [0, 1, 2].map(() => run('echo on', { world: 'five' }));
        await pause(round);
        end(named('hs-world'));
        expect(await Promise.all(started)).toEqual(['on\n', 'on\n', 'on\n']);
      }
      await held.handle.kill();
      expect(await held.handle.done).toMatchObject({ cause: 'cancelled' });
      expect(await held.gone()).toBe(0);
    });
  });
}
