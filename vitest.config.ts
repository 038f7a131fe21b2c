import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.{ts,js}'],
    reporters: ['default', './scripts/skip-report.js'],
    // Many tests wait for other processes: one more than there are processors on a small machine.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
