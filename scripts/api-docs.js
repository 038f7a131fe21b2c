// `node scripts/api-docs.js [FILE]`: the type declarations of the package → docs/api.md, on stdout or into FILE.
// Reads the output of tsc, by brackets and comments only.

import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ready, root } from './ready.js';

const DIST = join(root, 'dist');

const EXAMPLES = join(root, 'examples');

/** The entry points of the package, in the order of the document: name, declarations, purpose, examples. */
const DOORS = [
  [
    'hardshell',
    'index.d.ts',
    'Understanding, deciding, asking and running.',
    /^(?:understand|decide|ask|run|foreground|staging|diagnose)/,
  ],
  ['hardshell/audit', 'api/audit.d.ts', 'The audit log, metrics and alerts.', /^audit/],
  ['hardshell/settings', 'api/settings.d.ts', 'Settings files.', /^settings/],
  ['hardshell/profiles', 'api/profiles.d.ts', 'The five tool definitions.', /^profiles/],
  [
    'hardshell/adapters',
    'surfaces/adapters/adapters.d.ts',
    'The tools in the shapes of other packages: see [adapters](adapters.md) for an example of each.',
    /^adapters/,
  ],
];

/** A declaration longer than this is a data table: its beginning is enough. */
const MAX_LENGTH = 1_600;

/** Names that TypeScript and Node declare. */
const BUILT_IN = new Set(
  `Array AsyncGenerator AsyncIterable AbortSignal Buffer Error ErrorOptions Exclude Map NodeJS Omit Partial Pick Promise
  ReadonlyArray Readonly ReadonlyMap ReadonlySet Record Required Set Symbol Uint8Array URL NonNullable Iterable Parameters
  ReturnType Extract Server Awaited`.split(/\s+/),
);

function describeApi() {
  const all = DOORS.flatMap(([, file]) => exportsOf(file));
  for (const { file, original, name } of all)
    publicNames.set(`${file} ${original}`, publicNames.get(`${file} ${original}`) ?? name);
  const parts = [
    '# API',
    '',
    '<!-- Written by UPDATE_DOCS=1 npm test -- test/adapters; do not edit. -->',
    '',
    'Everything that the package exports, as its type declarations say it. How to use it: [running](running.md), [understanding](understanding.md), [approvals](approvals.md), [settings](settings.md), [profiles](profiles.md), [adapters](adapters.md). The examples are in `examples/`, and run as tests. `Runner` and `ConfineBackend` are internal: leave the options with these types out.',
  ];
  const described = new Set();
  for (const [door, file, about, pattern] of DOORS) {
    const members = exportsOf(file).filter(({ file: origin, kind, name }) => {
      const key = `${origin} ${kind} ${name}`;
      // Names that an earlier entry point also exports are described there, except values.
      return (kind !== 'interface' && kind !== 'type') || !described.has(key) ? described.add(key) : false;
    });
    parts.push('', `## ${door}`, '', about);
    for (const name of readdirSync(EXAMPLES).sort()) if (pattern.test(name)) parts.push(...describeExample(name));
    for (const [title, kinds] of GROUPS) {
      const group = members.filter(({ kind }) => kinds.includes(kind)).sort(byName);
      if (group.length > 0) parts.push('', `### ${title} of ${door}`, '', ...group.map(describeMember));
    }
  }
  return `${parts.join('\n')}\n`;
}

const GROUPS = [
  ['Functions', ['function', 'class']],
  ['Constants', ['const']],
  ['Types', ['interface', 'type']],
];

/** The first comment of an example is its title. */
function describeExample(name) {
  const [title, ...code] = readFileSync(join(EXAMPLES, name), 'utf8').trim().split('\n');
  return ['', `${title.replace(/^\/\/ /, '')}`, '', '```js', ...code.join('\n').trim().split('\n'), '```'];
}

