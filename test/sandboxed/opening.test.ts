// What a command names, and what opens by that: a hidden file or a place outside, for whom somebody has allowed it by name,
// and nothing above, below or beside it.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface, type OnAsk } from '../../src/approve/callback-surface.ts';
import type { Settings } from '../../src/config/settings.ts';
import { type Place, writeTree } from './place.ts';
import { useProjects } from './project.ts';

const KEY = 'SECRET-KEY';
const TOKEN = 'SECRET-TOKEN';
const HOSTS = 'Host-example';

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { bare } = useProjects(tier);

  /** In settings, HOME stands for the home and PROJECT for the project: rules are compared as they are written. */
  async function prepare(context: TestContext, settings: Settings, onAsk: OnAsk = () => 'deny'): Promise<Place> {
    const broker = createBroker();
    broker.attach(callbackSurface(onAsk));
    const place = await bare(context, { settings, shell: { broker } });
    const text = readFileSync(place.settingsFile, 'utf8');
    writeTree(place.base, {
      'settings.json': text.replaceAll('HOME', place.home).replaceAll('PROJECT', place.project),
    });
    writeTree(place.home, {
      '.ssh/id_rsa': `${KEY}\n`,
      '.ssh/config': `${HOSTS}\n`,
      '.npmrc': `${TOKEN}\n`,
      '.netrc': 'SECRET-PASSWORD\n',
    });
    // Whatever it is that reads: no word of the command says which file.
    writeTree(place.project, {
      list: `${place.home}/.ssh/id_rsa\n`,
      'all.sh':
        'for f in ~/.ssh/id_rsa ~/.ssh/config ~/.npmrc ~/.netrc denied/a; do echo "$f: $(cat "$f" 2>&1)"; done\n',
    });
    symlinkSync(join(place.home, '.ssh/id_rsa'), join(place.project, 'link'));
    return place;
  }

  describe('hidden files', () => {
    const rules = { allow: ['Bash(sh all.sh:*)'] };

    test.for<[string, Settings, string]>([
      ['a listing of everything', { mode: 'dont-ask' }, 'ls / > /dev/null; cat "$(cat list)"'],
      ['a link in the project', { mode: 'dont-ask' }, 'ls / > /dev/null; grep -R SECRET .'],
      ['a rule for another command', { mode: 'dont-ask', permissions: rules }, 'ls / > /dev/null; sh all.sh'],
      ['the home itself', { mode: 'dont-ask', permissions: rules }, 'ls -d ~; sh all.sh'],
      ['find', { mode: 'dont-ask', permissions: rules }, 'find / -maxdepth 0; sh all.sh'],
      ['the folder of the keys', { mode: 'dont-ask', permissions: rules }, 'ls ~/.ssh; sh all.sh'],
      ['the key, by what shows no content', { mode: 'dont-ask', permissions: rules }, 'stat ~/.ssh/id_rsa; sh all.sh'],
      ['a test for the key', { mode: 'dont-ask', permissions: rules }, 'test -f ~/.npmrc; sh all.sh'],
      ['what is only read', { mode: 'dont-ask', permissions: rules }, 'cat ~/.ssh/config; sh all.sh'],
      ['restricted', { mode: 'dont-ask', sandbox: { name: 'restricted' } }, 'ls / > /dev/null; cat "$(cat list)"'],
      ['no questions', { mode: 'bypass' }, 'cat ~/.npmrc ~/.ssh/id_rsa; sh all.sh'],
      ['no questions, and a rule allows a part', { mode: 'bypass', permissions: rules }, 'cat ~/.npmrc; sh all.sh'],
      ['a rule for every file', { mode: 'bypass', permissions: { allow: ['Read', 'Read(~/**)'] } }, 'cat ~/.npmrc'],
    ])('%s shows none', async ([, settings, command], context) => {
      const place = await prepare(context, settings);
      const { output, status, enforcement } = await place.run(command);
      expect([status, output]).toEqual(['exited', expect.not.stringMatching(/SECRET-|Host-/)]);
      expect(enforcement.held).toContain('hidden-content');
    });

    test('a yes to a whole folder shows none', async (context) => {
      const place = await prepare(context, { mode: 'default' }, () => 'allow');
      for (const command of ['grep -R SECRET ~', 'ls -R ~; sh all.sh', 'tar cf - ~/.ssh', 'cat ~/.ssh/*']) {
        const { output, status } = await place.run(command);
        expect([command, status, output]).toEqual([command, 'exited', expect.not.stringMatching(/SECRET-KEY|Host-/)]);
      }
    });

    test('a yes to a file shows exactly that one', async (context) => {
      const place = await prepare(context, { mode: 'default' }, () => 'allow');
      const config = await place.run('cat ~/.ssh/config; ls ~/.ssh; sh all.sh');
      expect(config.output).toContain(`${HOSTS}\n`);
      expect(config.output).not.toMatch(/SECRET-KEY|npmrc: SECRET/);
      if (tier === 'namespaces') expect(config.output).not.toContain('id_rsa\n');
      for (const command of [
        'cat ~/.npmrc',
        'cd ~ && cat .npmrc',
        `cat ../home/./.npmrc`,
        'cat /proc/self/root$HOME/.npmrc',
      ])
        expect([command, (await place.run(command)).output]).toEqual([command, `${TOKEN}\n`]);
    });

    test('a yes to a link shows what it leads to, as it was when it was asked about', async (context) => {
      let change = () => {};
      let answer = (_: string): 'allow' | 'deny' => 'allow';
      const place = await prepare(context, { mode: 'default' }, ({ findings }) => {
        change();
        return answer(findings.map(({ message }) => message).join('\n'));
      });
      expect((await place.run('cat link')).output).toBe(`${KEY}\n`);
      const link = join(place.project, 'link');
      const lead = (to: string) => {
        rmSync(link);
        symlinkSync(join(place.home, to), link);
      };
      lead('.npmrc');
      const shown: string[] = [];
      change = () => lead('.netrc');
      answer = (findings) => {
        shown.push(findings);
        return shown.length === 1 ? 'allow' : 'deny';
      };
      const { status, output } = await place.run('cat link; sh all.sh');
      // Both are credentials; the second question says that it is about another file.
      expect([status, output, shown.map((each) => /home\/\.\w+/.exec(each)?.[0])]).toEqual([
        'denied',
        '',
        ['home/.npmrc', 'home/.netrc'],
      ]);
    });

    test.for<[string, Settings]>([
      ['a rule for exactly this command', { mode: 'dont-ask', permissions: { allow: ['Bash(cat HOME/.npmrc)'] } }],
      ['a rule for this file', { mode: 'bypass', permissions: { allow: ['Read(~/.npmrc)'] } }],
      ['a rule whose pattern names it', { mode: 'bypass', permissions: { allow: ['Read(~/.npm*)'] } }],
      ['the setting', { mode: 'bypass', sandbox: { filesystem: { allowRead: ['~/.npmrc'] } } }],
    ])('%s shows it, and no other', async ([, settings], context) => {
      const place = await prepare(context, settings);
      const { output } = await place.run(`cat ${place.home}/.npmrc`);
      expect(output).toBe(`${TOKEN}\n`);
      expect((await place.run('cat ~/.ssh/config')).output).not.toContain(HOSTS);
    });

    test("what the user's own settings deny: a listing and a rule do not show it, a yes to it does", async (context) => {
      if (tier === 'landlock') context.skip('Landlock cannot except a file from a writable folder');
      const sandbox = { filesystem: { denyRead: ['/PROJECT/denied'] } };
      const allow = ['Read(//PROJECT/denied/a)', 'Bash(sh all.sh)', 'Bash(cat denied/a)'];
      for (const [mode, isSeen] of [
        ['dont-ask', false],
        ['default', true],
      ] as const) {
        const place = await prepare(context, { mode, sandbox, permissions: { allow } }, () => 'allow');
        writeTree(place.project, { 'denied/a': 'DENIED\n', 'denied/b': 'DENIED\n' });
        for (const command of ['ls . > /dev/null; sh all.sh', 'cat denied/a', 'cat denied/a; sh all.sh'])
          expect((await place.run(command)).output).not.toContain('DENIED');
        // What is to be asked about stands beside it.
        const { output } = await place.run('cat denied/a; cat denied/b | sh');
        expect(output.includes('DENIED')).toBe(isSeen);
      }
    });
  });

  test('a file of another program in /tmp: shown by a yes that names it, not by a command that only reads', async (context) => {
    if (tier === 'landlock') context.skip('without namespaces, /tmp is the one of the machine');
    const folder = mkdtempSync('/tmp/hardshell-opening-');
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeTree(folder, { w: 'OUTSIDE\n', 's.sh': 'echo SCRIPT\n' });
    const asking = await prepare(context, { mode: 'default' }, () => 'allow');
    const free = await prepare(context, { mode: 'bypass' });
    for (const place of [asking, free]) {
      expect((await place.run(`head -c 4 ${folder}/w`)).output).not.toContain('OUTS');
      const own = `mkdir -p ${folder}; echo a > ${folder}/w && cat ${folder}/w && rm ${folder}/w`;
      expect((await place.run(own)).output).toBe('a\n');
      expect(readFileSync(join(folder, 'w'), 'utf8')).toBe('OUTSIDE\n');
    }
    expect((await free.run(`sh ${folder}/s.sh`)).output).not.toContain('SCRIPT');
    expect((await asking.run(`sh ${folder}/s.sh`)).output).toBe('SCRIPT\n');
  });

  describe('places outside', () => {
    const SCRIPT = {
      'out.sh': 'cd ../out; echo evil >> old; echo evil > made; rm -f gone; mkdir -p sub; echo evil > sub/x\n',
    };

    async function outside(context: TestContext, settings: Settings, onAsk?: OnAsk): Promise<Place> {
      const place = await prepare(context, settings, onAsk);
      writeTree(place.project, SCRIPT);
      writeTree(place.base, { 'out/old': 'old\n', 'out/gone': 'gone\n', 'out/sub/y': 'y\n' });
      return place;
    }

    test('no questions, and a rule allows a part: nothing opens', async (context) => {
      const place = await outside(context, {
        mode: 'bypass',
        permissions: { allow: ['Bash(sh out.sh:*)', 'Bash(ls:*)'] },
      });
      await place.run('ls; touch ../out/new; sh out.sh');
      expect(['new', 'made', 'sub/x'].map((name) => existsSync(join(place.base, 'out', name)))).toEqual([
        false,
        false,
        false,
      ]);
      expect(readFileSync(join(place.base, 'out/old'), 'utf8')).toBe('old\n');
    });

    test('a check that is switched off asks no question, and opens nothing', async (context) => {
      const checks = { 'write-outside-roots': 'allow' } as const;
      const permissions = { allow: ['Bash(touch:*)', 'Bash(sh out.sh:*)'] };
      const place = await outside(context, { mode: 'dont-ask', checks, permissions });
      const { status } = await place.run('touch ../out/new; sh out.sh');
      expect([status, existsSync(join(place.base, 'out/new')), existsSync(join(place.base, 'out/made'))]).toEqual([
        'exited',
        false,
        false,
      ]);
    });

    test('a yes to a new file leaves what is beside it as it is', async (context) => {
      if (tier === 'landlock') context.skip('Landlock cannot except anything from a writable folder');
      const place = await outside(context, { mode: 'default' }, () => 'allow');
      const { exitCode } = await place.run('echo new > ../out/new; mkdir -p ../out/a/b; sh out.sh; cat ../out/new');
      expect(exitCode).toBe(0);
      const read = (name: string) => readFileSync(join(place.base, 'out', name), 'utf8');
      expect([read('new'), read('old'), read('gone')]).toEqual(['new\n', 'old\n', 'gone\n']);
      expect([existsSync(join(place.base, 'out/a/b')), existsSync(join(place.base, 'out/sub/x'))]).toEqual([
        true,
        false,
      ]);
    });

    test('a yes to a file of a protected folder leaves the others as they are', async (context) => {
      if (tier === 'landlock') context.skip('Landlock cannot except anything from a writable folder');
      const place = await outside(context, { mode: 'default' }, () => 'allow');
      writeTree(place.project, {
        '.vscode/settings.json': '{}',
        '.vscode/tasks.json': '{}',
        'evil.sh': 'echo evil > .vscode/tasks.json\n',
      });
      await place.run('echo 1 > .vscode/settings.json; sh evil.sh');
      const read = (name: string) => readFileSync(join(place.project, '.vscode', name), 'utf8');
      expect([read('settings.json'), read('tasks.json')]).toEqual(['1\n', '{}']);
    });

    test('a yes to a copy into the home opens no file of it', async (context) => {
      if (tier === 'landlock') context.skip('Landlock cannot except anything from a writable folder');
      const place = await outside(context, { mode: 'default' }, () => 'allow');
      writeTree(place.home, { 'bin/tool': 'tool\n', notes: 'notes\n' });
      mkdirSync(join(place.home, 'empty'));
      writeTree(place.project, { 'evil.sh': 'echo evil > ~/bin/tool; echo evil > ~/notes; echo evil > ~/.bashrc\n' });
      await place.run('cp list ~; sh evil.sh');
      expect(existsSync(join(place.home, 'list'))).toBe(true);
      expect(['bin/tool', 'notes'].map((name) => readFileSync(join(place.home, name), 'utf8'))).toEqual([
        'tool\n',
        'notes\n',
      ]);
      expect(existsSync(join(place.home, '.bashrc'))).toBe(false);
    });
  });
});
