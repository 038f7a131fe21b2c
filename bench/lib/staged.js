// Projects for the benchmark of staged changes, and shells that run in them: direct, staged with landing, and held.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createShell, profileOf } from '../../dist/host.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const FILES_PER_FOLDER = 100;
/** Sources of this repository that a compiler is given. */
const C_FILES = 6;
const PACKAGES = 25;
const FILES_PER_PACKAGE = 220;

export function makeFiles(folder, count, text = (i) => `file ${i}\n`.repeat(20)) {
  for (let i = 0; i < count; i += 1) {
    const inner = join(folder, `folder-${Math.floor(i / FILES_PER_FOLDER)}`);
    if (i % FILES_PER_FOLDER === 0) mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, `file-${i}`), text(i));
  }
}

function git(cwd, ...argv) {
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, '-c', 'gc.auto=0', ...argv], { cwd, stdio: 'ignore' });
}

export function makeRepository(cwd) {
  makeFiles(cwd, 2000);
  git(cwd, 'init', '-q');
  for (const [key, value] of [
    ['user.name', 'bench'],
    ['user.email', 'bench@localhost'],
    ['gc.auto', '0'],
  ])
    git(cwd, 'config', key, value);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '-q', '-m', 'start');
}

export function makeTypeScript(cwd) {
  cpSync(join(repository, 'src/core'), join(cwd, 'src/core'), { recursive: true });
  const compilerOptions = {
    outDir: 'out',
    rootDir: 'src',
    target: 'esnext',
    module: 'nodenext',
    strict: true,
    rewriteRelativeImportExtensions: true,
    typeRoots: [join(repository, 'node_modules/@types')],
    types: ['node'],
  };
  const tsconfig = { compilerOptions, include: ['src'], exclude: ['**/*.test.ts'] };
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(tsconfig));
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type: 'module' }));
}

export const TSC = `node ${join(repository, 'node_modules/typescript/bin/tsc')} -p .`;

export function makeC(cwd) {
  const names = readdirSync(join(repository, 'native'));
  const sources = names.filter((name) => name.endsWith('.c')).slice(0, C_FILES);
  for (const name of [...sources, ...names.filter((name) => name.endsWith('.h'))])
    cpSync(join(repository, 'native', name), join(cwd, name));
}

/** Packages beside the project that `npm ci` unpacks without a registry: more than five thousand files. */
export function makePackages(cwd) {
  const folder = join(dirname(cwd), 'packages');
  const dependencies = {};
  for (let i = 0; i < PACKAGES; i += 1) {
    const [name, place] = [`bench-${i}`, join(folder, String(i))];
    mkdirSync(join(place, 'package/lib'), { recursive: true });
    writeFileSync(join(place, 'package/package.json'), JSON.stringify({ name, version: '1.0.0' }));
    for (let k = 1; k < FILES_PER_PACKAGE; k += 1)
      writeFileSync(join(place, `package/lib/${k}.js`), `exports.x = ${k};\n`.repeat(30));
    execFileSync('tar', ['czf', join(folder, `${name}.tgz`), '-C', place, 'package']);
    rmSync(place, { recursive: true });
    dependencies[name] = `file:../packages/${name}.tgz`;
  }
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'bench', version: '1.0.0', dependencies }));
  execFileSync('npm', ['install', '--package-lock-only', '--offline', '--no-audit', '--no-fund'], {
    cwd,
    stdio: 'ignore',
  });
}

export function makeArchive(cwd, count) {
  makeFiles(join(cwd, 'tree'), count);
  execFileSync('tar', ['cf', 'tree.tar', 'tree'], { cwd });
  rmSync(join(cwd, 'tree'), { recursive: true });
}

/** A shell of its own for each project, as each session has one. */
export function openProject(base, name, make) {
  const cwd = join(base, name.replaceAll(/\W+/g, '-'), 'project');
  mkdirSync(cwd, { recursive: true });
  make(cwd);
  const shell = createShell({
    ...profileOf(null).engine,
    recording: false,
    cwd,
    mode: 'bypass',
    hostEnvironment: process.env,
  });
  return { cwd, shell, close: () => shell.close() };
}

export async function runIn({ shell }, command, staging) {
  const result = await shell.run(command, { staging });
  const { exitCode, enforcement, changes, output } = result;
  if (exitCode !== 0) throw new Error(`${command}: exit code ${exitCode}: ${JSON.stringify(output).slice(-500)}`);
  if (enforcement.tier !== 'namespaces') throw new Error('staging needs user namespaces, which this machine has not');
  if (changes !== null && changes.heldBack.length > 0)
    throw new Error(`${command}: held back: ${changes.heldBack[0].path}: ${changes.heldBack[0].why}`);
  return result;
}

/** The most memory that a process has used until its end, in MB. */
export async function peakMegabytes(child) {
  let peak = 0;
  let isOver = false;
  const end = new Promise((resolve) => child.on('exit', resolve)).then(() => {
    isOver = true;
  });
  while (!isOver) {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {}
    await new Promise((resolve) => setImmediate(resolve));
  }
  await end;
  return peak;
}
