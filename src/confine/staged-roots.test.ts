import { expect, test } from 'vitest';
import type { KernelSupport } from './kernel-support.ts';
import { type ConfinementPolicy, plan } from './plan.ts';
import type { ConfinementSpec } from './port.ts';
import type { FolderReader } from './reading.ts';

const EXISTS = new Set([
  ...['/w', '/w/.git', '/w/.git/hooks', '/w/.git/config', '/w/.env', '/w/sub'],
  ...['/x/y', '/f', '/home', '/home/state', '/caches', '/t'],
]);
const folders: FolderReader = {
  realPath: (path) => (path === '/w/.bashrc' ? '/t' : EXISTS.has(path) ? path : null),
  isFile: (path) => path === '/f',
  list: () => [],
};
const inside: KernelSupport = { tier: 'namespaces', missing: [], why: null };

function confined(policy: ConfinementPolicy, probe = inside) {
  const result = plan(policy, probe, folders);
  if (result.kind !== 'confined') throw new Error(result.kind);
  return result;
}

function pathsOf({ paths }: ConfinementSpec, kind: string): string[] {
  return paths.filter((item) => item.kind === kind).map(({ path }) => path);
}

const staged: ConfinementPolicy = {
  name: 'workspace',
  writable: ['/x/y', '/w', '/w/sub'],
  hidden: ['/w/.env'],
  scratch: ['/caches'],
  protected: ['/w/denied'],
  unprotected: ['/w/.vscode/tasks.json', '/w/.git', '/w'],
  settings: { files: ['/w/.git/config'], names: ['remote'] },
  unsearched: ['/w/deep'],
  quarantine: '/q',
  stage: { folder: '/home/state/stages/bash-aaaaaa', mode: 'apply' },
};

test('the outermost folders are staged in the order of their entries; nothing below them is mounted but hidden names', () => {
  const { spec, staged: found } = confined(staged);
  expect(spec.paths.filter(({ kind }) => kind === 'staged')).toEqual([
    { kind: 'staged', path: '/w', from: '/home/state/stages/bash-aaaaaa/0' },
    { kind: 'staged', path: '/x/y', from: '/home/state/stages/bash-aaaaaa/1' },
  ]);
  expect(pathsOf(spec, 'write')).toEqual(['/caches']);
  expect(pathsOf(spec, 'read-only')).toEqual([]);
  expect(pathsOf(spec, 'mask')).toEqual(['/w/.env']);
  expect([spec.absent, spec.swept, spec.sweptInPart, spec.quarantine]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(found).toEqual({ roots: ['/w', '/x/y'], direct: [] });
});

test('the gate gets the names that mounts would protect, existing, absent and links', () => {
  const { spec, enforcement } = confined(staged);
  expect(spec.stage).toMatchObject({ folder: '/home/state/stages/bash-aaaaaa', mode: 'apply' });
  expect(spec.stage?.guarded).toEqual(
    expect.arrayContaining(['/w/.git/hooks', '/w/.git/config', '/w/.bashrc', '/w/denied', '/x/y/.vscode']),
  );
  // Its repository would be new: it is judged by its content.
  expect(spec.stage?.guarded).not.toContain('/x/y/.git/hooks');
  expect(spec.sweptNames?.taken).toContain('.vscode');
  expect(spec.kept).toEqual(['/w/.vscode/tasks.json']);
  expect(spec.settings).toEqual({ files: ['/w/.git/config'], names: ['remote'] });
  // What would be new, a link, or too deep to search is judged at the end.
  expect(enforcement.missing).toEqual([]);
});

test('a file and a folder with own files stay direct, with all protections', () => {
  const { spec, staged: found } = confined({ ...staged, writable: ['/w', '/f', '/home'] });
  expect(found).toEqual({
    roots: ['/w'],
    direct: [
      { path: '/f', isFolder: false, why: 'it is not a folder' },
      { path: '/home', isFolder: true, why: "it contains hardshell's own files" },
    ],
  });
  expect(pathsOf(spec, 'write')).toEqual(['/f', '/home', '/caches'].sort());
  expect(spec.absent).toContain('/home/.vscode');
  expect(spec.swept).toContain('/home');
  expect(spec.stage?.guarded.some((path) => path.startsWith('/home'))).toBe(false);
});

test('where nothing can be staged, the plan is that of a direct command', () => {
  const { stage: _, ...direct } = { ...staged, writable: ['/home'] };
  const planned = confined({ ...direct, ...(staged.stage && { stage: staged.stage }) });
  expect(planned.spec).toEqual(confined(direct).spec);
  expect(planned.staged?.roots).toEqual([]);
});

test('without mounts nothing is staged', () => {
  const { spec, staged: found } = confined(staged, { tier: 'landlock', missing: [], why: 'refused' });
  expect(found).toBeNull();
  expect(spec.stage).toBeUndefined();
  expect(pathsOf(spec, 'write')).toContain('/w');
});
