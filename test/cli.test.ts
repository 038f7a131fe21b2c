// The command line as a person or a program meets it: exit codes, and what goes to which stream. Pipes have real processes.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { BIN } from './programs.ts';
import { runVerb } from './run-verb.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'hardshell-cli-'));
const ENV = { PATH: process.env.PATH, HOME: '/home/u', LANG: 'C.UTF-8' };

afterAll(() => rmSync(FOLDER, { recursive: true }));

interface Run {
  readonly args: readonly string[];
  readonly input?: string | Buffer;
  readonly env?: Record<string, string>;
}

function run({ args, input = '', env = {} }: Run) {
  return runVerb(args, { cwd: FOLDER, input, env: { ...ENV, ...env } });
}

async function runJson(options: Run) {
  const { stdout } = await run(options);
  return JSON.parse(stdout);
}

describe('analyze', () => {
  test('--json prints one object with a schema version', async () => {
    const facts = await runJson({ args: ['analyze', '--json', 'cat a.txt | sort > out.txt'] });
    expect(facts).toMatchObject({
      schemaVersion: 1,
      status: 'understood',
      reasons: [],
      readOnly: false,
      class: 'write',
    });
    expect(facts.commands.map((command: { argv: string[] }) => command.argv)).toEqual([['cat', 'a.txt'], ['sort']]);
    expect(facts.effects.writes).toEqual([{ path: join(FOLDER, 'out.txt') }]);
    expect(Object.keys(facts.commands[0]).sort()).toEqual(
      'argv assignments class cwd edits effects elsewhere invocation kind name parent pipeline readOnly redirects span summary via'.split(
        ' ',
      ),
    );
  });

  test('--cwd is where paths start and what display leaves out', async () => {
    const { display, effects } = await runJson({ args: ['analyze', '--json', '--cwd', '/usr', 'cd /usr && cat x'] });
    expect({ display, reads: effects.reads }).toEqual({ display: 'cat x', reads: [{ path: '/usr/x' }] });
  });

  test('- reads the command from standard input, without its last line end', async () => {
    const { commands, display } = await runJson({ args: ['analyze', '--json', '-'], input: 'ls -l\n' });
    expect({ argv: commands[0].argv, display }).toEqual({ argv: ['ls', '-l'], display: 'ls -l' });
  });

  test('without --json it is a table', async () => {
    const { status, stdout } = await run({ args: ['analyze', 'cat a > b'] });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^command\s+class\s+effects\ncat a\s+write\s+reads a; writes b\n/);
    expect(stdout).toMatch(/understood, not read-only, write\n$/);
  });

  test('characters that a terminal would obey are escapes, in JSON too', async () => {
    const { stdout } = await run({ args: ['analyze', '--json', 'echo \u202e \x1b[2J'] });
    expect(stdout).not.toMatch(/[\u202e\x1b]/);
    expect(JSON.parse(stdout).display).toBe('echo \u202e \x1b[2J');
  });
});

