import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { homeProtected, homeSecrets, machineSecrets } from './known-places.ts';

const base = mkdtempSync(join(tmpdir(), 'hardshell-places-'));
afterAll(() => rmSync(base, { recursive: true }));

function makeHome(name: string): string {
  const home = join(base, name);
  mkdirSync(join(home, '.config/git'), { recursive: true });
  writeFileSync(join(home, '.bashrc'), '');
  return home;
}

test('if the home is writable, every known name in it is protected, whether it exists or not', () => {
  const home = makeHome('whole');
  for (const writable of [home, base]) {
    const found = homeProtected(home, [writable]);
    for (const name of [
      '.bashrc',
      '.local/bin',
      '.local/lib',
      '.gdbinit',
      '.curlrc',
      'bin',
      '.config/autostart',
      '.docker',
    ])
      expect(found).toContain(join(home, name));
  }
});

test('otherwise only existing ones, which may be links into the project', () => {
  const home = makeHome('apart');
  expect(homeProtected(home, [join(home, 'project'), '/srv/x']).toSorted()).toEqual(
    [join(home, '.bashrc'), join(home, '.config/git')].toSorted(),
  );
});

test('and names that could be created in a writable folder of the home', () => {
  const home = makeHome('part');
  const found = homeProtected(home, [join(home, '.config')]);
  expect(found).toContain(join(home, '.config/autostart'));
  expect(found).not.toContain(join(home, '.gdbinit'));
});

test('a name below another one is not listed twice', () => {
  for (const places of [homeProtected('/h', ['/h']), homeSecrets('/h')])
    expect(places.filter((place) => places.some((other) => place.startsWith(`${other}/`)))).toEqual([]);
});

test('without a home there are no names, and unreadable files are not hidden', () => {
  expect([homeProtected(null, ['/']), homeSecrets(null)]).toEqual([[], []]);
  for (const path of machineSecrets()) expect(path.startsWith('/')).toBe(true);
});
