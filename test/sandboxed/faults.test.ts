// Failures around a confined command: it fails closed, reports it, and nothing hangs.

import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunHandle, RunListener, RunRequest } from '../../src/run/port.ts';
import { readRecord } from '../../src/run/record.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';
import { type Place, writeTree } from './place.ts';
import { said, useProjects } from './project.ts';
import { nameOfLoopback } from './registry.ts';

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { bare } = useProjects(tier);

  test('paths that are not there change nothing, and are not made', async (context) => {
    const missing = ['//nonexistent/one', '//srv/hardshell-nothing/two', '~/three', 'four'];
    const { allowRead, denyRead, denyWrite, allowWrite } = {
      allowWrite: missing,
      denyWrite: missing,
      denyRead: missing,
      allowRead: missing,
    };
    const place = await bare(context, {
      settings: {
        secretPaths: missing,
        protectedPaths: missing,
        sandbox: {
          filesystem: { allowWrite, denyWrite, denyRead, allowRead },
          network: { allowUnixSockets: ['//nonexistent/socket'] },
        },
      },
    });
    expect(said(await place.run('echo fine > file && cat file'))).toEqual([0, 'fine\n']);
    expect(readdirSync(place.project)).toEqual(['file']);
    expect(existsSync(join(place.home, 'three'))).toBe(false);
  });

  test('a task whose sandbox is killed from outside has failed, and says why', async (context) => {
    if (tier === 'landlock') context.skip('without namespaces there is no first process of the sandbox');
    const place = await bare(context);
    const { task: id } = await place.start('sleep 60');
    const record = readRecord(join(place.base, 'tasks', `${id}.json`));
    const [, init] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${record.pid}/status`, 'utf8')) ?? [];
    expect(Number(init)).not.toBe(record.supervisorPid);
    process.kill(Number(init), 'SIGKILL');
    const task = await place.shell.task(String(id));
    const { status, cause, notes } = (await task?.wait()) ?? {};
    expect([status, cause, notes]).toEqual([
      'failed',
      'sandbox-killed',
      ['The first process of its sandbox was killed from outside, and the command with it.'],
    ]);
  });

  test('1,000 writable folders', async (context) => {
    const place = await bare(context);
    const folders = Array.from({ length: 1000 }, (_, index) => join(place.base, 'many', String(index)));
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    const [first, last] = [folders[0] as string, folders.at(-1) as string];
    writeTree(place.project, {
      'write.sh': `echo a > ${first}/f && echo b > ${last}/f; echo c > ${place.base}/many/f\n`,
    });
    const result = await place.run('sh write.sh', { sandbox: { allowWrite: folders } });
    expect(result.failure).toBeNull();
    expect([first, last].map((folder) => readdirSync(folder))).toEqual([['f'], ['f']]);
    expect(existsSync(join(place.base, 'many/f'))).toBe(false);
  }, 60_000);

  test('a writable folder that is a link is the folder behind it, and no more', async (context) => {
    const place = await bare(context);
    writeTree(place.base, { 'behind/file': '1\n', 'beside/file': '2\n' });
    const link = join(place.base, 'link');
    symlinkSync(join(place.base, 'behind'), link);
    writeTree(place.project, {
      'write.sh': `for d in link behind beside; do echo x > ../$d/new && echo $d written; done\n`,
    });
    const { output } = await place.run('sh write.sh 2>/dev/null', { sandbox: { allowWrite: [link] } });
    expect(output.split('\n').filter((line) => line.endsWith('written'))).toEqual(['link written', 'behind written']);
  });

  test('a folder to start in that is a link works, and a link to everything gives nothing', async (context) => {
    const place = await bare(context);
    const link = join(place.base, 'link');
    symlinkSync(place.project, link);
    expect(said(await place.run('echo fine > file && cat file', { cwd: link }))).toEqual([0, 'fine\n']);
    rmSync(link);
    symlinkSync('/', link);
    writeTree(place.base, { 'beside/file': '2\n', 'write.sh': `echo x > ${place.base}/beside/file && echo written\n` });
    const result = await place.run(`sh ${place.base}/write.sh`, { cwd: link });
    expect(result.output).not.toMatch(/^written$/m);
  });

  test.for(['/srv', '/tmp'])('a folder below %s that has vanished', async (parent, context) => {
    if (!existsSync(parent)) return context.skip(`there is no ${parent}`);
    const place = await bare(context, { parent });
    await place.run('mkdir gone');
    await place.run('pwd', { cwd: join(place.project, 'gone') });
    rmSync(join(place.project, 'gone'), { recursive: true });
    const gone = join(place.project, 'gone');
    const result = await place.run('pwd', { cwd: gone, originalCwd: place.project });
    expect([result.status, result.failure?.type, result.cwd, result.cwdCause]).toEqual([
      'failed',
      'working_directory_invalid',
      place.project,
      'vanished',
    ]);
    expect(said(await place.run('mkdir gone && cd gone && rmdir ../gone && echo still here'))).toEqual([
      0,
      'still here\n',
    ]);
  });

  test('a place for caches that cannot be written to: they then lie with the temporary files', async (context) => {
    const first = await bare(context);
    const file = join(first.base, 'no-folder');
    writeFileSync(file, '');
    const hostEnvironment = { PATH: process.env.PATH, HOME: first.home, XDG_CACHE_HOME: file };
    const place = await bare(context, { shell: { hostEnvironment } });
    const { exitCode, output } = await place.run(
      'mkdir -p "$npm_config_cache" && echo x > "$npm_config_cache/f" && echo $npm_config_cache',
    );
    expect([exitCode, /\/\.caches\/npm\n$/.test(output)]).toEqual([0, true]);
    await first.close();
  });

  test("hosts that cannot be read are the caller's mistake, or the settings', and nothing runs", async (context) => {
    const place = await bare(context);
    const bad = 'https://example.com/x';
    const run = (options: object) => place.run('echo ran > file', options);
    await expect(run({ sandbox: { allowDomains: [bad] } })).rejects.toMatchObject({
      name: 'HardshellError',
      message: expect.stringContaining(bad),
    });
    const policy = { ...DEFAULT_POLICY, mode: 'bypass' as const, domains: { allow: ['good.example', bad], deny: [] } };
    const told = await run({ policy }).then(
      ({ failure }) => failure?.message,
      (error: Error) => error.message,
    );
    expect(told).toContain(bad);
    const broken = bare(context, { settings: { domains: { deny: [bad] } } });
    await expect(broken).rejects.toMatchObject({ code: 'invalid-settings' });
    expect(existsSync(join(place.project, 'file'))).toBe(false);
  });

  test('a port in use is not published, and the command fails or runs without it', async (context) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    try {
      const place = await bare(context, { settings: { sandbox: { network: { publishPorts: [port] } } } });
      expect(said(await place.run('echo fine > file && cat file'))).toEqual([0, 'fine\n']);
      if (tier === 'landlock') return;
      const { failure } = await place.run('echo fine', { sandbox: { publishPorts: [port] } });
      expect(failure?.message).toContain(`port ${port} is already in use`);
    } finally {
      server.close();
    }
  });
});

/** Commands that run at once, each with the settings that publish a port. */
test.skipIf(process.platform !== 'linux')(
  'commands that run at once do not quarrel about a published port',
  async (context) => {
    const place = await prepare(context, { publishPorts: [45_871] });
    const results = await Promise.all(Array.from({ length: 6 }, () => place.run('touch file && echo fine')));
    expect(results.map(said)).toEqual(results.map(() => [0, 'fine\n']));
  },
);

const projects = useProjects('namespaces');

async function prepare(context: TestContext, network: object, shell: object = {}): Promise<Place> {
  return projects.bare(context, { settings: { sandbox: { network } }, shell });
}

/** A runner that keeps the listener of the proxy, as if the proxy were somewhere else and could die. */
class Mortal extends KeeperRunner {
  readonly listeners: Server[] = [];
  override start(request: RunRequest, listener?: RunListener): RunHandle {
    const { onListener } = request;
    if (onListener === undefined) return super.start(request, listener);
    const take = (server: Server) => {
      this.listeners.push(server);
      return onListener(server);
    };
    return super.start({ ...request, onListener: take }, listener);
  }
}

test.skipIf(process.platform !== 'linux')(
  'when the proxy dies, connections fail and the command continues',
  async (context) => {
    const host = await nameOfLoopback();
    if (host === null || !keeperUnderTest.isAvailable)
      return context.skip('needs a keeper, and a name of the loopback');
    const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nreached\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const runner = new Mortal(keeperUnderTest.path, { stderr: keeperStderr });
    try {
      const place = await prepare(context, { allowAddresses: [`127.0.0.1:${port}`] }, { runner });
      writeTree(place.project, {
        'fetch.sh': `curl -sS http://${host}:${port}/; echo one $?; until test -e dead; do sleep 0.02; done\ncurl -sS http://${host}:${port}/; echo two $?\n`,
      });
      const running = place.run('sh fetch.sh', {
        sandbox: { allowDomains: [`${host}:${port}`] },
        onEvent: (event) => {
          if (event.type !== 'stdout' || !event.text.includes('one 0')) return;
          for (const listener of runner.listeners) listener.close();
          writeFileSync(join(place.project, 'dead'), '');
        },
      });
      const { status, output, violations } = await running;
      expect(status).toBe('exited');
      expect(violations).toMatchObject([
        {
          kind: 'network',
          target: 'every host',
          rule: 'the network was lost while the command ran: its listener was closed',
        },
      ]);
      expect(output).toMatch(/^reached\none 0\n[\s\S]*two [1-9]\d*\n/);
      expect(output.match(/reached/g)).toHaveLength(1);
    } finally {
      server.close();
    }
  },
);

test.skipIf(process.platform !== 'linux')(
  'while the proxy is blocked no host is reached, and the command continues',
  async (context) => {
    const place = await prepare(context, {});
    writeTree(place.project, {
      'fetch.sh':
        'echo ready; until test -e blocked; do sleep 0.02; done\ncurl -sS -m 1 http://one.example/; echo one $?\n',
    });
    const { status, output } = await place.run('sh fetch.sh', {
      onEvent: (event) => {
        if (event.type !== 'stdout' || !event.text.includes('ready')) return;
        writeFileSync(join(place.project, 'blocked'), '');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 8_000);
      },
    });
    expect(status).toBe('exited');
    // The time that curl gives itself.
    expect(output).toContain('one 28\n');
  },
  60_000,
);
