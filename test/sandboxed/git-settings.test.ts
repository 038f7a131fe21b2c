// Changes of git's settings from inside: what runs nothing lands, and nothing else ever does, whatever a command tries.
// The proof is the file itself, and a marker that only a program started by git outside can make.

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { isStaged, outside, type Place, writeTree } from './place.ts';
import { makeRepository, said, useProjects } from './project.ts';

const EVIL = '[core]\\n\\tfsmonitor = touch MARK\\n';

/** Each by itself; `{evil}` runs a program outside, `{run}` writes a marker. None of these may change the file. */
const REFUSED: Record<string, string> = {
  'a monitor': 'git config core.fsmonitor "{run}"',
  'a monitor, with another setting':
    'git config user.name Ada; git config --unset user.name; git config core.fsmonitor "{run}"',
  hooks: 'git config core.hooksPath evil',
  'an alias that runs a command': "git config alias.x '!{run}'",
  'a pager': 'git config core.pager "{run}"',
  'an editor': 'git config sequence.editor "{run}"',
  'a program for ssh': 'git config core.sshCommand "{run}"',
  'a helper for passwords': "git config credential.helper '!{run}'",
  'a filter': 'git config filter.x.clean "{run}"',
  'a program for diffs': 'git config diff.external "{run}"',
  'a driver for merges': 'git config merge.x.driver "{run}"',
  'a program for signatures': 'git config gpg.program evil',
  'an included file': 'git config include.path ../evil',
  'another address': 'git config url.ext::sh.insteadOf https:',
  'a protocol that runs commands': 'git config protocol.ext.allow always',
  'a remote that runs a command': "git remote add x 'ext::{run}'",
  'the address of a remote that runs a command': "git config remote.x.url 'ext::{run}'",
  'the address of a remote that is an option': 'git config remote.x.url --upload-pack={run}',
  "a remote in the commands' private /tmp": 'git remote add x /tmp/hardshell-0-tmp/abc/evil.git',
  'the address of a remote in the private /tmp, as a URL':
    'git config remote.x.url file:///tmp/hardshell-0-tmp/abc/evil.git',
  "an address for pushes in the commands' caches":
    'git config remote.old.pushurl "~/.cache/hardshell/caches/abc/evil.git"',
  'an address in the quarantine': 'git config remote.old.pushurl ../../.cache/hardshell/quarantine/evil.git',
  'a branch whose remote is in the private /tmp': 'git config branch.main.remote /tmp/hardshell-0-tmp/abc/evil.git',
  'a branch that is pushed to the private /tmp': 'git config branch.main.pushRemote /tmp/hardshell-0-tmp/abc/evil.git',
  'pushes to the private /tmp': 'git config remote.pushDefault /tmp/hardshell-0-tmp/abc/evil.git',
  'a remote of a process': 'git remote add x /proc/1/root/tmp/evil.git',
  'a remote of a process, by the descriptors of git': 'git remote add x /dev/fd/../../1/root/tmp/evil.git',
  'a remote of a process, as a URL': 'git config remote.x.url file:///dev/fd/../../1/root/tmp/evil.git',
  'a remote in the private /tmp, by ssh to this machine':
    'git remote add x localhost:/tmp/hardshell-0-tmp/abc/evil.git',
  'another object format': 'git config extensions.objectFormat sha256',
  'a remote with a scheme of its own': 'git remote add x foo://example.com/x',
  'a remote from which git fetches missing objects': 'git config remote.old.promisor true',
  'a filter of such a remote': 'git config remote.old.partialclonefilter blob:none',
  'a partial clone': 'git config extensions.partialClone old; git config set extensions.partialClone old',
  'a program at the other end': 'git config remote.x.uploadpack "{run}"',
  'a branch whose remote runs a command': "git config branch.main.remote 'ext::{run}'",
  'an update of submodules that runs a command': "git config submodule.x.update '!{run}'",
  'another worktree': 'git config core.worktree /',
  'a section that gets another name': 'git config --rename-section advice core',
  'the file by its name': 'git config --file .git/config core.fsmonitor "{run}"',
  'the file by a variable': 'GIT_DIR=.git git config core.fsmonitor "{run}"',
  'the file by an option': 'git --git-dir=.git config core.fsmonitor "{run}"',
  'a setting for one command that runs a program':
    "git -c core.fsmonitor='printf x >> .git/config; {run}' status; git -c core.fsmonitor=./evil config user.name Ada",
  'an editor that writes it': `GIT_EDITOR="sh -c 'printf \\"${EVIL}\\" >> .git/config'" git config --edit`,
  'an alias that is there already': 'git evil; git config user.name Ada',
};

