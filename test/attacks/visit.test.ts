// A staged command has its own files, and is among the processes of its session: what it and the others can do to each other.
// Nothing of it is left when its changes land, and none of its changes is made by another process.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { RunEvent } from '../../src/run/port.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';
import { makeMark, until } from '../contract/marks.ts';
import { isRoot } from './place.ts';
import { RoomCommands, type RoomOptions } from './room-commands.ts';

const ROOM = 'readlink /proc/self/ns/pid';

for (const as of ['root', 'user'] as const) {
  const reason = !keeperUnderTest.isAvailable ? 'there is no keeper' : as === 'root' && !isRoot ? 'needs root' : null;
  describe.skipIf(reason !== null)(`a staged command among others, as ${as}`, () => {
    const room = new RoomCommands('./room-attack.c', as);
    const rows = room.test.bind(room);
    const run = room.run.bind(room);
    const hold = room.hold.bind(room);
    let count = 0;

    /** The options of a command with a stage of its own. */
    function staged(options: RoomOptions = {}, mode: 'apply' | 'review' = 'apply'): RoomOptions {
      const folder = room.place.path(`stages/${count++}`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      room.place.own();
      return { ...options, policy: { ...options.policy, stage: { folder, mode } } };
    }

    interface Staged {
      readonly text: string;
      readonly state: string;
      readonly shares: string | undefined;
    }

    async function stage(script: string, options: RoomOptions = staged()): Promise<Staged> {
      const events: RunEvent[] = [];
      const handle = room.begin(script, { ...options, listener: (event) => void events.push(event) });
      const [started, ended] = await Promise.allSettled([handle.started, handle.done]);
      const outcome = events.find((event) => event.type === 'staged');
      return {
        text:
          ended.status === 'fulfilled' ? (await ended.value.output.read(0, 100_000)).toString() : String(ended.reason),
        state: outcome?.type === 'staged' ? outcome.state : 'none',
        shares: started.status === 'fulfilled' ? started.value.shares : undefined,
      };
    }

    const has = (name: string) => existsSync(room.place.path(`w/${name}`));

    rows('without others it has processes of its own; with others it sees and signals theirs', async () => {
      const world = 'one';
      expect((await stage('echo one > landed', staged({ world }))).shares).toBe('network');
      expect(readFileSync(room.place.path('w/landed'), 'utf8')).toBe('one\n');
      const held = await hold('exec sleep 2001', { world });
      const seen = await stage(
        `${ROOM}; tr "\\0" " " < /proc/${held.pid}/cmdline; echo two > landed`,
        staged({ world }),
      );
      expect(seen).toMatchObject({
        text: `${await run(ROOM, { world })}sleep 2001 `,
        state: 'landed',
        shares: 'processes',
      });
      expect((await stage(`kill -USR1 ${held.pid} && echo sent`, staged({ world }))).text).toBe('sent\n');
      expect(await held.handle.done).toMatchObject({ signal: 10 });
    });

    rows('it reaches the first process of the room, inits and others in no way but signals', async () => {
      const world = 'two';
      const held = await hold('exec sleep 2002', { world });
      const jobs = (await run('$A jobs', { world })).trim().split('\n');
      for (const pid of ['1', ...jobs, held.pid]) {
        const { text, shares } = await stage(`$A reach ${pid}`, staged({ world }));
        expect([pid, shares, text.match(/done/g)]).toEqual([pid, 'processes', null]);
      }
      const tried = await stage(
        `for pid in 1 ${jobs.join(' ')} ${held.pid}; do $A change $pid; done`,
        staged({ world }),
      );
      expect(tried.text).toContain('Operation not permitted');
      expect(tried.text).not.toContain('done');
      expect((await stage('for s in KILL STOP TERM USR1; do kill -$s 1; done; echo on', staged({ world }))).text).toBe(
        'on\n',
      );
      expect(await run(`kill -0 ${held.pid} && echo there`, { world })).toBe('there\n');
      await held.handle.kill();
      await held.handle.done;
    });

    rows('in a review nothing is changed by way of a command that is not staged', async () => {
      const world = 'three';
      const held = await hold('exec sleep 2003', { world });
      const script = [
        `for place in /proc/${held.pid}/cwd /proc/${held.pid}/root$PWD /proc/1/root$PWD; do echo x > $place/direct; done`,
        `$A reach ${held.pid}`,
        'echo x > waits',
      ].join('; ');
      expect(await stage(script, staged({ world }, 'review'))).toMatchObject({ state: 'held', shares: 'processes' });
      expect([has('direct'), has('waits')]).toEqual([false, false]);
      await held.handle.kill();
      await held.handle.done;
    });

    rows('others see it, and reach neither its files nor its memory', async () => {
      const world = 'four';
      const held = await hold('exec sleep 2004', { world });
      const visitor = room.begin('echo layer > only-here; exec sleep 2005', staged({ world }));
      expect(await until(async () => /sleep 2005/.test(await run('ps -eo args', { world })), 10_000)).toBe(true);
      const pids = (await run('ps -eo pid,ppid,args | grep "[s]leep 2005"', { world })).trim().split(/\s+/);
      for (const pid of pids.slice(0, 2)) {
        expect([pid, (await run(`$A reach ${pid}`, { world })).match(/done/g)]).toEqual([pid, null]);
        expect(await run(`ls /proc/${pid}/cwd/only-here /proc/${pid}/root$PWD/only-here 2>/dev/null`, { world })).toBe(
          '',
        );
        expect(await run(`for i in 1; do $A change ${pid}; done`, { world })).not.toContain('done');
      }
      await visitor.kill();
      await visitor.done;
      await held.handle.kill();
      await held.handle.done;
    });

    rows('daemons and chains of processes end before its changes land, and the others go on', async () => {
      const world = 'five';
      const held = await hold('exec sleep 2006', { world });
      const mark = makeMark();
      for (const script of [
        '(setsid sleep 2007 &) ; (setsid setsid bash -c "sleep 2008; echo late > late" &)',
        '$A chain 300 3 & sleep 0.2',
      ]) {
        const { state, shares } = await stage(`${script}; echo x >> some`, staged({ world, env: mark.env }));
        expect([script, state, shares, mark.count()]).toEqual([script, 'landed', 'processes', 0]);
      }
      expect(has('late')).toBe(false);
      expect(await run(`kill -0 ${held.pid} && echo there`, { world })).toBe('there\n');
      await held.handle.kill();
      await held.handle.done;
    });

    rows('one that stops its init ends as usual', async () => {
      const world = 'six';
      const held = await hold('exec sleep 2009', { world });
      const { text, state } = await stage(
        'for i in $(seq 500); do kill -STOP $PPID; done; echo x > stopped; echo on',
        staged({ world }),
      );
      expect([text, state]).toEqual(['on\n', 'landed']);
      const options = staged({ world, more: { timeoutMs: 2_000 } });
      const late = room.begin('for i in $(seq 500); do kill -STOP $PPID; done; exec sleep 2010', options);
      expect(await late.done).toMatchObject({ cause: 'timeout' });
      await held.handle.kill();
      await held.handle.done;
    });

    rows('one that kills its init is lost; the room ends the rest of it, and nothing else', async () => {
      const world = 'seven';
      const held = await hold('exec sleep 2011', { world });
      const mark = makeMark();
      const script =
        'echo x > by-lost; (setsid sleep 2012 &); (setsid bash -c "sleep 2018 & sleep 2019" &); kill -KILL $PPID; sleep 20; echo x > by-lost-later';
      const { text, state } = await stage(script, staged({ world, env: mark.env }));
      expect(text).toMatch(/first process/);
      expect(mark.count()).toBe(0);
      expect([state, has('by-lost-later')]).toEqual(['landed', false]);
      expect(await run(`kill -0 ${held.pid} && echo there`, { world })).toBe('there\n');
      await held.handle.kill();
      await held.handle.done;
    });

    rows('with its supervisor it ends, and the others go on', async () => {
      const world = 'eight';
      const held = await hold('exec sleep 2013', { world });
      const mark = makeMark();
      const visitor = room.begin(
        'echo x > unheard; (setsid sleep 2014 &); exec sleep 2015',
        staged({ world, env: mark.env }),
      );
      visitor.done.catch(() => {});
      const { supervisorPid } = (await visitor.started) as { supervisorPid: number };
      expect(await until(() => mark.count() >= 2, 10_000)).toBe(true);
      process.kill(supervisorPid, 'SIGKILL');
      await expect(visitor.done).rejects.toThrow();
      expect(await mark.untilGone(10_000)).toBe(0);
      expect(has('unheard')).toBe(false);
      expect(await run(`kill -0 ${held.pid} && echo there`, { world })).toBe('there\n');
      expect((await stage('echo on', staged({ world }))).shares).toBe('processes');
      await held.handle.kill();
      await held.handle.done;
    });

    rows('a tracer among the others that attaches to every new process gets none of it', async () => {
      const world = 'twelve';
      const racer = room.begin('$A race 5', { world, more: { timeoutMs: 30_000 } });
      expect(await until(async () => (await stage('true', staged({ world }))).shares === 'processes', 5_000)).toBe(
        true,
      );
      for (let round = 0; round < 15; round += 1) await stage('true; /bin/true', staged({ world }));
      const { output } = await racer.done;
      const text = (await output.read(0, 100_000)).toString();
      expect(text).toMatch(/refused [1-9]/);
      // Processes that wait for the next command of the room are its own.
      for (const line of text.match(/^caught .*$/gm) ?? []) expect(line).toMatch(/^caught (?:0{16} 2 1|\? \? \?)$/);
    });

    rows('the room stays for it when the others have ended, and ends later', async () => {
      const world = 'nine';
      const held = await hold('exec sleep 2016', { world });
      const visitor = room.begin('sleep 3; echo x > stayed; echo on', staged({ world }));
      expect((await visitor.started).shares).toBe('processes');
      await held.handle.kill();
      await held.handle.done;
      const { output } = await visitor.done;
      expect((await output.read(0, 100)).toString()).toBe('on\n');
      expect(has('stayed')).toBe(true);
    });

    rows('one with another environment, other hosts or input does not see them', async () => {
      const world = 'ten';
      const held = await hold('exec sleep 2017', { world });
      for (const options of [
        { world, room: 'other' },
        { world, more: { stdin: Buffer.from('x') } },
        { world: 'eleven' },
      ]) {
        const { text, shares } = await stage('ps -eo args | grep -c "[s]leep 2017"', staged(options));
        expect([text, shares]).toEqual(['0\n', 'network']);
      }
      await held.handle.kill();
      await held.handle.done;
    });
  });
}
