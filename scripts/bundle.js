// `node scripts/bundle.js FOLDER`: src/ → what the program needs besides the library: FOLDER/program (the command line, the
// MCP server, and the proxy of background tasks) and FOLDER/surfaces/dashboard/assets (the page). docs/decisions/0010-cold-start.md says why and how.
//
// esbuild splits the program into chunks at `import()`. Each chunk becomes a CommonJS function, since Node 20 can
// cache only compiled scripts, and the functions go into files: small chunks into main.cjs, large ones into their own.
// The forms that agents use for every command are bundled separately into plain.cjs and plain-run.cjs, with only what they use.

import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { rowsAsData, toAscii } from './bundle-rows.js';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Packages that find their own files by their location, and one that may be missing. */
const EXTERNAL = ['node-sqlite3-wasm', '@silvia-odwyer/photon-node', '@opentelemetry/api'];
const MAIN = 'src/surfaces/cli/main.ts';
/** File of dist/program → its entry. */
const PLAIN = { plain: 'src/surfaces/cli/verbs/plain.ts', 'plain-run': 'src/surfaces/cli/verbs/plain-run.ts' };
/** Reading source that a verb does not need costs about a millisecond per megabyte. */
const LARGE_BYTES = 150_000;

const ALWAYS_LOADED = new Set([
  'node:fs',
  'node:path',
  'node:url',
  'node:vm',
  'node:events',
  'node:buffer',
  'node:util',
]);

/** Work that packages do on load and that we do not need. Each text must occur exactly once. */
const PATCHES = [
  // commander can start verbs that are separate programs.
  [/[\\/]commander[\\/]lib[\\/]command\.js$/, "require('node:child_process')", '{}'],
  // picocolors inspects standard output, which creates a stream; we tell it whether there are colors.
  [/[\\/]picocolors[\\/]picocolors\.js$/, '(p.stdout || {}).isTTY', 'false'],
  [/[\\/]picocolors[\\/]picocolors\.js$/, 'module.exports = createColors()', 'module.exports = {}'],
  // unbash creates a decoder; few commands have bytes to decode.
  [/[\\/]unbash[\\/]dist[\\/]ansi-c\.js$/, 'const utf8 = new TextDecoder(', 'const utf8 = () => new TextDecoder('],
  [/[\\/]unbash[\\/]dist[\\/]ansi-c\.js$/, 'utf8.decode(', 'utf8().decode('],
];

async function bundleProgram(folder) {
  const rows = await rowsAsData(ROOT);
  const options = {
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    external: EXTERNAL,
    write: false,
    logLevel: 'error',
  };
  const plugins = [rows.plugin, patchSources(), jsoncWithoutSideEffects()];
  const main = await build({ ...options, entryPoints: [MAIN], splitting: true, metafile: true, plugins });
  const chunks = new Map(main.outputFiles.map(({ path, text }) => [basename(path, '.js'), text]));
  const places = new Map([...chunks].map(([name, text]) => [name, text.length > LARGE_BYTES ? name : 'main']));
  for (const [name, entry] of Object.entries(PLAIN)) {
    const alone = await build({ ...options, entryPoints: [entry], plugins: [leaveToMain(main.metafile), ...plugins] });
    chunks.set(name, alone.outputFiles[0].text);
    places.set(name, name);
  }

  const files = new Map();
  for (const [name, text] of chunks) {
    const file = places.get(name);
    const code = await toFunction(text, places);
    files.set(file, [...(files.get(file) ?? []), `${JSON.stringify(`${file}/${name}`)}:${code}`]);
  }
  // Files of one build have the same digest; it comes first in each, and names the compile cache.
  const digest = createHash('sha256').update(JSON.stringify([...files]));
  const head = `/*${digest.digest('hex').slice(0, 32)}*/`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, rows.file.name), rows.file.data);
  for (const [name, functions] of files)
    writeFileSync(
      join(folder, `${name}.cjs`),
      `${head}(function(bundleFolder,moduleUrl,monotonicMs){return{${functions}}})`,
    );
}

/** What the plain forms rarely need, and then load, is in the chunks of the whole program. */
function leaveToMain({ outputs }) {
  const chunks = new Map(Object.entries(outputs).map(([path, { entryPoint }]) => [entryPoint, `./${basename(path)}`]));
  return {
    name: 'main',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) =>
        kind === 'dynamic-import'
          ? { path: chunks.get(relative(ROOT, join(resolveDir, path))), external: true }
          : undefined,
      );
    },
  };
}

