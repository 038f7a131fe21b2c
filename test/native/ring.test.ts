// The ring of a spool, put in order when the command has ended: wherever it stood, the file reads from top to bottom.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';

const HEAD = 4104;
/** Several pieces of the size in which a ring is moved, and a rest. */
const RING = 600_000;

describe.runIf(keeperUnderTest.isAvailable)('a ring', () => {
  const path = keeperUnderTest.isAvailable ? keeperUnderTest.path : '';
  let runner: KeeperRunner;
  let folder = '';
  beforeAll(() => {
    runner = new KeeperRunner(path, { stderr: keeperStderr });
    folder = mkdtempSync(join(tmpdir(), 'hardshell-ring-'));
  });
  afterAll(async () => {
    await runner.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([0, 1, 131_072, 200_000, 300_000, 300_001, 400_000, 599_999])(
    'that ends %i bytes behind its beginning is in order, and each byte has its stream',
    async (start) => {
      for (const [rounds, streams] of [
        [1, 'merged'],
        [3, 'split'],
      ] as const) {
        // Without a full round more there is nothing to put in order; with one byte more there is.
        const total = HEAD + rounds * RING + (start === 0 && rounds === 1 ? RING : start);
        const spool = { path: join(folder, `${start}-${streams}`), headBytes: HEAD, tailBytes: RING };
        const script = `seq 100000000 999999999 | head -c ${total - 7}; echo stderr >&2`;
        const argv = ['bash', '-c', script];
        const env = { PATH: process.env.PATH ?? '' };
        const request = { program: 'bash', argv, cwd: '/', env, streams, spool };
        const { output } = await runner.start(request).done;
        const numbers = Array.from({ length: Math.ceil(total / 10) }, (_, i) => `${100_000_000 + i}\n`).join('');
        const all = Buffer.from(`${numbers.slice(0, total - 7)}stderr\n`);
        const kept = Buffer.concat([all.subarray(0, HEAD), all.subarray(total - RING)]);
        expect(output.totalBytes).toBe(total);
        expect(readFileSync(spool.path).equals(kept)).toBe(true);
        expect((await output.read(total - RING, total)).equals(all.subarray(total - RING))).toBe(true);
        if (streams === 'split') expect(String(await output.read(total - RING, total, 'stderr'))).toBe('stderr\n');
      }
    },
  );
});
