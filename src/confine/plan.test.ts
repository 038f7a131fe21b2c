import { expect, test } from 'vitest';
import { GUARANTEES } from '../core/confinement.ts';
import type { KernelSupport } from './kernel-support.ts';
import { type ConfinementPolicy, plan } from './plan.ts';
import type { ConfinementSpec } from './port.ts';
import type { FolderReader } from './reading.ts';

const EXISTS = new Set(['/w', '/w/.git', '/w/.git/hooks', '/w/.git/config', '/w/.env', '/s/key', '/t', '/link']);
const folders: FolderReader = {
  realPath: (path) => (path === '/link' || path === '/t/link' ? '/w' : EXISTS.has(path) ? path : null),
  list: (path) =>
    (path === '/' ? ['dev', 's', 'w', 't'] : path === '/s' ? ['key', 'other'] : []).map((name) => ({
      name,
      isLink: false,
    })),
};
const inside: KernelSupport = { tier: 'namespaces', missing: [], why: null };
const outside: KernelSupport = { tier: 'landlock', missing: [], why: 'refused' };

function confined(policy: ConfinementPolicy, probe: KernelSupport) {
  const result = plan(policy, probe, folders);
  if (result.kind !== 'confined') throw new Error(result.kind);
  return result;
}

function pathsOf({ paths }: ConfinementSpec, kind: string): string[] {
  return paths.filter((item) => item.kind === kind).map(({ path }) => path);
}

const workspace: ConfinementPolicy = { name: 'workspace', writable: ['/w'], hidden: ['/s/key', '/w/.env', '/nowhere'] };

test('unrestricted confines nothing, and reports no guarantees', () => {
  const { kind, enforcement } = plan({ name: 'unrestricted' }, inside, folders);
  expect([kind, enforcement.held, enforcement.missing.length]).toEqual(['unconfined', [], GUARANTEES.length]);
});

test('a machine that can do nothing makes it impossible, not unconfined', () => {
  const result = plan(workspace, { tier: 'none', missing: [], why: 'no kernel' }, folders);
  expect(result).toMatchObject({ kind: 'impossible', why: 'no kernel', enforcement: { tier: 'none', held: [] } });
});

test('in namespaces existing protected names are read-only, and their parents are pinned', () => {
  const { spec } = confined(workspace, inside);
  expect(pathsOf(spec, 'write')).toEqual(['/w', '/w/.git']);
  expect(pathsOf(spec, 'read-only')).toEqual(['/w/.git/config', '/w/.git/hooks']);
  expect(pathsOf(spec, 'mask')).toEqual(['/s/key', '/w/.env']);
  expect(pathsOf(spec, 'empty')).toEqual(['/tmp', '/var/tmp', '/dev/shm']);
  expect(spec).toMatchObject({ network: 'own', reads: 'all', unixSockets: 'pairs', optional: [] });
});

test('settings of git may change only where they are protected, and stay read-only for the command', () => {
  const names = ['remote'];
  const files = ['/w/.git/config', '/w/.gitmodules', '/w/.git/config.worktree', '/s/key'];
  const { spec } = confined({ ...workspace, settings: { files, names } }, inside);
  expect(spec.settings).toEqual({ files: ['/w/.git/config', '/w/.gitmodules'], names });
  expect(pathsOf(spec, 'read-only')).toContain('/w/.git/config');
  // Without mounts only what is new can be judged.
  const { spec: other } = confined({ ...workspace, settings: { files, names } }, outside);
  expect(other.settings).toEqual({ files: ['/w/.gitmodules'], names });
  expect(confined({ ...workspace, settings: { files, names: [] } }, inside).spec.settings).toBeUndefined();
});

test('a protected folder stays so, even if something deeper in it is protected or hidden', () => {
  const there = ['/w/a', '/w/a/b', '/w/a/b/c', '/w/a/d', '/w/a/d/key', '/w/a/own'];
  const wider: FolderReader = {
    ...folders,
    realPath: (path) => (there.includes(path) ? path : folders.realPath(path)),
  };
  const policy: ConfinementPolicy = {
    name: 'workspace',
    writable: ['/w'],
    scratch: ['/w/a/own'],
    protected: ['/w/a', '/w/a/b/c'],
    hidden: ['/w/a/d/key'],
  };
  const result = plan(policy, inside, wider);
  if (result.kind !== 'confined') throw new Error(result.kind);
  // Not /w/a/b and /w/a/d, which are parents of deeper entries.
  expect(pathsOf(result.spec, 'write')).toEqual(['/w', '/w/.git', '/w/a/own']);
  expect(pathsOf(result.spec, 'read-only')).toContain('/w/a');
});

