import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../../src/playground/browser.ts';
import { findScenario } from '../../src/playground/scenarios/open-scenario.ts';
import { openPages, type Pages, playOnPage } from './page-play.ts';

const chromium = findChromium(process.env);
if (chromium === undefined)
  console.warn('Browser suite skipped: no Chromium. apt-get install chromium, or set CHROMIUM.');

// What a person sees of the finding, and in the end.
const SCENARIOS: readonly (readonly [string, RegExp, RegExp])[] = [
  ['vllm-kv-room', /KV/, /1 of 1 ready/],
  ['vllm-burst', /CUDA OOM/, /1 of 1 ready/],
  ['ram-limit-cut', /OOMKilled/, /1 of 1 ready/],
  ['dead-engine', /Ready/, /1 of 1 ready/],
  ['look-alike', /probe/, /Cluster/],
  ['argo-self-heal', /KV/, /Cluster/],
  ['approver-without-permission', /KV/, /1 of 1 ready/],
  ['four-eyes', /KV/, /1 of 1 ready/],
  ['bot-restart', /KV/, /1 of 1 ready/],
  ['shift-change', /KV/, /max-model-len/],
];

// Each has a bot in a process of its own.
vi.setConfig({ maxConcurrency: 2 });

describe.skipIf(chromium === undefined)('the page of the playground', { concurrent: true, timeout: 300_000 }, () => {
  let pages: Pages;
  beforeAll(async () => {
    pages = await openPages(chromium ?? '');
  });
  afterAll(() => pages.close());

  it.for(SCENARIOS)('%s is played by typing and clicking', async ([name, finding, end]) => {
    const scenario = findScenario(name);
    const visit = await pages.open(name);
    await visit.sees(new RegExp(name));

    await playOnPage(visit, scenario);

    const seen = await visit.text();
    expect(seen).toMatch(finding);
    expect(seen).toMatch(end);
    await visit.served.close();
    await visit.page.close();
  });
});
