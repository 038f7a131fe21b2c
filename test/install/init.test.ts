// `hardshell init`: a file that can be read as it is, and with every choice taken; never over another.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runVerb } from '../run-verb.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-init-'));
  mkdirSync(join(folder, 'home'));
  mkdirSync(join(folder, 'project'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: join(folder, 'home'), LANG: 'C.UTF-8' };
  return runVerb(args, { cwd: join(folder, 'project'), env });
}

describe.each([
  [[], 'project/.hardshell/settings.json'],
  [['--local'], 'project/.hardshell/settings.local.json'],
  [['--user'], 'home/.config/hardshell/settings.json'],
])('init %j', async (args, path) => {
  test('is valid as it is, and with every choice taken', async () => {
    const file = join(folder, path);
    expect(await run('init', ...args)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`${path}\n`),
      stderr: '',
    });
    expect(await run('config', 'validate', file)).toMatchObject({ status: 0, stderr: '' });
    const text = readFileSync(file, 'utf8');
    const taken = text.replace(/^(\s*)\/\/ "/gm, '$1"');
    expect(taken.match(/^\s*"/gm)?.length).toBeGreaterThan(15);
    writeFileSync(file, taken);
    expect(await run('config', 'validate', file)).toMatchObject({ status: 0, stderr: '' });
  });

  test('never writes over a file', async () => {
    const file = join(folder, path);
    await run('init', ...args);
    writeFileSync(file, '{}');
    expect(await run('init', ...args)).toMatchObject({ status: 2, stderr: expect.stringMatching(/already exists/) });
    expect(readFileSync(file, 'utf8')).toBe('{}');
    expect(readdirSync(join(file, '..'))).toHaveLength(1);
  });
});

test('a link that points nowhere is not followed', async () => {
  mkdirSync(join(folder, 'project/.hardshell'));
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'project/.hardshell/settings.json'));
  expect((await run('init')).status).toBe(2);
  expect(readdirSync(folder).sort()).toEqual(['home', 'project']);
});

test('it does not change any verdict', async () => {
  const before = (await run('check', '--json', 'npm install')).stdout;
  await run('init');
  expect((await run('check', '--json', 'npm install')).stdout).toBe(before);
});
