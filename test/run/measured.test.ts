// What a command used, compared with what its processes count themselves: processor time, processes, memory, disk.

import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunEvent, RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest as keeper, keeperStderr } from '../contract/keeper-under-test.ts';
import { until } from '../contract/marks.ts';
import { BIN } from '../contract/runner-contract.ts';

const TIERS = ['none', 'landlock', 'namespaces'] as const;

for (const tier of TIERS)
  describe.skipIf(!keeper.isAvailable)(`measured, with the tier ${tier}`, () => {
    let runner: KeeperRunner;
    let folder = '';
    beforeAll(() => {
      if (keeper.isAvailable) runner = new KeeperRunner(keeper.path, { stderr: keeperStderr });
      folder = realpathSync(mkdtempSync(join(homedir(), 'hardshell-measured-')));
    });
    afterAll(async () => {
      await runner?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const confinement = (): { confinement?: ConfinementSpec } => {
      if (tier === 'none') return {};
      const paths: ConfinementSpec['paths'] =
        tier === 'landlock'
          ? [{ kind: 'write', path: '/' }]
          : [
              { kind: 'device', path: '/dev/null' },
              { kind: 'device', path: '/dev/zero' },
              { kind: 'write', path: folder },
            ];
      return { confinement: { tier, reads: 'all', network: 'host', unixSockets: 'any', optional: [], paths } };
    };

    function start(script: string, more: Partial<RunRequest> = {}) {
      const events: RunEvent[] = [];
      let text = '';
      const env = { PATH: `${BIN}:/usr/bin:/bin`, ...more.env };
      const request = { program: '/bin/bash', argv: ['bash', '-c', script], cwd: folder, timeoutMs: 120_000 };
      const handle = runner.start({ ...request, ...confinement(), ...more, env }, (event) => {
        if (event.type === 'output') text += event.bytes.toString();
        else events.push(event);
      });
      return { handle, events, text: () => text };
    }

    /** Waits until every process has said that it used what it was told to use; then all of them are killed. */
    async function killedAfter(script: string, count: number) {
      const { handle, text } = start(script);
      expect(await until(() => text().split('used').length > count, 100_000)).toBe(true);
      handle.kill({ graceMs: 0 });
      return handle.done;
    }

    const killed: [name: string, script: string, processes: number, ms: number][] = [
      ['a command that is killed', 'exec use-processor 700', 1, 700],
      ['a child that is killed with it', 'use-processor 700; true', 1, 700],
      ['children side by side', 'use-processor 300 & use-processor 300 & wait', 2, 600],
      ['a daemon that left the session', '(setsid use-processor 700 &); sleep 300', 1, 700],
      ['a child of a parent that has ended', '(bash -c "use-processor 700 & exit"); sleep 300', 1, 700],
    ];
    test.each(killed)('processor time: %s', async (_, script, count, ms) => {
      const { userMs, systemMs } = await killedAfter(script, count);
      const used = Number(userMs) + Number(systemMs);
      expect(used).toBeGreaterThanOrEqual(ms - 20);
      expect(used).toBeLessThan(ms + 400);
    });

    test('processor time: a command that ended on its own, and an orphan that it left', async () => {
      const script = '(use-processor 400 > used &); until [ -s used ]; do sleep 0.05; done; exit 3';
      const { userMs, systemMs, exitCode } = await start(script, { lingerMs: 0, graceMs: 0 }).handle.done;
      expect(exitCode).toBe(3);
      expect(Number(userMs) + Number(systemMs)).toBeGreaterThanOrEqual(380);
    });

    test('processor time: what two counters see of the same time counts once', async () => {
      const script = 'for i in {1..600}; do /bin/true; done';
      const { userMs, systemMs, wallMs } = await start(script, { limits: { cpuSeconds: 60 } }).handle.done;
      // One process after the other cannot use much more than the time that passes.
      expect((Number(userMs) + Number(systemMs)) / wallMs).toBeLessThan(1.3);
    });

    test('the PID is that of the command, which leads its own group', async () => {
      const { handle, text } = start('echo $$ said; sleep 300');
      const { pid } = await handle.started;
      expect(await until(() => text().includes('said'), 20_000)).toBe(true);
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const group = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[4];
      handle.kill({ graceMs: 0 });
      await handle.done;
      expect(text()).toBe(`${/^NSpid:.*\t(\d+)$/m.exec(status)?.[1]} said\n`);
      expect(group).toBe(String(pid));
    });

    test('every process counts, and nothing of ours does', async () => {
      const counts = [];
      for (const script of [
        'exec true',
        'for i in {1..30}; do /bin/true; done',
        '(:; :) & (/bin/true | cat); wait; exit',
      ])
        counts.push((await start(script).handle.done).startedProcesses);
      expect(counts).toEqual(tier === 'namespaces' ? [1, 31, 5] : [null, null, null]);
    });

    test('processes at the same time: all that live, and no other', async () => {
      const script = 'for i in {1..9}; do sleep 300 & done; echo used; wait';
      const { handle, events, text } = start(script, { sampleMs: 50 });
      expect(await until(() => text() !== '', 20_000)).toBe(true);
      const seen = () => events.some((event) => event.type === 'resource' && event.processes === 10);
      expect(await until(seen, 20_000)).toBe(true);
      handle.kill({ graceMs: 0 });
      expect((await handle.done).peakProcesses).toBe(10);
    });

    const HOLD = 'my $held = "a" x ($ENV{MEGABYTES} << 20); $| = 1; print "used\n"; sleep 300';
    test('memory of a tree is that of all its processes', async () => {
      const script = 'for i in 1 2 3 4; do perl -e "$HOLD" & done; wait';
      const { handle, text, events } = start(script, { sampleMs: 100, env: { HOLD, MEGABYTES: '50' } });
      expect(await until(() => text().split('used').length > 4, 60_000)).toBe(true);
      const before = events.length;
      expect(await until(() => events.slice(before).filter(({ type }) => type === 'resource').length > 1, 20_000)).toBe(
        true,
      );
      handle.kill({ graceMs: 0 });
      const { peakMemoryBytes, memoryMeasure } = await handle.done;
      expect(memoryMeasure).toBe('sampled');
      expect(Number(peakMemoryBytes) >> 20).toBeGreaterThanOrEqual(200);
      expect(Number(peakMemoryBytes) >> 20).toBeLessThan(280);
    });

    test('memory that processes share counts once', async () => {
      const forks = HOLD.replace('print', 'for (1..5) { last unless fork } print');
      const { handle, text } = start('exec perl -e "$HOLD"', { sampleMs: 100, env: { HOLD: forks, MEGABYTES: '100' } });
      expect(await until(() => text().split('used').length > 6, 60_000)).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 500));
      handle.kill({ graceMs: 0 });
      const { peakMemoryBytes } = await handle.done;
      expect(Number(peakMemoryBytes) >> 20).toBeGreaterThanOrEqual(100);
      expect(Number(peakMemoryBytes) >> 20).toBeLessThan(160);
    });

    test('bytes written to disk, of a command that is killed', async () => {
      const script = '(dd if=/dev/zero of=big bs=1M count=20 conv=fsync 2> /dev/null); echo used; sleep 300';
      const { writeBytes } = await killedAfter(script, 1);
      // What the file system itself writes also counts.
      expect(Number(writeBytes) >> 20).toBeGreaterThanOrEqual(20);
      expect(Number(writeBytes) >> 20).toBeLessThan(40);
    });

    for (const useCgroup of [true, false]) {
      const by = useCgroup ? 'by a cgroup, if there is one' : 'polled';
      const limited = (script: string, limits: NonNullable<RunRequest['limits']>, env = {}) =>
        start(script, { limits, useCgroup, graceMs: 200, env });

      test(`400 MB at once with a limit of 100 MB end the command: ${by}`, async () => {
        const env = { HOLD: HOLD.replace('sleep 300', 'select undef, undef, undef, 0.2'), MEGABYTES: '400' };
        const { handle, events } = limited('perl -e "$HOLD"', { memoryBytes: 100 << 20 }, env);
        const { cgroup } = await handle.started;
        const { cause, peakMemoryBytes, memoryMeasure } = await handle.done;
        expect(cause).toBe('memory-limit');
        expect(events).toContainEqual(expect.objectContaining({ type: 'violation', cause, limit: 100 << 20 }));
        if (cgroup.includes('memory')) {
          expect(memoryMeasure).toBe('cgroup');
          expect(peakMemoryBytes).toBeLessThanOrEqual(100 << 20);
        }
      });

      test(`200 processes for a moment with a limit of 10 end the command: ${by}`, async () => {
        const script = 'for i in {1..200}; do sleep 0.3 & done; wait';
        const { handle } = limited(script, { processes: 10 });
        const { cause } = await handle.done;
        expect(cause).toBe('process-limit');
      });

      test(`threads are not processes: ${by}`, async () => {
        const { handle, text } = limited('node -e "setTimeout(() => console.log(1), 200)"', { processes: 2 });
        const { cause, exitCode } = await handle.done;
        expect([cause, exitCode, text()]).toEqual(['none', 0, '1\n']);
      });

      test(`as many processes as the limit allows may run: ${by}`, async () => {
        const script = 'for i in {1..9}; do sleep 0.5 & done; wait; echo fine';
        const { handle, text } = limited(script, { processes: 10 });
        const { cause, exitCode } = await handle.done;
        expect([cause, exitCode, text()]).toEqual(['none', 0, 'fine\n']);
      });
    }

    for (const [name, first] of [
      ['that were not waited for', ''],
      ['whose first thread has ended', 'threads'],
    ] as const)
      test(`processor time of children ${name} counts`, async () => {
        const code = `
import ctypes, os, sys, threading, time
def work():
    while time.thread_time() < 0.7: pass
    print('used', flush=True)
for i in range(5):
    if os.fork() == 0:
        if 'threads' in sys.argv:
            threading.Thread(target=work).start()
            ctypes.CDLL(None).syscall(60 if os.uname().machine == 'x86_64' else 93, 0)
        work()
        os._exit(0)
    if 'threads' not in sys.argv: os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
    time.sleep(0.9)
time.sleep(20)
print('not ended')`;
        const { handle, text } = start(`exec python3 -c "$CODE" ${first}`, {
          env: { CODE: code },
          limits: { cpuSeconds: 1 },
          graceMs: 0,
        });
        const { cause } = await handle.done;
        expect([cause, text().includes('not ended')]).toEqual(['cpu-time-limit', false]);
      });

    test('processor time beyond the limit ends a tree in which each process stays below it', async () => {
      const script = 'for i in {1..6}; do use-processor 700 & done; wait';
      const { handle } = start(script, { limits: { cpuSeconds: 1 }, graceMs: 0 });
      const { cause, userMs, systemMs } = await handle.done;
      expect(cause).toBe('cpu-time-limit');
      expect(Number(userMs) + Number(systemMs)).toBeGreaterThanOrEqual(2000);
    });
  });
