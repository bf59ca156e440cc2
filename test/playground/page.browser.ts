import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../../src/playground/browser.ts';
import { findScenario } from '../../src/playground/scenarios/open-scenario.ts';
import { openPages, type Pages, playOnPage } from './page-play.ts';

const chromium = findChromium(process.env);
if (chromium === undefined)
  console.warn('Browser suite skipped: no Chromium. apt-get install chromium, or set CHROMIUM.');

type Seen = {
  readonly finding: RegExp;
  /** In the end, after everything that people do in the scenario. */
  readonly end: RegExp;
  /** Arguments that the cluster view marks as changed. */
  readonly changed?: RegExp;
  readonly never?: RegExp;
};

const KV_ROOM = /GPU OOM: .* ran out of GPU memory at startup/;
const RESTARTED = /Done: restarted vllm-server with --max-model-len 32832[\s\S]*1 of 1 ready/;
const SHORTER = /^--max-model-len 32832$/;

const SCENARIOS: readonly (readonly [string, Seen])[] = [
  ['vllm-kv-room', { finding: KV_ROOM, end: RESTARTED, changed: SHORTER }],
  [
    'vllm-burst',
    {
      finding: /CUDA OOM: .* ran out of GPU memory while serving/,
      end: /(?:Done: restarted|Applied, not verified: ).*--gpu-memory-utilization 0\.95[\s\S]*1 of 1 ready/,
      changed: /^--gpu-memory-utilization 0\.95$/,
    },
  ],
  [
    'ram-limit-cut',
    {
      finding: /OOMKilled: .* hit its 10 GiB memory limit[\s\S]*by helm\) cut the memory limit from 64Gi to 10Gi/,
      end: /Done: [\s\S]*1 of 1 ready/,
      changed: /^memory limit 64 GiB$/,
    },
  ],
  ['dead-engine', { finding: /Engine dead, pod still Ready: .* still gets traffic/, end: /1 of 1 ready/ }],
  [
    'look-alike',
    { finding: /A probe found no server listening[\s\S]*Do not raise memory/, end: /0 of 1 ready/, never: /^Plan /m },
  ],
  [
    'argo-self-heal',
    {
      finding: KV_ROOM,
      end: /Only visible to you\s+⚠️ Argo CD self-heals Deployment\/vllm-server[\s\S]*0 of 1 ready/,
      never: /^Approve…$/m,
    },
  ],
  ['approver-without-permission', { finding: KV_ROOM, end: RESTARTED, changed: SHORTER }],
  ['four-eyes', { finding: KV_ROOM, end: RESTARTED, changed: SHORTER }],
  ['bot-restart', { finding: KV_ROOM, end: RESTARTED, changed: SHORTER }],
  ['shift-change', { finding: KV_ROOM, end: /Handover[\s\S]*--max-model-len/, changed: SHORTER }],
];

// In CI: one for each kind of thing that people do on the page.
const QUICK = ['vllm-kv-room', 'ram-limit-cut', 'look-alike', 'four-eyes', 'bot-restart'];
const PLAYED =
  process.env.OOM_TEST_BROWSER === 'quick' ? SCENARIOS.filter(([name]) => QUICK.includes(name)) : SCENARIOS;

// Each has a bot in a process of its own.
vi.setConfig({ maxConcurrency: 2 });

describe.skipIf(chromium === undefined)('the page of the playground', { concurrent: true, timeout: 300_000 }, () => {
  let pages: Pages;
  beforeAll(async () => {
    pages = await openPages(chromium ?? '');
  });
  afterAll(() => pages?.close());

  it.for(PLAYED)('%s is played by typing and clicking', async ([name, { finding, end, changed, never }]) => {
    const scenario = findScenario(name);
    const visit = await pages.open(name);
    const start = await visit.text();
    expect(start).toContain(scenario.says);

    await playOnPage(visit, scenario);

    const seen = await visit.sees(end);
    expect(seen).toMatch(finding);
    if (never !== undefined) expect(seen).not.toMatch(never);
    const marked = await visit.page.$$eval('.arguments .changed', (all) => all.map((one) => one.textContent ?? ''));
    expect(marked.filter((line) => changed?.test(line) !== true)).toEqual([]);
    expect(marked).toHaveLength(changed === undefined ? 0 : 1);
    expect(visit.asked.filter((url) => !/^(?:http:\/\/127\.0\.0\.1:|data:)/.test(url))).toEqual([]);
    await visit.leave();
  });
});
