// Hidden names stay hidden while a command runs, whatever programs outside do to the files, their folders and the folders
// above. Each test attacks from outside as a program of the user would (npm login, git config, an editor), and from inside.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import type { RunResult } from '../../src/core/running.ts';
import { outside, type Place, type PlaceOptions, writeTree } from './place.ts';
import { useProjects } from './project.ts';

const SECRET = 'SECRET-7f3a';

/** Reads everything below the home, by name and by listing, until the file `stop` exists; then once more. */
const READ_ALL = `
all() { cat ~/.npmrc ~/.netrc ~/.ssh/* ~/.config/gh/* ~/.config/gh/hosts.yml; grep -r ${SECRET} ~ ; cat ~/* ~/.[a-z]*; }
look() { all 2>/dev/null | grep -a ${SECRET}; }
touch ready
until [ -e stop ]; do look; sleep 0.01; done
look
echo done`;

describe.skipIf(process.platform !== 'linux')('hidden names in a home folder', { timeout: 60_000 }, () => {
  const { project } = useProjects('namespaces');

  async function prepare(context: TestContext, options: PlaceOptions = {}): Promise<Place> {
    const place = await project(context, { file: 'x\n', 'look.sh': READ_ALL }, options);
    writeTree(place.home, {
      '.npmrc': `${SECRET}\n`,
      '.ssh/id_rsa': `${SECRET}\n`,
      '.config/gh/hosts.yml': `${SECRET}\n`,
      '.config/tool/settings': 'settings\n',
      notes: 'notes\n',
    });
    return place;
  }

  /** Runs look.sh, changes things while it runs, and lets it look once more. */
  async function during(place: Place, change: (home: string) => void, command = 'bash look.sh'): Promise<RunResult> {
    const running = place.run(command, { timeout: 30_000 });
    await expect.poll(() => existsSync(join(place.project, 'ready')), { timeout: 15_000 }).toBe(true);
    change(place.home);
    writeFileSync(join(place.project, 'stop'), '');
    return running;
  }

  /** Prepared beside the home, where the commands of these tests do not look. */
  function replace(path: string): void {
    const prepared = join(dirname(process.env.HOME ?? ''), 'prepared');
    writeFileSync(prepared, `${SECRET}\n`);
    renameSync(prepared, path);
  }

  function swap(a: string, b: string): void {
    const script = 'import ctypes,sys; l=ctypes.CDLL(None,use_errno=True)\n';
    const call = 'sys.exit(l.renameat2(-100,sys.argv[1].encode(),-100,sys.argv[2].encode(),2))';
    outside('python3', ['-c', script + call, a, b], dirname(a));
  }

  test.for<[string, (home: string) => void]>([
    ['the file is replaced by rename', (home) => replace(join(home, '.npmrc'))],
    [
      'the file is deleted and made anew',
      (home) => {
        rmSync(join(home, '.npmrc'));
        writeFileSync(join(home, '.npmrc'), SECRET);
      },
    ],
    ['a name is created that never existed', (home) => writeFileSync(join(home, '.netrc'), SECRET)],
    [
      'its folder is replaced by rename',
      (home) => {
        writeTree(dirname(home), { 'prepared/id_rsa': SECRET });
        rmSync(join(home, '.ssh'), { recursive: true });
        renameSync(join(dirname(home), 'prepared'), join(home, '.ssh'));
      },
    ],
    [
      'a folder above it is replaced by rename',
      (home) => {
        writeTree(dirname(home), { 'prepared/gh/hosts.yml': SECRET });
        rmSync(join(home, '.config'), { recursive: true });
        renameSync(join(dirname(home), 'prepared'), join(home, '.config'));
      },
    ],
    [
      'a folder above it is replaced by a link',
      (home) => {
        rmSync(join(home, '.config/gh'), { recursive: true });
        symlinkSync(join(home, '.ssh'), join(home, '.config/gh'));
      },
    ],
    [
      'a folder above it is created that never existed',
      (home) => writeTree(home, { '.docker/config.json': SECRET, '.kube/config': SECRET }),
    ],
    ['it is exchanged with another hidden name', (home) => swap(join(home, '.npmrc'), join(home, '.ssh/id_rsa'))],
    ['its folder is exchanged with another hidden one', (home) => swap(join(home, '.ssh'), join(home, '.config/gh'))],
  ])('stay hidden when %s, and the command runs on', async ([, change], context) => {
    const place = await prepare(context);
    const { status, output, enforcement, failure } = await during(place, change);
    expect([status, failure, output.includes(SECRET), output.endsWith('done\n')]).toEqual([
      'exited',
      null,
      false,
      true,
    ]);
    expect(enforcement.held).toEqual(expect.arrayContaining(['hidden-content', 'hidden-names']));
  });

  test('200 replacements while the command reads in a loop: none is seen', async (context) => {
    const place = await prepare(context);
    const { status, output } = await during(place, (home) => {
      for (let round = 0; round < 200; round += 1) {
        for (const name of ['.npmrc', '.netrc', '.config/gh/hosts.yml', '.ssh/id_rsa']) replace(join(home, name));
        rmSync(join(home, '.netrc'));
      }
    });
    expect([status, output.includes(SECRET), output.endsWith('done\n')]).toEqual(['exited', false, true]);
  });

  test('in the background too, and when a link on the way is replaced by a folder', async (context) => {
    const place = await prepare(context);
    const [config, dotfiles] = [join(place.home, '.config'), join(place.home, 'dotfiles')];
    renameSync(config, dotfiles);
    symlinkSync('dotfiles', config);
    const { task: id } = await place.start('bash look.sh; cat ~/.config/tool/settings');
    await expect.poll(() => existsSync(join(place.project, 'ready')), { timeout: 15_000 }).toBe(true);
    rmSync(config);
    writeTree(place.home, { '.config/gh/hosts.yml': SECRET });
    writeFileSync(join(place.project, 'stop'), '');
    const task = await place.shell.task(id);
    await expect.poll(async () => (await task?.info())?.state, { timeout: 15_000 }).toBe('finished');
    const output = readFileSync((await task?.info())?.outputFile ?? '', 'utf8');
    expect([output.includes(SECRET), output.includes('done\nsettings\n')]).toEqual([false, true]);
  });

  test.for<[string, (home: string) => void]>([
    ['the home folder', (home) => renameSync(home, `${home}.old`)],
    ['the folder above the home', (home) => renameSync(dirname(home), `${dirname(home)}.old`)],
  ])('a command is ended when %s is renamed and made anew with a secret', async ([, rename], context) => {
    const place = await prepare(context, { parent: '/srv' });
    const { home } = place;
    const moved = (path: string) => [`${path}.old`, path] as const;
    try {
      const running = place.run('touch ready; while :; do cat ~/.npmrc 2>/dev/null; sleep 0.02; done', {
        timeout: 30_000,
      });
      await expect.poll(() => existsSync(join(place.project, 'ready')), { timeout: 15_000 }).toBe(true);
      // Folders are watched from a moment after the start on.
      await new Promise((resolve) => setTimeout(resolve, 500));
      rename(home);
      writeTree(home, { '.npmrc': 'other\n' });
      const result = await running;
      expect(result).toMatchObject({ status: 'failed', failure: { type: 'process_terminated' } });
      expect(result.enforcement.missing).toContainEqual({
        guarantee: 'hidden-content',
        why: expect.stringContaining(join(home, '.npmrc')),
      });
    } finally {
      for (const [old, path] of [moved(dirname(home)), moved(home)])
        if (existsSync(old)) {
          rmSync(path, { recursive: true, force: true });
          renameSync(old, path);
        }
    }
  });

  test.for<[string, string]>([
    ['the mount table names no folder of the whiteouts', 'cut -d" " -f5 /proc/self/mountinfo | grep -c tmpfs'],
    ['other roots in /proc', `cat /proc/*/root$HOME/.npmrc /proc/*/root$HOME/.ssh/id_rsa; ls -R /proc/1/root$HOME`],
    ['the working folder of another process', `cd ~ && cat /proc/*/cwd/.npmrc ./.npmrc ../*/.npmrc`],
    ['the overlay is taken off', 'umount ~; umount -l ~; umount -f ~; cat ~/.npmrc'],
    ['the folder is mounted elsewhere', 'mkdir -p m; mount --bind ~ m; cat m/.npmrc; unshare -rm cat ~/.npmrc'],
    [
      'descriptors of the start',
      'cat /proc/self/fd/*/.npmrc; for i in 3 4 5 6 7 8 9 16 26; do cat /proc/1/fd/$i/.npmrc; done',
    ],
    [
      'listings and patterns',
      `ls -aR ~; cat ~/* ~/.* ~/.*/* ~/.*/*/*; grep -r ${SECRET} ~; find ~ -name "*rc" -exec cat {} +`,
    ],
    ['whiteouts are made to be nothing', 'rm -f ~/.npmrc; mknod ~/.npmrc c 0 0; touch ~/.npmrc; cat ~/.npmrc'],
  ])('are not reached from inside: %s', async ([, script], context) => {
    const place = await prepare(context);
    writeFileSync(join(place.project, 'attack.sh'), script);
    const result = await place.run('bash attack.sh 2>&1; cat ~/notes');
    expect([result.output.includes(SECRET), result.output.includes('notes\n')]).toEqual([false, true]);
  });

  test('a history that is a link to /dev/null hides the link, and not the device', async (context) => {
    const place = await prepare(context);
    symlinkSync('/dev/null', join(place.home, '.bash_history'));
    expect((await place.run('echo x > /dev/null && cat < /dev/null && echo works')).output).toBe('works\n');
  });

  test('are hidden in the sandbox restricted, too', async (context) => {
    const place = await prepare(context);
    const script = `cat ~/.npmrc ~/.ssh/id_rsa; ls -aR ~; grep -r ${SECRET} ~`;
    const result = await place.run(`sh -c '${script}'; cat ~/notes`, { sandbox: { name: 'restricted' } });
    expect([result.output.includes(SECRET), result.output.endsWith('notes\n')]).toEqual([false, true]);
  });

  test('look as before: a folder is empty, a file cannot be opened, a missing one is missing', async (context) => {
    const place = await prepare(context);
    const script = 'ls -A ~/.ssh ~/.config/gh; cat ~/.npmrc; cat ~/.netrc; ls ~/.config; cd ~/.ssh && touch key';
    writeFileSync(join(place.project, 'look.sh'), script);
    const { output } = await place.run('sh look.sh 2>&1');
    const said = output.split('<sandbox_violations>')[0]?.replaceAll(place.home, '~') ?? '';
    expect(said.split('\n')).toEqual([
      '~/.config/gh:',
      '',
      '~/.ssh:',
      'cat: ~/.npmrc: Permission denied',
      'cat: ~/.netrc: No such file or directory',
      'gh',
      'pip',
      'tool',
      expect.stringContaining('Read-only file system'),
      '',
    ]);
  });

  test('one that was opened for the command is shown, with its neighbours hidden', async (context) => {
    const place = await prepare(context, {
      settings: { permissions: { allow: ['Read(~/.npmrc)', 'Read(~/.ssh/config)'] } },
    });
    writeTree(place.home, { '.ssh/config': 'config\n' });
    const result = await place.run('cat ~/.npmrc; ls ~/.ssh; cat ~/.ssh/config; cat ~/.config/gh/hosts.yml');
    expect(result.output).toContain(`${SECRET}\nconfig\nconfig\n`);
    expect(result.output.split(SECRET)).toHaveLength(2);
  });

  test('what is not hidden is seen as it is now: edited, replaced, created, deleted', async (context) => {
    const place = await prepare(context);
    const command =
      'touch ready; until [ -e stop ]; do sleep 0.02; done; cat ~/notes ~/new ~/.config/tool/*; ls ~/gone';
    const { output } = await during(
      place,
      (home) => {
        appendFileSync(join(home, 'notes'), 'more\n');
        writeFileSync(join(home, 'new'), 'new\n');
        writeFileSync(join(home, '.config/tool/other'), 'other\n');
      },
      command,
    );
    expect(output).toMatch(/^notes\nmore\nnew\nother\nsettings\n.*gone/);
  });

  test('honest programs find the home as it is', async (context) => {
    const place = await prepare(context);
    const { home } = place;
    writeTree(home, { 'bin/tool': '#!/bin/sh\necho tool "$@"\n', 'tree/a/b': 'b\n' });
    chmodSync(join(home, 'bin/tool'), 0o755);
    linkSync(join(home, 'notes'), join(home, 'notes-too'));
    mkdirSync(join(home, 'clone'));
    outside('git', ['clone', '-q', place.project, join(home, 'clone')], home);
    const script = [
      '~/bin/tool runs',
      '(cd ~/clone && git status --porcelain && git log --format=%s)',
      'stat -c %h ~/notes',
      `test "$(stat -c %i ~/notes)" = "$(stat -c %i ~/notes-too)" && echo same`,
      'find ~/tree -xdev -type f | wc -l',
      'stat -c %a ~ ~/.config',
      'python3 -c "import mmap; f = open(\'$HOME/notes\'); print(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:5])"',
      'flock -s ~/notes echo locked',
      '(echo x > ~/made) 2>/dev/null || echo refused',
      '(cd ~ && pwd -P) | grep -c home',
    ];
    chmodSync(home, 0o750);
    chmodSync(join(home, '.config'), 0o700);
    const { output } = await place.run(script.join('\n'));
    expect(output.replaceAll(home, '~').split('<sandbox_violations>')[0]).toBe(
      "tool runs\nfirst\n2\nsame\n1\n750\n700\nb'notes'\nlocked\nrefused\n1\n",
    );
    expect(existsSync(join(home, 'made'))).toBe(false);
  });

  test('a hard link that is made outside under a name that is not hidden shows the content', async (context) => {
    const place = await prepare(context);
    linkSync(join(place.home, '.npmrc'), join(place.home, 'copy'));
    expect((await place.run("sh -c 'cat ~/copy'")).output).toBe(`${SECRET}\n`);
  });

  test('in a project below the home, which is mounted over it, names stay hidden as well', async (context) => {
    const place = await prepare(context);
    const inner = join(place.home, 'work');
    writeTree(inner, { '.env': SECRET, 'sub/key.pem': SECRET, readme: 'readme\n' });
    const settings = JSON.parse(readFileSync(place.settingsFile, 'utf8'));
    const denyRead = [join(inner, '.env'), join(inner, 'sub')].map((path) => `/${path}`);
    settings.sandbox.filesystem = { denyRead, allowWrite: [`/${inner}`] };
    writeFileSync(place.settingsFile, JSON.stringify(settings));
    writeFileSync(join(inner, 'look.sh'), 'cat .env sub/* ~/work/.env ~/.npmrc; cat readme; echo x > made && cat made');
    const { output } = await place.run('sh look.sh 2>&1', { cwd: inner });
    expect([output.includes(SECRET), output.includes('readme\nx\n')]).toEqual([false, true]);
  });

  test('outside of the home: a folder with a hidden file in it', async (context) => {
    const place = await prepare(context);
    const folder = join(place.base, 'service');
    writeTree(folder, { 'key.pem': SECRET, 'readme.txt': 'readme\n', 'old/key.pem': 'old\n' });
    const settings = JSON.parse(readFileSync(place.settingsFile, 'utf8'));
    settings.sandbox.filesystem = { denyRead: [`/${join(folder, 'key.pem')}`, `/${join(folder, 'next.pem')}`] };
    writeFileSync(place.settingsFile, JSON.stringify(settings));
    writeFileSync(join(place.project, 'look.sh'), READ_ALL.replaceAll('~', folder));
    const change = () => {
      replace(join(folder, 'key.pem'));
      writeFileSync(join(folder, 'next.pem'), SECRET);
    };
    const { status, output } = await during(place, change, `bash look.sh; cat ${folder}/readme.txt`);
    expect([status, output.includes(SECRET), output.endsWith('readme\n')]).toEqual(['exited', false, true]);
  });
});
