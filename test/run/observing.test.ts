// Commands under observation: their attempts are reported by absolute paths, once each, and have the same effects as without.

import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunEvent } from '../../src/run/port.ts';
import { keeperUnderTest as keeper, keeperStderr } from '../contract/keeper-under-test.ts';

type Observe = NonNullable<ConfinementSpec['observe']>;

for (const tier of ['namespaces', 'landlock'] as const)
  describe.skipIf(!keeper.isAvailable)(`observed, by ${tier}`, () => {
    let runner: KeeperRunner;
    let folder = '';
    beforeAll(() => {
      if (keeper.isAvailable) runner = new KeeperRunner(keeper.path, { stderr: keeperStderr });
      folder = realpathSync(mkdtempSync(join(homedir(), 'hardshell-observing-')));
    });
    afterAll(async () => {
      await runner?.close();
      rmSync(folder, { recursive: true, force: true });
    });
    beforeEach(() => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
      mkdirSync(join(folder, 'sub'));
    });

    /** Nothing that these commands need is refused; without namespaces nothing is. */
    const openTo = (): ConfinementSpec['paths'] =>
      tier === 'landlock'
        ? [{ kind: 'write', path: '/' }]
        : [
            ...['/dev/null', '/dev/urandom'].map((path) => ({ kind: 'device', path }) as const),
            { kind: 'write', path: folder },
          ];
    const open: Omit<ConfinementSpec, 'paths'> = {
      tier,
      reads: 'all',
      network: 'host',
      unixSockets: 'any',
      optional: [],
    };

    async function run(observe: Observe, script: string, change: Partial<ConfinementSpec> = {}) {
      const events: RunEvent[] = [];
      const handle = runner.start(
        {
          program: '/bin/bash',
          argv: ['bash', '-c', script],
          cwd: folder,
          env: { PATH: '/usr/bin:/bin' },
          timeoutMs: 60_000,
          confinement: { ...open, paths: openTo(), observe, ...change },
        },
        (event) => void events.push(event),
      );
      const { exitCode, output } = await handle.done;
      return {
        exitCode,
        text: (await output.read(0, 2000)).toString(),
        events,
        seen: events
          .flatMap((event) => (event.type === 'observed' ? [`${event.operation} ${event.target}`] : []))
          .map((line) => line.replace(folder, '.')),
      };
    }

    const rows: [name: string, script: string, seen: string[]][] = [
      ['a file that is written', 'echo a > f', ['write ./f']],
      ['a file that is only read', 'cat < sub/absent', []],
      ['the same path twice', 'echo a > f; echo b > f', ['write ./f']],
      ['a path that goes back', 'cd sub; echo a > .././/f', ['write ./f']],
      ['a folder', 'mkdir d', ['create ./d']],
      ['a link', 'ln -s nowhere l', ['create ./l']],
      ['a removal', 'rm -r sub', ['delete ./sub']],
      ['a new name', 'mv sub other', ['delete ./sub', 'create ./other']],
      ['a mode', 'chmod 700 sub', ['change ./sub']],
      ['a time', 'touch -c -d 2001-01-01 sub/', ['change ./sub']],
      ['what cannot be done', 'rmdir absent', ['delete ./absent']],
    ];
    test.each(rows)('writes: %s', async (_, script, expected) => {
      const { seen } = await run('writes', script);
      expect(seen.filter((line) => line.includes(' .'))).toEqual(expected);
    });

    test('all: what is read, run and connected to', async () => {
      const server = createServer((_, response) => response.end('x'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const script = `echo a > f; cat f; exec 3<>/dev/tcp/127.0.0.1/${port}`;
      const { exitCode, seen } = await run('all', script);
      server.close();
      expect(exitCode).toBe(0);
      expect(seen).toEqual(
        expect.arrayContaining(['execute /bin/bash', 'write ./f', 'read ./f', `connect 127.0.0.1:${port}`]),
      );
      expect(seen.some((line) => /^execute .*\/cat$/.test(line))).toBe(true);
    });

    test('a command that does much is reported in part, and counted', async () => {
      const script = `for i in {1..4200}; do : > sub/$i; done`;
      const { exitCode, seen, events } = await run('writes', script);
      expect([exitCode, seen.length, readdirSync(join(folder, 'sub')).length]).toEqual([0, 4096, 4200]);
      const untold = events.find((event) => event.type === 'untold');
      expect(untold).toMatchObject({ what: 'observed', count: expect.any(Number) });
    }, 60_000);

    test('it changes nothing about what is refused', async () => {
      const paths: ConfinementSpec['paths'] = [{ kind: 'write', path: join(folder, 'sub') }];
      const { exitCode, seen } = await run('writes', '(echo a > sub/f) && ! (echo a > f)', { paths });
      expect([exitCode, seen.filter((line) => line.includes(' .'))]).toEqual([0, ['write ./sub/f', 'write ./f']]);
      expect(readdirSync(folder)).toEqual(['sub']);
    });

    test('ordinary work still works', async () => {
      const script =
        'git init -q . && echo a > a && git add a && git -c user.name=a -c user.email=b commit -qm x && git log --oneline';
      const { exitCode, text, seen } = await run('all', script);
      expect([exitCode, text]).toEqual([0, expect.stringMatching(/ x\n$/)]);
      expect(seen).toContain('create ./.git/HEAD');
    });
  });
