import type { Page } from 'puppeteer-core';

export type Person = 'oncall' | 'approver' | 'stranger';

/** A person in front of the page: types, clicks and reads. */
export type Reader = {
  readonly page: Page;
  actAs(person: Person): Promise<void>;
  type(text: string): Promise<void>;
  /** Clicks the newest button with these words that is in sight. */
  click(name: string | RegExp): Promise<void>;
  /** Waits until the page shows these words. Rejects with what it shows instead. */
  sees(words: RegExp, withinMs?: number): Promise<string>;
  text(): Promise<string>;
};

const SEES_MS = 120_000;
const LOOK_MS = 50;

export function createReader(page: Page): Reader {
  const text = () => page.evaluate('document.body.innerText') as Promise<string>;
  const until = async <T>(what: string, look: () => Promise<T | undefined>, withinMs = SEES_MS): Promise<T> => {
    const end = performance.now() + withinMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (performance.now() > end) throw new Error(`never: ${what}\n${await text()}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  return {
    page,
    text,
    async actAs(person) {
      await page.locator(`.people label::-p-text(${person})`).click();
    },
    async type(words) {
      const input = await page.waitForSelector('main .composer input');
      await input?.click({ count: 3 });
      await input?.type(words);
      await page.keyboard.press('Enter');
    },
    async click(name) {
      const button = await until(`a button ${name}`, () => newestButton(page, name));
      await button.scrollIntoView();
      await button.click();
    },
    sees: (words, withinMs) =>
      until(
        String(words),
        async () => {
          const seen = await text();
          return words.test(seen) ? seen : undefined;
        },
        withinMs,
      ),
  };
}

// The first one with these words in the newest message that has one, else anywhere on the page.
async function newestButton(page: Page, name: string | RegExp) {
  for (const place of [...(await page.$$('.message')).toReversed(), await page.$('body')]) {
    for (const button of (await place?.$$('button')) ?? []) {
      const words = await button.evaluate((element) =>
        element.checkVisibility() ? element.textContent?.trim() : undefined,
      );
      if (words !== undefined && (typeof name === 'string' ? words === name : name.test(words))) return button;
    }
  }
  return undefined;
}
