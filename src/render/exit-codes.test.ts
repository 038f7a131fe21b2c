// Meanings of exit codes: rows without a machine, and rows that real commands confirm.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { analyze } from '../analyze/analyze.ts';
import { type Ending, EXIT_ROWS, explainExit } from './exit-codes.ts';

const exited = (exitCode: number): Ending => ({ exitCode, signal: null });
const explain = (command: string, ending: Ending) =>
  explainExit(analyze(command, { cwd: '/w', variables: { HOME: '/home/u' } }), ending);

test('the table has at least 60 commands, and every meaning is a sentence', () => {
  const programs = new Set(EXIT_ROWS.flatMap(({ commands }) => commands.map((command) => command.split(' ')[0])));
  expect(programs.size).toBeGreaterThanOrEqual(60);
  const texts = EXIT_ROWS.flatMap(({ fine = {}, errors = {} }) => [...Object.values(fine), ...Object.values(errors)]);
  expect(texts.filter((text) => !/^[A-Za-z`].*\.$/.test(text))).toEqual([]);
});

test('no code of a command is both fine and an error under the same circumstances', () => {
  const seen = new Map<string, string>();
  const clashes: string[] = [];
  for (const { commands, needs = [], fine = {}, errors = {} } of EXIT_ROWS) {
    for (const command of commands) {
      for (const code of [...Object.keys(fine), ...Object.keys(errors)]) {
        const key = `${command} ${needs.join()} ${code}`;
        if (seen.has(key)) clashes.push(key);
        seen.set(key, command);
      }
    }
  }
  expect(clashes).toEqual([]);
});

const ROWS: readonly (readonly [command: string, ending: Ending, meaning: RegExp | null, isError: boolean])[] = [
  ['grep x f', exited(0), null, false],
  ['grep x f', exited(1), /^No lines matched\.$/, false],
  ['grep x f', exited(2), /could not be read/, true],
  ['cat f | grep x', exited(1), /^No lines matched\.$/, false],
  ['grep x f | wc -l', exited(1), /missing or could not be read/, true],
  ['ls; grep x f', exited(1), /^No lines matched\.$/, false],
  ['ls\ngrep x f', exited(1), /^No lines matched\.$/, false],
  ['ls || grep x f', exited(1), /^No lines matched\.$/, false],
  ['ls && echo ok || grep x f', exited(1), /^No lines matched\.$/, false],
  ['echo start && grep x f', exited(1), /^No lines matched\.$/, false],
  ['cd src && grep x f', exited(1), /^If the exit code is from grep.* may have failed instead/, true],
  ['rg a && rg b', exited(1), /^No lines matched\.$/, false],
  ['cd src && make', exited(1), null, true],
  ['! grep x f', exited(1), /after ! succeeded/, false],
  ['ls && ! grep x f', exited(1), null, true],
  ['timeout 5 grep x f', exited(1), /^No lines matched\.$/, false],
  ['timeout 5 grep x f', exited(124), /ran too long/, true],
  ['timeout 5 nice env A=1 rg x', exited(1), /^No lines matched\.$/, false],
  ['time grep x f', exited(1), /^No lines matched\.$/, false],
  ['A=1 grep x f 2>/dev/null', exited(1), /^No lines matched\.$/, false],
  ['grep x f # why', exited(1), /^No lines matched\.$/, false],
  ['grep x <<E\na\nE', exited(1), /^No lines matched\.$/, false],
  ["grep x <<-'E' | rg y\na\n\tE\n", exited(1), /^No lines matched\.$/, false],
  ['grep x <<E\na\nE\n[[ -f y ]]', exited(1), null, true],
  ['grep x f; [[ -f y ]]', exited(1), null, true],
  ['(grep x f)', exited(1), null, true],
  ['if grep x f; then ls; fi', exited(1), null, true],
  ['for f in a b; do grep x $f; done', exited(1), null, true],
  ['f() { grep x y; }; f', exited(1), null, true],
  ['x=$(grep a b)', exited(1), null, true],
  ['set -o pipefail; grep x f | cat', exited(1), /may have failed instead|^The|^If/, true],
  ['set -e; ls; grep x f', exited(1), /may have failed instead/, true],
  ['find . -exec grep x {} \\;', exited(1), /^Some directories were inaccessible/, false],
  ['find . | xargs grep x', exited(123), /no matches/, true],
  ['echo "$(grep x f)"', exited(1), null, true],
  ['git diff --exit-code', exited(1), /differences/, false],
  ['git -C sub diff --quiet HEAD', exited(1), /differences/, false],
  ['git diff', exited(1), null, true],
  ['git grep x', exited(1), /^No lines matched\.$/, false],
  ['git merge-base --is-ancestor a b', exited(1), /not an ancestor/, false],
  ['git status', exited(128), /fatal/, true],
  ['git log', exited(129), /options/, true],
  ['git push', exited(1), /refused/, true],
  ['curl -f https://example.com', exited(22), /400 or more/, true],
  ['curl https://example.com', exited(6), /resolve/, true],
  ['wget https://example.com', exited(8), /error, such as 404/, true],
  ['ssh host ls', exited(255), /ssh itself/, true],
  ['pytest -q', exited(5), /No tests/, false],
  ['npm outdated', exited(1), /outdated/, false],
  ['npm run build', exited(1), /script failed/, true],
  ['terraform plan -detailed-exitcode', exited(2), /changes to apply/, false],
  ['terraform plan', exited(2), null, true],
  ['kubectl diff -f x.yaml', exited(1), /differences/, false],
  ['jq -e .a f', exited(1), /false or null/, false],
  ['jq .a f', exited(1), null, true],
  ['gh pr checks 12', exited(8), /still running/, false],
  ['gh pr view 12', exited(4), /login/, true],
  ['docker run alpine foo', exited(127), /in the container/, true],
  ['systemctl is-active nginx', exited(3), /not active/, false],
  ['foo', exited(127), /not found/, true],
  ['./foo', exited(126), /not executable/, true],
  ['foo', exited(1), null, true],
  ['foo', exited(77), null, true],
  ['foo', exited(130), /interrupted/, true],
  ['foo', exited(137), /memory/, true],
  ['foo', exited(139), /segmentation fault/, true],
  ['set -o pipefail; foo | head', exited(141), /usual/, false],
  ['foo', exited(143), /terminated/, true],
  ['foo', exited(200), null, true],
  ['foo', { exitCode: null, signal: 'SIGKILL' }, /killed/, true],
  ['foo', { exitCode: null, signal: 'SIGRTMIN' }, /SIGRTMIN/, true],
  ['grep x f', { exitCode: null, signal: 'SIGTERM', timedOut: true, timeoutMs: 5000 }, /timeout of 5 s/, true],
  ['grep x f', { exitCode: 1, signal: null, exceeded: 'memory' }, /more memory than allowed/, true],
  ['eval "$x"', exited(1), null, true],
  ['eval "$x"', exited(127), /not found/, true],
];

test.each(ROWS)('%j ended with %j', (command, ending, meaning, isError) => {
  const found = explain(command, ending);
  expect(found.isError, String(found.meaning)).toBe(isError);
  if (meaning === null) expect(found.meaning).toBeNull();
  else expect(found.meaning).toMatch(meaning);
});

describe('real commands exit as in the table', () => {
  const folder = mkdtempSync(join(tmpdir(), 'exit-codes-'));
  writeFileSync(join(folder, 'a'), '1\n');
  writeFileSync(join(folder, 'b'), '2\n');
  writeFileSync(join(folder, 'Makefile'), 'all:\n\t@exit 3\n');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Program that must be installed, command, code. */
  const REAL: readonly (readonly [needs: string, command: string, exitCode: number, isError: boolean])[] = [
    ['grep', 'grep x /dev/null', 1, false],
    ['grep', 'grep x missing', 2, true],
    ['grep', 'cat a | grep x', 1, false],
    ['grep', 'echo a && grep x a', 1, false],
    ['rg', 'rg x a', 1, false],
    ['diff', 'diff a b', 1, false],
    ['diff', 'diff a missing', 2, true],
    ['cmp', 'cmp a b', 1, false],
    ['find', 'find missing', 1, false],
    ['ls', 'ls missing', 2, true],
    ['cat', 'cat missing', 1, true],
    ['sh', 'test -f missing', 1, false],
    ['sh', '[ 1 -eq x ]', 2, true],
    ['sh', 'cd missing', 1, true],
    ['expr', 'expr 1 - 1', 1, false],
    ['expr', 'expr 1 +', 2, true],
    ['sh', 'let 0', 1, false],
    ['which', 'which no-such-program', 1, false],
    ['sh', 'type no-such-program', 1, false],
    ['sh', 'command -v no-such-program', 1, false],
    ['sort', 'printf "2\\n1\\n" | sort -c', 1, false],
    ['sort', 'sort missing', 2, true],
    ['sed', 'sed -n p missing', 2, true],
    ['sed', "sed 'k' a", 1, true],
    // gawk exits with 1 for an invalid program, mawk with 2.
    ['awk', "awk '{print}' missing", 2, true],
    ['jq', "jq -n -e 'false'", 1, false],
    ['jq', "jq -n -e 'empty'", 4, false],
    ['jq', "jq -n '{'", 3, true],
    ['jq', "jq -n '1 + {}'", 5, true],
    ['sha256sum', "echo '00  a' | sha256sum -c", 1, true],
    ['tar', 'tar -tf missing', 2, true],
    ['gzip', 'gzip -d missing', 1, true],
    ['unzip', 'unzip -l missing', 9, true],
    ['make', 'make', 2, true],
    ['make', 'make -q', 1, false],
    ['pgrep', 'pgrep -x no-such-program', 1, false],
    ['ps', 'ps -p 999999999', 1, false],
    ['getent', 'getent passwd no-such-user', 2, false],
    ['id', 'id no-such-user', 1, true],
    ['mountpoint', 'mountpoint -q .', 32, false],
    ['timeout', 'timeout 0.1 sleep 5', 124, true],
    ['timeout', 'timeout 5 grep x /dev/null', 1, false],
    ['timeout', 'timeout 5 no-such-program', 127, true],
    ['env', 'env no-such-program', 127, true],
    ['xargs', 'echo a | xargs grep x', 123, true],
    ['xargs', 'echo a | xargs no-such-program', 127, true],
    ['git', 'git diff --no-index --quiet a b', 1, false],
    ['git', 'git status', 128, true],
    ['git', 'git grep --no-index zzz', 1, false],
    ['git', 'git config --file missing --get a.b', 1, false],
    ['curl', 'curl -s foo://x', 1, true],
    ['curl', 'curl -s http://127.0.0.1:1', 7, true],
    ['node', "node -e 'throw 1'", 1, true],
    ['node', 'node --no-such-option', 9, true],
    ['python3', "python3 -c 'raise SystemExit(1)'", 1, true],
    ['python3', 'python3 missing.py', 2, true],
    ['gcc', 'gcc missing.c', 1, true],
    ['patch', 'patch -p0 missing-file < a', 2, true],
    ['dpkg', 'dpkg -s no-such-package', 1, false],
    ['flock', 'flock -n a flock -n a true', 1, true],
    ['sh', 'no-such-program', 127, true],
    ['sh', './a', 126, true],
    ['sh', "bash -c 'kill -SEGV $$'", 139, true],
    ['sh', 'set -o pipefail; yes | head -1', 141, false],
    ['sh', '! true', 1, false],
    ['kill', 'kill 999999999', 1, true],
  ];

  const environment = {
    ...process.env,
    LC_ALL: 'C',
    GIT_CEILING_DIRECTORIES: tmpdir(),
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const has = (program: string) => spawnSync('bash', ['-c', 'type "$0"', program]).status === 0;

  test.for(REAL)('%s: %s', ([needs, command, exitCode, isError], { skip }) => {
    const found = explain(command, exited(exitCode));
    expect(found.meaning).not.toBeNull();
    expect(found.isError).toBe(isError);
    skip(!has(needs), `${needs} is not installed`);
    const { status, signal } = spawnSync('bash', ['--norc', '--noprofile', '-c', command], {
      cwd: folder,
      env: environment,
      input: '',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // bash replaces itself with the last command, so a signal may be reported directly.
    const code = signal === null ? status : 128 + constants.signals[signal];
    // Old versions of mountpoint exit with 1.
    expect(needs === 'mountpoint' ? [1, 32] : [exitCode]).toContain(code);
  });
});