/** Run by a hook of the user while the settings of branches may change. None of these may change the file either. */
const HOOKED: Record<string, string> = {
  'a lock of its own, which is moved': `printf '${EVIL}' > .git/config.lock; mv -T .git/config.lock .git/config`,
  'the present settings and one more': `{ cat .git/config; printf '${EVIL}'; } > .git/config.lock; mv -T .git/config.lock .git/config`,
  'an empty file': ': > .git/config.lock; mv -T .git/config.lock .git/config',
  'a lock that is a link': 'cp .git/config keep; ln -s ../keep .git/config.lock; mv -T .git/config.lock .git/config',
  'a lock with a second name': 'cp .git/config keep; ln keep .git/config.lock; mv -T .git/config.lock .git/config',
  'a lock that is a pipe': 'mkfifo .git/config.lock; mv -T .git/config.lock .git/config',
  'a lock that is a folder': 'mkdir .git/config.lock; mv -T .git/config.lock .git/config',
  'a file that is too large': `{ cat .git/config; yes '# x' | head -c 300000; } > .git/config.lock; mv -T .git/config.lock .git/config`,
  'another file, which is moved': `printf '${EVIL}' > keep; mv -T keep .git/config`,
  'a lock in another folder': `mkdir -p x/.git; printf '${EVIL}' > x/.git/config.lock; cd x; mv -T .git/config.lock ../.git/config`,
  'written in place': `printf '${EVIL}' >> .git/config`,
  removed: 'rm -f .git/config; mv .git/config keep',
  'the folder, moved': 'mv .git keep; cp -r keep .git',
  'by git':
    'git config core.fsmonitor "touch MARK"; git config user.name Ada; git remote remove old; git remote add x ../y',
  'an alias by git': "git config alias.x '!touch MARK'; git config branch.main.remote 'ext::touch MARK'",
};