describe('analyze --batch', () => {
  const lines = (stdout: string) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('answers in order, with ids of any kind', async () => {
    const ids = ['a', 2, null, { deep: [1] }];
    const input = ids.map((id) => `${JSON.stringify({ id, command: 'ls' })}\n`).join('');
    const { status, stdout } = await run({ args: ['analyze', '--batch'], input });
    expect(status).toBe(0);
    expect(lines(stdout).map(({ id, schemaVersion, readOnly }) => ({ id, schemaVersion, readOnly }))).toEqual(
      ids.map((id) => ({ id, schemaVersion: 1, readOnly: true })),
    );
  });

  test('a request has its own folder, shell and variables', async () => {
    const request = { id: 1, command: 'cat x ~/y', cwd: '/w/a', shell: 'sh', variables: { HOME: '/h' } };
    const [facts] = lines((await run({ args: ['analyze', '--batch'], input: JSON.stringify(request) })).stdout);
    expect(facts.effects.reads).toEqual([{ path: '/w/a/x' }, { path: '/h/y' }]);
  });

  test('a bad line is answered in its place, and the others are not lost', async () => {
    const input = Buffer.concat([
      Buffer.from('{"id":1,"command":"ls"}\nnot json\n[1]\n"x"\n{"id":5}\n{"id":6,"command":7}\n'),
      Buffer.from('{"id":7,"command":"ls","shell":"fish"}\n{"id":8,"command":"ls","cwd":1}\n\n  \n'),
      Buffer.from('{"id":9,"command":"\xff"}\n', 'latin1'),
      Buffer.from('{"id":10,"command":"ls"}'),
    ]);
    const { status, stdout, stderr } = await run({ args: ['analyze', '--batch'], input });
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(lines(stdout).map(({ id, error }) => [id, error?.code ?? 'ok'])).toEqual([
      [1, 'ok'],
      [null, 'invalid-json'],
      [null, 'invalid-json'],
      [null, 'invalid-json'],
      [5, 'invalid-argument'],
      [6, 'invalid-argument'],
      [7, 'invalid-argument'],
      [8, 'invalid-argument'],
      [null, 'invalid-utf8'],
      [10, 'ok'],
    ]);
  });

  test('commands that cannot be read are facts, not errors', async () => {
    const commands = ['', 'echo "', 'a\0b', 'a'.repeat(11_000)];
    const input = commands.map((command, id) => `${JSON.stringify({ id, command })}\n`).join('');
    const { status, stdout } = await run({ args: ['analyze', '--batch'], input });
    expect(status).toBe(0);
    expect(lines(stdout).map((facts) => [facts.status, facts.reasons[0].id, facts.readOnly])).toEqual([
      ['cannot-tell', 'syntax', false],
      ['cannot-tell', 'syntax', false],
      ['cannot-tell', 'nul', false],
      ['cannot-tell', 'too-long', false],
    ]);
  });

  test('an endless line is refused, and the next one is answered', async () => {
    const input = `{"id":1,"command":"${'a'.repeat(3 << 20)}"}\n{"id":2,"command":"ls"}\n`;
    const { status, stdout } = await run({ args: ['analyze', '--batch'], input });
    expect(status).toBe(1);
    expect(lines(stdout).map(({ id, error }) => [id, error?.code])).toEqual([
      [null, 'too-long'],
      [2, undefined],
    ]);
  });

  test('each answer comes as soon as its line does', async () => {
    const child = spawn(process.execPath, [BIN, 'analyze', '--batch'], { cwd: FOLDER, env: ENV });
    const answers: string[] = [];
    const next = () =>
      new Promise<void>((resolve) => child.stdout.once('data', (chunk) => resolve(void answers.push(String(chunk)))));
    for (const id of [1, 2]) {
      child.stdin.write(`${JSON.stringify({ id, command: 'ls' })}\n`);
      await next();
    }
    child.stdin.end();
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(answers.map((text) => JSON.parse(text).id)).toEqual([1, 2]);
    expect(status).toBe(0);
  });

  test('thousands of lines pass through a reader that goes away, silently', async () => {
    writeFileSync(join(FOLDER, 'many'), '{"id":1,"command":"ls -l | wc"}\n'.repeat(20_000));
    const script = `"${process.execPath}" "${BIN}" analyze --batch < many | head -n 1 | cut -c 1-18`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: FOLDER, env: ENV, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '{"schemaVersion":1\n', stderr: '' });
  });
});

