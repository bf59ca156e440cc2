import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium, openBrowser } from '../src/playground/browser.ts';
import { bundlePage } from '../src/playground/page-bundle.ts';
import { messageSamples } from './message-samples.ts';
import { openPart } from './open-part.ts';
import { drawPlayground } from './playground-picture.ts';

// Draws every message as Slack shows it, at the widths of a desktop and of a phone, and the page of the playground: npm run pictures -- OUT [NAME...]
const [out = '', ...names] = process.argv.slice(2);
const chromium = findChromium(process.env);
if (out === '' || chromium === undefined) {
  console.error(
    out === '' ? 'Name a folder: npm run pictures -- OUT' : 'No Chromium: apt-get install chromium, or set CHROMIUM.',
  );
  process.exit(2);
}
const isWanted = (name: string) => names.length === 0 || names.includes(name);
const samples = await messageSamples(isWanted);
mkdirSync(out, { recursive: true });
const html = await bundlePage('gallery.tsx');
const browser = await openBrowser(chromium);
for (const width of [600, 340]) {
  const page = await browser.newPage();
  await page.setViewport({ width, height: 900, deviceScaleFactor: 1 });
  await page.setContent(html);
  for (const { name, opens, ...gallery } of samples) {
    await page.evaluate(`show(${JSON.stringify(gallery)})`);
    await page.waitForSelector('.message, dialog');
    if (opens !== undefined) await openPart(page, opens);
    const shown = (await page.$('dialog')) ?? (await page.$('main'));
    const path = join(out, `${name}-${width}.webp`) as `${string}.webp`;
    await shown?.screenshot({ path, quality: 85 });
    console.log(path);
  }
}
await browser.close();
if (isWanted('playground')) {
  const path = join(out, 'playground.webp') as `${string}.webp`;
  await drawPlayground(chromium, path);
  console.log(path);
}
