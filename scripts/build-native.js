// Builds native/ into a folder: `keeper`, and `keeper.json` with its hash and how it was made.
// Without a compiler, or on other systems than Linux, it builds nothing and says so: the Node runner is then used, with fewer guarantees.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const nativeFolder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'native');

const WARNINGS = [
  '-Wall',
  '-Wextra',
  '-Werror',
  '-Wshadow',
  '-Wconversion',
  '-Wno-sign-conversion',
  '-Wstrict-prototypes',
];
const HARDENING = ['-fstack-protector-strong', '-s', '-Wl,-z,relro', '-Wl,-z,now', '-Wl,-z,noexecstack'];
const SANITIZERS = [
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
  '-fno-omit-frame-pointer',
  '-g',
  '-O1',
];
/** In order of preference: a static binary runs on any distribution and starts, and forks, faster. */
const BUILDS = [
  { compiler: 'musl-gcc', flags: ['-O2', ...HARDENING, '-static'] },
  { compiler: 'cc', flags: ['-O2', ...HARDENING, '-D_FORTIFY_SOURCE=2', '-fPIE', '-pie'] },
];
export const COMPILERS = BUILDS.map(({ compiler }) => compiler);
/** For other machines; these builds are not run here. */
const CROSS_BUILDS = {
  x64: [{ compiler: 'x86_64-linux-gnu-gcc', flags: ['-O2', ...HARDENING, '-static'] }],
  arm64: [{ compiler: 'aarch64-linux-gnu-gcc', flags: ['-O2', ...HARDENING, '-static'] }],
};
const SANITIZED = [{ compiler: 'cc', flags: SANITIZERS }];

/** C sources and headers, sorted. */
export function nativeSources() {
  return readdirSync(nativeFolder)
    .filter((name) => /\.[ch]$/.test(name))
    .sort()
    .map((name) => join(nativeFolder, name));
}

function compile({ compiler, flags }, output) {
  const sources = nativeSources().filter((path) => path.endsWith('.c'));
  const argv = ['-std=c11', ...WARNINGS, ...flags, '-o', output, ...sources];
  const { status, error, stderr } = spawnSync(compiler, argv, { encoding: 'utf8' });
  if (error?.code === 'ENOENT') return { ok: false, isMissing: true, message: `${compiler} was not found` };
  if (status === 0) return { ok: true, isMissing: false, message: '' };
  const broken = findBrokenToolchain({ compiler, flags }, output);
  if (broken !== null) return { ok: false, isMissing: true, message: `${compiler} builds no program here: ${broken}` };
  return { ok: false, isMissing: false, message: error?.message ?? stderr };
}

const SMALLEST = '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n';

/** What a compiler without its headers or libraries says about any program; `null` when it works. */
function findBrokenToolchain({ compiler, flags }, output) {
  const argv = ['-std=c11', ...flags, '-o', output, '-x', 'c', '-'];
  const { status, error, stderr } = spawnSync(compiler, argv, { input: SMALLEST, encoding: 'utf8' });
  if (status === 0) return null;
  // First what it printed: a compiler that ends before it reads its input leaves EPIPE as the error.
  return stderr.split('\n').find((line) => /error|cannot/.test(line)) ?? error?.message ?? `exit code ${status}`;
}

/** A program linked by an incomplete toolchain may not even start. */
function isRunnable(path) {
  return spawnSync(path, [], { stdio: ['ignore', 'ignore', 'ignore', 'ignore'] }).status === 64;
}

/**
 * @param {string} folder where `keeper` and `keeper.json` go
 * @param {{ sanitize?: boolean, arch?: string }} [options] `sanitize`: with ASan and UBSan, for tests; `arch`: for another
 * machine, as `process.arch` names it
 * @returns {{ ok: true, path: string, compiler: string } | { ok: false, reason: string, isMissing: boolean }}
 */
export function buildNative(folder, { sanitize = false, arch = process.arch } = {}) {
  if (process.platform !== 'linux') return { ok: false, isMissing: true, reason: 'the keeper needs Linux' };
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `keeper-${process.pid}`);
  const failures = [];
  const isForeign = arch !== process.arch;
  for (const build of isForeign ? (CROSS_BUILDS[arch] ?? []) : sanitize ? SANITIZED : BUILDS) {
    const result = compile(build, draft);
    if (result.ok && (isForeign || isRunnable(draft))) {
      const path = join(folder, 'keeper');
      const sha256 = createHash('sha256').update(readFileSync(draft)).digest('hex');
      renameSync(draft, path);
      writeFileSync(join(folder, 'keeper.json'), `${JSON.stringify({ sha256, ...build }, null, 2)}\n`);
      return { ok: true, path, compiler: build.compiler };
    }
    failures.push({ ...result, message: result.ok ? `${build.compiler}: the program does not run` : result.message });
  }
  rmSync(draft, { force: true });
  return {
    ok: false,
    isMissing: failures.every((failure) => failure.isMissing),
    reason: failures.map((failure) => failure.message.trim()).join('\n'),
  };
}
