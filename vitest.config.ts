import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongFilesFirst from './scripts/long-files-first.js';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.{ts,js}'],
    sequence: { sequencer: LongFilesFirst },
    reporters: ['default', './scripts/test-report.js'],
    // Many tests wait for other processes: one more than there are processors on a small machine.
    maxWorkers: Math.max(3, availableParallelism()),
    // On CI a test is tried twice, and the report names what needed it: a busy machine is not a broken change.
    retry: process.env.CI ? 1 : 0,
    globalSetup: './test/setup.js',
    // Tells a hang from an answer, on a machine that has ten other things to do as well.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
