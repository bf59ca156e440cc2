import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../../src/playground/browser.ts';
import { confirm, openPages, type Pages, type Visit } from './page-play.ts';

const chromium = findChromium(process.env);
const FILE = 'oom/findings/gpu/startup.yaml';
const BUILT_IN_WORDS = 'The KV cache of one full-length request does not fit';
const TRIAGE = '/oom triage llm/vllm-server';

vi.setConfig({ maxConcurrency: 2 });

describe.skipIf(chromium === undefined)('whoever uses the page', { concurrent: true, timeout: 200_000 }, () => {
  let pages: Pages;
  beforeAll(async () => {
    pages = await openPages(chromium ?? '');
  });
  afterAll(() => pages?.close());

  const planned = async (visit: Visit) => {
    await visit.type(TRIAGE);
    await visit.sees(/Confidence: high/);
    await visit.click(/^Plan /);
    await visit.sees(/Approve…/);
  };

  it('reloads, opens a second tab and kills the bot during a run, which goes on', async () => {
    const visit = await pages.open('vllm-kv-room');
    await planned(visit);
    await visit.actAs('approver');
    await visit.click('Approve…');
    await confirm(visit);
    await visit.sees(/✓ set args|Running: /);

    await visit.page.reload();
    const other = await visit.tab();
    await other.sees(/GPU OOM: /);
    await visit.sees(/bot\s+running/);
    await visit.click('Kill bot');
    await other.sees(/bot\s+stopped/);
    await visit.type('/oom status');
    await visit.sees(/The bot did not respond/);
    await other.click('Start bot');
    for (const reader of [visit, other]) {
      await reader.sees(/bot\s+running/);
      await reader.click(/repl(?:y|ies)$/);
      await reader.sees(/Done: restarted vllm-server/);
    }
    await visit.leave();
  });

  it('gets the errors of a form in the form, and what only one person sees', async () => {
    const visit = await pages.open('vllm-kv-room', { mode: 'socket' });
    await planned(visit);
    await visit.click('Edit…');
    const field = await visit.page.waitForSelector('dialog input');
    await field?.click({ count: 3 });
    await field?.type('many');
    await visit.page.keyboard.press('Enter');
    const flaw = await visit.page.waitForSelector('dialog .error');
    expect(await flaw?.evaluate((line) => line.textContent)).toMatch(/number/);

    await visit.page.keyboard.press('Escape');
    await visit.page.waitForSelector('dialog', { hidden: true });
    await visit.actAs('stranger');
    await visit.click('Reject');
    await confirm(visit);
    await visit.sees(/Only visible to you\s+🔴 You may not approve here/u);
    await visit.actAs('oncall');
    expect(await visit.text()).not.toMatch(/You may not approve here/);
    await visit.leave();
  });

  it('sees the effect of a playbook edit at the next triage, and what is wrong with a broken one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oom-own-playbook-'));
    const file = join(folder, FILE);
    mkdirSync(dirname(file), { recursive: true });
    const builtIn = readFileSync(join(import.meta.dirname, '../../playbooks', FILE), 'utf8');
    const own = (words: string) => writeFileSync(file, builtIn.replace(BUILT_IN_WORDS, words));
    own('The first words');
    const visit = await pages.open('vllm-kv-room', { playbooks: [folder] });
    await visit.type(TRIAGE);
    await visit.sees(/The first words/);

    writeFileSync(file, 'findings: [not a finding');
    await visit.sees(/changed playbook rejected[\s\S]*startup\.yaml/);
    own('The second words');
    await visit.sees(/playbook reloaded/i);
    await visit.type(TRIAGE);
    await visit.sees(/The second words/);
    await visit.leave();
    rmSync(folder, { recursive: true });
  });

  it('makes Slack fail, sends no real token, and works with the keyboard on a phone', async () => {
    const visit = await pages.open('look-alike');
    const { page } = visit;
    await page.setViewport({ width: 340, height: 700 });
    await visit.click('Calls');
    await page.select('.calls select', 'rate-limited');
    await visit.click('Channel');
    await page.focus('.composer input');
    await page.keyboard.press('Enter');
    await visit.sees(/A probe found no server listening/);
    await visit.click('Calls');
    await visit.sees(/ratelimited/);
    await visit.sees(/ack in \d+ ms/);
    await visit.click('Channel');

    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(340);
    await visit.type(`/oom triage xoxb-${'1234567890'}-abc`);
    await visit.sees(/looks like a real Slack token/);
    await visit.click('Home');
    await visit.sees(/open incident/);
    await page.setViewport({ width: 1280, height: 900 });
    await visit.click(/look-alike/);
    await visit.click(/^argo-self-heal/);
    await visit.sees(/argo-self-heal is running/);
    await visit.leave();
  });
});
