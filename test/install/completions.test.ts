// Completion as a shell does it: the real shell reads the script and is asked what fits.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin/hardshell.js');
const FOLDER = mkdtempSync(join(tmpdir(), 'hardshell-completions-'));

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.js')], { stdio: 'pipe' });
  mkdirSync(join(FOLDER, 'some-folder'));
  writeFileSync(join(FOLDER, 'some-file.json'), '');
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(join(FOLDER, shell), execFileSync(process.execPath, [BIN, 'completions', shell]));
  }
}, 60_000);
afterAll(() => rmSync(FOLDER, { recursive: true }));

const hasShell = (name: string) => spawnSync(name, ['-c', 'true']).status === 0;

/** What bash offers at the end of a line. */
function complete(line: string): string[] {
  const words = line.split(' ');
  const script = `
    source ${FOLDER}/bash
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
    COMP_CWORD=${words.length - 1}
    _hardshell
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { cwd: FOLDER, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('bash', () => {
  test('the function is registered for hardshell', () => {
    const result = spawnSync('bash', ['--norc', '-c', `source ${FOLDER}/bash; complete -p hardshell`], {
      encoding: 'utf8',
    });
    expect(result.stdout).toBe('complete -o default -F _hardshell hardshell\n');
  });

  test.each<[string, string[]]>([
    ['hardshell che', ['check']],
    ['hardshell comp', ['completions']],
    ['hardshell completions ', ['bash', 'zsh', 'fish', '-h', '--help']],
    ['hardshell check --mo', ['--mode']],
    ['hardshell check --mode p', ['plan']],
    ['hardshell check --json --shell ', ['bash', 'sh', 'zsh']],
    ['hardshell check --cwd some', ['some-folder']],
    ['hardshell check --settings some', ['some-file.json', 'some-folder']],
    ['hardshell check --user x', []],
    ['hardshell config va', ['validate']],
    ['hardshell config add --to ', ['user', 'project', 'local']],
    ['hardshell install claude', ['claude-code', 'claude-desktop']],
    ['hardshell hook g', ['gemini']],
    ['hardshell nosuch ', []],
  ])('%s', (line, words) => {
    const found = complete(line);
    if (line === 'hardshell nosuch ') expect(found).toContain('check');
    else expect([...found].sort()).toEqual([...words].sort());
  });

  test('every verb that help lists is offered', () => {
    const help = execFileSync(process.execPath, [BIN, '--help'], { encoding: 'utf8' });
    const commands = /^Commands:\n((?:^ {2}.*\n)+)/m.exec(help)?.[1] ?? '';
    const verbs = [...commands.matchAll(/^ {2}([a-z][a-z-]*)/gm)]
      .map((match) => match[1])
      .filter((verb) => verb !== 'help');
    expect(verbs.length).toBeGreaterThan(10);
    expect(
      complete('hardshell ')
        .filter((word) => !word.startsWith('-'))
        .sort(),
    ).toEqual([...verbs].sort());
  });
});

describe.each(['zsh', 'fish'])('%s', (shell) => {
  test('can read the script', (context) => {
    if (!hasShell(shell)) context.skip(`${shell} is not installed`);
    expect(spawnSync(shell, ['-n', join(FOLDER, shell)], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  test('fish offers verbs and choices', (context) => {
    if (shell !== 'fish' || !hasShell('fish')) context.skip('fish is not installed, or another shell is tested');
    const offer = (line: string) =>
      execFileSync('fish', ['-c', `source ${FOLDER}/fish; complete -C '${line}'`], { encoding: 'utf8' });
    expect(offer('hardshell che')).toMatch(/^check\t/m);
    expect(offer('hardshell check --mode p')).toMatch(/^plan/m);
  });
});

test('an unknown shell is told which there are', () => {
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'completions', 'tcsh'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/Allowed choices are bash, zsh, fish/),
  });
});
