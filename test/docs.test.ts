// What the documents show is what happens: their snippets run, their outputs are compared, the files they name exist.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHECKS } from '../src/decide/checks/table.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = mkdtempSync(join(tmpdir(), 'hardshell-docs-'));
const { FORCE_COLOR: _, ...inherited } = process.env;
const ENV = { ...inherited, HOME: '/home/u', LANG: 'C.UTF-8', COLUMNS: '100', NO_COLOR: '1' };

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const documents = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true }).map((path) => `docs/${path}`),
].filter((path) => path.endsWith('.md'));

/** Code blocks of one language, with the line where each starts. */
function blocksOf(path: string, language: string): { path: string; name: string; code: string }[] {
  const text = read(path);
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => ({
    path,
    name: `${path}:${text.slice(0, match.index).split('\n').length}`,
    code: match[1] as string,
  }));
}

beforeAll(() => {
  mkdirSync(join(FOLDER, 'bin'));
  writeFileSync(
    join(FOLDER, 'bin/hardshell'),
    `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/hardshell.js')}" "$@"\n`,
    { mode: 0o755 },
  );
}, 60_000);
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** Times differ from run to run. */
const withoutTimes = (text: string) => text.replace(/[\d.,]+ µs/g, 'N µs').replace(/median of [\d,]+/g, 'median of N');

describe.each(documents.flatMap((path) => blocksOf(path, 'console')))('$name', ({ path, code }) => {
  const steps = code.split(/^\$ /m).filter((step) => step !== '');
  test.each(steps.map((step) => [step.slice(0, step.indexOf('\n')), step.slice(step.indexOf('\n') + 1)]))(
    '%s',
    (command, expected) => {
      const env = { ...ENV, PATH: `${join(FOLDER, 'bin')}:${process.env.PATH}` };
      const result = spawnSync('bash', ['-c', command], { cwd: FOLDER, env, encoding: 'utf8' });
      expect({ status: result.status, stderr: result.stderr }).toEqual({ status: 0, stderr: '' });
      const shown = result.stdout.replace(/^\n+|\s+$/g, '');
      // UPDATE_DOCS=1 npm test -- test/docs.test.ts writes what is printed now into the documents.
      if (process.env.UPDATE_DOCS)
        writeFileSync(
          join(ROOT, path),
          read(path).replace(expected, () => `${shown}\n`),
        );
      else expect(withoutTimes(`${shown}\n`)).toBe(withoutTimes(expected));
    },
  );
});

test('the first command of the README shows the whole flow', (context) => {
  const [, command] = /^```sh\nnpm start -- (.*)$/m.exec(read('README.md')) as RegExpExecArray;
  const home = join(FOLDER, 'home');
  mkdirSync(join(home, '.ssh'), { recursive: true });
  writeFileSync(join(home, '.ssh/id_ed25519'), 'a key');
  mkdirSync(join(FOLDER, 'examples'));
  writeFileSync(join(FOLDER, 'examples/curious.sh'), read('examples/curious.sh'));
  const env = { ...ENV, HOME: home, PATH: `${join(FOLDER, 'bin')}:${process.env.PATH}` };
  const { stderr } = spawnSync('bash', ['-c', `hardshell ${command}`], { cwd: FOLDER, env, encoding: 'utf8' });
  if (stderr.includes('not confined')) context.skip('nothing confines commands here');
  const [answer] = /^answer .*$/m.exec(read('README.md')) as RegExpExecArray;
  const told = [
    answer,
    'ASK · risk medium',
    '[no-rule]',
    'guarantees hold',
    'The sandbox refused:',
    'example.com:443',
    '.bashrc',
  ];
  for (const part of [...told, 'hello.txt (created)', 'audit show bash-']) expect(stderr).toContain(part);
  expect(stderr).not.toContain('a key');
  expect(existsSync(join(home, '.bashrc'))).toBe(false);
});

test('checks that documents and help texts name exist', () => {
  const known = new Set(CHECKS.map(({ id }) => id));
  const named = [...documents, 'schema/settings.schema.json', 'src/surfaces/cli/audit/register.ts'].flatMap((path) =>
    [...read(path).matchAll(/audit mark \S+ ([a-z-]+)|checks: \['([a-z-]+)'|id of a check, such as ([a-z-]+)/g)].map(
      ([, ...ids]) => ({ path, id: ids.find((id) => id !== undefined) ?? '' }),
    ),
  );
  expect(named.length).toBeGreaterThanOrEqual(4);
  expect(named.filter(({ id }) => !known.has(id))).toEqual([]);
});

// A comment after console.log is what it prints.
test.each(documents.flatMap((path) => blocksOf(path, 'js')))(
  '$name runs and prints what its comments say',
  ({ code }) => {
    const file = join(ROOT, '.cache/docs-snippet.mjs');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    // A snippet that never ends must not stop the tests.
    const options = { cwd: FOLDER, env: ENV, encoding: 'utf8', timeout: 120_000 } as const;
    const printed = execFileSync(process.execPath, [file], options);
    const expected = [...code.matchAll(/^ *console\.log\(.*\);? \/\/ (.*)$/gm)].map((match) => match[1]);
    expect(printed.trimEnd().split('\n')).toEqual(expected);
  },
);

/** Of other projects, in examples. */
const ELSEWHERE = ['dist/', 'src/main.rs'];

test('files that a document names exist', () => {
  const missing = documents.flatMap((path) => {
    const named = [...read(path).matchAll(/`((?:src|test|docs|scripts|bin|bench)\/[\w./-]+)`/g)].map(
      (match) => match[1] as string,
    );
    return named
      .filter((name) => !ELSEWHERE.includes(name) && !existsSync(join(ROOT, name)))
      .map((name) => `${path}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('links between documents lead somewhere', () => {
  const broken = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
      .filter((match) => !existsSync(resolve(ROOT, dirname(path), match[1] as string)))
      .map((match) => `${path}: ${match[1]}`),
  );
  expect(broken).toEqual([]);
});

test('the version is in the changelog', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')} `, 'm'));
});
