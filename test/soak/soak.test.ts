// A short version of `npm run soak`: a thousand mixed commands leave nothing behind in the servers that ran them.

import { expect, test } from 'vitest';
import { findGrowth, soak } from './soaking.js';

const isLinux = process.platform === 'linux';

test.runIf(isLinux)(
  'servers that have run a thousand commands hold no more than before',
  { timeout: 600_000 },
  async () => {
    const result = await soak({ count: 1000 });
    expect(findGrowth(result), JSON.stringify(result)).toEqual([]);
  },
);

test('what grew is named', () => {
  const server = { heap: 20 << 20, rss: 80 << 20, descriptors: 30 };
  const first = { processes: 20, files: 20, servers: { http: server } };
  const grown = { heap: 40 << 20, rss: 80 << 20, descriptors: 60 };
  const left = { processes: 0, sockets: [] };
  expect(findGrowth({ first, last: first, left })).toEqual([]);
  expect(findGrowth({ first, last: { processes: 90, files: 20, servers: { http: grown } }, left })).toEqual([
    'processes: 20 → 90',
    'http: descriptors: 30 → 60',
    `http: heap: ${20 << 20} → ${40 << 20}`,
  ]);
  expect(findGrowth({ first, last: first, left: { processes: 2, sockets: [] } })).toEqual([
    'processes after closing: 2',
  ]);
});
