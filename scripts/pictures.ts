import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium, openBrowser } from '../src/playground/browser.ts';
import type { Gallery } from '../src/playground/page/shown-message.ts';
import { bundlePage } from '../src/playground/page-bundle.ts';

// Draws messages as Slack shows them: node scripts/pictures.ts MESSAGES.json OUT [WIDTH...]. Each entry of the file is `{ name, messages, names }`.
const [file = '', out = '', ...widths] = process.argv.slice(2);
const chromium = findChromium(process.env);
if (chromium === undefined) throw new Error('no Chromium: apt-get install chromium, or set CHROMIUM');

type Named = Gallery & { readonly name: string };
const galleries = JSON.parse(readFileSync(file, 'utf8')) as readonly Named[];
mkdirSync(out, { recursive: true });
const html = await bundlePage('gallery.tsx');
const browser = await openBrowser(chromium);
for (const width of widths.length > 0 ? widths.map(Number) : [600, 340]) {
  const page = await browser.newPage();
  await page.setViewport({ width, height: 200, deviceScaleFactor: 1 });
  await page.setContent(html);
  for (const gallery of galleries) {
    await page.evaluate(`show(${JSON.stringify(gallery)})`);
    await page.waitForSelector('.message');
    const path = join(out, `${gallery.name}-${width}.png`);
    await page.screenshot({ path: path as `${string}.png`, fullPage: true });
    console.log(path);
  }
}
await browser.close();
