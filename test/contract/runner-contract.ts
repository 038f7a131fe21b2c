// What every runner must do. A runner that cannot says why, and the reason is printed with the skip.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readHead, readTail } from '../../src/run/output.ts';
import type { RunEvent, RunHandle, RunListener, Runner, RunRequest } from '../../src/run/port.ts';
import { makeMark, until } from './marks.ts';

export const BIN = fileURLToPath(new URL('../fixtures/bin/', import.meta.url));

type Cannot = Readonly<Record<string, string>>;

/** `cannot`: name of a test → why this runner is not held to it. */
export function describeRunner(name: string, make: () => Runner, cannot: Cannot = {}): void {
  describe(name, () => {
    let runner: Runner;
    let folder = '';
    let count = 0;
    beforeAll(() => {
      runner = make();
      folder = mkdtempSync(join(tmpdir(), 'hardshell-run-'));
    });
    afterAll(async () => {
      await runner.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const held = (what: string, work: () => Promise<void>) =>
      test(what, async (context) => {
        const reason = cannot[what];
        if (reason !== undefined) context.skip(reason);
        await work();
      });
    const spool = (sizes = {}) => {
      count += 1;
      return { spool: { path: join(folder, `spool-${count}`), ...sizes } };
    };
    const start = (command: string, more: Partial<RunRequest> = {}, listener?: RunListener): RunHandle => {
      const env = { PATH: `${BIN}:${process.env.PATH}`, ...more.env };
      return runner.start(
        { program: 'bash', argv: ['bash', '--norc', '-c', command], cwd: folder, ...more, env },
        listener,
      );
    };
    const textOf = async (handle: RunHandle) => {
      const { output } = await handle.done;
      return (await output.read(0, output.totalBytes)).toString();
    };

    held('a command runs in its folder with its environment, and its exit code comes back', async () => {
      const handle = start('pwd; echo "$X"; exit 7', { env: { X: 'y z' } });
      expect(await textOf(handle)).toBe(`${folder}\ny z\n`);
      expect(await handle.done).toMatchObject({ exitCode: 7, signal: null, cause: 'none', hasLeftovers: false });
    });

    held('output can be looked at while the command runs, whatever its length', async () => {
      const door = join(folder, 'looked');
      const handle = start(
        `flood-stdout 50000; until test -e ${door}.1; do sleep 0.01; done; flood-stdout 50000;
        until test -e ${door}.2; do sleep 0.01; done`,
        spool(),
      );
      const seen = async (bytes: number) => {
        await until(async () => (await handle.peek()).totalBytes === bytes, 10_000);
        const output = await handle.peek();
        return (await output.read(0, bytes)).toString();
      };
      const first = await seen(50_000);
      writeFileSync(`${door}.1`, '');
      const all = await seen(100_000);
      writeFileSync(`${door}.2`, '');
      await handle.done;
      expect([first.length, all.length, all === first + first]).toEqual([50_000, 100_000, true]);
    });

    held('the environment is the given one and nothing else', async () => {
      const handle = runner.start({ program: '/usr/bin/env', argv: ['env'], cwd: '/', env: { A: '1', B: '' } });
      expect(await textOf(handle)).toBe('A=1\nB=\n');
    });

    held('words reach the program as they are, without a shell', async () => {
      const words = ['', 'a b', '$(id)', "'", '\u00e9\u{1f600}', '-n', '\n'];
      const handle = runner.start({
        program: '/usr/bin/printf',
        argv: ['printf', '<%s>', ...words],
        cwd: '/',
        env: {},
      });
      expect(await textOf(handle)).toBe(words.map((word) => `<${word}>`).join(''));
    });

    held('a command that ends by a signal says which', async () => {
      expect(await start('kill -SEGV $$').done).toMatchObject({ exitCode: null, signal: 11, cause: 'none' });
    });

    held('a program or folder that is missing is an error that names it', async () => {
      await expect(
        runner.start({ program: 'no-such-program', argv: ['x'], cwd: '/', env: {} }).done,
      ).rejects.toMatchObject({
        code: 'cannot-start',
        message: expect.stringContaining('no-such-program'),
      });
      await expect(start('true', { cwd: '/no/such/folder' }).done).rejects.toMatchObject({
        code: 'cannot-start',
        message: expect.stringContaining('/no/such/folder'),
      });
    });

    held('stdin is empty when nothing is given', async () => {
      expect(await textOf(start('cat; echo end'))).toBe('end\n');
    });

    held('given stdin arrives whole, then ends', async () => {
      const input = Buffer.alloc(1 << 20, 'abc');
      expect(await textOf(start('wc -c', { stdin: input }))).toBe(`${input.length}\n`);
    });

    held('open stdin takes bytes later, until it is ended', async () => {
      const handle = start('read a; echo "got $a"; cat', { stdin: 'open' });
      expect(await handle.write(Buffer.from('one\n'))).toBe(true);
      expect(await handle.write(Buffer.alloc(300_000, 'x'))).toBe(true);
      handle.endInput();
      const { output } = await handle.done;
      expect((await output.read(0, 12)).toString()).toBe('got one\nxxxx');
      expect(output.totalBytes).toBe(300_008);
    });

    held('a command that does not read its stdin is not held up by it', async () => {
      const handle = start('exec <&-; sleep 0.2; echo done', { stdin: Buffer.alloc(1 << 20) });
      expect(await textOf(handle)).toBe('done\n');
    });

    held('the streams can be told apart, whole and by parts', async () => {
      const handle = start('alternate 200', { streams: 'split' });
      const { output } = await handle.done;
      const lines = (kind: string) => Array.from({ length: 200 }, (_, i) => `${kind} ${i}\n`).join('');
      expect((await output.read(0, output.totalBytes, 'stdout')).toString()).toBe(lines('out'));
      expect((await output.read(0, output.totalBytes, 'stderr')).toString()).toBe(lines('err'));
      expect([output.stdoutBytes, output.stderrBytes]).toEqual([lines('out').length, lines('err').length]);
    });

    held('the streams can be told apart on disk too', async () => {
      const handle = start('alternate 9000', { streams: 'split', ...spool() });
      const { output } = await handle.done;
      const lines = (kind: string) => Array.from({ length: 9000 }, (_, i) => `${kind} ${i}\n`).join('');
      expect(output.path).not.toBeNull();
      expect((await output.read(0, output.totalBytes, 'stdout')).toString()).toBe(lines('out'));
      expect((await output.read(0, output.totalBytes, 'stderr')).toString()).toBe(lines('err'));
    });

    held('merged output is in the order in which it was written', async () => {
      const lines = Array.from({ length: 500 }, (_, i) => `out ${i}\nerr ${i}\n`).join('');
      expect(await textOf(start('alternate 500', { streams: 'merged' }))).toBe(lines);
    });

    held('stdout and stderr can be opened by name', async () => {
      const handle = start('echo a > /dev/stderr; echo b | tee /dev/stdout; echo c > /dev/fd/1; echo d > /dev/stdout');
      expect(await textOf(handle)).toBe('a\nb\nb\nc\nd\n');
    });

    const flood = (total: number) =>
      Buffer.from(
        Array.from({ length: Math.ceil(total / 16) }, (_, i) => `${String(i).padStart(15, '0')}\n`).join(''),
      ).subarray(0, total);

    held('of long output the first and the last bytes are kept, both exact', async () => {
      // Small rings, rings larger than a read, and heads that end inside a page.
      for (const [headBytes, tailBytes, total] of [
        [8192, 4096, 1_000_003],
        [4104, 300_000, 3_000_001],
        [0, 65_536, 500_000],
        [104, 0, 500_000],
      ] as const) {
        const { output } = await start(`flood-stdout ${total}`, spool({ headBytes, tailBytes })).done;
        const all = flood(total);
        const missingBytes = total - headBytes - tailBytes;
        expect(output).toMatchObject({ totalBytes: total, headBytes, tailBytes, missingBytes });
        expect((await readHead(output, headBytes)).equals(all.subarray(0, headBytes))).toBe(true);
        expect((await readTail(output, tailBytes)).equals(all.subarray(total - tailBytes))).toBe(true);
        expect((await readTail(output, 100)).equals(all.subarray(total - Math.min(100, tailBytes)))).toBe(true);
        expect(await output.read(headBytes + 1, headBytes + 100)).toEqual(Buffer.alloc(0));
        const file = readFileSync(output.path ?? '');
        expect(file.length).toBe(headBytes + tailBytes);
        expect(file.subarray(headBytes).equals(all.subarray(total - tailBytes))).toBe(true);
      }
    });

    held('the streams can be told apart at the end of long output', async () => {
      const sizes = { headBytes: 104, tailBytes: 40_000 };
      const { output } = await start('alternate 9000', { streams: 'split', ...spool(sizes) }).done;
      const tail = output.totalBytes - output.tailBytes;
      const [out, err] = await Promise.all(
        (['stdout', 'stderr'] as const).map((stream) => output.read(tail, output.totalBytes, stream)),
      );
      const lines = (kind: string) => Array.from({ length: 9000 }, (_, i) => `${kind} ${i}\n`).join('');
      expect((out?.length ?? 0) + (err?.length ?? 0)).toBe(40_000);
      expect(lines('out').endsWith(String(out))).toBe(true);
      expect(lines('err').endsWith(String(err))).toBe(true);
    });

    held('output that fits is whole, around every edge', async () => {
      for (const size of [0, 1, 65535, 65536, 65537, 98304, 98305]) {
        const { output } = await start(`head -c ${size} /dev/zero`, spool({ headBytes: 65536, tailBytes: 32768 })).done;
        const missing = Math.max(0, size - 98304);
        expect([size, output.totalBytes, output.missingBytes]).toEqual([size, size, missing]);
        expect((await output.read(0, size)).length).toBe(size - missing);
      }
    });

    held('live output comes in order, byte for byte', async () => {
      const parts: Buffer[] = [];
      let next = 0;
      const listener = (event: RunEvent) => {
        if (event.type !== 'output') return;
        expect(event.offset).toBe(next);
        next += event.bytes.length;
        parts.push(Buffer.from(event.bytes));
      };
      await start('half-character', {}, listener).done;
      expect(Buffer.concat(parts).toString()).toBe('a\u20acb');
    });

    held('a paced command waits for a slow listener, and nothing is skipped', async () => {
      let seen = 0;
      const listener = (event: RunEvent) => {
        if (event.type !== 'output') return;
        expect(event.offset).toBe(seen);
        seen += event.bytes.length;
        return new Promise<void>((resolve) => setTimeout(resolve, 1));
      };
      const total = 6 << 20;
      const { output } = await start(`head -c ${total} /dev/zero`, { isPaced: true, ...spool() }, listener).done;
      expect([seen, output.totalBytes]).toEqual([total, total]);
    });

    held('a timeout ends the whole tree, not only the leader, and keeps the output so far', async () => {
      const mark = makeMark();
      const handle = start('sleep-with-children', { env: mark.env, timeoutMs: 300, graceMs: 2000 });
      const exit = await handle.done;
      expect(exit).toMatchObject({ signal: 15, cause: 'timeout' });
      expect((await exit.output.read(0, 100)).toString()).toBe('ready\n');
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('what ignores SIGTERM gets SIGKILL after the grace period', async () => {
      const mark = makeMark();
      const handle = start('ignore-sigterm', { env: mark.env, timeoutMs: 300, graceMs: 300 });
      expect(await handle.done).toMatchObject({ signal: 9, cause: 'timeout' });
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('cancelling ends the tree', async () => {
      const mark = makeMark();
      const handle = start('sleep-with-children', { env: mark.env });
      await handle.started;
      expect(await until(() => mark.count() >= 7, 15_000)).toBe(true);
      handle.kill();
      expect(await handle.done).toMatchObject({ cause: 'cancelled' });
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('cancelling right after the start ends it too', async () => {
      const mark = makeMark();
      const handle = start('sleep 300', { env: mark.env });
      handle.kill({ graceMs: 0 });
      expect(await handle.done).toMatchObject({ cause: 'cancelled' });
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('a signal reaches the command, which may handle it', async () => {
      const handle = start('trap "echo usr1; exit 4" USR1; echo ready; while :; do sleep 0.05; done', {}, (event) => {
        if (event.type === 'output' && event.bytes.toString() === 'ready\n') handle.signal(10);
      });
      expect(await handle.done).toMatchObject({ exitCode: 4, cause: 'none' });
    });

    held('daemons in sessions of their own are ended with the command that left them', async () => {
      const mark = makeMark();
      const exit = await start('double-fork', { env: mark.env, lingerMs: 50 }).done;
      expect(exit).toMatchObject({ exitCode: 0, cause: 'none', leftoversKilled: 1 });
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('daemons in sessions of their own do not survive a timeout', async () => {
      const mark = makeMark();
      const exit = await start('double-fork stay', { env: mark.env, timeoutMs: 300, graceMs: 1000 }).done;
      expect(exit).toMatchObject({ cause: 'timeout' });
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('processes that fork away from the hunter are caught', async () => {
      const mark = makeMark();
      const exit = await start('fork-endlessly 400', { env: mark.env, lingerMs: 100, graceMs: 100 }).done;
      expect(exit.hasLeftovers).toBe(false);
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('a grandchild that holds the output open does not hold the result', async () => {
      const mark = makeMark();
      const handle = start('hold-pipe', { env: mark.env, lingerMs: 50 });
      expect(await textOf(handle)).toBe('parent done\n');
      expect(await handle.done).toMatchObject({ exitCode: 0, leftoversKilled: 1 });
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('what the command leaves may finish its work within the linger time', async () => {
      expect(await textOf(start('late-writer', { lingerMs: 3000 }))).toBe('early\nlate\n');
    });

    held('with `wait` the result comes when everything has ended', async () => {
      const handle = start('(sleep 0.4; echo late) & echo early', { leftovers: 'wait', lingerMs: 0 });
      expect(await textOf(handle)).toBe('early\nlate\n');
    });

    held('with `leave` the result comes at once and the rest goes on', async () => {
      const mark = makeMark();
      const exit = await start('sleep 1 & echo early', { env: mark.env, leftovers: 'leave' }).done;
      expect(exit).toMatchObject({ exitCode: 0, hasLeftovers: true });
      // In the middle of its exec a process has no environment.
      expect(await until(() => mark.count() === 1, 900)).toBe(true);
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('a command may close its output and go on', async () => {
      const handle = start('close-stdout');
      expect(await textOf(handle)).toBe('before\n');
      expect((await handle.done).exitCode).toBe(3);
    });

    held('too much output ends the command and says so', async () => {
      const events: RunEvent[] = [];
      const more = { limits: { outputBytes: 100_000 }, ...spool(), graceMs: 1000 };
      const exit = await start('yes', more, (event) => {
        if (event.type === 'violation') events.push(event);
      }).done;
      expect(exit.cause).toBe('output-limit');
      expect(events).toMatchObject([{ cause: 'output-limit', limit: 100_000 }]);
      expect(exit.output.totalBytes).toBeGreaterThan(100_000);
    });

    held('too much output is noticed also if the command ends at the same moment', async () => {
      const limits = { outputBytes: 1000 };
      for (let round = 0; round < 20; round++) {
        expect((await start("printf '%01001d' 0", { limits, ...spool() }).done).cause).toBe('output-limit');
        expect((await start("printf '%01000d' 0", { limits, ...spool() }).done).cause).toBe('none');
      }
    });

    held('many commands at once keep their output apart', async () => {
      const texts = await Promise.all(
        Array.from({ length: 40 }, (_, i) => textOf(start(`echo ${i}; sleep 0.02; echo ${i}`))),
      );
      expect(texts).toEqual(Array.from({ length: 40 }, (_, i) => `${i}\n${i}\n`));
    });

    held('process limits are in force', async () => {
      const limits = {
        openFiles: 50,
        fileSizeBytes: 4096,
        coreBytes: 0,
        cpuSeconds: 100,
        stackBytes: 1 << 20,
        addressSpaceBytes: 1 << 30,
        dataBytes: 1 << 29,
      };
      const handle = start('ulimit -n -f -c -t -s -v -d | sed "s/.* //"', { limits });
      expect(await textOf(handle)).toBe('50\n4\n0\n100\n1024\n1048576\n524288\n');
    });

    held('processor time that is used up ends the command, and says so', async () => {
      const limits = { cpuSeconds: 1 };
      const exit = await start('exec spin', { limits, timeoutMs: 60_000 }).done;
      // A program in between tells it in the way of a shell.
      expect(exit.signal === null ? exit.exitCode : `${exit.signal} ${exit.cause}`).toBeOneOf(['24 cpu-limit', 152]);
      // Who does not heed it is killed a second later.
      const stubborn = await start("trap '' XCPU; while :; do :; done", { limits, timeoutMs: 60_000 }).done;
      expect(stubborn.signal ?? (stubborn.exitCode ?? 0) - 128).toBe(9);
    });

    held('memory of the tree beyond its limit ends the command', async () => {
      const exit = await start('eat-memory 300', { limits: { memoryBytes: 100 << 20 }, sampleMs: 100, graceMs: 500 })
        .done;
      expect(exit.cause).toBe('memory-limit');
      expect(exit.peakMemoryBytes).toBeGreaterThan(100 << 20);
    });

    held('more processes than the limit end the command', async () => {
      const mark = makeMark();
      const more = { env: mark.env, limits: { processes: 20 }, sampleMs: 100, graceMs: 500 };
      expect((await start('fork-many 60', more).done).cause).toBe('process-limit');
      expect(await mark.untilGone(15_000)).toBe(0);
    });

    held('a processor that stays busy beyond the limit ends the command', async () => {
      const exit = await start('spin', { limits: { cpuPercent: 5 }, sampleMs: 100, graceMs: 500, timeoutMs: 15_000 })
        .done;
      expect(exit.cause).toBe('cpu-limit');
      expect(exit.userMs).toBeGreaterThan(0);
    });

    held('use is measured and resource events come', async () => {
      const samples: RunEvent[] = [];
      const command = 'head -c 50M /dev/zero > big; sync big; timeout 0.4 spin; rm big';
      const exit = await start(command, { sampleMs: 100 }, (event) => {
        if (event.type === 'resource') samples.push(event);
      }).done;
      expect(samples.length).toBeGreaterThan(0);
      expect(exit.peakMemoryBytes).toBeGreaterThan(1 << 20);
      expect((exit.userMs ?? 0) + (exit.systemMs ?? 0)).toBeGreaterThan(50);
      expect(exit.writeBytes).toBeGreaterThan(40 << 20);
    });
  });
}
