// Verbs of a stage that are killed at any point: `recover` completes them, and nothing is lost. HARDSHELL_STRESS=N: N rounds.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { keeperUnderTest as found, keeperStderr } from '../contract/keeper-under-test.ts';
import { canStage, describeTree, StageFolder } from './stage-folder.ts';

const keeper = found.isAvailable ? found.path : '';
const ROUNDS = Number(process.env.HARDSHELL_STRESS ?? 4);
const FILES = 150;
const CHANGES = `
  for i in {0..149}; do
    case $((i % 6)) in
      0) echo more >> f/$i ;;
      1) rm f/$i ;;
      2) rm f/$i; mkdir f/$i; echo in > f/$i/in ;;
      3) echo new > f/new-$i ;;
      4) mkdir -p t/$i/u; echo v > t/$i/u/v ;;
      5) rm -r d/$i; mkdir d/$i; echo other > d/$i/other ;;
    esac
  done
  chmod 700 f; rm -r gone`;

describe.skipIf(!found.isAvailable || !canStage())(
  'a stage whose verb is killed',
  { timeout: 60_000 + ROUNDS * 5000 },
  () => {
    let base = '';
    let root = '';
    const make = () => {
      for (const folder of ['f', 'd', 'gone/g', 't']) mkdirSync(join(root, folder), { recursive: true });
      for (let i = 0; i < FILES; i++) {
        writeFileSync(join(root, 'f', String(i)), `file ${i}\n`);
        mkdirSync(join(root, 'd', String(i)));
        writeFileSync(join(root, 'd', String(i), 'x'), `x ${i}\n`);
      }
    };

    beforeEach(() => {
      base = mkdtempSync(join(homedir(), 'hardshell-crash-'));
      root = join(base, 'project');
      mkdirSync(root);
      make();
    });
    afterEach(() => rmSync(base, { recursive: true, force: true }));

    /** How long a verb takes that is not killed. */
    let usualMs = 40;
    /** Kills the verb after a random time, if it has not ended by then. */
    async function killed(stage: StageFolder, ...verb: string[]): Promise<boolean> {
      const child = spawn(keeper, ['stage', verb[0] as string, stage.path, ...verb.slice(1)], { stdio: 'ignore' });
      const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on('exit', (_, signal) => resolve(signal)));
      await pause(Math.random() * usualMs);
      child.kill('SIGKILL');
      return (await ended) === 'SIGKILL';
    }
    /** Also the recovery is killed, now and then. */
    async function recover(stage: StageFolder) {
      for (let i = 0; i < 4 && Math.random() < 0.5; i++) await killed(stage, 'recover');
      expect(stage.verb('recover')).toMatchObject({ code: 0, stderr: '' });
    }

    test('landing, undo and redo are completed', async () => {
      const before = describeTree(root);
      const stage = new StageFolder(keeper, base, [root]);
      stage.change(CHANGES);
      expect(stage.verb('apply').code).toBe(0);
      const after = describeTree(root);
      const begun = performance.now();
      expect(stage.verb('undo').code).toBe(0);
      usualMs = performance.now() - begun;
      let kills = 0;
      for (let round = 0; round < ROUNDS; round++) {
        kills += Number(await killed(stage, 'redo'));
        await recover(stage);
        if (stage.state === 'undone') expect(stage.verb('redo').code).toBe(0);
        expect(describeTree(root)).toEqual(after);
        kills += Number(await killed(stage, 'undo'));
        await recover(stage);
        if (stage.state === 'landed') expect(stage.verb('undo').code).toBe(0);
        expect(describeTree(root)).toEqual(before);
      }
      expect(kills).toBeGreaterThan(0);
    });

    test('a first landing is completed, or has not begun', async () => {
      const before = describeTree(root);
      let after: string[] | null = null;
      for (let round = 0; round < ROUNDS; round++) {
        const stage = new StageFolder(keeper, base, [root]);
        stage.change(CHANGES);
        const begun = performance.now();
        if (after === null) expect(stage.verb('apply').code).toBe(0);
        else await killed(stage, 'apply');
        if (after === null) usualMs = performance.now() - begun;
        await recover(stage);
        if (stage.state === 'held') {
          expect(describeTree(root)).toEqual(before);
          expect(stage.verb('apply').code).toBe(0);
        }
        expect([stage.state, stage.held()]).toEqual(['landed', []]);
        const now = describeTree(root, false);
        after ??= now;
        expect(now).toEqual(after);
        expect(stage.verb('undo')).toMatchObject({ code: 0, records: [] });
        expect(describeTree(root)).toEqual(before);
        expect(stage.verb('drop').code).toBe(0);
        rmSync(stage.path, { recursive: true });
      }
      expect(existsSync(join(root, 'gone/g'))).toBe(true);
    });

    test('changes of a command whose supervisor is killed have landed, or wait', async (context) => {
      const runner = new KeeperRunner(keeper, { stderr: keeperStderr, pool: 1 });
      const { tier } = await findKernelSupport(attemptConfinement(runner));
      await runner.close();
      if (tier !== 'namespaces') context.skip('this kernel has no user namespaces');
      const before = describeTree(root);
      for (let round = 0; round < ROUNDS; round++) {
        const stage = join(base, `stage-${round}`);
        mkdirSync(stage, { mode: 0o700 });
        const lost = new KeeperRunner(keeper, { stderr: keeperStderr, pool: 1 });
        const handle = lost.start({
          program: '/bin/bash',
          argv: ['bash', '-c', CHANGES],
          cwd: root,
          env: { PATH: '/usr/bin:/bin' },
          timeoutMs: 60_000,
          confinement: {
            tier: 'namespaces',
            reads: 'all',
            network: 'own',
            unixSockets: 'pairs',
            paths: [{ kind: 'staged', path: root, from: join(stage, '0') }],
            stage: { folder: stage, mode: 'apply', guarded: [] },
            optional: ['proc', 'terminals', 'loopback', 'files', 'refer', 'truncate', 'device-ioctl', 'scope'],
          },
        });
        const done = handle.done.then(
          () => true,
          () => false,
        );
        const { supervisorPid } = await handle.started;
        await Promise.race([done, pause(Math.random() * usualMs * 4)]);
        if (supervisorPid !== null)
          try {
            process.kill(supervisorPid, 'SIGKILL');
          } catch {}
        await done;
        await lost.close();
        const verb = (...more: string[]) => spawnSync(keeper, ['stage', ...more, stage], { encoding: 'utf8' });
        // A landing that has begun goes on without the supervisor.
        for (let code: number | null = 3; code === 3; await pause(20)) code = verb('recover').status;
        const state = readFileSync(join(stage, 'state'), 'utf8');
        expect(['held', 'landed']).toContain(state);
        if (state === 'held') expect(describeTree(root)).toEqual(before);
        else expect(verb('undo')).toMatchObject({ status: 0, stdout: '', stderr: '' });
        expect(describeTree(root)).toEqual(before);
        expect(verb('drop').status).toBe(0);
      }
    });
  },
);
