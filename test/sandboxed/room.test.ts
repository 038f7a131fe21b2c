// The commands of a session that have the same rights share their processes, and only those do.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createShell } from '../../src/pipeline/shell.ts';
import { useOwnRuntime } from './own-runtime.ts';
import { hasProgram, outside, type Place, whyNoKeeper, writeTree } from './place.ts';

const TIME_MS = 60_000;
const ROOM = 'readlink /proc/self/ns/pid';
const ATTACK = fileURLToPath(new URL('../attacks/room-attack.c', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../bin/hardshell.js', import.meta.url));

describe.skipIf(process.platform !== 'linux' || whyNoKeeper !== null)('the commands of a room', () => {
  const own = useOwnRuntime();
  const { place } = own;

  test(
    'a process of a task is seen, found by its name and ended by the next command',
    async () => {
      const made = place();
      const task = await made.start('exec sleep 1001');
      const seen = await made.run('ps -eo args | grep "sleep 100[1]"');
      expect(seen).toMatchObject({ exitCode: 0, output: 'sleep 1001\n' });
      expect(await made.run('pkill -f "sleep 100[1]"')).toMatchObject({ exitCode: 0 });
      const ended = await (await made.shell.task(task.task))?.wait();
      expect(ended).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    },
    TIME_MS,
  );

  /** The process of a task, as the commands of its room count. */
  async function find(made: Place, name: string): Promise<number> {
    let pid = 0;
    for (let round = 0; round < 50 && pid === 0; round += 1)
      pid = Number((await made.run(`pgrep -f "${name}"`)).output);
    expect(pid).toBeGreaterThan(1);
    return pid;
  }

  test(
    'a server is seen, with and without a proxy, in a project with many folders',
    async () => {
      const made = place();
      writeTree(made.project, {
        'node_modules/a/index.js': '',
        'sub/file': '',
        'server.js': 'setInterval(() => {}, 1000);',
      });
      outside('git', ['init', '-q'], made.project);
      await made.start('exec node server.js');
      const pid = await find(made, 'node serve[r]');
      const here = (await made.run(`kill -0 ${pid} && ${ROOM}`)).output;
      expect(here).toMatch(/^pid:/);
      expect((await made.run(`cd sub && kill -0 ${pid} && ${ROOM}`)).output).toBe(here);
      // It runs other programs, so it has a proxy.
      expect((await made.run(`node -e 'process.kill(${pid}, 0)' && ${ROOM}`)).output).toBe(here);
      expect((await made.run(`ps -p ${pid} -o args=`)).output).toBe('node server.js\n');
      expect((await made.run(`ps -p ${pid}`)).enforcement).not.toHaveProperty('apart');
      // A command that only reads has fewer rights there, and says that it does not see the others.
      const reads = await made.run(`cat /proc/${pid}/comm`);
      expect(reads.enforcement.apart).toMatch(/^processes are shared only with commands that change nothing: /);
      expect(await made.run(`kill ${pid}`)).toMatchObject({ exitCode: 0 });
    },
    TIME_MS,
  );

  test(
    'a command with other rights has a room of its own',
    async () => {
      const made = place();
      const usual = (await made.run(ROOM)).output;
      const others = [
        await made.run(ROOM, { env: { TOKEN: 'secret' } }),
        await made.run(ROOM, { sandbox: { allowPorts: [9] } }),
        await made.run(ROOM, { sandbox: { allowDomains: ['allowed.example'] } }),
        await made.run(ROOM, { sandbox: { name: 'restricted' } }),
        await made.run(ROOM, { session: 'another' }),
      ].map(({ output }) => output);
      for (const output of others) expect(output).toMatch(/^pid:/);
      expect(new Set([usual, ...others]).size).toBe(6);
      expect((await made.run(ROOM)).output).toBe(usual);
    },
    TIME_MS,
  );

  test(
    'a rule that allows a host makes a new room, and so does its removal',
    async () => {
      const made = place();
      const usual = (await made.run(ROOM)).output;
      const settings = readFileSync(made.settingsFile, 'utf8');
      writeFileSync(made.settingsFile, JSON.stringify({ ...JSON.parse(settings), domains: { allow: ['a.example'] } }));
      const wider = (await made.run(ROOM)).output;
      expect(wider).toMatch(/^pid:/);
      expect(wider).not.toBe(usual);
      writeFileSync(made.settingsFile, settings);
      expect((await made.run(ROOM)).output).toBe(usual);
    },
    TIME_MS,
  );

  test(
    'a command that is not with the others says so, and why',
    async () => {
      const made = place();
      expect((await made.run('true')).enforcement).not.toHaveProperty('apart');
      const apart = 'no processes are shared with the session:';
      expect((await made.run('cat', { input: 'x' })).enforcement.apart).toBe(`${apart} the command has input`);
      const limited = await made.run('true', { limits: { processes: 100 } });
      expect(limited.enforcement.apart).toBe(`${apart} the command has limits on its process tree`);
      const staged = await made.run('touch a', { staging: 'apply' });
      expect(staged.enforcement).not.toHaveProperty('apart');
      // Without a world there is nothing to share.
      expect((await made.run('true', { sandbox: { name: 'restricted' } })).enforcement).not.toHaveProperty('apart');
      rmSync(own.runtime, { recursive: true });
      writeFileSync(own.runtime, '');
      expect((await made.run('true', { session: 'another' })).enforcement.apart).toBe(
        'no network and no processes are shared with the session: it could not be joined',
      );
    },
    TIME_MS,
  );

  test(
    'a command line without input is with the others, and one with input is not',
    async () => {
      const made = place();
      const env = { ...made.environment, HARDSHELL_RUNTIME_DIR: own.runtime } as NodeJS.ProcessEnv;
      const line = (input: string | null) =>
        spawnSync(process.execPath, [PROGRAM, 'run', '--yes', '--verbose', ROOM], {
          cwd: made.project,
          env,
          encoding: 'utf8',
          ...(input === null ? { stdio: ['ignore', 'pipe', 'pipe'] } : { input }),
        });
      const [shared, apart] = [line(null), line('x')];
      expect(shared.stdout).toMatch(/^pid:/);
      expect(shared.stderr).not.toContain('no processes are shared');
      expect(apart.stdout).toMatch(/^pid:/);
      expect(apart.stderr).toContain('no processes are shared with the session: the command has input');
    },
    TIME_MS,
  );

  test.skipIf(!hasProgram('cc'))(
    'a command that a tracer of another one holds names it in its result',
    async () => {
      const made = place();
      outside('cc', ['-O1', '-pthread', '-o', join(made.project, 'attack'), ATTACK], made.project);
      const held = made.run('sleep 3; echo on', { timeout: 2_500 });
      const pid = await find(made, 'sleep [3]$');
      await made.start(`exec ./attack stop ${pid}`);
      const { status, meaning } = await held;
      expect(status).toBe('timed-out');
      expect(meaning).toMatch(/Process \d+ \(attack\) of another command was tracing it/);
    },
    TIME_MS,
  );

  test(
    'what replaces a hidden file is hidden from the next command, in a new room',
    async () => {
      const made = place({ settings: { sandbox: { filesystem: { denyRead: ['./a.secret'] } } } });
      writeTree(made.project, { 'a.secret': 'KEY=1\n' });
      const task = await made.start('exec sleep 1003');
      const before = (await made.run(ROOM)).output;
      rmSync(join(made.project, 'a.secret'));
      writeFileSync(join(made.project, 'a.secret'), 'KEY=2\n');
      const after = await made.run(`${ROOM}; cat a.secret`);
      expect(after.output).not.toContain('KEY');
      expect(after.output.split('\n')[0]).not.toBe(before.trim());
      await (await made.shell.task(task.task))?.stop();
    },
    TIME_MS,
  );

  for (const [program, command, found] of [
    ['gdb', (pid: number) => `gdb -nx -batch -p ${pid} -ex "info proc" 2>&1`, /sleep/],
    ['strace', (pid: number) => `timeout 2 strace -p ${pid} 2>&1`, /attached/],
    ['lsof', (pid: number) => `lsof -p ${pid} 2>/dev/null`, /sleep/],
    ['fuser', () => 'fuser held.txt 2>/dev/null', /\d+/],
  ] as const)
    test.skipIf(!hasProgram(program))(
      `${program} works with a process of another command`,
      async () => {
        const made = place();
        writeTree(made.project, { 'held.txt': 'x\n' });
        await made.start('exec sleep 1004 < held.txt');
        const pid = await find(made, 'sleep 100[4]');
        let result = await made.run(command(pid));
        // On a busy machine a room may not answer in time; the next command has one.
        for (let round = 0; round < 3 && result.enforcement.apart !== undefined; round += 1)
          result = await made.run(command(pid));
        expect(result.output).toMatch(found);
      },
      TIME_MS,
    );

  test(
    'a second host finds the processes of the first one',
    async () => {
      const made = place();
      const task = await made.start('exec sleep 1005');
      const other = createShell({
        tasksFolder: join(made.base, 'tasks'),
        settingsFile: made.settingsFile,
        recording: false,
        hostEnvironment: made.environment,
      });
      try {
        const seen = await other.run('pgrep -f "sleep 100[5]"', { cwd: made.project });
        expect(seen).toMatchObject({ exitCode: 0 });
      } finally {
        await other.close();
      }
      await (await made.shell.task(task.task))?.stop();
    },
    TIME_MS,
  );
});
