// Benchmarks are JavaScript that imports from dist: a renamed function is noticed here, not when someone measures.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../bench/', import.meta.url));

test.each(readdirSync(FOLDER).filter((name) => name.endsWith('.js')))('%s can be loaded', async (name) => {
  expect(await import(`${FOLDER}${name}`)).toMatchObject({ run: expect.any(Function) });
});
