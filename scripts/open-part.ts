import type { Page } from 'puppeteer-core';
import type { Sample } from './sample.ts';

/** Opens what a picture shows open. */
export async function openPart(page: Page, part: NonNullable<Sample['opens']>): Promise<void> {
  if (part === 'select') {
    // The list of a select is not part of the page; with a size it is.
    await page.$eval('dialog select', (select) => {
      select.size = select.querySelectorAll('option, optgroup').length;
    });
  } else if (part === 'menu') {
    await page.click('[aria-label="More actions"]');
  } else {
    await page.$$eval(
      '.slack-button',
      (all, label) => all.find(({ textContent }) => textContent === label)?.click(),
      part.confirm,
    );
    await page.waitForSelector('dialog');
  }
}
