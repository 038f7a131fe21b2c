// Before the first test: dist/ is built, and the programs that tests start by the hundred are one file each, since Node takes
// seven times as long to load the modules of dist/ one by one.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ready, root } from '../scripts/ready.js';

/** Each becomes .cache/hosts/NAME.mjs, for test/NAME/host.js; test/programs.ts names them for the tests. */
const HOSTS = ['approving', 'running', 'sandboxed'];
const FOLDER = join(root, '.cache/hosts');
/** Packages that find files of their own by where they lie, and one that may be missing. */
const EXTERNAL = ['node-sqlite3-wasm', '@silvia-odwyer/photon-node', '@opentelemetry/api'];

export default async function setup() {
  ready();
  await bundleHosts();
  return usePrivateRuntimeFolder();
}

/** Other processes of the user must not see, or answer, the questions of tests. Returns how to remove it. */
function usePrivateRuntimeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-run-'));
  process.env.HARDSHELL_RUNTIME_DIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

async function bundleHosts() {
  const stamp = join(FOLDER, 'made-of');
  const key = keyOf([join(root, '.cache/built'), fileURLToPath(import.meta.url), ...HOSTS.map(sourceOf)]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return;
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(HOSTS.map((name) => [name, sourceOf(name)])),
    outdir: FOLDER,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: EXTERNAL,
    banner: {
      js: "import { createRequire as forPackages } from 'node:module'; const require = forPackages(import.meta.url);",
    },
    plugins: [keepUrls],
    write: false,
    logLevel: 'error',
  });
  mkdirSync(FOLDER, { recursive: true });
  for (const { path, contents } of outputFiles) replaceFile(path, contents);
  replaceFile(stamp, key);
}

function sourceOf(name) {
  return join(root, 'test', name, 'host.js');
}

function keyOf(files) {
  const digest = createHash('sha256');
  for (const file of files) digest.update(readFileSync(file)).update('\0');
  return digest.digest('hex');
}

/** Another run may start one of them at this moment. */
function replaceFile(path, contents) {
  const draft = join(FOLDER, `${process.pid}-${basename(path)}`);
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** Modules that look for files beside themselves find them where they are in dist/. */
const keepUrls = {
  name: 'keep-urls',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'js' };
    });
  },
};
