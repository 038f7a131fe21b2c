// Holds the shape of src/: which folder may know which, no cycles, pure stages, names and sizes.
// Later stages only add rows to ALLOWED; the last test shows that each rule can fail.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

const STAGES = [
  'parse',
  'analyze',
  'decide',
  'approve',
  'local',
  'confine',
  'run',
  'tasks',
  'stage',
  'render',
  'record',
  'config',
  'profiles',
];
/** What each folder may import besides itself and core/. Stages meet in `pipeline/`, `sandbox/` and `index.ts`. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(STAGES.map((stage) => [stage, []])),
  core: [],
  analyze: ['parse'],
  run: ['confine/port.ts', 'local'],
  approve: ['local'],
  tasks: ['run', 'local'],
  // The program that changes a stage.
  stage: ['local', 'run/keeper/binary.ts'],
  profiles: ['parse'],
  record: ['local'],
  config: ['local'],
  confine: ['local'],
  // What a request asks for and the settings → what holds for it.
  terms: ['config', 'decide', 'local'],
  // Terms and what was allowed by name → what holds one command. It meets the stages that hold it.
  sandbox: ['approve', 'config', 'confine', 'decide', 'local', 'record', 'run', 'stage', 'tasks', 'terms'],
  pipeline: [...STAGES, 'terms', 'sandbox', 'recording'],
  // Applications over the stages and the pipeline.
  learn: ['config', 'confine', 'decide', 'local', 'record', 'run', 'terms', 'sandbox', 'pipeline'],
  recording: ['config', 'local', 'record', 'stage', 'tasks', 'terms'],
  doctor: ['config', 'confine', 'local', 'record', 'run', 'stage', 'tasks', 'sandbox', 'recording', 'terms'],
  // The doors: the public API, and the internal one of our own surfaces.
  'index.ts': [...STAGES, 'terms', 'sandbox', 'pipeline', 'learn', 'doctor', 'recording'],
  api: [...STAGES, 'terms', 'pipeline', 'recording'],
  // Its parts can be loaded alone.
  host: [...STAGES, 'terms', 'sandbox', 'pipeline', 'recording'],
  'host.ts': [...STAGES, 'terms', 'sandbox', 'pipeline', 'learn', 'doctor', 'recording', 'host', 'api', 'index.ts'],
  'surfaces/cli': ['host.ts', 'host', 'api', 'surfaces/mcp/serve.ts', 'surfaces/dashboard/serve.ts'],
  'surfaces/mcp': ['host.ts', 'host', 'api'],
  'surfaces/dashboard': ['host.ts', 'host', 'api'],
  'surfaces/adapters': ['host.ts', 'host', 'api'],
};

const PURE = ['core', 'parse', 'analyze', 'decide', 'render'];
const BAD_NAMES = /^(?:utils?|helpers?|managers?|services?|index)$|-(?:utils?|helpers?|manager|service)$/;
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const DATA = 'analyze/commands/';
const MAX_LINES = 300;

/** Path below src/ → text. */
type Tree = ReadonlyMap<string, string>;

