// Hosts in trouble: they die, their disks are full or read-only, their temporary folder or home is not what it should be,
// or the machine's own settings fix the hosts. Each is a process of its own, with mounts of its own where it needs them.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, type TestContext, test } from 'vitest';
import type { RunResult } from '../../src/core/running.ts';
import { hostProgram } from '../programs.ts';
import { type Place, writeTree } from './place.ts';
import { useProjects } from './project.ts';
import { nameOfLoopback } from './registry.ts';

const HOST = hostProgram('sandboxed');
const TIME_MS = 60_000;

type Told = Pick<RunResult, 'task' | 'status' | 'exitCode' | 'output' | 'failure' | 'violations'> & { tier: string };

interface Trouble {
  /** Shell text that runs first, as root in a private mount namespace; `$base` is the folder of the place. */
  readonly mounts?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { bare } = useProjects(tier);

  function launch(
    context: TestContext,
    place: Place,
    verb: 'run' | 'start',
    commands: readonly string[],
    { mounts, env = {}, cwd = place.project }: Trouble = {},
  ): ChildProcess {
    if (!existsSync(fileURLToPath(new URL('../../dist/index.js', import.meta.url))))
      context.skip('dist is not built: run `npm run build`');
    const shell = { settingsFile: place.settingsFile, tasksFolder: join(place.base, 'tasks') };
    const words = [process.execPath, HOST, verb, JSON.stringify({ shell, cwd, commands })];
    const argv =
      mounts === undefined ? words : ['unshare', '-Urm', 'sh', '-ec', `${mounts}\nexec "$@"`, 'sh', ...words];
    if (mounts !== undefined && spawnSync('unshare', ['-Urm', 'true']).status !== 0)
      context.skip('this machine does not let its users have mounts of their own');
    const [program, ...rest] = argv as [string, ...string[]];
    const child = spawn(program, rest, {
      cwd: place.base,
      env: { PATH: process.env.PATH, HOME: place.home, base: place.base, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    context.onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  async function answersOf(child: ChildProcess): Promise<Told[]> {
    for await (const line of createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> }))
      return JSON.parse(line);
    throw new Error('the host said nothing');
  }

  function run(context: TestContext, place: Place, commands: readonly string[], trouble: Trouble): Promise<Told[]> {
    return answersOf(launch(context, place, 'run', commands, trouble));
  }

  test(
    'when the host dies, its task keeps its network',
    async (context) => {
      const name = await nameOfLoopback();
      if (name === null) return context.skip('the name of this machine does not lead to its loopback');
      const server = createServer((_, response) => response.end('reached\n')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      context.onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const settings = {
        permissions: { allow: [`Network(${name})`] },
        sandbox: { network: { allowAddresses: [`127.0.0.1:${port}`] } },
      };
      const place = await bare(context, { settings });
      const fetch = `curl -sS --max-time 30 http://${name}:${port}/`;
      writeTree(place.project, {
        'fetch.sh': `${fetch} && touch one\nuntil test -e dead; do sleep 0.02; done\n${fetch} || echo failed closed\necho still here\n`,
      });
      const host = launch(context, place, 'start', ['sh fetch.sh']);
      const [task] = await answersOf(host);
      expect(task).toMatchObject({ status: 'running', tier });
      await expect.poll(() => existsSync(join(place.project, 'one')), { timeout: 30_000 }).toBe(true);
      host.kill('SIGKILL');
      await once(host, 'close');
      writeFileSync(join(place.project, 'dead'), '');
      const handle = await place.shell.task(task?.task ?? '');
      const info = await handle?.wait({ timeout: 45_000 });
      expect(info).toMatchObject({ state: 'finished', exitCode: 0 });
      expect((await handle?.read())?.text).toBe('reached\nreached\nstill here\n');
    },
    TIME_MS,
  );

  test(
    'a read-only file system',
    async (context) => {
      const place = await bare(context);
      writeTree(place.project, { file: 'content\n' });
      const mounts = 'mount --bind "$base/project" "$base/project"; mount -o remount,bind,ro "$base/project"';
      const [read, write] = await run(context, place, ['cat file', 'echo x > new'], { mounts });
      expect(read).toMatchObject({ status: 'exited', exitCode: 0, output: 'content\n' });
      expect(write).toMatchObject({ status: 'exited', exitCode: 1, violations: [] });
      expect(readdirSync(place.project)).toEqual(['file']);
    },
    TIME_MS,
  );

  test(
    'a full disk: the command sees it, and the next one runs',
    async (context) => {
      const place = await bare(context);
      const mounts = 'mount -t tmpfs -o size=256k none "$base/project"';
      const [fill, next] = await run(
        context,
        place,
        ['head -c 1000000 /dev/zero > big', 'rm big && echo x > small && cat small'],
        { mounts },
      );
      expect([fill?.exitCode, fill?.output]).toEqual([1, expect.stringMatching(/No space left on device/)]);
      expect(next).toMatchObject({ status: 'exited', exitCode: 0, output: 'x\n' });
    },
    TIME_MS,
  );

  test(
    'a full disk for temporary files: a clear failure, and no command',
    async (context) => {
      const place = await bare(context);
      mkdirSync(join(place.base, 'full'));
      const mounts = 'mount -t tmpfs -o nr_inodes=1 none "$base/full"';
      const [told] = await run(context, place, ['echo ran > file'], {
        mounts,
        env: { TMPDIR: join(place.base, 'full') },
      });
      expect(told?.status).toBe('failed');
      expect(told?.failure?.message).toMatch(/ENOSPC|no space/i);
      expect(existsSync(join(place.project, 'file'))).toBe(false);
    },
    TIME_MS,
  );

  test(
    'a home that is read-only: caches lie with the temporary files',
    async (context) => {
      const place = await bare(context);
      const mounts = 'mount --bind "$base/home" "$base/home"; mount -o remount,bind,ro "$base/home"';
      const command =
        'echo x > file && mkdir -p "$npm_config_cache" && echo y > "$npm_config_cache/z" && npm config get cache';
      const [told] = await run(context, place, [command], { mounts });
      expect(told).toMatchObject({
        status: 'exited',
        exitCode: 0,
        output: expect.stringMatching(/\/\.caches\/npm\n$/),
      });
    },
    TIME_MS,
  );

  test.for([
    ['with odd characters', `odd $(x) 'y' "z" *`, true],
    ['that is a link', 'link', true],
    ['that is not there yet', 'missing/yet', true],
    ['that is a file', 'file', false],
  ] as const)('a temporary folder %s', { timeout: TIME_MS }, async ([, name, isFine], context) => {
    const place = await bare(context);
    mkdirSync(join(place.base, `odd $(x) 'y' "z" *`));
    writeTree(place.base, { file: '' });
    spawnSync('ln', ['-s', `odd $(x) 'y' "z" *`, join(place.base, 'link')]);
    const [told] = await run(context, place, ['file=$(mktemp) && echo x > "$file" && cat "$file" && echo y > here'], {
      env: { TMPDIR: join(place.base, name) },
    });
    if (isFine) expect(told).toMatchObject({ status: 'exited', exitCode: 0, output: 'x\n' });
    else expect([told?.status, told?.failure?.message]).toEqual(['failed', expect.stringMatching(/ENOENT|ENOTDIR/)]);
    expect(existsSync(join(place.project, 'here'))).toBe(isFine);
  });

  test(
    'where the machine fixes the hosts, neither settings nor the command add any',
    async (context) => {
      const place = await bare(context, { settings: { domains: { allow: ['mine.example'] }, mode: 'bypass' } });
      const managed = { managedDomainsOnly: true, domains: { allow: ['managed.invalid'] } };
      writeTree(place.base, { 'managed.json': JSON.stringify(managed) });
      writeTree(place.project, { 'fetch.sh': 'for h in mine.example managed.invalid; do curl -sS http://$h/; done\n' });
      const mounts =
        'mkdir "$base/etc" && cp -r /etc/. "$base/etc/" 2>/dev/null || :; mkdir -p "$base/etc/hardshell"; cp "$base/managed.json" "$base/etc/hardshell/managed-settings.json"; mount --rbind "$base/etc" /etc';
      const [hidden, named] = await run(context, place, ['sh fetch.sh', 'curl -sS http://mine.example/'], { mounts });
      expect(hidden?.violations.map(({ target }) => target)).toEqual(['mine.example:80']);
      // Allowed by its rule, and there is no such name.
      expect(hidden?.output).toContain('managed.invalid is allowed but could not be resolved');
      expect(named?.violations.map(({ target }) => target)).toEqual(['mine.example:80']);
    },
    TIME_MS,
  );
});
