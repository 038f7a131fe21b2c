// Help teaches: every verb shows examples, fits 80 columns, and a slip of the finger is answered with what was meant.

import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.js')], { stdio: 'pipe' });
}, 60_000);

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin/hardshell.js'), ...args], {
    env: { PATH: process.env.PATH, HOME: '/home/u', COLUMNS: '80' },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const VERBS =
  'explain check analyze hook run tasks config pending approve deny install init completions test audit'.split(' ');

describe.each(VERBS)('hardshell %s --help', (verb) => {
  test('has at least two examples of itself', () => {
    const { status, stdout, stderr } = run(verb, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const examples = stdout.slice(stdout.indexOf('Examples:'));
    expect(examples.match(new RegExp(`hardshell (?:${verb}|approve|tasks)\\b`, 'g'))?.length).toBeGreaterThanOrEqual(2);
  });
});

test('the first page lists every verb, where to start, and the exit codes, in 80 columns', () => {
  const { stdout } = run('--help');
  for (const verb of VERBS) expect(stdout).toMatch(new RegExp(`^  ${verb}\\b`, 'm'));
  expect(stdout).toMatch(/Start here:[\s\S]*Exit codes: 0 done; 2 a mistake/);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each(['check', 'explain', 'analyze', 'hook', 'install', 'init', 'completions'])('%s fits 80 columns', (verb) => {
  expect(
    run(verb, '--help')
      .stdout.split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([]);
});

test.each([
  [['chek', 'ls'], /Unknown command 'chek' \(Did you mean check\?\)/],
  [['check', '--jsn', 'ls'], /Unknown option '--jsn' \(Did you mean --json\?\)/],
  [['isntall'], /Did you mean install\?/],
  [['config', 'sho'], /Did you mean show\?/],
])('%j', (args, message) => {
  expect(run(...args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(message) });
});

test('the quick file and the whole program say the same', () => {
  const whole = (...args: string[]) => {
    const main = JSON.stringify(join(ROOT, 'dist/surfaces/cli/main.js'));
    const code = `import(${main}).then(({ main }) => main(process.argv.slice(1)))`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', code, '--', ...args], {
      env: { PATH: process.env.PATH, HOME: '/home/u', COLUMNS: '80' },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  for (const args of [
    ['check', '--help'],
    ['check', 'git push --force && npm run x; kubectl delete pod a | tee b'],
    ['check', '--json', 'docker run -v /:/h alpine sh -c "rm -rf /h"; ip link; npm publish; find . -delete'],
    ['check', '--nope'],
    ['analyze', '--json', 'tar xzf a.tgz -C /tmp && make -j4 && sudo systemctl restart x'],
    ['explain', '--no-color', 'nosuchprogram --x | sort'],
    ['hook', '--help'],
    ['--version'],
  ]) {
    // Times differ from run to run.
    const plain = ({ stdout, ...rest }: { stdout: string }) => ({
      ...rest,
      stdout: stdout.replace(/[\d.,]+ (?:µs|us)|median of [\d,]+/g, 'T'),
    });
    expect(plain(run(...args))).toEqual(plain(whole(...args)));
  }
}, 60_000);
