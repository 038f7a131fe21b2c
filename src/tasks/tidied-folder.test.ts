import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { foregroundFolder, nameFiles } from './names.ts';
import { TidiedFolder } from './tidied-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-tidied-'));
  mkdirSync(foregroundFolder(folder));
});
afterEach(() => rmSync(folder, { recursive: true }));

function keep(from: number, to: number): void {
  for (let i = from; i < to; i += 1)
    writeFileSync(nameFiles(foregroundFolder(folder), `bash-${String(i).padStart(6, '0')}`).kept, '');
}

test('a busy process keeps no more outputs than the limit, also within one day', () => {
  const tidied = new TidiedFolder(folder, () => {});
  keep(0, 10_010);
  const count = () => readdirSync(foregroundFolder(folder)).length;
  tidied.path();
  expect(count()).toBe(10_000);
  keep(20_000, 20_100);
  tidied.path();
  expect(count()).toBe(10_100);
  for (let used = 0; used < 2_000; used += 1) tidied.path();
  expect(count()).toBe(10_000);
});