test('every path comes after its parents', () => {
  const { spec } = confined({ ...workspace, temporary: '/t' }, inside);
  const places = spec.paths.map(({ path }) => path);
  for (const [index, path] of places.entries())
    expect(places.slice(0, index).filter((earlier) => earlier.startsWith(`${path}/`))).toEqual([]);
  expect(spec.paths).toContainEqual({ kind: 'bind', path: '/tmp', from: '/t' });
});

test('restricted writes nowhere, for any given folders', () => {
  expect(pathsOf(confined({ ...workspace, name: 'restricted' }, inside).spec, 'write')).toEqual([]);
  expect(pathsOf(confined({ ...workspace, name: 'restricted' }, outside).spec, 'write')).toEqual([]);
});

test('a writable folder that is a link counts as its target; an absent one is left out', () => {
  expect(pathsOf(confined({ name: 'workspace', writable: ['/link', '/absent'] }, outside).spec, 'write')).toEqual([
    '/w',
  ]);
});

test('without namespaces reading is an allowlist, and there is no network instead of a private one', () => {
  const { spec } = confined(workspace, outside);
  expect(pathsOf(spec, 'read')).toEqual(['/s/other', '/t']);
  expect(pathsOf(spec, 'mask')).toEqual([]);
  expect(spec).toMatchObject({ tier: 'landlock', network: 'none', reads: 'listed' });
});

const networks: [string, Partial<ConfinementPolicy>, KernelSupport, Partial<ConfinementSpec>][] = [
  ['a proxy inside', { proxyPort: 3128 }, inside, { network: 'own', proxyPort: 3128 }],
  ['a proxy of the host', { proxyPort: 4000 }, outside, { network: 'listed', proxyPort: 4000 }],
  [
    'ports, each once',
    { proxyPort: 1, hostPorts: [2, 2, 1], publishPorts: [3] },
    outside,
    { network: 'listed', proxyPort: 1, hostPorts: [2], publishPorts: [3] },
  ],
  ['a port that is published', { publishPorts: [3] }, inside, { network: 'own', publishPorts: [3] }],
  ['no network for any ports', { network: 'none', proxyPort: 1, hostPorts: [2] }, inside, { network: 'none' }],
  ['the network of the host', { network: 'host', hostPorts: [2] }, inside, { network: 'host' }],
];

test.each(networks)('network: %s', (_, change, probe, expected) => {
  const { network, proxyPort, hostPorts, publishPorts } = confined({ ...workspace, ...change }, probe).spec;
  expect({
    network,
    ...(proxyPort && { proxyPort }),
    ...(hostPorts && { hostPorts }),
    ...(publishPorts && { publishPorts }),
  }).toEqual(expected);
});

test('below a writable file no names are missing', () => {
  const one: FolderReader = {
    realPath: (path) => (path === '/f' ? '/f' : null),
    isFile: (path) => path === '/f',
    list: () => [],
  };
  const result = plan({ name: 'workspace', writable: ['/f'] }, inside, one);
  expect(result.enforcement.missing.map(({ guarantee }) => guarantee)).not.toContain('protected-absent');
});

test('listed socket files are resolved, even if they do not exist yet', () => {
  const { spec } = confined({ ...workspace, unixPaths: ['/link', '/link/new.sock', '/w'] }, inside);
  expect([spec.unixSockets, spec.unixPaths]).toEqual(['pairs', ['/w', '/w/new.sock']]);
  expect(confined({ ...workspace, unixPaths: ['/w'], unixSockets: 'any' }, inside).spec.unixPaths).toBeUndefined();
});

test('sockets of its own need a private network and a kernel that can tell them apart', () => {
  const able: KernelSupport = { ...inside, hasOwnSockets: true };
  const socketsOf = (policy: Partial<ConfinementPolicy>, probe: KernelSupport) =>
    confined({ ...workspace, ...policy }, probe).spec.unixSockets;
  expect(socketsOf({}, able)).toBe('own');
  expect(socketsOf({ name: 'restricted' }, able)).toBe('own');
  expect(socketsOf({ unixPaths: ['/w'] }, able)).toBe('own');
  expect(socketsOf({ unixSockets: 'any' }, able)).toBe('any');
  expect(socketsOf({ network: 'host' }, able)).toBe('pairs');
  expect(socketsOf({ network: 'none' }, able)).toBe('pairs');
  expect(socketsOf({}, inside)).toBe('pairs');
});

