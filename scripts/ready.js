// Prepares a bare clone: dependencies installed, dist/ built; does nothing if both are current.
// Plain JavaScript without dependencies: it runs before anything is installed, and npm runs no pre/post scripts here.
// Prints to stderr only, and only if there is work; one process works at a time, the others wait for it.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildNative, COMPILERS, nativeSources } from './build-native.js';
import { withLock } from './lock.js';
import { explainMissingKeeper, hasCompiler, toolchainKey } from './toolchain.js';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installStamp = join(root, 'node_modules/.hardshell-installed');
const buildStamp = join(root, '.cache/built');
const keeperFolder = `native/${process.platform}-${process.arch}`;
/** Which compilers there were when the keeper could not be built. */
const withoutKeeper = join(root, '.cache/without-keeper');

/** Ends the process with a message instead of a stack trace. */
class NotReady extends Error {}

export function ready({ build = true } = {}) {
  try {
    if (Number(process.versions.node.split('.')[0]) < 20) {
      throw new NotReady(
        `hardshell needs Node 20 or newer; this is ${process.version}. Install a newer Node and try again.`,
      );
    }
    if (!isInstalled() || (build && (!isBuilt() || canAddKeeper()))) {
      withLock(join(root, '.cache/ready.lock'), say, () => {
        if (!isInstalled()) install();
        if (build && !isBuilt()) compile();
        else if (build && canAddKeeper()) addKeeper();
      });
    }
  } catch (error) {
    if (error instanceof NotReady) say(error.message);
    else say(`could not prepare ${root}: ${error.message}. Is the folder writable?`);
    process.exit(1);
  }
}

function say(message) {
  process.stderr.write(`hardshell: ${message}\n`);
}

function read(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
}

function hash(parts) {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  return digest.digest('hex');
}

function installKey() {
  return hash([read('package-lock.json'), process.platform, process.arch]);
}

function isInstalled() {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const names = Object.keys({ ...dependencies, ...devDependencies });
  if (!names.every((name) => existsSync(join(root, 'node_modules', name, 'package.json')))) return false;
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === installKey()) return true;
  // npm was run by hand: npm's own record says whether the installed packages match the lock file.
  const present = JSON.parse(read('node_modules/.package-lock.json') || '{}').packages ?? {};
  const wanted = Object.entries(JSON.parse(read('package-lock.json')).packages);
  if (!wanted.every(([path, entry]) => path === '' || entry.optional || present[path]?.version === entry.version))
    return false;
  writeFileSync(installStamp, installKey());
  return true;
}

function install() {
  const started = Date.now();
  say('installing dependencies (npm ci) …');
  const byNode = process.env.npm_execpath?.endsWith('.js');
  const argv = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const npm = byNode
    ? spawnSync(process.execPath, [process.env.npm_execpath, ...argv], { cwd: root, encoding: 'utf8' })
    : spawnSync('npm', argv, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  if (npm.error?.code === 'ENOENT')
    throw new NotReady('npm was not found. Install it (it comes with Node.js) and try again.');
  if (npm.signal) throw new NotReady(`npm ci was stopped by ${npm.signal}. Run the same command again.`);
  if (npm.error || npm.status !== 0) {
    const output = `${npm.stdout ?? ''}${npm.stderr ?? ''}`;
    const said = output.split('\n').filter((line) => line.trim() !== '' && !/^npm error\s+at /.test(line));
    const head = said.slice(0, 8).join('\n');
    throw new NotReady(`npm ci failed.\n${head || npm.error?.message}\nhardshell: ${installHint(output)}`);
  }
  writeFileSync(installStamp, installKey());
  say(`installed in ${seconds(started)}`);
}

function installHint(output) {
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|network/i.test(output)) {
    return 'the npm registry cannot be reached. Check the network or proxy, then run the same command again.';
  }
  if (/ENOSPC/.test(output)) return 'the disk is full. Free some space, then run the same command again.';
  if (/EACCES|EPERM|EROFS/.test(output)) return 'the folder or the npm cache is not writable by this user.';
  return 'run `npm ci` by hand to see the whole output.';
}

function* sourceFiles(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (/\.(?:tsx?|css|html|svg)$/.test(path) && !path.endsWith('.test.ts')) yield path;
  }
}

function buildKey() {
  const scripts = ['scripts/build-native.js', 'scripts/bundle.js', 'scripts/bundle-rows.js'];
  const native = [...scripts, ...nativeSources().map((path) => relative(root, path))];
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', ...native, ...sourceFiles('src')];
  return hash(files.flatMap((path) => [path, read(path)]));
}

function isBuilt() {
  const [built, entry] = [buildStamp, join(root, 'dist/index.js')];
  return existsSync(built) && existsSync(entry) && readFileSync(built, 'utf8') === buildKey();
}

// Compiles next to dist/ and swaps: a failed build leaves the last good one, and no process reads half-written files.
function compile() {
  const started = Date.now();
  const fresh = join(root, `.cache/dist-${process.pid}`);
  const old = join(root, `.cache/old-${process.pid}`);
  const key = buildKey();
  if (process.platform === 'linux' && !hasCompiler())
    say(explainMissingKeeper(`No C compiler was found (${COMPILERS.join(', ')})`));
  say('building dist/ …');
  try {
    const tsc = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--outDir', fresh], {
      cwd: root,
      encoding: 'utf8',
    });
    if (tsc.error || tsc.status !== 0) {
      throw new NotReady(`the build failed. Fix the errors below.\n${tsc.stdout ?? ''}${tsc.stderr ?? ''}`.trim());
    }
    bundle(fresh);
    compileNative(join(fresh, keeperFolder));
    rmSync(buildStamp, { force: true });
    if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
    renameSync(fresh, join(root, 'dist'));
    writeFileSync(buildStamp, key);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
  say(`built in ${seconds(started)}`);
}

// A separate process: the bundler is not available before the dependencies are installed.
function bundle(folder) {
  const script = join(root, 'scripts/bundle.js');
  const { status, stderr, error } = spawnSync(process.execPath, [script, folder], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new NotReady(`scripts/bundle.js failed.\n${stderr ?? ''}${error?.message ?? ''}`.trim());
}

// A missing compiler is not a failure: the Node runner then runs commands, and reports what it cannot guarantee.
function compileNative(folder) {
  const key = toolchainKey();
  rmSync(withoutKeeper, { force: true });
  const built = buildNative(folder);
  if (built.ok) return true;
  rmSync(folder, { recursive: true, force: true });
  if (!built.isMissing)
    throw new NotReady(`the build of native/ failed: fix what the compiler reports.\n${built.reason}`);
  writeFileSync(withoutKeeper, key);
  // Without any compiler it was said before the build.
  if (process.platform !== 'linux' || hasCompiler()) say(explainMissingKeeper(built.reason.replaceAll('\n', '; ')));
  return false;
}

/** The keeper is missing, and the compilers have changed since: one was installed, or completed. */
function canAddKeeper() {
  if (process.platform !== 'linux' || existsSync(join(root, 'dist', keeperFolder, 'keeper'))) return false;
  return hasCompiler() && (!existsSync(withoutKeeper) || readFileSync(withoutKeeper, 'utf8') !== toolchainKey());
}

function addKeeper() {
  const fresh = join(root, `.cache/native-${process.pid}`);
  say('a C compiler was found: building the keeper …');
  try {
    if (!compileNative(fresh)) return;
    const place = join(root, 'dist', keeperFolder);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(dirname(place), { recursive: true });
    renameSync(fresh, place);
    say('built the keeper');
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function seconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`;
}