function readTree(folder: string): Tree {
  const tree = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && /\.tsx?$/.test(path)) tree.set(path.slice(folder.length), readFileSync(path, 'utf8'));
  }
  return tree;
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** Code without comments, and without the text of strings except those that follow `from` or `import`. */
const IMPORT = /\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g;
const COMMENT_OR_STRING =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(\b(?:from|import)\s*\(?\s*)?(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`)/g;

function importsOf(text: string): string[] {
  const code = text.replace(COMMENT_OR_STRING, (match, keyword: string | undefined) =>
    keyword === undefined ? '0' : match,
  );
  return [...code.matchAll(IMPORT)].map((match) => match[2] as string);
}

function ownerOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'surfaces' ? `${first}/${second}` : first;
}

function targetOf(path: string, specifier: string): string {
  return normalize(join(dirname(path), specifier));
}

function findDirectionBreaks(tree: Tree): string[] {
  const breaks: string[] = [];
  for (const [path, text] of tree) {
    if (isTest(path)) continue;
    const owner = ownerOf(path);
    const allowed = ALLOWED[owner];
    if (allowed === undefined) {
      breaks.push(`${path}: the folder ${owner} has no row in ALLOWED`);
      continue;
    }
    for (const specifier of importsOf(text)) {
      if (!specifier.startsWith('.')) continue;
      const target = targetOf(path, specifier);
      const isSurface = owner.startsWith('surfaces/');
      const known = isSurface ? [owner, ...allowed] : [owner, 'core', ...allowed];
      if (!known.some((place) => target === place || target.startsWith(`${place}/`)))
        breaks.push(`${path} imports ${target}`);
      if (!tree.has(target)) breaks.push(`${path} imports ${target}, which does not exist`);
    }
  }
  return breaks;
}

function findImpurities(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) =>
    isTest(path) || !PURE.includes(ownerOf(path))
      ? []
      : importsOf(text)
          .filter((specifier) => specifier.startsWith('node:') && specifier !== 'node:path')
          .map((specifier) => `${path} imports ${specifier}`),
  );
}

function findCycles(tree: Tree): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const open: string[] = [];
  const visit = (path: string): void => {
    const at = open.indexOf(path);
    if (at !== -1) cycles.push([...open.slice(at), path].join(' -> '));
    if (at !== -1 || done.has(path)) return;
    open.push(path);
    for (const specifier of importsOf(tree.get(path) ?? ''))
      if (specifier.startsWith('.')) visit(targetOf(path, specifier));
    open.pop();
    done.add(path);
  };
  for (const path of tree.keys()) visit(path);
  return cycles;
}

function findBadNames(tree: Tree): string[] {
  return [...tree.keys()].filter((path) => {
    if (path === 'index.ts' || path === 'host.ts') return false;
    const parts = path.replace(/(?:\.test|\.d)?\.tsx?$/, '').split('/');
    return parts.some((part) => BAD_NAMES.test(part) || !KEBAB.test(part));
  });
}

function findLongFiles(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    const lines = text.split('\n').length - 1;
    return lines > MAX_LINES && !isTest(path) && !path.startsWith(DATA) ? [`${path}: ${lines} lines`] : [];
  });
}

/** Siblings that need each other are one folder in two places. */
function findFolderCycles(tree: Tree): string[] {
  const needs = new Map<string, Set<string>>();
  for (const [path, text] of tree) {
    if (isTest(path)) continue;
    for (const specifier of importsOf(text)) {
      if (!specifier.startsWith('.')) continue;
      const [from, to] = partingFolders(dirname(path), dirname(targetOf(path, specifier)));
      if (from !== null && to !== null) needs.set(from, (needs.get(from) ?? new Set()).add(to));
    }
  }
  return [...needs]
    .flatMap(([from, targets]) => [...targets].map((to) => [from, to] as const))
    .filter(([from, to]) => from < to && needs.get(to)?.has(from))
    .map(([from, to]) => `${from} and ${to} need each other`);
}

/** The two folders below the last common one of both paths; `null` if one contains the other. */
function partingFolders(one: string, other: string): [string | null, string | null] {
  const [a, b] = [one.split('/'), other.split('/')];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const shared = (parts: string[]) => (at < parts.length ? parts.slice(0, at + 1).join('/') : null);
  return [shared(a), shared(b)];
}

/** What holds for a request is in its terms: only the shell, its check, its options, the request and resolve() see what was asked for and set. */
const RAW =
  /\b(?:RunOptions|CompleteOptions|SandboxOverrides|SandboxSettings|LoadedSettings|LoadedLayers|loadPolicy)\b/;
const SEES_RAW = /^pipeline\/(?:(?:shell|session|call-options|check-for-run|request)\.ts|events\/stream\.ts)/;

function findRawOptions(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    if (isTest(path) || !/^(?:pipeline|sandbox)\//.test(path) || SEES_RAW.test(path)) return [];
    const found = RAW.exec(text.replace(COMMENT_OR_STRING, ''));
    return found === null ? [] : [`${path} sees ${found[0]}`];
  });
}

/** A command line may run inside another process, whose streams and signals are not its own. */
function findOwnProcess(tree: Tree): string[] {
  return [...tree]
    .filter(([path, text]) => path.startsWith('surfaces/cli/') && !isTest(path) && /^[^/]*\bprocess\.\w/m.test(text))
    .filter(([path, text]) => !importsOf(text).some((each) => targetOf(path, each) === 'surfaces/cli/process.ts'))
    .map(([path]) => path)
    .filter((path) => path !== 'surfaces/cli/process.ts');
}

const RULES = {
  'each folder knows only what ALLOWED says, types included': findDirectionBreaks,
  'pure stages touch nothing outside': findImpurities,
  'no cycles between files, types included': findCycles,
  'names say what a file owns': findBadNames,
  'files fit two screens': findLongFiles,
  'subfolders do not need each other in circles': findFolderCycles,
  'options and settings end at the terms': findRawOptions,
  'verbs use the process that they are given': findOwnProcess,
};

describe('src/', () => {
  const tree = readTree(SRC);
  for (const [rule, find] of Object.entries(RULES)) test(rule, () => expect(find(tree)).toEqual([]));
});

describe('the rules see what they should', () => {
  test('imports of every form are found, and those in comments and strings are not', () => {
    const text = `
      import { a } from './a.ts';
      import type { B } from "./b.ts";
      import './c.ts';
      export * from './d.ts';
      export {
        e,
      } from './e.ts';
      const f = await import('./f.ts');
      type G = import('./g.ts').G;
      // import { x } from './comment.ts';
      /* from './block.ts' */
      const text = "import './string.ts'";
      const template = \`from './template.ts'\`;
    `;
    expect(importsOf(text)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts', './g.ts']);
  });

  const bad: Tree = new Map([
    ['core/facts.ts', "import { walk } from '../analyze/walk.ts';"],
    ['analyze/walk.ts', "import type { Facts } from '../core/facts.ts';\nimport { readFileSync } from 'node:fs';"],
    ['parse/string-utils.ts', ''],
    ['parse/index.ts', ''],
    ['render/Screen.ts', '\n'.repeat(301)],
    ['decide/rule.ts', "import type { Run } from '../run/spawn.ts';"],
    ['run/spawn.ts', "import '../confine/port.ts';\nimport '../confine/landlock.ts';"],
    ['confine/port.ts', ''],
    ['confine/landlock.ts', "import 'node:fs';"],
    [
      'surfaces/cli/main.ts',
      "import '../../core/facts.ts';\nimport '../mcp/server.ts';\nimport '../../host.ts';\nimport 'node:fs';",
    ],
    ['surfaces/cli/process.ts', 'export let process = globalThis.process;'],
    ['surfaces/cli/answer.ts', "import { process } from './process.ts';\nprocess.stdout.write('');"],
    ['surfaces/cli/check.ts', '  process.stdout.write("");'],
    ['surfaces/mcp/server.ts', ''],
    ['host.ts', ''],
    ['index.ts', "export * from './pipeline/check.ts';\nexport * from './gone.ts';"],
    ['pipeline/check.ts', "import '../analyze/walk.ts';"],
    ['pipeline/launch.ts', 'export function launch(options: RunOptions) {}'],
    ['pipeline/request.ts', 'export function createRequest(options: RunOptions) {}'],
    ['sandbox/limits.ts', '// Not LoadedSettings.\nexport function limits(terms: Terms) {}'],
    ['extra/thing.ts', ''],
    ...Array.from({ length: 20 }, (_, i): [string, string] => [`analyze/commands/family-${i}.ts`, '\n'.repeat(500)]),
  ]);

  test('a bad tree breaks every rule, in the expected places only', () => {
    const found = Object.fromEntries(Object.entries(RULES).map(([rule, find]) => [rule, find(bad)]));
    expect(found).toEqual({
      'each folder knows only what ALLOWED says, types included': [
        'core/facts.ts imports analyze/walk.ts',
        'decide/rule.ts imports run/spawn.ts',
        'run/spawn.ts imports confine/landlock.ts',
        'surfaces/cli/main.ts imports core/facts.ts',
        'surfaces/cli/main.ts imports surfaces/mcp/server.ts',
        'index.ts imports gone.ts',
        'index.ts imports gone.ts, which does not exist',
        'extra/thing.ts: the folder extra has no row in ALLOWED',
      ],
      'pure stages touch nothing outside': ['analyze/walk.ts imports node:fs'],
      'no cycles between files, types included': ['core/facts.ts -> analyze/walk.ts -> core/facts.ts'],
      'names say what a file owns': ['parse/string-utils.ts', 'parse/index.ts', 'render/Screen.ts'],
      'files fit two screens': ['render/Screen.ts: 301 lines'],
      'subfolders do not need each other in circles': ['analyze and core need each other'],
      'options and settings end at the terms': ['pipeline/launch.ts sees RunOptions'],
      'verbs use the process that they are given': ['surfaces/cli/check.ts'],
    });
  });
});