const missing: [string, ConfinementPolicy, KernelSupport, string[]][] = [
  ['names that are absent', workspace, inside, ['protected-absent']],
  [
    'what needs namespaces',
    workspace,
    outside,
    [
      'protected-absent',
      'metadata-outside',
      'processes-unseen',
      'hidden-names',
      'hidden-content',
      'protected-existing',
    ],
  ],
  [
    'a protected name that is a link',
    { name: 'workspace', writable: ['/t'], protected: ['/t/link'] },
    inside,
    ['protected-existing', 'protected-absent'],
  ],
  [
    'a protected link that cannot be replaced is held',
    { name: 'workspace', writable: ['/t'], protected: ['/link'] },
    inside,
    ['protected-absent'],
  ],
  ['an open network', { name: 'restricted', network: 'host' }, inside, ['network']],
  ['ports that are listed are held', { name: 'restricted', network: 'host', connectPorts: [443] }, inside, []],
  ['open sockets', { name: 'restricted', unixSockets: 'any' }, inside, ['unix-sockets']],
  [
    'a step that the kernel lacks',
    { name: 'restricted' },
    { ...inside, missing: [{ step: 'proc', error: 'EPERM' }] },
    ['processes-unseen'],
  ],
  [
    'an old Landlock',
    { name: 'restricted' },
    {
      ...outside,
      missing: [
        { step: 'scope', error: 'ENOSYS' },
        { step: 'truncate', error: 'ENOSYS' },
      ],
    },
    ['metadata-outside', 'processes-unseen', 'signals-outside', 'writes-outside'],
  ],
];

test.each(missing)('missing: %s', (_, policy, probe, guarantees) => {
  const { enforcement, spec } = confined(policy, probe);
  expect(enforcement.missing.map(({ guarantee }) => guarantee)).toEqual(guarantees);
  expect(enforcement.held).toEqual(GUARANTEES.filter((name) => !guarantees.includes(name)));
  expect(spec.optional).toEqual(probe.missing.map(({ step }) => step));
});

test('visible parts of a hidden folder are mounted over it, and are hidden otherwise', () => {
  const policy: ConfinementPolicy = { ...workspace, hidden: ['/s'], shown: ['/s/key', '/w/.env', '/nowhere'] };
  const disk: FolderReader = { ...folders, realPath: (path) => (path === '/s' ? '/s' : folders.realPath(path)) };
  const inner = plan(policy, inside, disk);
  const outer = plan(policy, outside, disk);
  if (inner.kind !== 'confined' || outer.kind !== 'confined') throw new Error('not confined');
  expect(inner.spec.paths.filter(({ path }) => path.startsWith('/s'))).toEqual([
    { kind: 'mask', path: '/s' },
    { kind: 'read-only', path: '/s/key' },
  ]);
  expect(outer.spec.paths.filter(({ path }) => path.startsWith('/s'))).toEqual([{ kind: 'read', path: '/s/key' }]);
});

test('an opened folder lets names be created, and keeps its existing content; so does a protected one', () => {
  const tree: Readonly<Record<string, readonly string[]>> = {
    '/w': ['.vscode', 'a'],
    '/w/.vscode': ['settings.json', 'tasks.json', 'deep'],
    '/w/.vscode/deep': ['x', 'y'],
    '/o': ['old', 'other', 'p'],
    '/o/p': [],
  };
  const there = new Set(
    Object.entries(tree).flatMap(([folder, names]) => [folder, ...names.map((n) => `${folder}/${n}`)]),
  );
  const disk: FolderReader = {
    realPath: (path) => (there.has(path) ? path : null),
    list: (path) => (tree[path] ?? []).map((name) => ({ name, isLink: false })),
  };
  const result = plan(
    {
      name: 'workspace',
      writable: ['/w', '/o/p'],
      opened: [{ folder: '/o', names: ['new', 'old'] }],
      unprotected: ['/w/.vscode/settings.json', '/w/.vscode/deep/x/new'],
    },
    inside,
    disk,
  );
  if (result.kind !== 'confined') throw new Error(result.kind);
  const { spec } = result;
  expect(pathsOf(spec, 'write')).toEqual(['/o', '/w', '/o/p', '/w/.vscode', '/w/.vscode/deep/x']);
  expect(pathsOf(spec, 'read-only')).toEqual(['/o/other', '/w/.vscode/deep', '/w/.vscode/tasks.json']);
});

