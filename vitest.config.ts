import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongFilesFirst from './scripts/long-files-first.js';
import { unitTests } from './scripts/unit-tests.js';

const unit = unitTests();

export default defineConfig({
  test: {
    projects: [
      // They share no more than the modules that they load, which takes longer than most of them.
      { extends: true, test: { name: 'unit', include: unit, isolate: false } },
      {
        extends: true,
        test: { name: 'whole', include: ['src/**/*.test.ts', 'test/**/*.test.{ts,js}'], exclude: unit },
      },
    ],
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
