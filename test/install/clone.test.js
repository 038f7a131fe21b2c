// A bare clone on a machine without a working C compiler: it says what that means, works, and builds the keeper later.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLACE = mkdtempSync(join(tmpdir(), 'hardshell-clone-'));
const CLONE = join(PLACE, 'clone');
const TOOLS = join(PLACE, 'tools');
const HOME = join(PLACE, 'home');
const BUILD_MS = 240_000;
const KEEPER = join(CLONE, `dist/native/${process.platform}-${process.arch}/keeper`);
const IS_COMPILER = /gcc|clang|^(?:cc|tcc|c[89]9|c\+\+|g\+\+|cpp)/;

/** Of the clone, with only the programs in TOOLS. */
function node(script, ...argv) {
  const env = { PATH: TOOLS, HOME };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(CLONE, script), ...argv], {
    cwd: CLONE,
    env,
    encoding: 'utf8',
    input: '',
  });
  return { status, stdout, stderr };
}

beforeAll(() => {
  for (const folder of [CLONE, TOOLS, HOME]) mkdirSync(folder, { mode: 0o700 });
  for (const path of ['bin', 'native', 'scripts', 'src', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(join(ROOT, path), join(CLONE, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(CLONE, 'node_modules'));
  for (const folder of ['/usr/local/bin', '/usr/bin', '/bin'])
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (!IS_COMPILER.test(name) && !existsSync(join(TOOLS, name))) link(join(folder, name));
}, BUILD_MS);
afterAll(() => rmSync(PLACE, { recursive: true }));

function link(path) {
  try {
    symlinkSync(path, join(TOOLS, basename(path)));
  } catch {}
}

test.skipIf(process.platform !== 'linux')(
  'without a compiler, with a broken one, and when one is installed',
  (context) => {
    // As on the first attempt, when this is another.
    for (const path of [join(CLONE, 'dist'), join(TOOLS, 'cc')]) rmSync(path, { recursive: true, force: true });
    const first = node('scripts/build.js');
    expect([first.status, first.stdout]).toEqual([0, '']);
    const [said, built] = first.stderr.split('hardshell: building dist/ …');
    expect(said).toMatch(/^hardshell: No C compiler was found \(musl-gcc, cc\)\. The keeper, .* is not built\./);
    expect(said).toMatch(/no background tasks and no limits/);
    expect(said).toMatch(/bubblewrap/);
    expect(said).toMatch(/To fix it: .+\n {2}The next `npm start` or `npm run build` then builds the keeper\.\n$/);
    expect(built).toMatch(/^\nhardshell: built in [\d.]+ s\n$/);
    expect(existsSync(KEEPER)).toBe(false);

    // What does not need it works; what runs says what it lacks.
    expect(node('bin/hardshell.js', 'check', 'ls -l').status).toBe(0);
    const { status, stdout } = node(
      'bin/hardshell.js',
      'run',
      '--sandbox',
      'unrestricted',
      '--yes',
      '--json',
      'echo hi',
    );
    expect([status, JSON.parse(stdout).output]).toEqual([0, 'hi\n']);
    expect(JSON.parse(stdout).enforcement.tier).toBe('none');
    expect(node('bin/hardshell.js', 'run', '--background', '--sandbox', 'unrestricted', '--yes', 'true').status).toBe(
      125,
    );
    expect(node('scripts/build.js')).toEqual({ status: 0, stdout: '', stderr: '' });

    // As a compiler without the headers of libc.
    const broken = join(TOOLS, 'cc');
    writeFileSync(broken, "#!/bin/sh\necho 'fatal error: stdio.h: No such file or directory' >&2\nexit 1\n");
    chmodSync(broken, 0o755);
    const second = node('scripts/build.js');
    expect(second.status).toBe(0);
    expect(second.stderr).toMatch(/^hardshell: a C compiler was found: building the keeper …\n/);
    expect(second.stderr).toMatch(
      /cc builds no program here: fatal error: stdio\.h: No such file or directory\. The keeper/,
    );
    expect(node('scripts/build.js')).toEqual({ status: 0, stdout: '', stderr: '' });

    rmSync(broken);
    const compiler = ['/usr/bin/cc', '/usr/local/bin/cc', '/bin/cc'].find((path) => existsSync(path));
    if (compiler === undefined) return context.skip('there is no compiler here to be installed');
    link(compiler);
    // What it starts by name.
    for (const name of readdirSync('/usr/bin')) if (/gcc|^(?:as|ld)/.test(name)) link(join('/usr/bin', name));
    const third = node('scripts/build.js');
    expect(third).toEqual({
      status: 0,
      stdout: '',
      stderr: 'hardshell: a C compiler was found: building the keeper …\nhardshell: built the keeper\n',
    });
    expect(existsSync(KEEPER)).toBe(true);
    expect(node('scripts/build.js')).toEqual({ status: 0, stdout: '', stderr: '' });
    const confined = JSON.parse(node('bin/hardshell.js', 'run', '--yes', '--json', 'echo hi').stdout);
    expect(confined.output).toBe('hi\n');
  },
  BUILD_MS,
);
