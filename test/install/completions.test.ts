// Completion as a shell does it: the real shell reads the script and is asked what fits.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runVerb } from '../run-verb.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'hardshell-completions-'));

beforeAll(async () => {
  mkdirSync(join(FOLDER, 'some-folder'));
  writeFileSync(join(FOLDER, 'some-file.json'), '');
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(FOLDER, shell), (await runVerb(['completions', shell])).stdout);
  mkdirSync(join(FOLDER, 'functions'));
  renameSync(join(FOLDER, 'zsh'), join(FOLDER, 'functions/_hardshell'));
  symlinkSync('functions/_hardshell', join(FOLDER, 'zsh'));
}, 60_000);
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** Names of files in the folder, besides those that are meant. */
const SHELLS = ['bash', 'zsh', 'fish', 'functions'];

const shells = new Map(['zsh', 'fish'].map((name) => [name, spawnSync(name, ['-c', 'true']).status === 0]));
const hasShell = (name: string) => shells.get(name) === true;

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

  test('every verb that help lists is offered', async () => {
    const { stdout: help } = await runVerb(['--help']);
    const commands = /^Subcommands:\n((?:^ {2}.*\n)+)/m.exec(help)?.[1] ?? '';
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

const LINES: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['hardshell che', ['check']],
  ['hardshell check --mo', ['--mode']],
  ['hardshell check --mode p', ['plan']],
  ['hardshell check --json --shell ', ['bash', 'sh', 'zsh']],
  ['hardshell check --cwd some', ['some-folder']],
  ['hardshell check --settings some', ['some-file.json', 'some-folder']],
  ['hardshell config va', ['validate']],
  ['hardshell config add --to ', ['user', 'project', 'local']],
  ['hardshell install claude', ['claude-code', 'claude-desktop']],
  ['hardshell hook g', ['gemini']],
  ['hardshell run check ', ['some-file.json', 'some-folder']],
];

describe('fish', () => {
  const offer = (line: string): string[] => {
    const fish = ['--no-config', '-c', `source ${FOLDER}/fish; complete -C '${line}'`];
    const { stdout, stderr } = spawnSync('fish', fish, { cwd: FOLDER, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').flatMap((row) => row.split('\t')[0]?.replace(/\/$/, '') || []);
  };

  test.for(LINES)('%s', ([line, words], context) => {
    if (!hasShell('fish')) context.skip('fish is not installed');
    const found = offer(line).filter((word) => !SHELLS.includes(word) || words.includes(word));
    expect(found.sort()).toEqual([...words].sort());
  });

  test('verbs come with what they are for', (context) => {
    if (!hasShell('fish')) context.skip('fish is not installed');
    const fish = ['--no-config', '-c', `source ${FOLDER}/fish; complete -C 'hardshell che'`];
    expect(execFileSync('fish', fish, { encoding: 'utf8' })).toMatch(/^check\tsay whether/);
  });
});

/**
 * zsh completes only where somebody types: a second zsh in a terminal of its own (zpty) reads the line and a TAB, and
 * prints each word that is offered to it. `$1` is how it learns of us, `$2` the line.
 */
const ASK_ZSH = `
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PS1= RPS1=; autoload -Uz compinit; $1"
zpty -w inner 'compadd() { local -a hits; if [[ "\${(j: :)@[1,(i)--]}" == *-[OAD]* ]] { builtin compadd "$@"; return }
  builtin compadd -O hits "$@"; (( $#hits )) && print -rl -- "<hit>\${(@)^hits}</hit>"; builtin compadd "$@" }'
zpty -w inner "finish() { print '<end>'; exit }; comppostfuncs=(finish); bindkey '^I' complete-word; print '<ready>'"
while zpty -r inner chunk; do [[ $chunk == '<ready>'* ]] && break; done
zpty -n -w inner "$2"$'\\t'
while zpty -r inner chunk; do print -r -- "$chunk"; [[ $chunk == *'<end>'* ]] && break; done
zpty -d inner
`;

describe('zsh', () => {
  /** A file that is sourced, or one in a folder of functions that is found by its first line. What zsh finds, it keeps. */
  const LEARNING = {
    sourced: `compinit -u -d ${FOLDER}/.found-without; source ${FOLDER}/zsh`,
    'found in fpath': `fpath=(${FOLDER}/functions $fpath); compinit -u -d ${FOLDER}/.found-with`,
  };
  const offer = (learning: string, line: string): string[] => {
    const { stdout } = spawnSync('zsh', ['-f', '-c', ASK_ZSH, 'zsh', learning, line], {
      cwd: FOLDER,
      encoding: 'utf8',
      timeout: 30_000,
    });
    return [...new Set([...stdout.matchAll(/<hit>(.*?)<\/hit>/g)].map((match) => match[1] as string))];
  };

  describe.each(Object.entries(LEARNING))('%s', (_, learning) => {
    test.for(LINES)('%s', ([line, words], context) => {
      if (!hasShell('zsh')) context.skip('zsh is not installed');
      const found = offer(learning, line).filter((word) => !SHELLS.includes(word) || words.includes(word));
      expect(found.sort()).toEqual([...words].sort());
    });
  });
});

test('for an unknown shell, the message lists the known ones', async () => {
  const { status, stderr } = await runVerb(['completions', 'tcsh']);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/Allowed choices are bash, zsh, fish/),
  });
});