function byName(a, b) {
  const [one, other] = [a.name.toLowerCase(), b.name.toLowerCase()];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** One line: the declaration without its comments, and its description. */
function describeMember({ name, about, code, file }) {
  const plain = withPublicNames(withValues(code, file), file)
    .replace(/\/\*\*?[\s\S]*?\*\//g, '')
    .replace(/^(?:declare )?(?:function|interface|type|const|class) /, '')
    .replace(/\breadonly /g, '')
    .replace(/\s+/g, ' ')
    .replace(/;? ?}$/, ' }')
    .replace(/;$/, '')
    .trim();
  const shown = plain.length > MAX_LENGTH ? `${plain.slice(0, 300)} …` : plain;
  const rest = shown.startsWith(name) ? shown.slice(name.length) : ` ${shown}`;
  const fence = rest.includes('`') ? '``' : '`';
  const separator = fence === '``' ? ' ' : '';
  return `- **${name}** ${fence}${separator}${rest.trim().replace(/^= /, '')}${separator}${fence}${about === '' ? '' : `: ${about}`}`;
}

/** Ports for the tests of hardshell, which the package does not export. */
const INTERNAL = new Set(['Runner', 'ConfineBackend']);

/** File and name of a declaration → the name under which it is exported. */
const publicNames = new Map();

/** `(typeof MODES)[number]` → the values. */
function withValues(code, file) {
  return code.replace(/\(typeof (\w+)\)\[number\]/g, (whole, name) => {
    const origin = originOf(file, name);
    const values = origin === null ? undefined : listOf(origin);
    return values === undefined ? whole : values.replace(/"/g, "'").split(/,\s*/).join(' | ');
  });
}

function listOf({ file, name }) {
  const pattern = new RegExp(`^(?:export )?declare const ${name}: readonly \\[([^\\]]*)\\]`);
  for (const { code } of statements(file)) {
    const values = pattern.exec(code)?.[1];
    if (values !== undefined) return values;
  }
  return undefined;
}

/** Names are printed as a caller can import them. */
function withPublicNames(code, file) {
  return code.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\/\*[\s\S]*?\*\/|(?<![\w.])[A-Z]\w*/g, (word) => {
    if (!/^[A-Z]/.test(word) || BUILT_IN.has(word) || !/[a-z]/.test(word)) return word;
    const origin = originOf(file, word);
    if (origin === null) return word;
    const known = publicNames.get(`${origin.file} ${origin.name}`);
    if (known === undefined && !INTERNAL.has(word)) unlisted.add(`${word} (dist/${origin.file})`);
    return known ?? word;
  });
}

const unlisted = new Set();

/** Where a name that a declaration file uses is declared; `null`: not in this package. */
function originOf(file, name) {
  for (const { code } of statements(file)) {
    const match =
      DECLARATION.exec(code) ?? /^(?:declare )?(?:abstract )?(function|class|const|interface|type) (\w+)/.exec(code);
    if (match?.[2] === name) return { file, name };
  }
  for (const { code } of statements(file)) {
    const [, list, from] = /^(?:import|export) (?:type )?\{([\s\S]*)\} from '([^']+)'/.exec(code) ?? [];
    const item = list
      ?.split(',')
      .map((each) =>
        each
          .trim()
          .replace(/^type /, '')
          .split(' as '),
      )
      .find((each) => each.at(-1) === name);
    if (item === undefined) continue;
    const target = resolveModule(file, from);
    return target === null ? null : originOf(target, item[0]);
  }
  for (const { code } of statements(file)) {
    const from = /^export (?:type )?\* from '([^']+)'/.exec(code)?.[1];
    const target = from === undefined ? null : resolveModule(file, from);
    const found = target === null ? null : originOf(target, name);
    if (found !== null) return found;
  }
  return null;
}

const read = new Map();

function statements(file) {
  if (!read.has(file)) read.set(file, statementsOf(readFileSync(join(DIST, file), 'utf8')));
  return read.get(file);
}

/** Every name that a declaration file exports, with its declaration, wherever that is. */
function exportsOf(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const found = [];
  for (const { code, about } of statements(file)) {
    const from = /from '([^']+)';$/.exec(code)?.[1];
    if (from !== undefined && !code.startsWith('export')) continue;
    const target = resolveModule(file, from ?? '');
    const list = /^export (?:type )?\{([\s\S]*)\}/.exec(code)?.[1];
    const isTypes = ({ kind }) => kind === 'interface' || kind === 'type';
    if (/^export type \*/.test(code)) found.push(...exportsOf(target, seen).filter(isTypes));
    else if (/^export \*/.test(code)) found.push(...exportsOf(target, seen));
    // `export {};` only marks the file as a module.
    else if (list !== undefined) found.push(...(list.trim() === '' ? [] : pick(list, target)));
    else found.push(...declared(code, about, file));
  }
  return found;
}

function pick(list, file) {
  const all = exportsOf(file);
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [name, alias = name] = item.split(' as ');
      const each = all.find((one) => one.name === name);
      if (each === undefined) throw new Error(`dist/${file} does not export ${name}: was it built?`);
      // Under its public name, also in its own declaration.
      const code = alias === name ? each.code : each.code.replace(new RegExp(`\\b${name}\\b`), alias);
      return { ...each, name: alias, code };
    });
}

function resolveModule(file, specifier) {
  const path = join(dirname(join(DIST, file)), specifier.replace(/\.[jt]s$/, '.d.ts'));
  return specifier.startsWith('.') ? relative(DIST, path) : null;
}

const DECLARATION = /^export (?:declare )?(?:abstract )?(function|class|const|interface|type) (\w+)/;

function declared(code, about, file) {
  const match = DECLARATION.exec(code);
  if (match === null) return [];
  const [, kind, name] = match;
  return [
    {
      name,
      original: name,
      kind,
      about,
      file,
      code: code.replace(/^export (?:declare )?/, '').replaceAll('    ', '  '),
    },
  ];
}

const BLOCK = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class) /;

/** The statements of a declaration file, each with the text of the doc comment before it. */
function statementsOf(text) {
  const statements = [];
  let start = null;
  let about = '';
  let depth = 0;
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    const end = at + token.length;
    if (start === null && token.startsWith('/**')) about = commentText(token);
    else if (start === null && !/^\s|^\/[/*]/.test(token)) start = at;
    if (start !== null) {
      if (/^[{([]$/.test(token)) depth += 1;
      if (/^[})\]]$/.test(token)) depth -= 1;
      // An interface and a class end with their bracket; everything else with a semicolon.
      const isBlock = token === '}' && BLOCK.test(text.slice(start, end));
      if (depth === 0 && (token === ';' || isBlock)) {
        statements.push({ code: text.slice(start, end), about });
        start = null;
        about = '';
      }
    }
    at = end;
  }
  return statements;
}

const TOKEN = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|[\w$]+|[\s\S]/y;

function tokenAt(text, at) {
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)[0];
}

function commentText(comment) {
  return comment
    .slice(3, -2)
    .replace(/\n\s*\* ?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

ready();
const text = describeApi();
if (unlisted.size > 0) throw new Error(`Used, but not exported: ${[...unlisted].sort().join(', ')}.`);
const [, , file] = process.argv;
if (file === undefined) process.stdout.write(text);
else {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
