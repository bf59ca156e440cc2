import { defineConfig } from 'vitest/config';

const long = process.env.OOM_TEST_LONG === '1';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: long ? ['test/**/*.test.ts', 'test/**/*.long.ts'] : ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: process.env.OOM_TEST_REPORT
      ? ['default', ['json', { outputFile: process.env.OOM_TEST_REPORT }]]
      : ['default'],
  },
});
