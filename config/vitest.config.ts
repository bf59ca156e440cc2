import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// `npm test` runs *.test.ts with reduced sizes; `npm run test:long` runs *.long.ts with full sizes and real servers;
// `npm run test:kills` runs *.kills.ts, where bots are killed around every write; `npm run test:browser` runs *.browser.ts,
// with a browser and a bot for each scenario; `:quick` is five of these.
const { OOM_TEST_BROWSER, OOM_TEST_KILLS, OOM_TEST_LONG } = process.env;
const suite = OOM_TEST_BROWSER ? 'browser' : OOM_TEST_KILLS ? 'kills' : OOM_TEST_LONG ? 'long' : 'test';
const include = [`test/**/*.${suite}.ts`];
const report = process.env.OOM_TEST_REPORT;

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include,
    // One more than there are cores: a quarter of a run waits for servers and other processes.
    // The browser suite plays two scenarios at a time within a file.
    maxWorkers: suite === 'browser' ? 1 : availableParallelism() + 1,
    // As many bots as a file of kills lets live at a time; the default is five.
    maxConcurrency: 8,
    // No module of ours keeps anything for itself, so the files of one worker share them: a third of the time.
    isolate: suite !== 'test',
    setupFiles: ['test/setup.ts'],
    // A limit for what hangs, not a measure of speed: a busy machine takes five times as long.
    testTimeout: suite === 'test' ? 60_000 : 120_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
