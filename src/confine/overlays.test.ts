import { expect, test } from 'vitest';
import { type OverlayBounds, planOverlays } from './overlays.ts';
import type { FolderReader } from './reading.ts';

/** Existing paths, each with its real path if that differs. */
function folders(there: Readonly<Record<string, string | true>>, mounts: readonly string[] = []): FolderReader {
  const known = new Map(Object.entries(there).map(([path, real]) => [path, real === true ? path : real]));
  return {
    realPath: (path) => known.get(path) ?? null,
    list: () => [],
    mountPoints: () => ['/', '/proc', ...mounts],
  };
}

const none: OverlayBounds = { open: [], mounted: [] };
const home = { '/': true, '/home': true, '/home/me': true, '/home/me/.config': true } as const;
const plan = (hidden: readonly string[], disk = folders(home), bounds: Partial<OverlayBounds> = {}) => {
  const { folders: places, names } = planOverlays(hidden, { ...none, ...bounds }, disk);
  return { places, names };
};

test('one overlay for a folder and everything below it, whether the names exist or not', () => {
  const hidden = ['/home/me/.npmrc', '/home/me/.config/gh', '/home/me/.docker/config.json'];
  expect(plan(hidden)).toEqual({ places: ['/home/me'], names: [...hidden].sort() });
});

test('a name below another one is hidden with it', () => {
  expect(plan(['/home/me/.ssh/id', '/home/me/.ssh']).names).toEqual(['/home/me/.ssh']);
});

test('a link on the way, and a link to elsewhere: by both names', () => {
  const disk = folders({
    ...home,
    '/home/me/.config': '/home/me/dot/config',
    '/home/me/dot/config': true,
    '/home/me/.ssh': '/keys/ssh',
    '/keys': true,
    '/keys/ssh': true,
  });
  expect(plan(['/home/me/.npmrc', '/home/me/.config/gh', '/home/me/.ssh', '/keys/other'], disk)).toEqual({
    places: ['/home/me', '/keys'],
    names: [
      '/home/me/.config/gh',
      '/home/me/.npmrc',
      '/home/me/.ssh',
      '/home/me/dot/config/gh',
      '/keys/other',
      '/keys/ssh',
    ],
  });
});

test('a mount below a folder: no overlay there, but further down', () => {
  const disk = folders(home, ['/home/me', '/home/me/data']);
  expect(plan(['/home/me/.npmrc', '/home/me/.config/gh'], disk)).toEqual({
    places: ['/home/me/.config'],
    names: ['/home/me/.config/gh'],
  });
  // The folder may be a mount itself.
  expect(plan(['/home/me/.npmrc'], folders(home, ['/home/me'])).places).toEqual(['/home/me']);
});

test.each<[string, Partial<OverlayBounds>]>([
  ['in a writable folder', { open: ['/home/me'] }],
  ['below a writable folder', { open: ['/home'] }],
  ['with something shown in it', { mounted: ['/home/me/.ssh/config'] }],
  ['that is mounted itself', { mounted: ['/home/me/.ssh'] }],
])('none for a name %s', (_, bounds) => {
  expect(plan(['/home/me/.ssh'], folders(home), bounds)).toEqual({ places: [], names: [] });
});

test.each<[string, Partial<OverlayBounds>]>([
  ['a writable folder', { open: ['/home/me/.config'], mounted: ['/home/me/.config'] }],
  ['a folder that is shown', { mounted: ['/home/me/.config'] }],
])('none for a name in %s, which is mounted over the overlay of the home', (_, bounds) => {
  const hidden = ['/home/me/.npmrc', '/home/me/.config/gh'];
  expect(plan(hidden, folders(home), bounds)).toEqual({ places: ['/home/me'], names: ['/home/me/.npmrc'] });
});

test('never over everything', () => {
  expect(plan(['/secret'])).toEqual({ places: [], names: [] });
});

test('what needs nothing else is known by its own name', () => {
  const disk = folders({ ...home, '/me': '/home/me', '/home/me/.ssh': '/keys/ssh', '/keys/ssh': true });
  const { handled } = planOverlays(['/me/.npmrc', '/home/me/.ssh'], none, disk);
  // The target of the link is in no overlay.
  expect([...handled]).toEqual(['/me/.npmrc']);
});
