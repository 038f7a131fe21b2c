// Known escapes from other sandboxes that need a policy, a repository or a start of their own; the numbers are those of
// docs/THREAT_MODEL.md. Each is blocked, or the enforcement names the guarantee that is missing.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy } from '../../src/confine/network/proxy.ts';
import type { ConfinementPolicy } from '../../src/confine/plan.ts';
import type { ConfineGuarantee } from '../../src/core/confinement.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';
import { isRoot, Place, type Tier, type Who } from './place.ts';

const GIT = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'safe.directory=*', '-c', 'init.defaultBranch=main'];
const git = (place: Place, folder: string, ...args: string[]) =>
  execFileSync('git', [...GIT, '-C', place.path(folder), ...args], {
    stdio: 'pipe',
    env: { PATH: process.env.PATH ?? '', HOME: place.base, GIT_TEMPLATE_DIR: '' },
  });

interface Case {
  readonly name: string;
  readonly guarantee: ConfineGuarantee;
  readonly prepare: (place: Place) => void;
  readonly policy?: (place: Place) => Partial<ConfinementPolicy>;
  /** B is the folder that holds `w`, the workspace, and everything else. */
  readonly script: string;
  /** What happened, seen from outside; where it is absent the end of the script counts. */
  readonly seen?: (place: Place) => boolean;
  readonly cwd?: string;
  /** Known and said in docs/THREAT_MODEL.md: neither held nor reported. */
  readonly gap?: string;
}

const hidden = (place: Place) => ({ hidden: [place.path('secrets')] });
const withSecrets = (place: Place) => place.make({ 'w/file': 'x', 'secrets/inner/key': 'secret\n' });
const withRepository = (place: Place) => {
  place.make({ 'w/file': 'x' });
  git(place, 'w', 'init', '-q');
  place.make({ 'w/.git/hooks/sample': 'x', 'w/.git/config': '[core]\n' }, []);
};

