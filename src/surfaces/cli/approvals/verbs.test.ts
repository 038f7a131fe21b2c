// pending, approve and deny as a user in another terminal runs them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BIN, createPlace, type Place, startHost, talk } from '../../../../test/approving/process.ts';
import { runVerb } from '../../../../test/run-verb.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.remove());

const cli = (...args: string[]) => runVerb(args, { env: place.env });

describe('nothing waits', () => {
  test('pending says so', async () => {
    expect(await cli('pending')).toEqual({ status: 0, stdout: 'No commands are waiting for approval.\n', stderr: '' });
    expect(await cli('pending', '--json')).toEqual({
      status: 0,
      stdout: '{"schemaVersion":1,"pending":[],"problems":[]}\n',
      stderr: '',
    });
  });

  test.each(['approve', 'deny'])('%s has nothing with that code', async (verb) => {
    expect(await cli(verb, 'k7mw')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'hardshell: No open question has the code k7mw.\n  No commands are waiting for approval.\n',
    });
  });

  test.each<[string[], RegExp]>([
    [['approve', '../x'], /No pending command has the code/],
    [['approve', 'k7mw\x1b[2J'], /No pending command has the code k7mw\\e\[2J/],
    [['approve'], /missing required argument/i],
    [['approve', 'k7mw', '--scope', 'ever'], /once, session, project, user/],
    [['approve', 'k7mw', '--rule', 'Bash(ls)'], /--rule needs a scope/],
    [['deny', 'k7mw', '--scope', 'once'], /unknown option/i],
  ])('%j is bad input', async (args, message) => {
    const { status, stderr } = await cli(...args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) });
  });
});

describe('a command waits in another process', () => {
  test('it is shown with what is risky, and approved', async () => {
    const host = startHost(['git push origin -f'], place.env);
    const { codes } = await host.ready;
    const { stdout } = await cli('pending');
    expect(stdout.replace(/denied in \d+ s/, 'denied in N s')).toBe(
      [
        `${codes[0]}  Risk high. Run «git push origin -f»? This overwrites the history of the remote branch.  process ${host.child.pid}, denied in N s`,
        '  │ git push origin -f',
        '  │                 ^^',
        '  in /w/p · risk high · session s1',
        '',
        '  writes    out',
        '  contacts  example.com',
        '',
        '  high      This overwrites the history of the remote branch. [force-push]',
        '            Instead: Use --force-with-lease.',
        '',
        `  hardshell approve ${codes[0]}   hardshell deny ${codes[0]}`,
        '',
      ].join('\n'),
    );
    expect(await cli('approve', codes[0] as string)).toEqual({
      status: 0,
      stdout: 'Allowed once, by cli.\n',
      stderr: '',
    });
    expect(await host.all('answer')).toMatchObject([{ verdict: 'allow', by: 'cli', scope: 'once' }]);
  });

  test('it is denied with a reason, and the others wait on', async () => {
    const host = startHost(['ls a1', 'ls b1'], place.env);
    const { codes } = await host.ready;
    const [first = '', second = ''] = codes;
    expect(await cli('deny', first, '--reason', 'not today')).toMatchObject({
      status: 0,
      stdout: 'Denied, by cli (not today).\n',
    });
    expect(await cli('deny', first)).toMatchObject({ status: 0, stdout: expect.stringContaining('answered already') });
    expect(await cli('approve', first)).toMatchObject({
      status: 1,
      stderr: `hardshell: ${first} was answered already, and differently: Denied, by cli (not today).\n`,
    });
    const unknown = await cli('approve', '9999');
    expect(unknown).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`  ${second}  Risk high. Run «ls b1»? `),
    });
    expect(JSON.parse((await cli('deny', second, '--json')).stdout)).toMatchObject({
      schemaVersion: 1,
      status: 'accepted',
      answer: { verdict: 'deny', by: 'cli' },
    });
    expect(await host.all('answer')).toMatchObject([{ reason: 'not today' }, { reason: null }]);
  });

  test('for the session with the suggested rule, which the host keeps', async () => {
    const host = startHost(['git push -f'], place.env);
    const [code = ''] = (await host.ready).codes;
    expect(await cli('approve', code, '--scope', 'user')).toMatchObject({
      status: 2,
      stderr: 'hardshell: The host that asks cannot save rules for the user.\n  The command is still waiting.\n',
    });
    expect(await cli('approve', code, '--scope', 'session', '--rule', 'Bash(*)')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('was not suggested'),
    });
    expect(await cli('approve', code, '--scope', 'session')).toMatchObject({
      status: 0,
      stdout: 'Allowed for the session, with the rule Bash(git push:*), by cli.\n',
    });
    expect(await host.all('grants')).toEqual([['Bash(git push:*)']]);
  });

  test('for the project, where the host saves the rule; of several, one has to be named', async () => {
    const host = startHost(['--save', '--two-rules', 'git push -f'], place.env);
    const [code = ''] = (await host.ready).codes;
    expect(await cli('approve', code, '--scope', 'project')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Several rules are suggested: Bash(git push:*), Bash(git fetch:*).'),
    });
    await cli('approve', code, '--scope', 'project', '--rule', 'Bash(git push:*)');
    expect(await host.all('saved')).toEqual([{ scope: 'project', rule: 'Bash(git push:*)' }]);
  });

  test('a command that hardshell runs cannot approve', async () => {
    const host = startHost(['git push -f'], place.env);
    const [code = ''] = (await host.ready).codes;
    const inside = await runVerb(['approve', code], { env: { ...place.env, HARDSHELL: '1' } });
    expect(inside).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot approve commands') });
    await cli('deny', code);
    expect(await host.all('answer')).toMatchObject([{ verdict: 'deny' }]);
  });

  test('characters that a terminal would obey are shown, not sent', async () => {
    const host = startHost(['echo \x1b[2J\u202e\ny\r ok'], place.env);
    const [code = ''] = (await host.ready).codes;
    const { stdout } = await cli('pending');
    expect(stdout).toContain('  │ echo \\e[2J\\u{202e}\n  │ y\\r ok\n');
    await cli('deny', code);
    await host.ended;
  });

  test('--watch shows it as it comes and as it goes', async () => {
    const watch = talk(process.execPath, [BIN, 'pending', '--watch', '--json'], place.env);
    const host = startHost(['git push -f'], place.env);
    const [code = ''] = (await host.ready).codes;
    await watch.until(/"is":"pending"/);
    await cli('deny', code);
    await watch.until(/"is":"answered"/);
    await watch.until(/"is":"gone"/);
    watch.child.kill('SIGINT');
    expect(await watch.ended).toBe(130);
  });
});

test('a folder that others may open is refused with what to do', async () => {
  const { mkdirSync, chmodSync } = await import('node:fs');
  mkdirSync(place.env.HARDSHELL_RUNTIME_DIR as string);
  chmodSync(place.env.HARDSHELL_RUNTIME_DIR as string, 0o755);
  expect(await cli('pending')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/mode 755.*\n {2}Make it private: chmod 700 \S+\n$/),
  });
});
