// `node scripts/build-quick.js FOLDER`: src/ → quick.cjs, the verbs that are asked once per command in one small file, and
// server.cjs, the MCP server in one file.
// Two things differ from src/: the rows of commands are data that is read when it is needed, and addresses of modules are
// computed from where the file lies. `--rows` writes what takes the place of the rows besides, for a test to compare.
// Why all this: docs/decisions/0010-cold-start.md.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const ENTRY = 'src/surfaces/cli/verbs/quick-start.ts';
const SERVER_ENTRY = 'src/surfaces/cli/verbs/server-start.ts';
/** Packages that find files of their own by where they lie; seldom used, and loaded then. */
const SEPARATE = ['node-sqlite3-wasm', '@silvia-odwyer/photon-node', '@opentelemetry/api'];
const ROWS = 'src/analyze/commands/table.ts';
/** Needed once the answer is out, if at all: in the first file it would cost every start. */
const LATER = 'src/surfaces/cli/hook/recording.ts';

/** Writes quick.cjs, server.cjs and later.cjs into a folder that becomes dist/quick. */
async function buildQuick(root, folder) {
  const common = commonOptions(root);
  const rows = rowsModule(await readRows(common));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, rows.file), rows.data);
  const plugins = [replaceRows(root, rows.code), placeModules(root), forgetPrograms(), forgetTerminal()];
  const shared = { ...common, format: 'cjs', minify: true, legalComments: 'none', plugins };
  const quick = await build({
    ...shared,
    entryPoints: [ENTRY],
    // Asking people needs most of the library: bin/hardshell.js does not come here for that.
    external: ['*/ask.ts'],
    // A script cannot import, but it is given the `require` of bin/hardshell.js.
    supported: { 'dynamic-import': false },
    plugins: [leaveLater(), ...plugins],
  });
  const server = await build({
    ...shared,
    entryPoints: [SERVER_ENTRY],
    external: SEPARATE,
    supported: { 'dynamic-import': false },
  });
  const later = await build({ ...shared, entryPoints: [LATER], plugins: [placeModules(root)] });
  writeFileSync(join(folder, 'later.cjs'), later.outputFiles[0].text);
  write('quick.cjs', quick);
  write('server.cjs', server);

  // The loader finds the compiled form by this name; V8 itself compares only the length of the text.
  function write(name, { outputFiles }) {
    const code = toAscii(outputFiles[0].text);
    const head = `/*${digestOf(code)}*/(function(exports,require,module,__filename,__dirname){`;
    writeFileSync(join(folder, name), `${head}${code}\n})`);
  }
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Its loader reads one byte as one character. Strings are escaped already; what is left stands in regular expressions. */
function toAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function commonOptions(root) {
  return {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    write: false,
    logLevel: 'silent',
  };
}

/** Every row of every family, as the table itself builds them. */
async function readRows(common) {
  const { outputFiles } = await build({ ...common, entryPoints: [ROWS], format: 'esm' });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
  const { allCommands } = await import(url);
  return allCommands();
}

function replaceRows(root, code) {
  return {
    name: 'rows',
    setup(build) {
      build.onLoad({ filter: /[\\/]analyze[\\/]commands[\\/]table\.ts$/ }, ({ path }) => {
        if (relative(root, path).replaceAll('\\', '/') !== ROWS) return undefined;
        return { contents: code, loader: 'js' };
      });
    },
  };
}

