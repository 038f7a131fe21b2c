// Lessons from real commands, by each tier: the settings that they print are enough for the ordinary sandbox, and none of
// them can be left out.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { SETTINGS_VALIDATORS, saveSettings } from '../../src/host.ts';
import { outside } from '../sandboxed/place.ts';
import { nameOfLoopback, serveRegistry } from '../sandboxed/registry.ts';
import { PYTHON, TIME_MS, useClassroom } from './lessons.ts';

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const classroom = useClassroom(tier);
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
  });

  async function listen(where: { port: number; host: string } | { path: string }): Promise<number> {
    const server = createServer((socket) => socket.on('error', () => {}).end('hello\n'));
    servers.push(server);
    await new Promise<void>((done) => server.listen(where, done));
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  test('nothing is needed for work in the project', async (context) => {
    const { learn } = await classroom(context);
    const lesson = await learn('echo x > here && mkdir -p a/b && cat here && ls / > /dev/null && echo y > "$TMPDIR/z"');
    expect(lesson).toMatchObject({ end: 'settled', runs: 1, needs: [], settings: {}, beyond: [], secrets: [] });
    expect(lesson.result).toMatchObject({ exitCode: 0 });
  });

  test(
    'a folder in the home, found out by a program that no analysis sees through',
    async (context) => {
      const { learn, prove, home, project } = await classroom(context);
      mkdirSync(join(home, 'notes'));
      writeFileSync(
        join(project, 'note.sh'),
        'set -e\necho x > ~/notes/a\nmkdir -p ~/notes/deep/er\necho y > ~/notes/deep/er/b\n',
      );
      const prepare = () => {
        rmSync(join(home, 'notes'), { recursive: true });
        mkdirSync(join(home, 'notes'));
      };
      const one = await learn('sh note.sh');
      expect(one).toMatchObject({
        end: 'more-wanted',
        runs: 1,
        settings: { sandbox: { filesystem: { allowWrite: ['~/notes'] } } },
      });
      expect(existsSync(join(home, 'notes/a'))).toBe(false);
      const lesson = await learn('sh note.sh', { runs: 5 });
      expect(lesson).toMatchObject({ end: 'settled', runs: 2, result: { exitCode: 0 } });
      expect(lesson.settings).toEqual({ sandbox: { filesystem: { allowWrite: ['~/notes'] } } });
      await prove('sh note.sh', lesson, prepare);
    },
    TIME_MS,
  );

  test(
    'a yes lets the command run, and what it names is a need like any other',
    async (context) => {
      const { learn, home } = await classroom(context, { settings: { mode: 'default' } });
      mkdirSync(join(home, 'notes'));
      const first = await learn('echo x > ~/notes/a', { assumeYes: true });
      expect(first).toMatchObject({ end: 'more-wanted', runs: 1, result: { isError: true } });
      expect(existsSync(join(home, 'notes/a'))).toBe(false);
      const lesson = await learn('echo x > ~/notes/a', { assumeYes: true, runs: 2 });
      expect(lesson).toMatchObject({ end: 'settled', runs: 2, result: { exitCode: 0 } });
      expect(lesson.settings).toEqual({ sandbox: { filesystem: { allowWrite: ['~/notes'] } } });
      const host = await learn('curl -s http://named.example/', { assumeYes: true });
      expect(host.settings).toEqual({ domains: { allow: ['named.example'] } });
    },
    TIME_MS,
  );

  test(
    'a single file that exists, and a folder beside it that is not opened',
    async (context) => {
      const { learn, prove, home, project } = await classroom(context);
      mkdirSync(join(home, 'data'));
      writeFileSync(join(home, 'data/list'), '');
      writeFileSync(join(project, 'add.sh'), 'echo x >> ~/data/list\n');
      const lesson = await learn('sh add.sh', { runs: 3 });
      expect(lesson.settings).toEqual({ sandbox: { filesystem: { allowWrite: ['~/data/list'] } } });
      await prove('sh add.sh', lesson);
    },
    TIME_MS,
  );

  test(
    'many files of one folder are the folder; two folders are two',
    async (context) => {
      const { learn, prove, home, project } = await classroom(context);
      const names = Array.from({ length: 40 }, (_, i) => `f${i}`);
      for (const folder of ['one', 'two']) mkdirSync(join(home, folder));
      for (const name of names) writeFileSync(join(home, 'one', name), '');
      writeFileSync(join(project, 'all.sh'), 'set -e\nfor f in ~/one/f*; do echo x > $f; done\necho y > ~/two/new\n');
      const lesson = await learn('sh all.sh', { runs: 8 });
      expect(lesson.settings).toMatchObject({ sandbox: { filesystem: { allowWrite: ['~/one', '~/two'] } } });
      expect(lesson.end).toBe('settled');
      await prove('sh all.sh', lesson, () => rmSync(join(home, 'two/new'), { force: true }));
    },
    TIME_MS,
  );

  test(
    'git push to a repository in another place: its objects and branches, never its hooks',
    async (context) => {
      const { learn, prove, base, project } = await classroom(context, { programs: ['git'] });
      const remote = join(base, 'remote.git');
      const prepare = () => {
        rmSync(remote, { recursive: true, force: true });
        outside('git', ['init', '-q', '--bare', remote], base);
      };
      prepare();
      for (const argv of [
        ['init', '-q', '-b', 'main'],
        ['remote', 'add', 'origin', remote],
      ])
        outside('git', argv, project);
      outside('git', ['commit', '-q', '--allow-empty', '-m', 'first'], project);
      const command = 'git push -q origin main';
      const lesson = await learn(command, { runs: 8 });
      expect(lesson).toMatchObject({ end: 'settled', result: { exitCode: 0 } });
      const { allowWrite = [] } = lesson.settings.sandbox?.filesystem ?? {};
      expect(allowWrite).toContain(`/${remote}/objects`);
      expect(allowWrite.every((path) => path.startsWith(`/${remote}/`) && !path.includes('hooks'))).toBe(true);
      const proven = await learn(command, { runs: 8, prove: true });
      prepare();
      expect(proven.end).toBe('settled');
      await prove(command, { ...lesson, settings: lesson.settings }, prepare);
    },
    TIME_MS,
  );

  test(
    'a port of this machine on which a process listens',
    async (context) => {
      const { learn, prove, project } = await classroom(context);
      const port = await listen({ port: 0, host: '127.0.0.1' });
      writeFileSync(
        join(project, 'client.py'),
        `import socket\nprint(socket.create_connection(("127.0.0.1", ${port})).recv(9))\n`,
      );
      const lesson = await learn(`${PYTHON} client.py`, { runs: 3 });
      expect(lesson.settings).toEqual({ sandbox: { network: { allowPorts: [port] } } });
      expect(lesson).toMatchObject({ end: 'settled', runs: 2, result: { exitCode: 0 } });
      await prove(`${PYTHON} client.py`, lesson);
    },
    TIME_MS,
  );

  test(
    'a socket file of another program',
    async (context) => {
      const { learn, prove, project, base } = await classroom(context);
      const path = join(base, 'service.sock');
      await listen({ path });
      writeFileSync(
        join(project, 'client.py'),
        `import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect("${path}")\nprint(s.recv(9))\n`,
      );
      const lesson = await learn(`${PYTHON} client.py`, { runs: 3 });
      expect(lesson.settings).toEqual({ sandbox: { network: { allowUnixSockets: [`/${path}`] } } });
      expect(lesson).toMatchObject({ end: 'settled', runs: 2, result: { exitCode: 0 } });
      await prove(`${PYTHON} client.py`, lesson);
    },
    TIME_MS,
  );

  test(
    'a socket of its own needs no setting',
    async (context) => {
      if (tier === 'landlock') return context.skip('without a private network there are no sockets of its own');
      const { learn, project } = await classroom(context);
      writeFileSync(
        join(project, 'both.py'),
        `import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind("own")\ns.listen()\nc = socket.socket(socket.AF_UNIX)\nc.connect("own")\n`,
      );
      const lesson = await learn(`${PYTHON} both.py`, { runs: 3 });
      expect(lesson).toMatchObject({ end: 'settled', runs: 1, settings: {}, result: { exitCode: 0 } });
      expect(lesson.beyond).toEqual([]);
    },
    TIME_MS,
  );

  test(
    'npm: its host with the port, and none of its caches',
    async (context) => {
      const host = await nameOfLoopback();
      if (host === null) return context.skip('the name of this machine does not lead to its loopback');
      const registry = await serveRegistry(host);
      try {
        const settings = { sandbox: { network: { allowAddresses: [`127.0.0.1:${registry.port}`] } } };
        const { learn, prove, project, home } = await classroom(context, { settings, programs: ['npm'] });
        for (const [name, text] of Object.entries(registry.files)) writeFileSync(join(project, name), text);
        const command = 'npm ci --silent --fetch-retries=0';
        const prepare = () => {
          rmSync(join(project, 'node_modules'), { recursive: true, force: true });
          rmSync(join(home, '.cache'), { recursive: true, force: true });
        };
        const lesson = await learn(command, { runs: 3, hostEnvironment: { ...process.env, HOME: home } });
        expect(lesson).toMatchObject({ end: 'settled', result: { exitCode: 0 } });
        expect(lesson.settings).toEqual({ domains: { allow: [`${host}:${registry.port}`] } });
        await prove(command, lesson, prepare);
      } finally {
        await registry.close();
      }
    },
    TIME_MS,
  );

  test(
    'a port on which it wants to listen, without a private network',
    async (context) => {
      if (tier === 'namespaces') return context.skip('with namespaces every port of its own loopback is free');
      const { learn, prove, project } = await classroom(context);
      const port = await listen({ port: 0, host: '127.0.0.1' });
      for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
      writeFileSync(
        join(project, 'serve.py'),
        `import socket\ns = socket.socket()\ns.bind(("127.0.0.1", ${port}))\ns.listen()\n`,
      );
      const lesson = await learn(`${PYTHON} serve.py`, { runs: 3 });
      expect(lesson).toMatchObject({ end: 'settled', runs: 2, result: { exitCode: 0 } });
      expect(lesson.settings).toEqual({ sandbox: { network: { publishPorts: [port] } } });
      await prove(`${PYTHON} serve.py`, lesson);
    },
    TIME_MS,
  );

  test(
    'a folder of another program below /tmp, which it does not see',
    async (context) => {
      const { learn, run, project, settingsFile } = await classroom(context);
      const shared = mkdtempSync(join(tmpdir(), 'hardshell-learn-'));
      try {
        writeFileSync(join(project, 'x.sh'), `echo x > ${shared}/x\n`);
        const lesson = await learn('sh x.sh', { runs: 3 });
        expect(lesson).toMatchObject({ end: 'settled', runs: 2, result: { exitCode: 0 } });
        expect(lesson.settings).toEqual({ sandbox: { filesystem: { allowWrite: [`/${shared}`] } } });
        expect(existsSync(join(shared, 'x'))).toBe(true);
        rmSync(join(shared, 'x'));
        // Without the setting it writes to a private folder, which no other process sees.
        await run('sh x.sh');
        expect(existsSync(join(shared, 'x'))).toBe(false);
        await saveSettings(settingsFile, lesson.settings, SETTINGS_VALIDATORS);
        expect(await run('sh x.sh')).toMatchObject({ exitCode: 0 });
        expect(existsSync(join(shared, 'x'))).toBe(true);
      } finally {
        rmSync(shared, { recursive: true });
      }
    },
    TIME_MS,
  );

  test(
    'several kinds at once, each of which it needs',
    async (context) => {
      const { learn, prove, project, home, base } = await classroom(context);
      mkdirSync(join(home, 'out'));
      const port = await listen({ port: 0, host: '127.0.0.1' });
      const path = join(base, 's.sock');
      await listen({ path });
      writeFileSync(
        join(project, 'all.py'),
        `import os, socket
socket.create_connection(("127.0.0.1", ${port})).recv(9)
s = socket.socket(socket.AF_UNIX)
s.connect("${path}")
open(os.path.expanduser("~/out/done"), "w").write("done")
`,
      );
      const lesson = await learn(`${PYTHON} all.py`, { runs: 6 });
      // One at a time: it stops at the first that it is refused.
      expect(lesson).toMatchObject({ end: 'settled', runs: 4, result: { exitCode: 0 } });
      expect(lesson.settings).toEqual({
        sandbox: {
          filesystem: { allowWrite: ['~/out'] },
          network: { allowPorts: [port], allowUnixSockets: [`/${path}`] },
        },
      });
      expect(readFileSync(join(home, 'out/done'), 'utf8')).toBe('done');
      await prove(`${PYTHON} all.py`, lesson, () => rmSync(join(home, 'out/done'), { force: true }));
    },
    TIME_MS,
  );

  test(
    'with --prove, what it can do without is dropped',
    async (context) => {
      const { learn, prove, project, home } = await classroom(context);
      for (const name of ['needed', 'optional']) mkdirSync(join(home, name));
      writeFileSync(join(project, 'x.sh'), 'echo x > ~/optional/log || true\nset -e\necho y > ~/needed/out\n');
      const wide = await learn('bash x.sh', { runs: 4 });
      expect(wide.settings.sandbox?.filesystem?.allowWrite).toEqual(['~/needed', '~/optional']);
      for (const name of ['needed/out', 'optional/log']) rmSync(join(home, name));
      const lesson = await learn('bash x.sh', { runs: 4, prove: true });
      expect(lesson).toMatchObject({ end: 'settled', isProven: true, runs: 4 });
      expect(lesson.settings).toEqual({ sandbox: { filesystem: { allowWrite: ['~/needed'] } } });
      await prove('bash x.sh', lesson, () => rmSync(join(home, 'needed/out'), { force: true }));
    },
    TIME_MS,
  );
});
