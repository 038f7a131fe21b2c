// The package as a user gets it: packed, installed into an empty folder without a network, and used from there.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-packed-')));
const TARBALLS = join(FOLDER, 'tarballs');
const USER = join(FOLDER, 'user');
const HOME = join(FOLDER, 'home');
const INSTALLED = join(USER, 'node_modules/hardshell');
// No server is there: any access to a registry would fail.
const ENV = {
  PATH: process.env.PATH,
  HOME,
  LANG: 'C.UTF-8',
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_cache: join(FOLDER, 'cache'),
  npm_config_userconfig: join(FOLDER, 'npmrc'),
};

/** What the package needs to run, directly or not, as the lock file has it. */
function dependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries<{ dev?: boolean; devOptional?: boolean }>(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path]) => path)
    .filter((path) => existsSync(join(ROOT, path)));
}

const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    env: ENV,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

beforeAll(() => {
  for (const folder of [TARBALLS, USER, HOME]) mkdirSync(folder);
  npm(ROOT, 'pack', '--pack-destination', TARBALLS, '.', ...dependencies().map((path) => `./${path}`));
  // A local folder of packed dependencies stands for the registry: versions are compared, nothing is fetched.
  const named = readdirSync(TARBALLS).map((file) => {
    const text = execFileSync('tar', ['xzOf', join(TARBALLS, file), 'package/package.json'], { encoding: 'utf8' });
    return [JSON.parse(text).name, `file:../tarballs/${file}`];
  });
  const manifest = { name: 'user', private: true, type: 'module', dependencies: Object.fromEntries(named) };
  writeFileSync(join(USER, 'package.json'), JSON.stringify(manifest));
  npm(USER, 'install', '--offline');
}, 180_000);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

function run(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: USER, env: ENV, encoding: 'utf8' });
  return { status, stdout, stderr };
}
const cli = (...args: string[]) => run(join(USER, 'node_modules/.bin/hardshell'), ...args);

test('it carries what it needs, and nothing of the workshop', () => {
  const top = readdirSync(INSTALLED)
    .filter((name) => name !== '.cache')
    .sort();
  expect(top).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'docs', 'package.json', 'schema']);
  const files = readdirSync(join(INSTALLED, 'dist'), { recursive: true }) as string[];
  expect(files.filter((path) => /\.test\.|\.ts$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
  // The program is there once, as a bundle.
  expect(existsSync(join(INSTALLED, 'dist/program/main.cjs'))).toBe(true);
  expect(files.filter((path) => /^surfaces\/(?!adapters)/.test(path) && path.endsWith('.js'))).toEqual([
    'surfaces/dashboard/assets/page.js',
  ]);
});

describe('the command line', () => {
  test('knows its version and judges', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(cli('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect(cli('check', 'ls -l').status).toBe(0);
    expect(cli('check', 'rm -rf /').status).toBe(1);
    expect(cli('check', 'npm install x').status).toBe(3);
    expect(cli('explain', 'git status').stdout).toContain('git status');
  });

  test('runs a command', () => {
    const { status, stdout } = cli('run', '--json', 'echo out; echo err >&2; exit 3');
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 3 });
  });

  test('says what an agent should start, and that is this copy', () => {
    const { stdout, stderr } = cli('install', 'cursor', '--dry-run', '--json');
    expect(stderr).toMatch(/is inside this project, so a command that may write here can change hardshell itself/);
    const { argv } = JSON.parse(stdout);
    expect(argv).toEqual([process.execPath, join(INSTALLED, 'bin/hardshell.js'), 'mcp']);
  });
});

test('the library can be imported', () => {
  writeFileSync(
    join(USER, 'use.js'),
    `import { analyze, check, createShell } from 'hardshell';
     const { verdict } = check('cat a > b', { cwd: '/w' });
     console.log(JSON.stringify([analyze('ls').readOnly, verdict.decision, typeof createShell]));`,
  );
  expect(run(process.execPath, 'use.js')).toEqual({ status: 0, stdout: '[true,"ask","function"]\n', stderr: '' });
});

describe('its types', () => {
  const compile = (file: string, ...args: string[]) =>
    run(
      process.execPath,
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      ...'--strict --module nodenext --types node'.split(' '),
      ...['--typeRoots', join(ROOT, 'node_modules/@types')],
      ...args,
      file,
    );

  test('are found, and are right', () => {
    writeFileSync(
      join(USER, 'use.ts'),
      `import { check, type Verdict } from 'hardshell';
       const verdict: Verdict = check('ls').verdict;
       // @ts-expect-error: there is no such verdict.
       const wrong: 'perhaps' = verdict.decision;
       export { wrong };`,
    );
    expect(compile('use.ts', '--noEmit', '--target', 'es2022')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('know of `await using`, also with an old lib', () => {
    writeFileSync(
      join(USER, 'using.ts'),
      `import { createBroker, createShell } from 'hardshell';
       import { openAudit } from 'hardshell/audit';
       using broker = createBroker();
       await using audit = openAudit();
       await using shell = createShell({ broker, cwd: '/', timeout: 60_000 });
       console.log((await shell.run('pwd')).output.trim(), typeof audit.close);`,
    );
    const built = compile('using.ts', '--target', 'es2022', '--lib', 'es2022');
    expect(built).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(run(process.execPath, 'using.js')).toEqual({ status: 0, stdout: '/ function\n', stderr: '' });
  });
});

test('the keeper is there and keeps', (context) => {
  const native = join(INSTALLED, `dist/native/${process.platform}-${process.arch}`);
  if (!existsSync(native)) context.skip('no C compiler was there when this was built');
  writeFileSync(
    join(USER, 'keep.js'),
    `import { createShell } from 'hardshell';
     const shell = createShell();
     const { enforcement, exitCode } = await shell.run('true');
     console.log(exitCode, enforcement.tier !== 'none');
     await shell.close();`,
  );
  const { status, stdout, stderr } = run(process.execPath, 'keep.js');
  expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: '', stdout: '0 true\n' });
});
