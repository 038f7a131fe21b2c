// docs/api.md says what the declarations say: it is written from them, and misses no export.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATH = join(ROOT, 'docs/api.md');
const SCRIPT = join(ROOT, 'scripts/api-docs.js');

let text = '';
beforeAll(() => {
  const run = (...argv: string[]) =>
    execFileSync(process.execPath, [SCRIPT, ...argv], { encoding: 'utf8', stdio: 'pipe' });
  if (process.env.UPDATE_DOCS) run(PATH);
  text = run();
}, 180_000);

test('docs/api.md describes the API as it is', () => {
  expect(readFileSync(PATH, 'utf8')).toBe(text);
});

test.each(['dist/index.js', 'dist/surfaces/adapters/adapters.js'])(
  'every value that %s exports is in it',
  async (file) => {
    const names = Object.keys(await import(pathToFileURL(join(ROOT, file)).href));
    const described = new Set([...text.matchAll(/^### (\w+)$/gm)].map((match) => match[1]));
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !described.has(name))).toEqual([]);
  },
);

test('every link in it leads to a heading, and every heading has a declaration', () => {
  const headings = [...text.matchAll(/^##+ (.+)$/gm)].map((match) =>
    (match[1] as string).toLowerCase().replaceAll(' ', '-'),
  );
  const counts = new Map<string, number>();
  const slugs = new Set(
    headings.map((slug) => {
      const count = counts.get(slug) ?? 0;
      counts.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
  const links = [...text.matchAll(/\]\(#([\w-]+)\)/g)].map((match) => match[1] as string);
  expect(links.filter((link) => !slugs.has(link))).toEqual([]);
  expect(links.length).toBe([...text.matchAll(/^### /gm)].length);
  const bodies = text.split(/^### /m).slice(1);
  expect(bodies.filter((body) => !/```ts\n(?:function|class|abstract|const|interface|type) /.test(body))).toEqual([]);
});
