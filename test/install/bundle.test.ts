// The bundle: what differs from the sources must not differ in what it says, and its compiled form must be its own.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rowsAsData } from '../../scripts/bundle-rows.js';
import { allCommands } from '../../src/analyze/commands/table.ts';
import type { Finding } from '../../src/core/verdict.ts';
import { CHECKS } from '../../src/decide/checks/table.ts';
import { check as decideHere } from '../../src/pipeline/check.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPY = mkdtempSync(join(tmpdir(), 'hardshell-bundle-'));
const CACHE = join(COPY, '.cache/program');

beforeAll(() => {
  for (const path of ['bin', 'package.json', 'dist/program'])
    cpSync(join(ROOT, path), join(COPY, path), { recursive: true });
}, 60_000);
afterAll(() => rmSync(COPY, { recursive: true }));

function check(command: string, folder = COPY) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin/hardshell.js'), 'check', command], {
    env: { PATH: process.env.PATH, HOME: '/home/u' },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const ALLOWED = { status: 0, stdout: expect.stringMatching(/^ALLOW/), stderr: '' };

test('every row of every command is the same, however it is looked up', async () => {
  const { code, file } = await rowsAsData(ROOT);
  // The same rows as in the build that is used.
  expect(readFileSync(join(ROOT, 'dist/program', file.name), 'latin1')).toBe(file.data);
  const body = `const bundleFolder = ${JSON.stringify(join(ROOT, 'dist/program'))};\n${transformSync(code, { format: 'cjs' }).code}`;
  writeFileSync(join(COPY, 'rows.cjs'), body);
  const { findCommand } = await import(join(COPY, 'rows.cjs'));
  for (const [name, row] of allCommands()) {
    const plain = JSON.parse(JSON.stringify(row, (key, value) => (key === 'examples' ? undefined : value)));
    expect(JSON.parse(JSON.stringify(findCommand(name))), name).toEqual(plain);
    expect(findCommand(name)).toBe(findCommand(name));
  }
  for (const name of ['', ' ', 'ls 1', 'ls\n', 'nosuch', '\n', '$', '__proto__', 'constructor']) {
    expect(findCommand(name), JSON.stringify(name)).toBe(null);
  }
});

test('one question loads nothing that only running and asking need', () => {
  const probe = join(COPY, 'probe.cjs');
  writeFileSync(probe, "process.on('exit', () => require('fs').writeSync(2, process.moduleLoadList.join('\\n')));");
  const { stderr } = spawnSync(process.execPath, ['-r', probe, join(COPY, 'bin/hardshell.js'), 'check', 'git push'], {
    env: { PATH: process.env.PATH, HOME: '/home/u' },
    encoding: 'utf8',
  });
  const loaded = stderr.split('\n').map((line) => line.replace('NativeModule ', ''));
  expect(loaded).toContain('vm');
  for (const name of ['crypto', 'child_process', 'http', 'readline', 'zlib', 'net', 'tty'])
    expect(loaded).not.toContain(name);
});

describe('`run COMMAND` and `run --yes COMMAND`', () => {
  const home = join(COPY, 'home');
  const work = join(COPY, 'work');
  const run = (args: readonly string[], { input = '', preload = [] as readonly string[] } = {}) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...preload, join(ROOT, 'bin/hardshell.js'), 'run', ...args],
      { cwd: work, input, env: { PATH: process.env.PATH, HOME: home }, encoding: 'utf8' },
    );
    return { status, stdout, stderr };
  };
  beforeAll(() => {
    for (const folder of [home, work]) mkdirSync(folder, { mode: 0o700 });
  });

  test.each([
    ['output and exit code', ['--yes', 'echo out; echo err >&2; exit 3'], 3],
    ['standard input', ['tr a-z A-Z'], 0],
    ['a refusal', ['--yes', 'rm -rf /'], 126],
    ['a question that no one answers', ['npm install left-pad'], 126],
    ['a command that does not exist', ['--yes', 'nosuchcommand-x'], 127],
    ['a syntax error', ["echo '"], 2],
    ['no command', ['--yes', ' '], 2],
    ['a signal', ['--yes', 'kill -TERM $$'], 143],
  ])('give the same as the form with more options: %s', (_, args, status) => {
    const input = 'some text\n';
    const plain = run(args, { input });
    expect(plain.status).toBe(status);
    const other = run(['--no-color', ...args], { input });
    // A command line that can be typed again has the option, too.
    expect(plain).toEqual({ ...other, stderr: other.stderr.replace(' --no-color', '') });
  });

  test('load no module of Node that they do not need, and are kept compiled', () => {
    const probe = join(COPY, 'loaded.cjs');
    writeFileSync(probe, "process.on('exit', () => require('fs').writeSync(2, process.moduleLoadList.join('\\n')));");
    const { status, stderr } = run(['--yes', 'true'], { preload: ['-r', probe] });
    const loaded = stderr.split('\n').map((line) => line.replace('NativeModule ', ''));
    expect([status, loaded.includes('child_process')]).toEqual([0, true]);
    for (const name of ['perf_hooks', 'fs/promises', 'internal/readline/interface', 'http', 'zlib', 'tls'])
      expect(loaded).not.toContain(name);
    expect(compiledForms(join(ROOT, '.cache/program'))).toContain('run-plain-run');
  });
});

