// What learning never grants, however a command asks for it, and its messages when there is nothing to learn from.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callbackSurface, createBroker, type Settings } from '../../src/host.ts';
import { PYTHON, TIME_MS, useClassroom } from './lessons.ts';

/** Tries to append to each, and continues. */
const APPEND = `import os, sys
for path in sys.stdin.read().split("\\0"):
    try:
        open(os.path.expanduser(path), "a").write("x")
    except OSError as error:
        print(error.strerror)
`;

function agreeing() {
  const broker = createBroker();
  broker.attach(callbackSurface(() => 'allow'));
  return broker;
}

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const classroom = useClassroom(tier);
  const paths = ({ settings }: { settings: Settings }) => JSON.stringify(settings);

  test(
    'protected and system files are never opened, in no run',
    async (context) => {
      const { learn, home, project } = await classroom(context);
      for (const folder of ['.ssh', '.config/git', 'bin', 'free']) mkdirSync(join(home, folder), { recursive: true });
      writeFileSync(join(home, '.bashrc'), '');
      writeFileSync(join(project, 'append.py'), APPEND);
      const wanted = [
        '~/.bashrc',
        '~/.ssh/authorized_keys',
        '~/.config/git/config',
        '~/.config/x',
        '~/new',
        '/etc/x',
        '~/bin/ls',
      ];
      const lesson = await learn(`${PYTHON} append.py`, {
        runs: 5,
        input: [...wanted, '~/free/x'].join('\0'),
        hostEnvironment: { PATH: `/usr/bin:/bin:${home}/bin`, HOME: home },
      });
      expect(lesson.settings).toEqual({ sandbox: { filesystem: { allowWrite: ['~/free'] } } });
      const full = wanted.map((path) => path.replace('~', home));
      expect(lesson.beyond.map(({ target }) => target).sort()).toEqual(full.sort());
      expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('');
      for (const path of full.filter((each) => !each.endsWith('.bashrc')))
        expect([path, existsSync(path)]).toEqual([path, false]);
    },
    TIME_MS,
  );

  test(
    'a hidden file is listed and stays hidden; it is proposed only when that is asked for',
    async (context) => {
      const { learn, home, project } = await classroom(context);
      mkdirSync(join(home, '.aws'));
      writeFileSync(join(home, '.aws/credentials'), 'the-secret\n');
      writeFileSync(join(project, 'read.sh'), 'cat ~/.aws/credentials ~/.aws/absent; true\n');
      const quiet = await learn('sh read.sh', { runs: 3 });
      expect(quiet).toMatchObject({ settings: {}, runs: 1, secrets: [join(home, '.aws/credentials')] });
      const asked = await learn('sh read.sh', { runs: 3, withSecrets: true });
      expect(asked.settings).toEqual({ sandbox: { filesystem: { allowRead: ['~/.aws/credentials'] } } });
      for (const lesson of [quiet, asked]) expect(lesson.result?.output).not.toContain('the-secret');
    },
    TIME_MS,
  );

  test(
    'a yes opens no hidden file that the command names',
    async (context) => {
      const { learn, home } = await classroom(context, { settings: { mode: 'default' } });
      mkdirSync(join(home, '.ssh'));
      writeFileSync(join(home, '.ssh/id_x'), 'the-secret\n');
      const command = 'cat ~/.ssh/id_x';
      for (const lesson of [
        await learn(command, { assumeYes: true, runs: 3 }),
        await learn(command, { broker: agreeing(), runs: 3 }),
      ]) {
        expect(lesson).toMatchObject({ runs: 1, settings: {}, secrets: [join(home, '.ssh/id_x')] });
        expect(lesson.result?.output).not.toContain('the-secret');
      }
    },
    TIME_MS,
  );

  test('a link in the project does not make a protected place look like its own', async (context) => {
    const { learn, home, project } = await classroom(context);
    mkdirSync(join(home, '.ssh'));
    symlinkSync(join(home, '.ssh'), join(project, 'keys'));
    writeFileSync(join(project, 'x.sh'), 'echo x > keys/authorized_keys\n');
    const lesson = await learn('sh x.sh', { runs: 3 });
    expect(lesson).toMatchObject({ settings: {}, beyond: [{ target: join(home, '.ssh/authorized_keys') }] });
  });

  test('hooks in the project: beyond where the tier protects them, and never a need', async (context) => {
    const { learn, project } = await classroom(context);
    mkdirSync(join(project, '.git/hooks'), { recursive: true });
    writeFileSync(join(project, 'x.sh'), 'echo x > .git/hooks/pre-commit\n');
    const { settings, beyond } = await learn('sh x.sh', { runs: 3 });
    expect(settings).toEqual({});
    const hook = join(project, '.git/hooks/pre-commit');
    expect(beyond.map(({ target }) => target)).toEqual(tier === 'namespaces' ? [hook] : []);
    expect(existsSync(hook)).toBe(tier === 'landlock');
  });

  test('names that cannot be seen are not proposed', async (context) => {
    const { learn, home, project } = await classroom(context);
    const hostile = ['a\nb', 'a\u202eb', 'a\u200bb', 'e\u001b[2Jf'];
    for (const name of hostile) mkdirSync(join(home, name));
    writeFileSync(join(project, 'append.py'), APPEND);
    const input = hostile.map((name) => `~/${name}/x`).join('\0');
    const lesson = await learn(`${PYTHON} append.py`, { runs: 3, input });
    expect(lesson.settings).toEqual({});
    expect(lesson.beyond.map(({ target }) => target).sort()).toEqual(hostile.map((name) => join(home, name)).sort());
  });

  test('a socket that leads out of the sandbox', async (context) => {
    const { learn, project, base } = await classroom(context);
    const path = join(base, 'docker.sock');
    const server = createServer((socket) => socket.on('error', () => {}).end());
    await new Promise<void>((done) => server.listen(path, done));
    try {
      writeFileSync(join(project, 'x.py'), `import socket\nsocket.socket(socket.AF_UNIX).connect("${path}")\n`);
      const lesson = await learn(`${PYTHON} x.py`, { runs: 3 });
      expect(lesson).toMatchObject({ settings: {}, runs: 1, beyond: [{ operation: 'connect', target: path }] });
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  test(
    'a denied host, and a program that does not use the proxy',
    async (context) => {
      const { learn, project } = await classroom(context, { settings: { domains: { deny: ['evil.example'] } } });
      writeFileSync(
        join(project, 'x.sh'),
        'curl -s http://evil.example/; curl -s http://good.example/; curl -s --noproxy "*" http://192.0.2.1/; true\n',
      );
      const lesson = await learn('sh x.sh');
      expect(lesson.settings).toEqual({ domains: { allow: ['good.example'] } });
      expect(lesson.beyond.map(({ target }) => target).sort()).toEqual(['192.0.2.1:80', 'evil.example:80']);
    },
    TIME_MS,
  );

  test(
    'a denied command does not run; a command without approval does not run',
    async (context) => {
      const { learn, project } = await classroom(context, {
        settings: { mode: 'default', permissions: { deny: ['Bash(touch:*)'] } },
      });
      for (const command of ['touch denied', "python3 -c \"open('asked', 'w')\""]) {
        const lesson = await learn(command, { runs: 5 });
        expect(lesson).toMatchObject({ end: 'denied', runs: 0, result: null, needs: [], settings: {} });
      }
      expect(['denied', 'asked'].filter((name) => existsSync(join(project, name)))).toEqual([]);
      expect(await learn("python3 -c \"open('asked', 'w')\"", { assumeYes: true })).toMatchObject({
        end: 'settled',
        runs: 1,
      });
      expect(existsSync(join(project, 'asked'))).toBe(true);
    },
    TIME_MS,
  );

  test(
    'a command that changes what it is, so that the yes was about another',
    async (context) => {
      const { learn, home, project } = await classroom(context, { settings: { mode: 'default' } });
      mkdirSync(join(home, 'notes'));
      writeFileSync(join(project, 'tool'), '#!/bin/sh\necho x > ~/notes/a\n', { mode: 0o755 });
      let asked = 0;
      const lesson = await learn('./tool', {
        runs: 5,
        assumeYes: true,
        onAgain: () => {
          asked++;
          // As another process would do it in the meantime.
          writeFileSync(join(home, '../settings.json'), JSON.stringify({ permissions: { deny: ['Bash(./tool)'] } }));
          return true;
        },
      });
      expect([asked, lesson.end, lesson.runs]).toEqual([1, 'judged-differently', 1]);
    },
    TIME_MS,
  );

  test('the user can say no before another run', async (context) => {
    const { learn, home, project } = await classroom(context);
    mkdirSync(join(home, 'notes'));
    writeFileSync(join(project, 'x.sh'), 'echo x > ~/notes/a\n');
    const seen: string[] = [];
    const lesson = await learn('sh x.sh', {
      runs: 5,
      onAgain: (before) => {
        seen.push(paths(before));
        return false;
      },
    });
    expect(lesson).toMatchObject({ end: 'more-wanted', runs: 1 });
    expect(seen).toEqual(['{"sandbox":{"filesystem":{"allowWrite":["~/notes"]}}}']);
    expect(existsSync(join(home, 'notes/a'))).toBe(false);
  });

  test(
    'a program that is killed in the middle, and one that is ended from outside',
    async (context) => {
      const { learn, home, project } = await classroom(context);
      mkdirSync(join(home, 'notes'));
      writeFileSync(join(project, 'x.sh'), 'echo x > ~/notes/a; kill -KILL $$\n');
      const killed = await learn('exec sh x.sh', { runs: 3 });
      expect(killed).toMatchObject({ end: 'settled', runs: 2, result: { status: 'signalled', signal: 'SIGKILL' } });
      expect(paths(killed)).toContain('~/notes');
      writeFileSync(join(project, 'y.sh'), 'echo x > ~/notes/b; echo ready; exec sleep 60\n');
      const controller = new AbortController();
      const cancelled = await learn('exec sh y.sh', {
        runs: 3,
        signal: controller.signal,
        onEvent: (event) => {
          if (event.type === 'stdout' && event.text.includes('ready')) controller.abort();
        },
      });
      expect(cancelled).toMatchObject({ end: 'cancelled', runs: 1 });
      expect(paths(cancelled)).toContain('~/notes');
    },
    TIME_MS,
  );

  test(
    'more paths than can be reported: the list is bounded, and marked as incomplete',
    async (context) => {
      const { learn, home, project } = await classroom(context);
      for (const name of ['many', 'out']) mkdirSync(join(home, name));
      writeFileSync(
        join(project, 'x.py'),
        `import os
for i in range(5000):
    try: open("/usr/absent%d" % i)
    except OSError: pass
for i in range(300):
    try: open(os.path.expanduser("~/many/%d" % i), "w")
    except OSError: pass
open(os.path.expanduser("~/out/x"), "w")
`,
      );
      const lesson = await learn(`${PYTHON} x.py`, { runs: 4 });
      expect(lesson).toMatchObject({ end: 'settled', isComplete: false, result: { exitCode: 0 } });
      expect(lesson.settings).toEqual({ sandbox: { filesystem: { allowWrite: ['~/many', '~/out'] } } });
      for (const need of lesson.needs) expect(need.kind === 'write' && need.uses.length <= 5).toBe(true);
    },
    TIME_MS,
  );

  test('where it cannot be observed, it does not run', async (context) => {
    const { learn, project } = await classroom(context, { settings: { sandbox: { excludedCommands: ['touch'] } } });
    await expect(learn('touch ran')).rejects.toMatchObject({ code: 'cannot-start' });
    expect(existsSync(join(project, 'ran'))).toBe(false);
  });

  test('what is open from the start is listed only as far as it is used', async (context) => {
    const { learn, home, project } = await classroom(context);
    for (const folder of ['work/a', 'work/b']) mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(
      join(project, 'x.sh'),
      'echo x > ~/work/a/new && mkdir -p ~/work/a/deep && echo y > ~/work/a/deep/z\n',
    );
    const lesson = await learn('sh x.sh', { sandbox: { allowWrite: [join(home, 'work')] } });
    expect(lesson).toMatchObject({ runs: 1, result: { exitCode: 0 } });
    expect(lesson.settings).toEqual({ sandbox: { filesystem: { allowWrite: ['~/work/a'] } } });
  });

  test('a sandbox that has no use for such settings is replaced by the one that has', async (context) => {
    const { learn, home, project } = await classroom(context, { settings: { sandbox: { name: 'restricted' } } });
    mkdirSync(join(home, 'notes'));
    writeFileSync(join(project, 'x.sh'), 'echo x > ~/notes/a\n');
    const { settings, current } = await learn('sh x.sh');
    expect(settings).toEqual({ sandbox: { name: 'workspace', filesystem: { allowWrite: ['~/notes'] } } });
    expect(current).toMatchObject({ sandbox: { name: 'restricted' } });
  });
});
