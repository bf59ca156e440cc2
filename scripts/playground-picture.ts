import { findScenario } from '../src/playground/scenarios/open-scenario.ts';
import { openPages, playOnPage } from '../test/playground/page-play.ts';

const SIZE = { width: 1200, height: 760 };

/** The page of the playground after a whole run, as a picture small enough for the README. */
export async function drawPlayground(chromium: string, path: `${string}.webp`): Promise<void> {
  const pages = await openPages(chromium);
  try {
    const visit = await pages.open('vllm-kv-room');
    await visit.page.setViewport(SIZE);
    await playOnPage(visit, findScenario('vllm-kv-room'));
    await visit.sees(/1 of 1 ready/);
    await visit.page.$$eval('.thread-pane .message', (all) =>
      all.find((one) => /Done/.test(one.textContent ?? ''))?.scrollIntoView(),
    );
    await visit.page.screenshot({ path, type: 'webp', quality: 75 });
  } finally {
    await pages.close();
  }
}