const CASES: readonly Case[] = [
  {
    name: 'case 10: a settings file that is not there is made',
    guarantee: 'protected-absent',
    prepare: (place) => place.make({ 'w/file': 'x' }),
    script: 'mkdir -p $B/w/.claude && echo "{}" > $B/w/.claude/settings.json',
    seen: (place) => existsSync(place.path('w/.claude/settings.json')),
  },
  {
    name: 'case 15: a hook is written beside its place and moved there',
    guarantee: 'protected-existing',
    prepare: withRepository,
    script: 'echo x > $B/w/.git/x; mv $B/w/.git/x $B/w/.git/hooks/pre-commit',
    seen: (place) => existsSync(place.path('w/.git/hooks/pre-commit')),
  },
  {
    name: 'case 16: the folder above what is protected is moved and built anew',
    guarantee: 'protected-existing',
    prepare: (place) => place.make({ 'w/a/b/rules': 'good\n' }),
    policy: (place) => ({ protected: [place.path('w/a/b/rules')] }),
    script: 'mv $B/w/a $B/w/old && mkdir -p $B/w/a/b && echo evil > $B/w/a/b/rules',
    seen: (place) => readFileSync(place.path('w/a/b/rules'), 'utf8') !== 'good\n',
  },
  {
    name: 'case 16: the same two levels above',
    guarantee: 'protected-existing',
    prepare: (place) => place.make({ 'w/a/b/rules': 'good\n' }),
    policy: (place) => ({ protected: [place.path('w/a/b/rules')] }),
    script: 'mv $B/w/a/b $B/w/old && mkdir -p $B/w/a/b && echo evil > $B/w/a/b/rules',
    seen: (place) => readFileSync(place.path('w/a/b/rules'), 'utf8') !== 'good\n',
  },
  {
    name: 'case 17: a protected folder that is a link is replaced',
    guarantee: 'protected-existing',
    prepare: (place) => {
      place.make({ 'w/file': 'x', 'w/kept/settings.json': 'good\n' });
      symlinkSync('kept', place.path('w/.vscode'));
    },
    script: 'rm $B/w/.vscode && mkdir $B/w/.vscode && echo evil > $B/w/.vscode/settings.json',
    seen: (place) => readFileSync(place.path('w/.vscode/settings.json'), 'utf8') !== 'good\n',
  },
  {
    name: 'case 17: what such a link leads to is changed',
    guarantee: 'protected-existing',
    prepare: (place) => {
      place.make({ 'w/file': 'x', 'w/kept/settings.json': 'good\n' });
      symlinkSync('kept', place.path('w/.vscode'));
    },
    script: 'echo evil > $B/w/kept/settings.json',
    seen: (place) => readFileSync(place.path('w/kept/settings.json'), 'utf8') !== 'good\n',
  },
  {
    name: 'case 18: a file of a hidden folder is linked into the workspace',
    guarantee: 'hidden-content',
    prepare: withSecrets,
    policy: hidden,
    script: 'ln $B/secrets/inner/key $B/w/key && cat $B/w/key',
  },
  {
    name: 'case 18: a hidden folder is moved into the workspace',
    guarantee: 'hidden-content',
    prepare: withSecrets,
    policy: hidden,
    script: 'mv $B/secrets $B/w/taken && cat $B/w/taken/inner/key',
  },
  {
    name: 'case 18: a folder inside a hidden folder is moved',
    guarantee: 'hidden-content',
    prepare: withSecrets,
    policy: hidden,
    script: 'mv $B/secrets/inner $B/w/taken && cat $B/w/taken/key',
  },
  {
    name: 'case 19: a file is made in a hidden folder',
    guarantee: 'writes-outside',
    prepare: withSecrets,
    policy: hidden,
    script: 'echo x > $B/secrets/new',
    seen: (place) => existsSync(place.path('secrets/new')),
  },
  {
    name: 'case 19: a file of a hidden folder is overwritten',
    guarantee: 'writes-outside',
    prepare: withSecrets,
    policy: hidden,
    script: 'echo x > $B/secrets/inner/key',
    seen: (place) => readFileSync(place.path('secrets/inner/key'), 'utf8') !== 'secret\n',
  },
  {
    name: 'case 20: a namespace of its own, and a new root without the mounts',
    guarantee: 'privileges',
    prepare: withSecrets,
    policy: hidden,
    script:
      'unshare -Urm sh -c "mount --bind $B/w $B/w && mkdir -p $B/w/old && cd $B/w && pivot_root . old && cat old$B/secrets/inner/key" || unshare -Urm sh -c "umount -l $B/secrets; cat $B/secrets/inner/key"',
  },
  {
    name: 'case 24: a protected name appears after the start',
    guarantee: 'protected-absent',
    prepare: (place) => place.make({ 'w/file': 'x' }),
    script: 'echo x > $B/w/e; ln $B/w/e $B/w/.envrc',
    seen: (place) => existsSync(place.path('w/.envrc')),
  },
  {
    name: 'case 24: a hidden name appears after the start',
    guarantee: 'hidden-content',
    prepare: (place) => place.make({ 'w/file': 'x' }, ['late']),
    policy: (place) => ({ hidden: [place.path('late/.env')], writable: [place.path('w'), place.path('late')] }),
    script: 'echo secret > $B/late/.env; cat $B/late/.env',
    gap: 'a hidden name that is made after the start is neither held nor reported yet',
  },
  {
    name: 'case 25: the hooks of the repository that a worktree belongs to',
    guarantee: 'protected-existing',
    prepare: prepareWorktree,
    policy: worktreePolicy,
    script: 'echo x > $B/main/.git/hooks/pre-commit',
    seen: (place) => existsSync(place.path('main/.git/hooks/pre-commit')),
  },
  {
    name: 'case 25: its configuration, by git itself',
    guarantee: 'protected-existing',
    prepare: prepareWorktree,
    policy: worktreePolicy,
    script: 'git -c safe.directory=* config core.pager evil',
    seen: (place) => readFileSync(place.path('main/.git/config'), 'utf8').includes('evil'),
  },
  {
    name: 'case 28: the keeper is overwritten',
    guarantee: 'writes-outside',
    // One of the place of the running one, which the attempt without confinement must not end.
    prepare: (place) => place.make({ 'w/file': 'x', 'cache/keeper': 'good\n' }),
    script: 'rm -f $B/cache/keeper; echo evil > $B/cache/keeper',
    seen: (place) => readFileSync(place.path('cache/keeper'), 'utf8') !== 'good\n',
  },
  {
    name: 'case 28: our own code inside the project is overwritten',
    guarantee: 'protected-existing',
    prepare: (place) => place.make({ 'w/node_modules/hardshell/dist/index.js': 'good\n' }),
    policy: (place) => ({ protected: [place.path('w/node_modules/hardshell')] }),
    script: 'echo evil > $B/w/node_modules/hardshell/dist/index.js',
    seen: (place) => readFileSync(place.path('w/node_modules/hardshell/dist/index.js'), 'utf8') !== 'good\n',
  },
  {
    name: 'case 28: the folder above it is moved and built anew',
    guarantee: 'protected-existing',
    prepare: (place) => place.make({ 'w/node_modules/hardshell/dist/index.js': 'good\n' }),
    policy: (place) => ({ protected: [place.path('w/node_modules/hardshell')] }),
    script:
      'mv $B/w/node_modules $B/w/n && mkdir -p $B/w/node_modules/hardshell/dist && echo evil > $B/w/node_modules/hardshell/dist/index.js',
    seen: (place) => readFileSync(place.path('w/node_modules/hardshell/dist/index.js'), 'utf8') !== 'good\n',
  },
  {
    name: 'case 29: the folder that a command starts in becomes writable',
    guarantee: 'writes-outside',
    prepare: (place) => place.make({ 'w/file': 'x', 'elsewhere/file': 'x' }),
    cwd: 'elsewhere',
    script: 'echo evil > new',
    seen: (place) => existsSync(place.path('elsewhere/new')),
  },
  {
    name: 'case 29: no writable folder at all means every folder',
    guarantee: 'writes-outside',
    prepare: (place) => place.make({ 'w/file': 'x' }),
    policy: () => ({ writable: [] }),
    script: 'echo evil > $B/w/new',
    seen: (place) => existsSync(place.path('w/new')),
  },
  {
    name: 'case 29: an empty list of ports means every port',
    guarantee: 'network',
    prepare: (place) => place.make({ 'w/file': 'x' }),
    policy: () => ({ network: 'host', connectPorts: [] }),
    script: 'exec 3<>/dev/tcp/127.0.0.1/$PORT',
  },
];