test('every check finds the same there as in the sources', () => {
  const commands = CHECKS.flatMap(({ examples }) => examples.matches.filter((example) => typeof example === 'string'));
  expect(commands.length).toBeGreaterThan(500);
  const { stdout, status } = spawnSync(process.execPath, [join(COPY, 'bin/hardshell.js'), 'check', '--batch'], {
    cwd: '/',
    input: commands.map((command, id) => JSON.stringify({ id, command })).join('\n'),
    env: { PATH: process.env.PATH, HOME: '/home/u' },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([status, answers.length]).toEqual([0, commands.length]);
  for (const [id, command] of commands.entries()) {
    const { verdict } = decideHere(command, { cwd: '/', shell: 'bash', variables: { HOME: '/home/u' } });
    const { verdict: name, findings } = answers[id];
    expect({ name, findings: findings.map(essence) }, command).toEqual({
      name: verdict.decision,
      findings: verdict.findings.map(essence),
    });
  }
});

const essence = ({ id, message, instead }: Pick<Finding, 'id' | 'message' | 'instead'>) => ({ id, message, instead });

test('an answer is whole, also when the pipe is full and does not block', () => {
  const probe = join(COPY, 'full.cjs');
  writeFileSync(
    probe,
    `const fs = require('fs'), { writeSync } = fs;
    fs.writeSync = (...given) => { try { return writeSync(...given); } catch (error) { writeSync(2, error.code); throw error; } };`,
  );
  // Node itself would make the pipe of a child block. Nothing is read before the child has found it full.
  const script = `import os, subprocess, sys
read, write = os.pipe()
os.set_blocking(write, False)
size = 0
try:
  while True: size += os.write(write, b'.' * 4096)
except BlockingIOError: pass
child = subprocess.Popen(sys.argv[1:], stdout=write, stderr=subprocess.PIPE)
os.close(write)
print(child.stderr.read(6).decode(), flush=True)
text = b''
while chunk := os.read(read, 65536): text += chunk
sys.stdout.write(text[size:].decode())
sys.exit(child.wait())`;
  const argv = [process.execPath, '-r', probe, join(COPY, 'bin/hardshell.js'), 'check', 'ls'];
  const { status, stdout } = spawnSync('python3', ['-c', script, ...argv], {
    env: { PATH: process.env.PATH, HOME: '/home/u', LC_ALL: 'C' },
    encoding: 'utf8',
    timeout: 15_000,
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: `EAGAIN\n${check('ls').stdout}` });
});

/** `kind` of run and file, for this Node. */
function compiledForms(cache = CACHE): string[] {
  const folders = existsSync(cache) ? readdirSync(cache) : [];
  for (const name of folders) expect(name).toMatch(new RegExp(`^[0-9a-f]{32}-${process.version}-${process.arch}$`));
  return folders.flatMap((name) => readdirSync(join(cache, name))).sort();
}

function pathOf(form: string): string {
  return join(CACHE, readdirSync(CACHE)[0] as string, form);
}

test('it is compiled once, beside the code, and only its owner can write it', () => {
  rmSync(CACHE, { recursive: true, force: true });
  const first = check('ls');
  expect(first).toEqual(ALLOWED);
  expect(compiledForms()).toEqual(['check-plain']);
  const path = pathOf('check-plain');
  for (const place of [path, join(path, '..'), CACHE]) expect(statSync(place).mode & 0o022).toBe(0);
  const { mtimeMs } = statSync(path);
  // What is rehearsed for the next run says nothing.
  expect(check('ls')).toEqual(first);
  expect([compiledForms(), statSync(path).mtimeMs]).toEqual([['check-plain'], mtimeMs]);
});

test('each kind of run keeps a compiled form; one that failed or had nothing to decide keeps none', () => {
  rmSync(CACHE, { recursive: true, force: true });
  const start = (args: readonly string[], input = '') =>
    spawnSync(process.execPath, [join(COPY, 'bin/hardshell.js'), ...args], {
      input,
      env: { PATH: process.env.PATH, HOME: '/home/u' },
    }).status;
  expect(start(['check', '--nope', 'ls'])).toBe(2);
  expect(start(['check', "echo '"])).toBe(2);
  expect(start(['nosuchverb'])).toBe(2);
  expect(start(['hook', 'claude-code'], '{"tool_name":"Read"}')).toBe(0);
  expect(compiledForms()).toEqual([]);
  expect(start(['check', '--json', 'ls'])).toBe(0);
  expect(start(['check', 'ls'])).toBe(0);
  expect(start(['check', '--help'])).toBe(0);
  expect(start([])).toBe(0);
  const event = JSON.stringify({ tool_name: 'Bash', tool_input: { command: 'ls' }, cwd: COPY });
  expect(start(['hook', 'claude-code'], event)).toBe(0);
  const kinds = compiledForms().map((name) => name.replace(/-(?:main|plain|chunk-\w+)$/, ''));
  expect([...new Set(kinds)].sort()).toEqual(['check', 'check-help', 'hook', 'program-help']);
  expect(compiledForms()).toEqual(
    expect.arrayContaining(['check-main', 'check-plain', 'check-help-main', 'hook-plain']),
  );
  rmSync(CACHE, { recursive: true });
});

test.each([
  ['empty', () => Buffer.alloc(0)],
  ['cut off', (whole: Buffer) => whole.subarray(0, whole.length >> 1)],
  ['of another version', (whole: Buffer) => Buffer.from(whole).fill(7, 0, 16)],
  ['a different file', () => Buffer.from('#!/bin/sh\necho evil\n')],
])('a compiled form that is %s is not used, and made again', (_name, damage) => {
  check('ls');
  const path = pathOf('check-plain');
  const whole = readFileSync(path);
  writeFileSync(path, damage(whole));
  expect(check('ls')).toEqual(ALLOWED);
  expect(readFileSync(path).length).toBeGreaterThan(100_000);
});

test('it works without a writable folder', () => {
  const folder = join(COPY, 'read-only');
  for (const path of ['bin', 'package.json', 'dist']) cpSync(join(COPY, path), join(folder, path), { recursive: true });
  // A file where the folder should be: not even root can write below it.
  writeFileSync(join(folder, '.cache'), '');
  expect(check('ls', folder)).toEqual(ALLOWED);
});

test('a build leaves no compiled form of an older one behind', () => {
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(join(CACHE, `${'0'.repeat(32)}-${process.version}-${process.arch}`), { recursive: true });
  check('ls');
  expect(readdirSync(CACHE)).toEqual([expect.not.stringMatching(/^0000/)]);
});

test('the server says what the modules of dist/ say, and is kept compiled', async () => {
  const folder = join(COPY, 'server/package');
  for (const path of ['bin', 'package.json', 'dist']) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  const kept = join(folder, '.cache/program');
  // Not the folder of the program: it is protected, which the tools report.
  const project = join(COPY, 'project-of-server');
  mkdirSync(project);
  const ask = async (...args: readonly string[]) => {
    const greeting = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const messages = [
      { id: 1, method: 'initialize', params: greeting },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'tools/call', params: { name: 'explain_command', arguments: { command: 'git push -f' } } },
    ];
    const child = spawn(process.execPath, [join(folder, 'bin/hardshell.js'), 'mcp', ...args], {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdin.on('error', () => {});
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.split('\n').length > 3) child.stdin.end();
    });
    child.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
    const [status] = await once(child, 'close');
    // The greeting may come from a part that writes its keys in another order.
    const canonical = (line: string) => (line.startsWith('{') ? JSON.stringify(sorted(JSON.parse(line))) : line);
    return { status, stdout: stdout.split('\n').map(canonical).sort() };
  };
  const help = await ask('--help');
  expect([help.status, (await ask('--nope')).status]).toEqual([0, 2]);
  expect(compiledForms(kept)).toEqual(['mcp-help-main']);
  const first = await ask();
  expect(first.stdout).toHaveLength(4);
  expect(compiledForms(kept)).toContain('mcp-main');
  expect(await ask()).toEqual(first);
  // The modules need their packages. In the workspace a link to these could be replaced.
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'server/node_modules'));
  writeFileSync(
    join(folder, 'bin/hardshell.js'),
    "import('../dist/surfaces/cli/main.js').then(({ main }) => main(process.argv.slice(2)));",
  );
  expect(await ask()).toEqual(first);
  expect(await ask('--help')).toEqual(help);
}, 60_000);

function sorted(message: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(message).sort(([a], [b]) => (a < b ? -1 : 1)));
}
