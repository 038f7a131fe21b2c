// The time limit against commands that do their best not to end, in both tiers.

import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest as keeper, keeperStderr } from '../contract/keeper-under-test.ts';
import { makeMark } from '../contract/marks.ts';

const SOURCE = fileURLToPath(new URL('../fixtures/hostile.c', import.meta.url));
const TIMEOUT_MS = 2_000;
/** Two seconds are promised on an idle machine; what this tells apart is minutes. */
const HANG_MS = 20_000;
/** Their dead use up the process numbers of the machine for a moment, and the tests beside it could start nothing. */
const CHAINS = Number(process.env.HARDSHELL_CHAINS ?? 0);
const isMissing = !keeper.isAvailable || spawnSync('cc', ['--version']).status !== 0;

describe.skipIf(isMissing)('commands that do not want to end', () => {
  let folder = '';
  let runner: KeeperRunner;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-hostile-')));
    execFileSync('cc', ['-O1', '-pthread', '-o', join(folder, 'hostile'), SOURCE]);
    runner = new KeeperRunner(keeper.isAvailable ? keeper.path : '', { stderr: keeperStderr, pool: 0 });
  });
  afterAll(async () => {
    await runner.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const spec = (tier: ConfinementSpec['tier']): ConfinementSpec => ({
    tier,
    paths: [
      ...(tier === 'landlock' ? [{ kind: 'read', path: '/' } as const] : []),
      { kind: 'device', path: '/dev/null' },
      { kind: 'write', path: folder },
    ],
    reads: tier === 'landlock' ? 'listed' : 'all',
    network: tier === 'landlock' ? 'listed' : 'own',
    unixSockets: 'pairs',
    optional: [],
  });

  function request(args: readonly string[], confinement: ConfinementSpec, env: Record<string, string>): RunRequest {
    const program = join(folder, 'hostile');
    const limits = { timeoutMs: TIMEOUT_MS, graceMs: 0 };
    return { program, argv: [program, ...args], cwd: folder, env, confinement, ...limits };
  }

  async function measure(args: readonly string[], confinement: ConfinementSpec, context: { skip(why: string): void }) {
    const mark = makeMark();
    const began = performance.now();
    const handle = runner.start(request(args, confinement, mark.env));
    handle.done.catch(() => {});
    try {
      await handle.started;
    } catch (error) {
      return context.skip((error as Error).message);
    }
    const exit = await handle.done;
    const tookMs = performance.now() - began;
    const left = await mark.untilGone(15_000);
    if (process.env.HARDSHELL_CHAINS) console.log(confinement.tier, args, exit.cause, Math.round(tookMs), left);
    return { exit, tookMs, left };
  }

  test('by landlock: a socket that they make blocking does not hold up their supervisor', async (context) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const result = await measure(['connect', String(port)], { ...spec('landlock'), publishPorts: [port] }, context);
    if (result === undefined) return;
    expect(result.exit.cause).toBe('timeout');
    expect((await result.exit.output.read(0, 100)).toString()).toBe('begun\n');
    expect(result.tookMs).toBeLessThan(HANG_MS);
    expect(result.left).toBe(0);
  }, 200_000);

  test.for(['landlock', 'namespaces'] as const)(
    'by %s: chains of processes that fork and exit end',
    { timeout: 200_000 },
    async (tier, context) => {
      if (CHAINS === 0) context.skip('it uses up process numbers: HARDSHELL_CHAINS=800, with nothing beside it');
      const result = await measure(['fork', String(CHAINS)], spec(tier), context);
      if (result === undefined) return;
      expect(result.exit.cause).toBe('timeout');
      expect(result.tookMs).toBeLessThan(HANG_MS);
      expect(result.left).toBe(0);
    },
  );
});