test('case 29: a proxy without any rule lets nothing through', async () => {
  const target = createServer((_, response) => response.end('reached'));
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const { port } = target.address() as AddressInfo;
  const proxy = await createProxy({
    listen: { port: 0 },
    domains: { allow: [], deny: [] },
    ports: [port],
    resolve: async () => ['127.0.0.1'],
  });
  try {
    for (const host of ['any.test', '127.0.0.1', 'localhost']) {
      const path = `http://${host}:${port}/`;
      const status = await new Promise((resolve, reject) => {
        get(
          { host: '127.0.0.1', port: proxy.port, path, headers: { host: `${host}:${port}` }, agent: false },
          (answer) => resolve(answer.resume().statusCode),
        ).once('error', reject);
      });
      expect([host, status]).toEqual([host, 403]);
    }
  } finally {
    await proxy.close();
    target.closeAllConnections();
    target.close();
  }
});

function prepareWorktree(place: Place): void {
  place.make({ 'main/file': 'x' });
  rmSync(place.path('tree'), { recursive: true, force: true });
  rmSync(place.path('w'), { recursive: true, force: true });
  git(place, 'main', 'init', '-q');
  git(place, 'main', 'add', 'file');
  git(place, 'main', 'commit', '-qm', 'first');
  git(place, 'main', 'worktree', 'add', '-q', place.path('w'));
  execFileSync('mkdir', ['-p', place.path('main/.git/hooks')]);
  place.own();
}

function worktreePolicy(place: Place): Partial<ConfinementPolicy> {
  return {
    writable: [place.path('w'), place.path('main/.git')],
    protected: [place.path('main/.git/hooks'), place.path('main/.git/config')],
  };
}

for (const as of ['root', 'user'] as const satisfies readonly Who[])
  for (const tier of ['namespaces', 'landlock'] as const satisfies readonly Tier[]) {
    const reason = !keeperUnderTest.isAvailable ? 'there is no keeper' : as === 'root' && !isRoot ? 'needs root' : null;
    describe.skipIf(reason !== null)(`as ${as}, by ${tier}`, () => {
      let place: Place;
      let server: Server | undefined;
      let unavailable: string | null = null;
      beforeAll(async () => {
        if (!keeperUnderTest.isAvailable) return;
        // Case 23: the keeper is started with descriptors of a file that the command may not write.
        server = createServer();
        await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
        place = new Place(keeperUnderTest.path, keeperStderr, as, `exec 7>>${'$PWD'}/open-file 9<>${'$PWD'}/open-file`);
        place.make({ 'w/file': 'x', 'open-file': '' });
        place.variables = { PORT: String((server.address() as AddressInfo).port) };
        unavailable = await place.open(tier);
      });
      afterAll(async () => {
        server?.closeAllConnections();
        server?.close();
        await place?.close();
      });

      for (const each of CASES)
        test(each.name, async (context) => {
          if (unavailable !== null) context.skip(unavailable);
          each.prepare(place);
          place.own();
          const { exitCode, text } = await place.run(each.script, undefined, each.cwd);
          const hasWorked = (code: number | null) => (each.seen === undefined ? code === 0 : each.seen(place));
          if (!hasWorked(exitCode)) context.skip(`does not work unconfined either: ${text.trim().slice(0, 100)}`);
          each.prepare(place);
          place.own();
          const planned = place.plan(each.policy?.(place) ?? {});
          const inside = await place.run(each.script, planned, each.cwd);
          const isMissing = planned.enforcement.missing.some(({ guarantee }) => guarantee === each.guarantee);
          if (each.gap !== undefined && !isMissing && hasWorked(inside.exitCode)) context.skip(each.gap);
          if (!isMissing) expect([hasWorked(inside.exitCode), inside.text]).toEqual([false, inside.text]);
        });

      test('case 23: descriptors of the host do not reach a command', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        place.make({ 'w/file': 'x' });
        const script =
          'for fd in 3 4 5 6 7 8 9; do echo evil >&$fd; done 2>/dev/null; ls -l /proc/$$/fd 2>/dev/null | grep open-file; true';
        const { text } = await place.run(script, place.plan({}));
        expect([text, readFileSync(place.path('open-file'), 'utf8')]).toEqual(['', '']);
      });

      test('case 25: a commit in a worktree works, and its repository has it', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        prepareWorktree(place);
        writeFileSync(place.path('w/new'), 'x');
        place.own();
        const commands =
          'git add new && git -c user.name=a -c user.email=a@b commit -qm second && git log --oneline | wc -l';
        const script = `export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'; ${commands}`;
        const { exitCode, text } = await place.run(script, place.plan(worktreePolicy(place)));
        expect([exitCode, text.trim()]).toEqual([0, '2']);
      });
    });
  }
