// What the tests of deciding share: an example in its circumstances, a disk in memory, the hits of one check.

import { dirname, resolve } from 'node:path';
import { analyze } from '../../src/analyze/analyze.ts';
import { DEFAULT_CONTEXT, DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import type { Probe } from '../../src/core/probe.ts';
import { type Check, type Example, type ExampleWith, type Hit, type Subject, TOUCHES } from '../../src/decide/check.ts';

const HOME = '/home/u';
const CWD = '/home/u/project';

export function subjectOf(example: Example): Subject {
  const {
    command,
    shell,
    cwd = CWD,
    policy,
    context,
    files = {},
  }: ExampleWith = typeof example === 'string' ? { command: example } : example;
  return {
    facts: analyze(command, { cwd, ...(shell === undefined ? {} : { shell }), variables: { HOME } }),
    policy: { ...DEFAULT_POLICY, ...policy },
    context: {
      ...DEFAULT_CONTEXT,
      cwd,
      home: HOME,
      probe: memoryProbe({ [`${cwd}/.keep`]: '', ...files }),
      ...context,
    },
  };
}

export function hitsOf(check: Check, example: Example): readonly Hit[] {
  const subject = subjectOf(example);
  if ('inspectWhole' in check) return asList(check.inspectWhole(subject));
  const { touches = TOUCHES } = check;
  const commands = subject.facts.commands.filter(
    ({ name, effects, redirects }) =>
      (check.names === undefined || (name !== null && check.names.includes(name))) &&
      (touches === TOUCHES || touches.some((touch) => (touch === 'redirects' ? redirects : effects[touch]).length > 0)),
  );
  return commands.flatMap((command) => asList(check.inspect(command, subject)));
}

function asList(hits: Hit | readonly Hit[] | null): readonly Hit[] {
  if (hits === null) return [];
  return Array.isArray(hits) ? hits : [hits as Hit];
}

/** A disk of exactly these files; folders exist where files are below them. */
function memoryProbe(files: NonNullable<ExampleWith['files']>): Probe {
  const entries = new Map<string, string | { readonly link: string } | null>([['/', null]]);
  for (const [path, content] of Object.entries(files)) {
    for (let folder = dirname(path); !entries.has(folder); folder = dirname(folder)) entries.set(folder, null);
    entries.set(path, content);
  }
  const follow = (path: string, hops = 0): string | null => {
    if (hops > 40) return null;
    let at = '/';
    const parts = path.split('/').filter((part) => part !== '');
    for (const [i, part] of parts.entries()) {
      if (part === '..') at = dirname(at);
      else if (part !== '.') at = at === '/' ? `/${part}` : `${at}/${part}`;
      const entry = entries.get(at);
      if (entry !== null && typeof entry === 'object') {
        return follow([resolve(dirname(at), entry.link), ...parts.slice(i + 1)].join('/'), hops + 1);
      }
    }
    return at;
  };
  const entryAt = (path: string) => {
    const real = follow(path);
    return real === null ? undefined : entries.get(real);
  };
  return {
    realPath: (path) => follow(path),
    kind: (path) => {
      const entry = entryAt(path);
      if (entry === undefined) return 'absent';
      return entry === null ? 'folder' : 'file';
    },
    readText: (path, limitBytes) => {
      const entry = entryAt(path);
      return typeof entry === 'string' && entry.length <= limitBytes ? entry : null;
    },
    readBytes: (path, limitBytes) => {
      const entry = entryAt(path);
      return typeof entry === 'string' && entry.length <= limitBytes ? Buffer.from(entry, 'latin1') : null;
    },
    list: (path) => {
      const real = follow(path);
      if (real === null || entries.get(real) !== null) return null;
      return [...entries.keys()]
        .filter((key) => key !== '/' && dirname(key) === real)
        .map((key) => key.slice(key.lastIndexOf('/') + 1));
    },
  };
}
