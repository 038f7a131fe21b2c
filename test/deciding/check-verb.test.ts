// `hardshell check` and `hardshell test` as a person or a program meets them: real processes, exit codes, streams.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BIN } from '../approving/process.ts';
import { runVerb } from '../run-verb.ts';

const FOLDER = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-check-')));
const PROJECT = join(FOLDER, 'project');
const HOME = join(FOLDER, 'home');
const RUNTIME = join(FOLDER, 'runtime');
const ENV = { PATH: process.env.PATH, HOME, LANG: 'C.UTF-8', HARDSHELL_RUNTIME_DIR: RUNTIME };

beforeAll(() => {
  for (const folder of [PROJECT, HOME]) mkdirSync(folder, { recursive: true });
  mkdirSync(RUNTIME, { mode: 0o700 });
}, 60_000);
afterAll(() => rmSync(FOLDER, { recursive: true }));

function run(args: readonly string[], input = '') {
  return runVerb(args, { cwd: PROJECT, env: ENV, input });
}

function settings(text: string, file = join(HOME, '.config/hardshell/settings.json')): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

describe('check', () => {
  test.each([
    ['git log --oneline | head -5', 0],
    ['npm install', 3],
    ['git add -A', 1],
    ['ls "', 2],
    ['', 2],
  ])('%j exits with %i', async (command, status) => {
    expect((await run(['check', command])).status).toBe(status);
  });

  test('says why, where in the text, and what to do instead', async () => {
    const { stdout, stderr } = await run(['check', 'true; git push --force']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^DENY · risk high/);
    expect(stdout).toContain('[git-force-push]\n      true; git push --force\n            ^^^^^^^^^^^^^^^^\n');
    expect(stdout).toContain('--force-with-lease');
  });

  test('--json has the fields that the batch has', async () => {
    const { status, stdout } = await run(['check', '--json', 'git commit -m x']);
    const answer = JSON.parse(stdout);
    expect(status).toBe(3);
    expect(answer).toMatchObject({ schemaVersion: 1, verdict: 'ask', risk: 'medium', readOnly: false });
    expect(answer.suggestion).toBe('Bash(git commit:*)');
    expect(Object.keys(answer.findings[0])).toEqual(
      expect.arrayContaining(['id', 'verdict', 'severity', 'message', 'instead', 'span']),
    );
  });

  test.each([
    ['make', 0],
    ['touch x', 0],
    ['git push', 3],
    ['cat /etc/passwd', 1],
  ])('--profile decides as the tool does, in every form: %s', async (command, status) => {
    const profile = ['--profile', 'mcp-guide'];
    expect((await run(['check', ...profile, command])).status).toBe(status);
    const verdict = ['allow', 'deny', '', 'ask'][status];
    expect(JSON.parse((await run(['explain', '--json', ...profile, command])).stdout).verdict).toBe(verdict);
    const line = JSON.stringify({ id: 1, command });
    expect(JSON.parse((await run(['check', '--batch', ...profile], `${line}\n`)).stdout).verdict).toBe(verdict);
    const rooted = await run(['check', ...profile, '--root', PROJECT, command]);
    expect(rooted.status).toBe(status);
  });

  test('--batch --profile: variables of a line are refused', async () => {
    const line = JSON.stringify({ id: 1, command: 'ls', variables: { HOME: '/x' } });
    const { stdout } = await run(['check', '--batch', '--profile', 'mcp-guide'], `${line}\n`);
    expect(JSON.parse(stdout).error.message).toContain('--profile');
  });

  test('--mode, --root and --profile count', async () => {
    expect((await run(['check', '--mode', 'accept-edits', 'touch x'])).status).toBe(0);
    expect((await run(['check', '--mode', 'dont-ask', 'npm test'])).status).toBe(1);
    expect((await run(['check', '--root', PROJECT, 'rm /tmp/x'])).status).toBe(1);
    expect((await run(['check', '--profile', 'mcp-guide', 'ip addr'])).stdout).toContain('command is blacklisted');
    expect((await run(['check', '--mode', 'yolo', 'ls'])).status).toBe(2);
  });

  test('follows links on the disk', async () => {
    symlinkSync('/etc', join(PROJECT, 'innocent'));
    const { status, stdout } = await run(['check', 'touch innocent/x']);
    expect(status).toBe(1);
    expect(stdout).toContain('[symlink-escapes]');
  });

  test('a repository whose configuration would run code is asked about', async () => {
    const hostile = join(FOLDER, 'hostile');
    execFileSync('git', ['init', '-q', hostile], { env: { ...ENV, GIT_CONFIG_NOSYSTEM: '1' } });
    expect((await run(['check', '--cwd', hostile, 'git status'])).status).toBe(0);
    execFileSync('git', ['-C', hostile, 'config', 'core.fsmonitor', './run-me'], { env: ENV });
    const { status, stdout } = await run(['check', 'cd ../hostile && git status']);
    expect(status).toBe(3);
    expect(stdout).toMatch(/core\.fsmonitor = "\.\/run-me" \(.*config:\d+\)/);
  });

  test('settings of the user count, with file and line; a project that is not trusted may only tighten', async () => {
    settings('{\n  // mine\n  "permissions": { "allow": ["Bash(npm test:*)"] }\n}\n');
    expect((await run(['check', 'npm test'])).status).toBe(0);
    expect(JSON.parse((await run(['check', '--json', 'npm test'])).stdout).findings[0].rule).toMatchObject({
      layer: 'user',
      line: 3,
    });
    const file = join(PROJECT, '.hardshell/settings.json');
    settings('{ "permissions": { "allow": ["Bash(npm publish)"], "deny": ["Bash(npm test:*)"] } }', file);
    expect((await run(['check', 'npm test'])).status).toBe(1);
    const { status, stderr } = await run(['check', 'npm publish']);
    expect(status).toBe(3);
    expect(stderr).toContain('is not trusted');
    rmSync(join(PROJECT, '.hardshell'), { recursive: true });
  });

  test('settings that cannot be read refuse everything', async () => {
    const file = join(FOLDER, 'broken.json');
    writeFileSync(file, '{ "permissions": { "deny": [ }');
    const { status, stderr } = await run(['check', '--settings', file, 'ls']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/broken\.json:1:\d+: /);
    expect((await run(['check', '--settings', join(FOLDER, 'absent.json'), 'ls'])).status).toBe(2);
  });
});