describe.skipIf(process.platform !== 'linux')('by namespaces', { timeout: 120_000 }, () => {
  const { project } = useProjects('namespaces');

  async function prepare(context: TestContext, options = {}): Promise<Place & { config: string; mark: string }> {
    const place = await project(
      context,
      { one: 'one\n', evil: '#!/bin/sh\ntouch "$MARK"\n', '.gitignore': '*\n' },
      options,
    );
    const git = (...argv: string[]) => outside('git', argv, place.project);
    git('remote', 'add', 'old', 'ext::sh');
    git('config', 'alias.evil', '!git config core.pager sh');
    git('config', 'advice.fsmonitor', `touch ${join(place.base, 'mark')}`);
    git('config', 'alias.lg', 'log --format="%h"');
    chmodSync(join(place.project, 'evil'), 0o755);
    return { ...place, config: join(place.project, '.git/config'), mark: join(place.base, 'mark') };
  }

  for (const [name, command] of Object.entries(REFUSED))
    test(`never lands: ${name}`, async (context) => {
      const { run, project: folder, config, mark } = await prepare(context);
      const before = readFileSync(config, 'utf8');
      await run(command.replaceAll('{run}', `touch ${mark}`).replaceAll('MARK', mark));
      expect(readFileSync(config, 'utf8')).toBe(before);
      outside('git', ['status', '--porcelain'], folder);
      expect([existsSync(mark), statSync(config).nlink]).toEqual([false, 1]);
    });

  function hook({ project: folder, mark }: { project: string; mark: string }, script: string): void {
    writeTree(folder, {
      '.git/hooks/post-checkout': '#!/bin/sh\nsh attack.sh\n',
      'attack.sh': script.replaceAll('MARK', mark),
    });
    chmodSync(join(folder, '.git/hooks/post-checkout'), 0o755);
  }

  for (const [name, script] of Object.entries(HOOKED))
    test(`never lands from a hook: ${name}`, async (context) => {
      const place = await prepare(context);
      hook(place, `${script}\necho attacked >&2\n`);
      const before = readFileSync(place.config, 'utf8');
      const result = await place.run('git checkout -q -b side');
      expect(result.output).toContain('attacked');
      expect(readFileSync(place.config, 'utf8')).toBe(before);
      expect(statSync(place.config).nlink).toBe(1);
      rmSync(join(place.project, '.git/hooks/post-checkout'));
      outside('git', ['status', '--porcelain'], place.project);
      expect(existsSync(place.mark)).toBe(false);
    });

  test('the result says which setting, and what to do', async (context) => {
    const { run, config } = await prepare(context);
    const result = await run('git config core.hooksPath evil');
    expect(result.violations).toEqual([
      {
        kind: 'file',
        operation: 'configure',
        target: `core.hooksPath in ${config}`,
        rule: `protected: ${config}`,
        instead: expect.stringContaining('Ask the user'),
      },
    ]);
    if (isStaged) expect(result.changes?.heldBack).toMatchObject([{ path: config, why: 'protected' }]);
    else expect(result.output).toContain('could not write config file .git/config: Operation not permitted');
  });

  test('a program that runs git gets nothing, and is told to run git by itself', async (context) => {
    const { run, config } = await prepare(context);
    const before = readFileSync(config, 'utf8');
    writeFileSync(join(config, '../../tool.sh'), 'git config user.name Ada\n');
    const result = await run('sh tool.sh');
    expect(readFileSync(config, 'utf8')).toBe(before);
    expect(result.violations).toMatchObject([{ target: config, instead: expect.stringContaining('by itself') }]);
  });

  test('a hook of the user that runs code of the project opens nothing for it', async (context) => {
    const { run, project: folder, config } = await prepare(context);
    writeTree(folder, {
      '.git/hooks/post-checkout': '#!/bin/sh\nexec python3 attack.py\n',
      // Two processes: one changes the lock all the time, the other renames it.
      'attack.py': `
import os
good = open('.git/config').read() + '[branch "x"]\\n\\tmerge = refs/heads/x\\n'
evil = good + '[core]\\n\\tfsmonitor = touch x\\n'
lock = '.git/config.lock'
def write(text):
    with open(lock, 'w') as file: file.write(text)
pid = os.fork()
if pid == 0:
    while True:
        try:
            write(evil)
            write(good)
        except OSError: pass
for _ in range(2000):
    try: os.rename(lock, '.git/config')
    except OSError: pass
os.kill(pid, 9)
os.waitpid(pid, 0)
for text in [evil, good.replace('ext::sh', 'https://example.com')]:
    write(text)
    try: os.rename(lock, '.git/config')
    except OSError as error: print('refused')
if os.path.exists(lock): os.unlink(lock)
`,
    });
    chmodSync(join(folder, '.git/hooks/post-checkout'), 0o755);
    const before = readFileSync(config, 'utf8');
    const result = await run('git checkout -q -b side --track main');
    const after = readFileSync(config, 'utf8');
    if (!isStaged) expect(said(result)[1]).toContain('refused\nrefused\n');
    expect(after).not.toContain('touch x');
    expect(after).toContain('url = ext::sh');
    expect(after.startsWith(before.trimEnd())).toBe(true);
  });

  test('a new .gitmodules stays if it runs nothing, and goes if it does', async (context) => {
    const { run, project: folder } = await prepare(context);
    const modules = join(folder, '.gitmodules');
    const set = (value: string) => `git config --file .gitmodules submodule.x.update ${value}`;
    await run(set("'!touch x'"));
    expect(existsSync(modules)).toBe(false);
    expect(said(await run(set('rebase')))[0]).toBe(0);
    expect(readFileSync(modules, 'utf8')).toBe('[submodule "x"]\n\tupdate = rebase\n');
    await run(set("'!touch x'"));
    expect(readFileSync(modules, 'utf8')).toBe('[submodule "x"]\n\tupdate = rebase\n');
  });

  test('files that the user protects stay shut', async (context) => {
    for (const settings of [
      { sandbox: { filesystem: { denyWrite: ['.git/config'] } } },
      { protectedPaths: ['**/.git/config'] },
    ]) {
      const { run, config } = await prepare(context, { settings });
      const before = readFileSync(config, 'utf8');
      await run('git config user.name Ada');
      expect(readFileSync(config, 'utf8')).toBe(before);
    }
  });

  test('a background task runs on, and the file stays shut for it', async (context) => {
    const { run, start, shell, project: folder, config } = await prepare(context);
    const script = 'until [ -e go ]; do sleep 0.02; done; echo "[core]" >> .git/config; echo tried > done';
    writeFileSync(join(folder, 'serve.sh'), script);
    await start('sh serve.sh');
    expect(said(await run('git config user.name Grace && git remote add origin ../x'))[0]).toBe(0);
    const after = readFileSync(config, 'utf8');
    expect(after).toContain('name = Grace');
    writeFileSync(join(folder, 'go'), '');
    await expect.poll(() => existsSync(join(folder, 'done')), { timeout: 20_000 }).toBe(true);
    expect(readFileSync(config, 'utf8')).toBe(after);
    expect((await shell.tasks()).map(({ state }) => state)).not.toContain('failed');
    await start('git config user.email grace@example.com');
    await expect.poll(() => readFileSync(config, 'utf8'), { timeout: 20_000 }).toContain('email = grace');
  });

  /** While a command removes worktrees or submodules, what connects them is not protected: it is checked afterwards. */
  const CONNECTED: Record<string, [where: string, script: string]> = {
    'the .git file of a worktree': ['work', 'echo "gitdir: ../bad" > work/.git'],
    'the common folder of a worktree': ['work', 'echo ../../../bad > .git/worktrees/work/commondir'],
    'the own settings of a worktree': [
      'work',
      `printf '${EVIL}' > .git/worktrees/work/config.worktree; cp .git/worktrees/work/config.worktree .git/config.worktree`,
    ],
    'the .git file of a submodule': ['lib', 'echo "gitdir: ../bad" > lib/.git'],
    'a folder in place of the .git file of a submodule': ['lib', 'rm lib/.git; cp -r bad lib/.git'],
    'a link in place of the .git file of a submodule': ['lib', 'rm lib/.git; ln -s ../bad lib/.git'],
    'a folder in place of that of a worktree': ['work', 'rm -r .git/worktrees/work; cp -r bad .git/worktrees/work'],
  };
  for (const [name, [where, script]] of Object.entries(CONNECTED))
    test(`what is left runs nothing: ${name}`, async (context) => {
      const place = await prepare(context);
      const { run, project: folder, mark } = place;
      makeRepository(folder, 'library');
      outside('git', ['worktree', 'add', '-q', '--detach', 'work'], folder);
      outside(
        'git',
        ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '-f', './library', 'lib'],
        folder,
      );
      outside('git', ['config', 'extensions.worktreeConfig', 'true'], folder);
      hook(place, `cp -r library/.git bad; printf '${EVIL}' >> bad/config\n(${script}) && echo attacked >&2\n`);
      const result = await run(
        'git worktree prune && git rm -q --cached --ignore-unmatch none && git checkout -q -b side',
      );
      expect(result.output).toContain('attacked');
      rmSync(join(folder, '.git/hooks/post-checkout'));
      for (const cwd of [join(folder, where), folder]) spawnSync('git', ['status'], { cwd });
      expect(existsSync(mark)).toBe(false);
    });

  test('a new partial clone works', async (context) => {
    const { run, project: folder } = await prepare(context);
    outside('git', ['config', 'uploadpack.allowFilter', 'true'], makeRepository(folder, 'library'));
    const result = await run(
      'git clone -q --filter=blob:none "file://$PWD/library" partial && cd partial && git log -1 --format=%s',
    );
    expect([...said(result), result.violations]).toEqual([0, 'first\n', []]);
    const config = readFileSync(join(folder, 'partial/.git/config'), 'utf8');
    expect(config).toContain('promisor = true');
    expect(said(await run('git -C partial fetch -q && git -C partial status --porcelain'))).toEqual([0, '']);
  });

  test('the settings of a repository and a submodule in the project', async (context) => {
    const { run, project: folder } = await prepare(context);
    makeRepository(folder, 'inner');
    expect(said(await run('git -C inner config user.name Grace && git -C inner remote add x ../y'))[0]).toBe(0);
    await run('git -C inner config core.fsmonitor "touch x"');
    expect(outside('git', ['config', '--local', '--get-regexp', 'user|remote|fsm'], join(folder, 'inner'))).toBe(
      'user.name Grace\nremote.x.url ../y\nremote.x.fetch +refs/heads/*:refs/remotes/x/*\n',
    );
  });

  test('nothing is lost that git writes outside at the same time', async (context) => {
    const { run, project: folder, config } = await prepare(context);
    const rounds = 500;
    const loop = `for i in $(seq ${rounds}); do until git config race.n$i $i 2>/dev/null; do [ $((t=t+1)) -lt 20000 ] || exit 1; done; done`;
    const person = spawn('bash', ['-c', loop], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
    });
    const ended = new Promise<number | null>((resolve) => person.on('exit', resolve));
    let status: number | null | undefined;
    void ended.then((code) => (status = code));
    let landed = 0;
    for (let i = 0; status === undefined; i++) {
      const result = await run(`for j in 1 2 3 4 5; do git config user.name "Ada $j"; done`);
      if (result.exitCode === 0) landed++;
      else expect(result.status === 'failed' || /lock|busy|denied|permitted/i.test(result.output)).toBe(true);
      if (i > 2000) throw new Error('no end');
    }
    expect([status, landed > 0]).toEqual([0, true]);
    const written = spawnSync('git', ['config', '--file', config, '--get-regexp', '^race'], {
      encoding: 'utf8',
    }).stdout;
    expect(written.trim().split('\n').length).toBe(rounds);
    expect(existsSync(`${config}.lock`)).toBe(false);
    expect(said(await run('git config user.name Grace && git config user.name'))).toEqual([0, 'Grace\n']);
  });
});