describe('explain', () => {
  test('shows what would run, what it touches, and where it cannot tell', async () => {
    const { status, stdout } = await run({ args: ['explain', 'git add . && curl -s https://x.sh | sh'] });
    expect(status).toBe(0);
    expect(stdout).toContain('├─ git add .');
    expect(stdout).toContain('├─ curl -s https://x.sh');
    expect(stdout).toMatch(/contacts {2}x\.sh/);
    expect(stdout).toContain('└─ sh');
    expect(stdout).toMatch(
      /ask {3}Cannot determine what would run: .*\(code-from-input\)\. {2}\[cannot-tell\]\n {8}git add \. && curl -s https:\/\/x\.sh \| sh\n {44}\^\^/,
    );
    expect(stdout).toMatch(/first call [\d.,]+ µs · warm [\d.,]+ µs · median of [\d,]+\n/);
  });

  test('wrapped commands hang below their wrapper', async () => {
    const { stdout } = await run({ args: ['explain', "sudo bash -c 'rm x'"] });
    const heads = [...stdout.matchAll(/^([ │]*)└─ (\w+)/gm)].map((match) => [match[1]?.length, match[2]]);
    expect(heads).toEqual([
      [2, 'sudo'],
      [5, 'bash'],
      [8, 'rm'],
    ]);
  });

  test('a sed -i edit is previewed as a diff, and nothing is written', async () => {
    writeFileSync(join(FOLDER, 'f.txt'), 'one\ntwo\nthree\n');
    const { stdout } = await run({ args: ['explain', "sed -i 's/two/2/' f.txt gone.txt"] });
    expect(stdout).toMatch(/preview {2}f\.txt\n\s+@@ .*\n\s+one\n\s+-two\n\s+\+2\n\s+three\n/);
    expect(stdout).toMatch(/preview {2}gone\.txt {2}no readable text file/);
    expect(spawnSync('cat', ['f.txt'], { cwd: FOLDER, encoding: 'utf8' }).stdout).toBe('one\ntwo\nthree\n');
  });

  test('--json has the facts and the timing', async () => {
    const facts = await runJson({ args: ['explain', '--json', 'ls'] });
    expect(facts).toMatchObject({ schemaVersion: 1, status: 'understood', readOnly: true });
    expect(Object.keys(facts.timing).sort()).toEqual(['firstCallUs', 'repeats', 'warmUs']);
  });

  const colored = /\x1b\[/;
  test.each([
    ['not a terminal', {}, [], false],
    ['FORCE_COLOR', { FORCE_COLOR: '1' }, [], true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, [], false],
    ['NO_COLOR wins', { FORCE_COLOR: '1', NO_COLOR: '1' }, [], false],
    ['--no-color wins', { FORCE_COLOR: '1' }, ['--no-color'], false],
  ])('colour: %s', async (_name, env, args, expected) => {
    expect(colored.test((await run({ args: ['explain', ...args, 'ls'], env })).stdout)).toBe(expected);
  });

  test('only ASCII where the locale is not UTF-8', async () => {
    const { stdout } = await run({ args: ['explain', 'sudo ls; ls'], env: { LANG: 'C' } });
    expect(stdout).toMatch(/^[\n -~]+$/);
    expect(stdout).toContain('|- sudo ...');
  });

  test('lines keep to the width of the terminal', async () => {
    const command = `cat ${Array.from({ length: 40 }, (_, i) => `file-${i}.txt`).join(' ')}`;
    const { stdout } = await run({ args: ['explain', command], env: { COLUMNS: '60' } });
    const [, ...drawn] = stdout.trim().split('\n');
    expect(Math.max(...drawn.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(stdout).toContain('file-39.txt');
  });

  test('invisible and reordering characters are shown', async () => {
    const { stdout } = await run({ args: ['explain', 'echo \u202eabc\u200b \x1b]0;x\x07'] });
    expect(stdout).not.toMatch(/[\u202e\u200b\x1b\x07]/);
    expect(stdout).toContain('\\u{202e}abc\\u{200b}');
  });
});

describe('bad input is reported in two lines and exit code 2, never a stack trace', () => {
  const rows: [name: string, run: Run, code: string, message: RegExp][] = [
    ['empty', { args: ['explain', ''] }, 'empty', /empty/],
    ['blank', { args: ['explain', ' \n '] }, 'empty', /empty/],
    [
      '11,000 characters',
      { args: ['explain', 'a'.repeat(11_000)] },
      'too-long',
      /11,000 characters; the limit is 10,000/,
    ],
    ['more than a mebibyte', { args: ['explain', '-'], input: 'a'.repeat(2 << 20) }, 'too-long', /1 MiB/],
    ['NUL', { args: ['explain', '-'], input: 'ls\0-l' }, 'nul', /NUL character \(character 3\)/],
    [
      'invalid UTF-8 on standard input',
      { args: ['explain', '-'], input: Buffer.from([0x6c, 0xff]) },
      'invalid-utf8',
      /UTF-8/,
    ],
    ['what is left of invalid UTF-8 in an argument', { args: ['explain', 'ls \ufffd'] }, 'invalid-utf8', /U\+FFFD/],
    ['unbalanced quote', { args: ['explain', 'echo "abc'] }, 'syntax', /Invalid or incomplete bash/],
    ['unbalanced bracket', { args: ['explain', 'echo $(ls'] }, 'syntax', /Invalid or incomplete bash/],
    ['unknown option', { args: ['explain', '--nope', 'ls'] }, 'usage', /[Uu]nknown option '--nope'/],
    ['command not quoted', { args: ['explain', 'rm', '-rf', 'x'] }, 'usage', /unknown option '-rf'\n.*[Qq]uote/i],
    ['two arguments', { args: ['explain', 'git', 'status'] }, 'usage', /[Tt]oo many arguments/],
    ['unknown verb', { args: ['explian', 'ls'] }, 'usage', /unknown subcommand 'explian'\. Did you mean explain\?\n/i],
    ['an option without a verb', { args: ['--foo'] }, 'usage', /unknown option '--foo'\n *hardshell --help lists/i],
    ['no command', { args: ['explain'] }, 'usage', /missing/i],
    ['no command for analyze', { args: ['analyze'] }, 'usage', /No command/],
    ['a command and --batch', { args: ['analyze', '--batch', 'ls'] }, 'usage', /--batch/],
    [
      'a folder that is not there',
      { args: ['explain', '--cwd', '/nope', 'ls'] },
      'no-such-folder',
      /\/nope does not exist/,
    ],
    ['a file as folder', { args: ['explain', '--cwd', '/etc/passwd', 'ls'] }, 'no-such-folder', /not a directory/],
    [
      'a root that is not there',
      { args: ['check', '--root', '/nope', 'ls'] },
      'no-such-folder',
      /--root: \/nope does not/,
    ],
    ['a time limit without a question', { args: ['check', '--timeout', '3', 'ls'] }, 'usage', /--timeout needs --ask/],
    ['questions about a batch', { args: ['check', '--ask', '--batch'] }, 'usage', /--ask and --batch/],
    ['unknown shell', { args: ['explain', '--shell', 'fish', 'ls'] }, 'usage', /bash, sh, zsh/],
  ];

  test.each(rows)('%s', async (_name, options, _code, message) => {
    const { status, stdout, stderr } = await run(options);
    expect({ status, stdout: options.args.includes('--batch') ? '' : stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^hardshell: /);
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    expect(stderr).not.toMatch(/\n\s+at |node:/);
  });

  test.each(rows)('%s, as JSON', async (_name, options, code, message) => {
    const [verb = '', ...rest] = options.args;
    const { status, stdout } = await run({ ...options, args: [verb, '--json', ...rest] });
    const answer = JSON.parse(stdout);
    expect({ status, schemaVersion: answer.schemaVersion, code: answer.error.code }).toEqual({
      status: 2,
      schemaVersion: 1,
      code,
    });
    expect(`${answer.error.message}\n${answer.error.hint}`).toMatch(message);
  });

  test('messages show hidden characters instead of obeying them', async () => {
    const { stderr } = await run({ args: ['explain', '--\x1b[2J\u202e', 'ls'] });
    expect(stderr).not.toMatch(/[\x1b\u202e]/);
  });
});

describe('the program', () => {
  test('--version and --help, also without arguments', async () => {
    expect(await run({ args: ['--version'] })).toMatchObject({ status: 0, stdout: '0.1.0\n' });
    for (const args of [['--help'], []]) {
      const { status, stdout } = await run({ args });
      expect(status).toBe(0);
      expect(stdout).toMatch(/Usage: hardshell[\s\S]*explain[\s\S]*analyze/);
    }
  });

  test.each(['analyze --batch < many', 'explain ls', 'explain ls --json', 'config show', 'tasks'])(
    'a full disk is reported in one line: %s',
    (line) => {
      writeFileSync(join(FOLDER, 'many'), '{"id":1,"command":"ls"}\n');
      const command = `"${process.execPath}" "${BIN}" ${line} > /dev/full`;
      const { status, stderr } = spawnSync('bash', ['-c', command], { cwd: FOLDER, env: ENV, encoding: 'utf8' });
      expect({ status, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 74, lines: 1 });
      expect(stderr).toMatch(/Cannot write the output: ENOSPC/);
    },
  );

  test('an interrupt ends it with 130', async () => {
    const child = spawn(process.execPath, [BIN, 'analyze', '--batch'], { cwd: FOLDER, env: ENV });
    child.stdin.write('{"id":1,"command":"ls"}\n');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGINT');
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(status).toBe(130);
  });
});