describe('check --batch', () => {
  test('answers every line in order; a line may carry mode, rules and roots', async () => {
    const lines = [
      { id: 1, command: 'rm -rf ~' },
      { id: 2, command: 'make', rules: { allow: ['Bash(make:*)'] } },
      { id: 3, command: 'touch x', mode: 'accept-edits' },
      { id: 4, command: 'rm /tmp/x', roots: [PROJECT] },
      { id: 5, command: 'ls', rules: { deny: ['Bash('] } },
      { id: 6, command: 'ls', mode: 'yolo' },
      { id: 7, command: 'ls' },
    ];
    const { status, stdout } = await run(['check', '--batch'], lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(status).toBe(1);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id, verdict, error }) => [id, verdict ?? error.code])).toEqual([
      [1, 'deny'],
      [2, 'allow'],
      [3, 'allow'],
      [4, 'deny'],
      [5, 'invalid-argument'],
      [6, 'invalid-argument'],
      [7, 'allow'],
    ]);
  });
});

describe('check --ask', () => {
  const ask = (args: readonly string[]) =>
    spawn(process.execPath, [BIN, 'check', '--ask', ...args, 'npm install'], {
      cwd: PROJECT,
      env: ENV,
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  test.each([
    ['approve', 0, /allowed \(cli\)/],
    ['deny', 1, /denied \(cli\)/],
  ])('another terminal can %s', async (verb, status, said) => {
    const child = ask([]);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    let code: string | undefined;
    for await (const chunk of child.stderr) {
      code = /hardshell approve (\w+)/.exec(String(chunk))?.[1];
      if (code !== undefined) break;
    }
    const ended = once(child, 'close');
    expect((await run([verb, code ?? ''])).status).toBe(0);
    expect((await ended)[0]).toBe(status);
    expect(output).toMatch(said);
  });

  test('no answer in time is a no', async () => {
    const { status, stdout } = await run(['check', '--ask', '--timeout', '0.2', 'npm install']);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^denied \(timeout\): No answer within 200 ms\.\n$/m);
  });
});

describe('test', () => {
  test('compares verdicts with fixtures, shows what differs, and lists rules that nothing hits', async () => {
    const file = join(FOLDER, 'policy.jsonc');
    settings('{ "permissions": { "allow": ["Bash(npm test:*)", "Bash(cargo build)"] } }');
    writeFileSync(
      file,
      '[ // what we rely on\n  {"command": "npm test", "expect": "allow"},\n  {"command": "rm -rf /", "expect": "deny"},\n]',
    );
    expect(await run(['test', file])).toMatchObject({ status: 0, stderr: '' });
    const coverage = await run(['test', '--coverage', file]);
    expect(coverage.status).toBe(0);
    expect(coverage.stdout).toContain('Bash(cargo build)');
    writeFileSync(file, '[{"command": "git push", "expect": "allow"}]');
    const { status, stdout } = await run(['test', file]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/- expected allow\n.*\+ got +ask/);
  });
});
