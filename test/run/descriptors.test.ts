// A supervisor that runs out of descriptors, at every point of a start: the start fails, and nothing stays open.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { childrenOf } from '../../src/run/keeper/processes.ts';
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
    // With shells that wait: they have starts of their own.
    const runner = new KeeperRunner(keeper.isAvailable ? keeper.path : '', { stderr: keeperStderr, pool: 1 });
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
      if (typeof (await run(request())) === 'string') return;
      await settle();
      const [supervisor = 0] = childrenOf(pid);
      const openOnes = () => readdirSync(`/proc/${supervisor}/fd`);
      const allow = (count: number) =>
        execFileSync('prlimit', ['--pid', String(supervisor), `--nofile=${count}:`], { stdio: 'pipe' });
      allow(ENOUGH);
      const before = openOnes();
      const answers = new Set<unknown>();
      // A limit is about the highest number, and the lowest ones are used first.
      const highest = Math.max(...before.map(Number));
      for (let more = 0; more < 14; more += 1) {
        allow(highest + 1 + more);
        const published = tier === 'none' ? {} : { confinement: spec(20_000 + more) };
        for (const each of [request(), request({ streams: 'split' }), request(published)]) answers.add(await run(each));
        await pause(20);
        allow(ENOUGH);
        await run(request());
        allow(highest + 1 + more);
        // Now a shell would be made ready.
        await pause(50);
        allow(ENOUGH);
        expect(await settle()).toBe(4);
      }
      expect(openOnes()).toEqual(before);
      expect([...answers].sort()).toEqual([3, 'cannot-start']);
    } finally {
      await runner.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
