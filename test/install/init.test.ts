// `hardshell init`: a file that can be read as it is, and with every choice taken; never over another.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin/hardshell.js');
let folder: string;

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.js')], { stdio: 'pipe' });
}, 60_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-init-'));
  mkdirSync(join(folder, 'home'));
  mkdirSync(join(folder, 'project'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd: join(folder, 'project'),
    env: { PATH: process.env.PATH, HOME: join(folder, 'home'), LANG: 'C.UTF-8' },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe.each([
  [[], 'project/.hardshell/settings.json'],
  [['--local'], 'project/.hardshell/settings.local.json'],
  [['--user'], 'home/.config/hardshell/settings.json'],
])('init %j', (args, path) => {
  test('is valid as it is, and with every choice taken', () => {
    const file = join(folder, path);
    expect(run('init', ...args)).toMatchObject({ status: 0, stdout: expect.stringContaining(`${path}\n`), stderr: '' });
    expect(run('config', 'validate', file)).toMatchObject({ status: 0, stderr: '' });
    const text = readFileSync(file, 'utf8');
    const taken = text.replace(/^(\s*)\/\/ "/gm, '$1"');
    expect(taken.match(/^\s*"/gm)?.length).toBeGreaterThan(15);
    writeFileSync(file, taken);
    expect(run('config', 'validate', file)).toMatchObject({ status: 0, stderr: '' });
  });

  test('never writes over a file', () => {
    const file = join(folder, path);
    run('init', ...args);
    writeFileSync(file, '{}');
    expect(run('init', ...args)).toMatchObject({ status: 2, stderr: expect.stringMatching(/already exists/) });
    expect(readFileSync(file, 'utf8')).toBe('{}');
    expect(readdirSync(join(file, '..'))).toHaveLength(1);
  });
});

test('a link that points nowhere is not followed', () => {
  mkdirSync(join(folder, 'project/.hardshell'));
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'project/.hardshell/settings.json'));
  expect(run('init').status).toBe(2);
  expect(readdirSync(folder).sort()).toEqual(['home', 'project']);
});

test('it changes no verdict by itself', () => {
  const before = run('check', '--json', 'npm install').stdout;
  run('init');
  expect(run('check', '--json', 'npm install').stdout).toBe(before);
});
