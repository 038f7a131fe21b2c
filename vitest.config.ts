import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.{ts,js}'],
    reporters: ['default', './scripts/skip-report.js'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
