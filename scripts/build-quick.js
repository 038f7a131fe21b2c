// `node scripts/build-quick.js FOLDER`: src/ → quick.cjs, the verbs that are asked once per command in one small file, and
// plain.cjs, their forms without options in a smaller one, server.cjs, the MCP server, and later.cjs, what the hook writes
// down. What differs from src/: the rows of commands are data that is read when it is needed, examples are left out, and
// addresses of modules are computed from where the file lies. Why all this: docs/decisions/0010-cold-start.md.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const ENTRIES = {
  quick: 'src/surfaces/cli/verbs/quick-start.ts',
  plain: 'src/surfaces/cli/verbs/plain-start.ts',
  server: 'src/surfaces/cli/verbs/server-start.ts',
};
/** Packages that find files of their own by where they lie; seldom used, and loaded then. */
const SEPARATE = ['node-sqlite3-wasm', '@silvia-odwyer/photon-node', '@opentelemetry/api'];
const ROWS = 'src/analyze/commands/table.ts';
/** Needed once the answer is out, if at all: in the first file it would cost every start. */
const LATER = 'src/surfaces/cli/hook/recording.ts';

/** Writes the files into a folder that becomes dist/quick. */
async function buildQuick(root, folder) {
  const common = { ...commonOptions(root), format: 'cjs', minify: true, legalComments: 'none' };
  const rows = rowsModule(await readRows(commonOptions(root)));
  const shared = [
    replaceRows(root, rows.code),
    placeModules(root),
    forgetExamples(),
    forgetPrograms(),
    forgetTerminal(),
  ];
  const short = [leaveLater(), ...shared, forgetDecoder(), forgetEdits(), askEnvironmentFirst()];
  const codes = {};
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const { outputFiles } = await build({
      ...common,
      entryPoints: [entry],
      // Asking people needs most of the library: bin/hardshell.js does not come to the quick verbs for that.
      external: name === 'server' ? SEPARATE : ['*/ask.ts'],
      // A script cannot import, but it is given the `require` of bin/hardshell.js.
      supported: { 'dynamic-import': false },
      plugins: name === 'server' ? shared : short,
    });
    codes[name] = toAscii(outputFiles[0].text);
    if (name !== 'server' && /[{,]examples:/.test(codes[name]))
      throw new Error('the examples of a check stand in another form now');
  }
  const later = await build({ ...common, entryPoints: [LATER], plugins: [placeModules(root)] });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, rows.file), rows.data);
  writeFileSync(join(folder, 'later.cjs'), later.outputFiles[0].text);
  // The loader finds compiled forms by this name, those of one build together; V8 itself compares only the length.
  const digest = digestOf(Object.values(codes).join(''));
  for (const [name, code] of Object.entries(codes)) {
    writeFileSync(
      join(folder, `${name}.cjs`),
      `/*${digest}*/(function(exports,require,module,__filename,__dirname){${code}\n})`,
    );
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
  return replaceText('terminal', /[\\/]picocolors[\\/]picocolors\.js$/, [
    ['(p.stdout || {}).isTTY', 'false'],
    ['module.exports = createColors()', 'module.exports = {}'],
  ]);
}

/** unbash makes a decoder when it is loaded; few commands have bytes to decode. */
function forgetDecoder() {
  return replaceText('decoder', /[\\/]unbash[\\/]dist[\\/]ansi-c\.js$/, [
    ['const utf8 = new TextDecoder(', 'const utf8 = () => new TextDecoder('],
    ['utf8.decode(', 'utf8().decode('],
  ]);
}

function replaceText(name, filter, pairs) {
  return {
    name,
    setup(build) {
      build.onLoad({ filter }, ({ path }) => {
        let contents = readFileSync(path, 'utf8');
        for (const [from, to] of pairs) {
          if (contents.split(from).length !== 2) throw new Error(`${path} no longer contains this once: ${from}`);
          contents = contents.replace(from, to);
        }
        return { contents, loader: 'js' };
      });
    },
  };
}

/** Examples are for tests and documents. Formatted sources say where each ends: where its line is indented as it began. */
function forgetExamples() {
  return {
    name: 'examples',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]decide[\\/].*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const contents = text.replace(/^( *)examples: \{(?: .*|\n[\s\S]*?\n\1)\},$/gm, '');
        return { contents, loader: 'ts', resolveDir: dirname(path) };
      });
    },
  };
}

/** jsonc-parser makes a thousand strings for its edits when it is loaded, and does not say that they may be left out. */
function forgetEdits() {
  return {
    name: 'edits',
    setup(build) {
      build.onResolve({ filter: /^jsonc-parser$|^\.\/impl\// }, async ({ path, pluginData, ...rest }) => {
        if (pluginData === 'edits' || (path !== 'jsonc-parser' && !/[\\/]jsonc-parser[\\/]/.test(rest.importer)))
          return null;
        return { ...(await build.resolve(path, { ...rest, pluginData: 'edits' })), sideEffects: false };
      });
    },
  };
}

/** The same answers as node:os gives, which is loaded only where the environment does not say. */
function askEnvironmentFirst() {
  return {
    name: 'environment',
    setup(build) {
      build.onResolve({ filter: /^node:os$/ }, ({ namespace }) =>
        namespace === 'environment' ? undefined : { path: 'os', namespace: 'environment' },
      );
      build.onLoad({ filter: /.*/, namespace: 'environment' }, () => ({
        contents: `
export const homedir = () => process.env.HOME ?? require('node:os').homedir();
export const tmpdir = () =>
  process.env.TMPDIR || process.env.TMP || process.env.TEMP ? require('node:os').tmpdir() : '/tmp';`,
        loader: 'js',
      }));
    },
  };
}

const [folder, also] = process.argv.slice(2);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
await buildQuick(root, folder);
// What takes the place of the rows, for a test to compare.
if (also === '--rows') {
  const { code } = await transform(rowsModule(await readRows(commonOptions(root))).code, { format: 'cjs' });
  writeFileSync(join(folder, 'rows.cjs'), code);
}