/** One chunk as a CommonJS function; `places` says in which file each chunk is. */
async function toFunction(text, places) {
  const options = { platform: 'node', target: 'node20', supported: { 'dynamic-import': false } };
  const { code } = await transform(text, { ...options, format: 'cjs' });
  const placed = code.replaceAll(
    /require\("\.\/([\w-]+)\.js"\)/g,
    (_, name) => `require("./${places.get(name)}/${name}")`,
  );
  const small = await transform(withLazyBuiltins(placed), { ...options, format: 'cjs', minify: true });
  return `function(exports,require,module){${toAscii(small.code)}}`;
}

/** Node's own modules are loaded on first use; those that every start loads are not changed. */
function withLazyBuiltins(code) {
  return code.replaceAll(/^var (import_\w+) = require\("(node:[\w/]+)"\);$/gm, (whole, variable, name) => {
    if (ALWAYS_LOADED.has(name)) return whole;
    const used = new Set([...code.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'))].map(([, member]) => member));
    const getters = [...used].map((member) => `get ${member}() { return (loaded ??= require("${name}")).${member}; }`);
    return `var ${variable} = ((loaded) => ({ ${getters.join(', ')} }))();`;
  });
}

/** Every change to a source: patches of packages, URLs of modules, the clock, no examples. */
function patchSources() {
  return {
    name: 'patches',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => {
        const patches = PATCHES.filter(([filter]) => filter.test(path));
        const isOurs = path.startsWith(join(ROOT, 'src'));
        if (!isOurs && patches.length === 0) return undefined;
        let contents = readFileSync(path, 'utf8');
        for (const patch of patches) {
          if (contents.split(patch[1]).length !== 2) throw new Error(`${path} does not contain this once: ${patch[1]}`);
          contents = contents.replace(patch[1], patch[2]);
        }
        if (isOurs) contents = withPlainClock(withoutExamples(path, withAddress(path, contents)));
        return { contents, loader: path.endsWith('ts') ? 'ts' : 'js', resolveDir: dirname(path) };
      });
    },
  };
}

/** A chunk is in another place than its modules: each keeps the URL that it has in dist/. */
function withAddress(path, text) {
  const place = relative(join(ROOT, 'src'), path).replaceAll('\\', '/').replace(/\.ts$/, '.js');
  return text.replaceAll('import.meta.url', `moduleUrl(${JSON.stringify(place)})`);
}

/** Only differences count, and Node's `performance` would load nine modules. */
function withPlainClock(text) {
  return text.replaceAll('performance.now()', 'monotonicMs()');
}

/** Examples of checks are for tests and documents. Each ends at a line with the same indentation as its start. */
function withoutExamples(path, text) {
  if (!/[\\/]src[\\/]decide[\\/]/.test(path)) return text;
  return text.replace(/^( *)examples: \{(?: .*|\n[\s\S]*?\n\1)\},$/gm, '');
}

/** jsonc-parser creates a thousand strings for edits on load, and does not mark them as side-effect free. */
function jsoncWithoutSideEffects() {
  return {
    name: 'jsonc',
    setup(build) {
      build.onResolve({ filter: /^jsonc-parser$|^\.\/impl\// }, async ({ path, pluginData, ...rest }) => {
        const isJsonc = path === 'jsonc-parser' || /[\\/]jsonc-parser[\\/]/.test(rest.importer);
        if (pluginData === 'jsonc' || !isJsonc) return null;
        return { ...(await build.resolve(path, { ...rest, pluginData: 'jsonc' })), sideEffects: false };
      });
    },
  };
}

/** The proxy of a background task: a program of its own, with only what it needs. */
async function bundleProxy(folder) {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/confine/network/background/process.ts'],
    outfile: join(folder, 'background-proxy.cjs'),
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'error',
  });
}

async function bundlePage(folder) {
  const source = join(ROOT, 'src/surfaces/dashboard/page');
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: ['main.tsx', 'page.css'].map((name) => ({ in: join(source, name), out: 'page' })),
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'eof',
    logLevel: 'error',
  });
  for (const name of ['page.html', 'icon.svg']) copyFileSync(join(source, name), join(folder, name));
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('hardshell: name the folder to write to: bundle.js FOLDER\n');
  process.exit(2);
}
await Promise.all([
  bundleProgram(join(folder, 'program')),
  bundleProxy(join(folder, 'program')),
  bundlePage(join(folder, 'surfaces/dashboard/assets')),
]);
