// A supervisor that runs out of descriptors, at every point of a start: the start fails, and nothing stays open.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { listChildren } from '../../src/run/keeper/processes.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest as keeper, keeperStderr } from '../contract/keeper-under-test.ts';
import { pause } from '../contract/marks.ts';

const ENOUGH = 512;
const isMissing = !keeper.isAvailable || spawnSync('prlimit', ['--version']).status !== 0;

test.skipIf(isMissing).each(['namespaces', 'landlock', 'none'] as const)(
  'a start that fails for want of descriptors leaves none open: %s',
  async (tier) => {
    const folder = realpathSync(mkdtempSync(join(homedir(), 'hardshell-descriptors-')));
    const spec = (port?: number): ConfinementSpec => ({
      tier: tier === 'none' ? 'landlock' : tier,
      paths: [
        ...(tier === 'landlock' ? [{ kind: 'read', path: '/' } as const] : []),
        { kind: 'device', path: '/dev/null' },
        { kind: 'write', path: folder },
      ],
      reads: tier === 'landlock' ? 'listed' : 'all',
      network: tier === 'landlock' ? 'listed' : 'own',
      unixSockets: 'pairs',
      optional: [],
      ...(port === undefined ? {} : { publishPorts: [port] }),
    });
    const request = (more: Partial<RunRequest> = {}): RunRequest => ({
      program: '/bin/bash',
      argv: ['bash', '--norc', '-c', 'exit 3'],
      cwd: folder,
      env: { PATH: '/usr/bin:/bin' },
      timeoutMs: 20_000,
      ...(tier === 'none' ? {} : { confinement: spec() }),
      ...more,
    });
    const answers = new Set<unknown>();
    const tryWith = async (more: number) => {
      // With waiting shells: they have separate starts.
      const runner = new KeeperRunner(keeper.isAvailable ? keeper.path : '', { stderr: keeperStderr, pool: 1 });
      const run = (each: RunRequest) =>
        runner.start(each).done.then(
          ({ exitCode }) => exitCode,
          (error) => error.code,
        );
      /** For this one no shell can wait, so that none is counted. */
      const settle = () => {
        const { confinement: _, ...plain } = request();
        return run({ ...plain, stdin: 'open', argv: ['bash', '-c', 'exit 4'] });
      };
      try {
        const { pid } = await runner.warmUp();
        const first = await run(request());
        if (typeof first === 'string') return;
        await settle();
        const [supervisor = 0] = listChildren(pid);
        const openOnes = () => readdirSync(`/proc/${supervisor}/fd`);
        const allow = (count: number) =>
          execFileSync('prlimit', ['--pid', String(supervisor), `--nofile=${count}:`], { stdio: 'pipe' });
        const before = openOnes();
        // A limit is about the highest number, and the lowest ones are used first.
        const few = Math.max(...before.map(Number)) + 1 + more;
        allow(few);
        const published = tier === 'none' ? {} : { confinement: spec(20_000 + more) };
        for (const each of [request(), request({ streams: 'split' }), request(published)]) answers.add(await run(each));
        allow(ENOUGH);
        for (let turn = 0; turn < 2; turn += 1) await run(request());
        await pause(50);
        allow(few);
        // This one runs in the shell that waits. Then the next shell would be made ready.
        await run(request());
        await pause(50);
        allow(ENOUGH);
        expect(await settle()).toBe(4);
        expect({ more, open: openOnes() }).toEqual({ more, open: before });
      } finally {
        await runner.close();
      }
    };
    try {
      for (let more = 0; more < 14; more += 1) await tryWith(more);
      if (answers.size > 0) expect([...answers].sort()).toEqual([3, 'cannot-start']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
