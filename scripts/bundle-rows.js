// The command table, as data: `src/analyze/commands/table.ts` → code that looks a row up, and a file of the rows.
// Building 1,200 rows at every start to use one or two of them would take longer than everything else.

import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { build } from 'esbuild';

const TABLE = 'src/analyze/commands/table.ts';

/** An esbuild plugin, and the file that it needs next to the bundle. */
export async function rowsAsData(root) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [TABLE],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
  const { allCommands } = await import(url);
  const { code, name, data } = moduleOf(allCommands());
  const plugin = {
    name: 'rows',
    setup(build) {
      build.onLoad({ filter: /[\\/]analyze[\\/]commands[\\/]table\.ts$/ }, ({ path }) =>
        relative(root, path).replaceAll('\\', '/') === TABLE ? { contents: code, loader: 'js' } : undefined,
      );
    },
  };
  return { plugin, code, file: { name, data } };
}

// Rows share most of their options. Each shareable part is a piece of JSON that refers to others by number.
// The pieces are in a file, and only those that the programs of a command need are read. They are found by searching and
// counting in two texts: building a map of them would cost more than one command ever looks up.
function moduleOf(rows) {
  const numbers = new Map();
  const names = [...rows].map(([name, row]) => `\n${name} ${partOf(row, numbers).$}`).join('');
  const pieces = [...numbers.keys()].map(toAscii);
  const ends = [];
  for (const piece of pieces) ends.push((ends.at(-1) ?? 0) + piece.length);
  const width = String(ends.at(-1)).length;
  const data = pieces.join('');
  // Named by its content: the code of one build never reads the rows of another.
  const name = `rows-${createHash('sha256').update(data).digest('hex').slice(0, 32)}.txt`;
  const code = `
import { openSync, readSync } from 'node:fs';
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
  file ??= openSync(bundleFolder + ${JSON.stringify(`/${name}`)}, 'r');
  if (readSync(file, bytes, 0, bytes.length, start) !== bytes.length) throw new Error('the file of rows is too short');
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
  return { code, name, data };
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

/** The loader reads one byte as one character. */
export function toAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
