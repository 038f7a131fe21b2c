// `node scripts/api-docs.js [FILE]`: the type declarations of the package → docs/api.md, on stdout or into FILE.
// Reads what tsc wrote, by brackets and comments alone; a file that belongs to no group is an error, not a gap.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ready, root } from './ready.js';

const DIST = join(root, 'dist');

/** The first pattern that fits decides; the order is the order of the document. */
const GROUPS = [
  ['Running commands', /^(?:core\/running|run\/|tasks\/|pipeline\/(?!check|terms))/],
  ['Doctor', /^(?:confine\/)?doctor\//],
  ['Learning settings', /^learn\//],
  ['Understanding commands', /^(?:core\/facts|parse\/|analyze\/|core\/names\/|core\/probe|probe\/)/],
  ['Deciding', /^(?:core\/(?:verdict|policy|default-policy)|decide\/|pipeline\/(?:check|terms)|entries\/)/],
  ['Asking people', /^(?:core\/approval|approve\/|sockets\/)/],
  ['Confining', /^(?:core\/confinement|confine\/|sandbox\/)/],
  ['Profiles', /^(?:core\/profile-names|profiles\/)/],
  ['Settings', /^config\//],
  ['Recording', /^(?:core\/observer|record)/],
  ['Failures and errors', /^core\/(?:errors|failure)/],
  ['What is shown', /^render\//],
  ['Adapters', /^surfaces\/adapters\//],
];

const ENTRIES = [
  ['hardshell', 'index.d.ts'],
  ['hardshell/adapters', 'surfaces/adapters/adapters.d.ts'],
];

/** A declaration longer than this is a table of data: its beginning says what it is. */
const MAX_LINES = 80;

function describeApi() {
  const found = new Map();
  for (const [entry, file] of ENTRIES) for (const each of exportsOf(file)) add(found, { ...each, entry });
  const groups = GROUPS.map(([title]) => [title, []]);
  for (const each of found.values()) groups[groupOf(each.file)][1].push(each);
  const parts = [
    '# API',
    '',
    '<!-- Written by UPDATE_DOCS=1 npm test -- test/adapters; do not edit. -->',
    '',
    'Everything that the package exports, as its type declarations say it. `hardshell` is the library, `hardshell/adapters`',
    'the tools in the shapes of other packages. How to use them: [running](running.md), [understanding](understanding.md),',
    '[profiles](profiles.md), [approvals](approvals.md), [adapters](adapters.md).',
  ];
  const slugOf = createSlugs();
  for (const [title, members] of groups) {
    if (members.length === 0) continue;
    members.sort(byName);
    slugOf(title);
    const links = members.map(({ name }) => `[${name}](#${slugOf(name)})`);
    parts.push('', `## ${title}`, '', links.join(' · '));
    for (const member of members) parts.push(...describeMember(member));
  }
  return `${parts.join('\n')}\n`;
}

function add(found, each) {
  // What both entries export is described once, where it comes from.
  const key = `${each.file} ${each.kind} ${each.name}`;
  if (!found.has(key)) found.set(key, each);
}

const KINDS = ['function', 'class', 'interface', 'type', 'const'];

function byName(a, b) {
  const [one, other] = [a.name.toLowerCase(), b.name.toLowerCase()];
  return KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (one < other ? -1 : one > other ? 1 : 0);
}

/** Headings → their addresses in the document, as GitHub makes them: the second of a name gets a number. */
function createSlugs() {
  const counts = new Map();
  return (heading) => {
    const slug = heading.toLowerCase().replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

function groupOf(file) {
  const index = GROUPS.findIndex(([, pattern]) => pattern.test(file));
  if (index === -1) throw new Error(`${file} belongs to no group: give it one in scripts/api-docs.js.`);
  return index;
}

function describeMember({ name, kind, about, code, entry }) {
  const from = entry === 'hardshell' ? '' : ` · \`${entry}\``;
  const lines = code.split('\n');
  const shown = lines.length > MAX_LINES ? [...lines.slice(0, 12), '  // …'] : lines;
  return ['', `### ${name}`, '', `${kind}${from}${about === '' ? '' : ` · ${about}`}`, '', '```ts', ...shown, '```'];
}

/** Every name that a declaration file exports, with the declaration behind it, wherever that is. */
function exportsOf(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const found = [];
  for (const { code, about } of statementsOf(readFileSync(join(DIST, file), 'utf8'))) {
    const from = /from '([^']+)';$/.exec(code)?.[1];
    if (from !== undefined && !code.startsWith('export')) continue;
    const target = resolveModule(file, from ?? '');
    const list = /^export (?:type )?\{([\s\S]*)\}/.exec(code)?.[1];
    if (/^export (?:type )?\*/.test(code)) found.push(...exportsOf(target, seen));
    // `export {};` only says that the file is a module.
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
      // Under its public name, in its own declaration, too.
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
  return [{ name, kind, about, file, code: code.replace(/^export (?:declare )?/, '').replaceAll('    ', '  ') }];
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
const [, , file] = process.argv;
if (file === undefined) process.stdout.write(text);
else {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
