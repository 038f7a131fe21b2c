// Folders seen through an overlay, as the keeper makes them: what it hides, what it does if the kernel refuses one, and
// which requests it does not accept.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest as found, keeperStderr } from '../contract/keeper-under-test.ts';
import { type Mark, makeMark } from '../contract/marks.ts';
import { BASH, canWait, findWaiting, outcomeOf, untilWaiting } from './waiting-shells.ts';

const keeper = found.isAvailable ? found.path : '';
const whyNoneWaits = await canWait(found);

/** Not below a temporary folder: in namespaces those are new. */
function makeFolder(): string {
  for (const parent of ['/srv', '/opt', homedir()]) {
    try {
      return mkdtempSync(join(parent, 'hardshell-overlays-'));
    } catch {}
  }
  throw new Error('there is no folder outside of the temporary ones');
}

describe.skipIf(!found.isAvailable)('overlays', { timeout: 60_000 }, () => {
  let runner: KeeperRunner;
  let base = '';
  const folder = () => join(base, 'folder');
  const work = () => join(base, 'work');
  const at = (name: string) => join(folder(), name);

  beforeEach(async (context) => {
    runner = new KeeperRunner(keeper, { stderr: keeperStderr, pool: 1 });
    const { hasOverlays } = await findKernelSupport(attemptConfinement(runner));
    if (hasOverlays !== true) context.skip('this kernel has no overlays in user namespaces');
    base = makeFolder();
    for (const path of [work(), at('hidden'), at('a/b')]) mkdirSync(path, { recursive: true });
    for (const name of ['secret', 'hidden/key', 'a/b/secret', 'plain', 'a/plain']) writeFileSync(at(name), `${name}\n`);
  });
  afterEach(async () => {
    await runner.close();
    if (base !== '') rmSync(base, { recursive: true, force: true });
  });

  const specOf = (covered: readonly string[], more: Partial<ConfinementSpec> = {}): ConfinementSpec => ({
    tier: 'namespaces',
    reads: 'all',
    network: 'own',
    unixSockets: 'pairs',
    paths: [
      { kind: 'overlay', path: folder() },
      { kind: 'device', path: '/dev/null' },
      { kind: 'write', path: work() },
    ],
    covered: covered.map(at),
    optional: ['proc', 'terminals', 'loopback', 'files', 'refer', 'truncate', 'device-ioctl', 'scope', 'overlays'],
    ...more,
  });
  /** Names of which one contains the other, in this order, are a layer that cannot be made. */
  const IMPOSSIBLE = ['a/b/secret', 'a', 'secret', 'hidden', 'new'];
  const request = (command: string, confinement: ConfinementSpec, mark?: Mark): RunRequest => ({
    program: BASH,
    argv: ['bash', '-c', command],
    cwd: work(),
    env: { PATH: '/usr/bin:/bin', ...mark?.env },
    timeoutMs: 20_000,
    confinement,
  });
  const run = (command: string, confinement: ConfinementSpec) => outcomeOf(runner.start(request(command, confinement)));

  /** The command loops until it is ended or `stop` exists. */
  async function during(confinement: ConfinementSpec, change: () => void) {
    const look = `cat ${at('secret')} ${at('new')} ${at('a/b/secret')} 2>/dev/null`;
    const command = `touch ready; until [ -e stop ]; do ${look}; sleep 0.02; done; ${look}; echo done`;
    const running = run(command, confinement);
    await expect.poll(() => existsSync(join(work(), 'ready')), { timeout: 15_000 }).toBe(true);
    change();
    const stopping = setTimeout(() => writeFileSync(join(work(), 'stop'), ''), 1_000);
    return running.finally(() => clearTimeout(stopping));
  }

  test('files cannot be opened, folders are empty, missing names are missing, and the rest is there', async () => {
    const names = ['secret', 'hidden', 'a/b/secret', 'new', 'none/deep'];
    const { text, started } = await run(`cd ${folder()}; ls -AR; cat secret a/b/secret plain 2>&1`, specOf(names));
    expect(text).toBe(
      '.:\na\nhidden\nplain\nsecret\n\n./a:\nb\nplain\n\n./a/b:\nsecret\n\n./hidden:\n' +
        'cat: secret: Permission denied\ncat: a/b/secret: Permission denied\nplain\n',
    );
    expect([started.confinement?.held.includes('overlays'), started.confinement?.missing]).toEqual([true, []]);
  });

  test('a link on the way to a name stays what it is', async () => {
    symlinkSync('a', at('link'));
    const spec = specOf(['link/b/secret', 'a/b/secret']);
    const { text } = await run(`cd ${folder()}; readlink link; cat link/plain; cat link/b/secret 2>&1`, spec);
    expect(text).toBe('a\na/plain\ncat: link/b/secret: Permission denied\n');
  });

  describe('if the kernel refuses one', () => {
    test('mounts hide the same names, and the report says so', async () => {
      symlinkSync('secret', at('to-secret'));
      const spec = specOf([...IMPOSSIBLE, 'to-secret']);
      const { text, started } = await run(
        `cd ${folder()}; ls a hidden; cat secret to-secret a/b/secret; cat plain`,
        spec,
      );
      expect(text).toMatch(/^a:\n\nhidden:\n/);
      expect(text).toMatch(/secret: (No such device|Permission denied).*\n.*to-secret: .*\n.*No such file.*\nplain\n$/);
      expect(started.confinement?.missing).toEqual([{ step: 'overlays', error: 'EEXIST' }]);
    });

    test.each<[string, () => void]>([
      [
        'a name is replaced',
        () => {
          writeFileSync(at('other'), 'SECRET\n');
          renameSync(at('other'), at('secret'));
        },
      ],
      ['a name appears', () => writeFileSync(at('new'), 'SECRET\n')],
    ])('the command is ended when %s', async (_, change) => {
      const { exit } = await during(specOf(IMPOSSIBLE), change);
      expect(exit.cause).toBe('exposed');
    });

    test('it runs on when neither happens', async () => {
      const { exit, text } = await during(specOf(IMPOSSIBLE), () => writeFileSync(at('plain'), 'other\n'));
      expect([exit.cause, text]).toEqual(['none', 'done\n']);
    });

    test('nothing runs if the request insists', async () => {
      const optional = specOf([]).optional.filter((step) => step !== 'overlays');
      await expect(run('true', specOf(IMPOSSIBLE, { optional }))).rejects.toThrow(/overlays/);
    });
  });

  test.each<[string, () => Partial<ConfinementSpec>]>([
    ['a name without an overlay', () => ({ paths: [{ kind: 'write', path: work() }] })],
    [
      'an overlay in another one',
      () => ({ paths: [folder(), at('a')].map((path) => ({ kind: 'overlay', path }) as const) }),
    ],
    [
      'a name in a folder that is mounted over the overlay',
      () => ({
        paths: [{ kind: 'overlay', path: folder() } as const, { kind: 'write', path: at('a') } as const],
        covered: [at('a/plain')],
      }),
    ],
    ['an overlay of everything', () => ({ paths: [{ kind: 'overlay', path: '/' }] })],
    ['overlays without namespaces', () => ({ tier: 'landlock', network: 'none' })],
  ])('a request with %s is refused', async (_, more) => {
    await expect(run('true', specOf(['secret'], more()))).rejects.toThrow(/out of range/);
  });

  describe.skipIf(whyNoneWaits !== null)('shells that wait', () => {
    const startTwo = async (spec: ConfinementSpec, mark: Mark) => {
      for (let count = 0; count < 2; count += 1) await runner.start(request('true', spec, mark)).done;
    };
    const replaceSecret = () => {
      writeFileSync(at('other'), 'SECRET\n');
      renameSync(at('other'), at('secret'));
      writeFileSync(at('new'), 'SECRET\n');
    };
    const look = () => `cat ${at('secret')} ${at('new')} 2>/dev/null; echo done`;

    test('are still right when a hidden file was replaced', async () => {
      const [mark, spec] = [makeMark(), specOf(['secret', 'new'])];
      await startTwo(spec, mark);
      const waiting = await untilWaiting(mark);
      replaceSecret();
      const { pid, text } = await outcomeOf(runner.start(request(look(), spec, mark)));
      expect([pid, text]).toEqual([waiting, 'done\n']);
    });

    test('are not used when the folder itself was replaced', async () => {
      const [mark, spec] = [makeMark(), specOf(['secret', 'new'])];
      await startTwo(spec, mark);
      const waiting = await untilWaiting(mark);
      renameSync(folder(), `${folder()}.old`);
      mkdirSync(folder());
      replaceSecret();
      const { pid, text } = await outcomeOf(runner.start(request(look(), spec, mark)));
      expect([pid === waiting, text]).toEqual([false, 'done\n']);
    });

    test('do not wait if there is no overlay: their mounts could be lost', async () => {
      const [mark, spec] = [makeMark(), specOf(IMPOSSIBLE)];
      await startTwo(spec, mark);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(findWaiting(mark)).toEqual([]);
      replaceSecret();
      expect((await outcomeOf(runner.start(request(look(), spec, mark)))).text).toBe('done\n');
    });
  });
});