// Rows share most of their options. Each part that several may share is a piece of JSON that refers to others by number.
// The pieces lie in a file beside, and those are read that the programs of a command need. They are found by searching and
// counting in two texts: building a map of them would cost more than one command ever looks up.
function rowsModule(rows) {
  const numbers = new Map();
  const names = [...rows].map(([name, row]) => `\n${name} ${partOf(row, numbers).$}`).join('');
  const pieces = [...numbers.keys()].map(toAscii);
  const ends = [];
  for (const piece of pieces) ends.push((ends.at(-1) ?? 0) + piece.length);
  const width = String(ends.at(-1)).length;
  const data = pieces.join('');
  // Named by what is in it: a build in between cannot mix its rows with those of another.
  const file = `rows-${digestOf(data)}.txt`;
  const code = `
import { openSync, readSync } from 'node:fs';
import { join } from 'node:path';
const NAMES = ${JSON.stringify(`${names}\n`)};
const ENDS = ${JSON.stringify(ends.map((end) => String(end).padStart(width)).join(''))};
const parts = [];
let file;
export function findCommand(name) {
  const at = /\\s/.test(name) ? -1 : NAMES.indexOf('\\n' + name + ' ');
  if (at === -1) return null;
  const start = at + name.length + 2;
  return partAt(Number.parseInt(NAMES.slice(start, NAMES.indexOf('\\n', start)), 10));
}
function partAt(number) {
  return (parts[number] ??= filled(JSON.parse(pieceAt(number))));
}
function pieceAt(number) {
  const start = number === 0 ? 0 : endOf(number - 1);
  const bytes = Buffer.allocUnsafe(endOf(number) - start);
  file ??= openSync(join(__dirname, ${JSON.stringify(file)}), 'r');
  if (readSync(file, bytes, 0, bytes.length, start) !== bytes.length) throw new Error('the rows of commands are cut off');
  return bytes.latin1Slice();
}
function endOf(number) {
  return Number(ENDS.slice(number * ${width}, (number + 1) * ${width}));
}
function filled(part) {
  if (Array.isArray(part)) return part.map((item) => (item.$ === undefined ? item : partAt(item.$)));
  for (const key in part) {
    const number = part[key].$;
    if (number === undefined) continue;
    Object.defineProperty(part, key, { get: () => partAt(number), enumerable: true, configurable: true });
  }
  return part;
}`;
  return { code, file, data };
}

function partOf(value, numbers) {
  if (typeof value !== 'object' || value === null) return value;
  // Examples are for tests and documents.
  const entries = Object.entries(value).filter(([key]) => key !== 'examples');
  if (entries.some(([key]) => key === '$')) throw new Error('a row has the key $, which means a reference');
  const whole = Array.isArray(value)
    ? value.map((item) => partOf(item, numbers))
    : Object.fromEntries(entries.map(([key, item]) => [key, partOf(item, numbers)]));
  const text = JSON.stringify(whole);
  if (!numbers.has(text)) numbers.set(text, numbers.size);
  return { $: numbers.get(text) };
}

/** `import.meta.url` has no meaning in this format; each module keeps the one that it has in dist/. */
function placeModules(root) {
  return {
    name: 'places',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        const place = relative(join(root, 'src'), path).replaceAll('\\', '/').replace(/\.ts$/, '.js');
        const url = `require('node:url').pathToFileURL(require('node:path').join(__dirname, '..', ${JSON.stringify(place)})).href`;
        return { contents: text.replaceAll('import.meta.url', `(${url})`), loader: 'ts', resolveDir: dirname(path) };
      });
    },
  };
}

function leaveLater() {
  return {
    name: 'later',
    setup(build) {
      build.onResolve({ filter: /^\.\/recording\.ts$/ }, ({ importer }) =>
        /[\\/]cli[\\/]hook[\\/]verb\.ts$/.test(importer)
          ? { path: '../dist/quick/later.cjs', external: true }
          : undefined,
      );
    },
  };
}

/** commander can start verbs that are programs of their own; ours are not, and loading that costs several milliseconds. */
function forgetPrograms() {
  return {
    name: 'programs',
    setup(build) {
      build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
        /[\\/]commander[\\/]/.test(importer) ? { path: 'none', namespace: 'programs' } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'programs' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
    },
  };
}

/** picocolors looks at standard output when it is loaded, which makes a stream; we tell it whether there are colours. */
function forgetTerminal() {
  return {
    name: 'terminal',
    setup(build) {
      build.onLoad({ filter: /[\\/]picocolors[\\/]picocolors\.js$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const contents = text.replace('(p.stdout || {}).isTTY', 'false');
        if (contents === text) throw new Error('picocolors looks at standard output in another way now');
        return { contents, loader: 'js' };
      });
    },
  };
}

const [folder, also] = process.argv.slice(2);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
await buildQuick(root, folder);
if (also === '--rows') {
  const { code } = await transform(rowsModule(await readRows(commonOptions(root))).code, { format: 'cjs' });
  writeFileSync(join(folder, 'rows.cjs'), code);
}