test('a writable folder below a hidden one keeps its protected names, and one that is hidden in it shows none', () => {
  const there = new Set(['/h', '/h/w', '/h/w/file', '/h/w/.envrc', '/h/w/s', '/h/w/s/.envrc']);
  const disk: FolderReader = { realPath: (path) => (there.has(path) ? path : null), list: () => [] };
  const result = plan(
    {
      name: 'workspace',
      writable: ['/h/w'],
      hidden: ['/h', '/h/w/s'],
      protected: ['/h/w/s/.envrc'],
      shown: ['/h/w/file'],
    },
    inside,
    disk,
  );
  if (result.kind !== 'confined') throw new Error(result.kind);
  expect(pathsOf(result.spec, 'read-only')).toEqual(['/h/w/.envrc']);
});

test('missing hidden names are watched if they could be read', () => {
  const watched = ['/s/absent', '/t/absent/', '/w/absent', '/tmp/absent', '/s/key'];
  const policy = { ...workspace, hidden: [...(workspace.hidden ?? []), ...watched], watched };
  expect(confined(policy, inside).spec.unseen).toEqual(['/s/absent', '/t/absent']);
  expect(confined(policy, outside).spec.unseen).toEqual(['/t/absent']);
});

test('in an opened folder too, unless the command names them; what it cannot create is not taken away', () => {
  const tree: Readonly<Record<string, readonly string[]>> = { '/h': ['.config'], '/h/.config': [] };
  const there = new Set(['/h', '/h/.config']);
  const disk: FolderReader = {
    realPath: (path) => (there.has(path) ? path : null),
    list: (path) => (tree[path] ?? []).map((name) => ({ name, isLink: false })),
  };
  const watched = ['/h/.netrc', '/h/.pgpass', '/h/.aws', '/h/.config/gh'];
  const policy: ConfinementPolicy = {
    name: 'workspace',
    opened: [{ folder: '/h', names: ['.pgpass'] }],
    unprotected: ['/h/.pgpass', '/h/.aws/credentials'],
    protected: ['/h/.config/fish', '/h/.gdbinit'],
    hidden: watched,
    watched,
  };
  const result = plan(policy, inside, disk);
  if (result.kind !== 'confined') throw new Error(result.kind);
  expect(result.spec.unseen).toEqual(['/h/.netrc', '/h/.config/gh']);
  expect(result.spec.sweptInPart).toEqual(['/h']);
  expect(result.spec.absent).toContain('/h/.gdbinit');
  expect(result.spec.absent).not.toContain('/h/.config/fish');
});

test('nothing becomes writable in a protected folder because something is hidden in it', () => {
  const there = new Set(['/h', '/h/.aws', '/h/.aws/sso', '/h/.aws/sso/cache']);
  const disk: FolderReader = { realPath: (path) => (there.has(path) ? path : null), list: () => [] };
  const result = plan(
    { name: 'workspace', writable: ['/h'], protected: ['/h/.aws'], hidden: ['/h/.aws/sso/cache'] },
    inside,
    disk,
  );
  if (result.kind !== 'confined') throw new Error(result.kind);
  expect(pathsOf(result.spec, 'write')).toEqual(['/h']);
});

test('a thousand roots are listed once each, and names beyond the limit are counted', () => {
  const roots = Array.from({ length: 1000 }, (_, i) => `/r/${i}`);
  const known = new Set(['/', '/r', ...roots, '/r/7/.vscode']);
  let [listed, asked] = [0, 0];
  const many: FolderReader = {
    realPath: (path) => {
      asked += 1;
      return known.has(path) ? path : null;
    },
    isLink: (path) => (known.has(path) ? false : null),
    names: (path) => {
      listed += 1;
      return new Set(path === '/r/7' ? ['.vscode'] : []);
    },
    list: () => [],
  };
  const result = plan({ name: 'workspace', writable: roots }, inside, many);
  if (result.kind !== 'confined') throw new Error(result.kind);
  expect(listed).toBeLessThan(1010);
  expect(asked).toBeLessThan(10);
  expect(pathsOf(result.spec, 'read-only')).toEqual(['/r/7/.vscode']);
  expect(result.spec.absent?.length).toBeGreaterThan(3000);
  const absent = result.enforcement.missing.filter(({ guarantee }) => guarantee === 'protected-absent');
  expect(absent.map(({ why }) => why).join()).toMatch(/\d+ of these names exceed the limit, and stay/);
});
