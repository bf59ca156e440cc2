import type { Browser, BrowserContext } from 'puppeteer-core';
import { openBrowser } from '../../src/playground/browser.ts';
import { bundlePage } from '../../src/playground/page-bundle.ts';
import type { Scenario, Step, Person as UserId } from '../../src/playground/scenarios/scenario.ts';
import { FASTEST } from '../../src/playground/server/bot-messages.ts';
import { type ServedPage, servePage } from '../../src/playground/server/serve-page.ts';
import type { StageOptions } from '../../src/playground/server/stage.ts';
import { createReader, type Person, type Reader } from './page-driver.ts';

const PEOPLE: Readonly<Record<UserId, Person>> = { U_ONCALL: 'oncall', U_APPROVER: 'approver', U_STRANGER: 'stranger' };
const BUTTONS: Readonly<Record<string, RegExp>> = {
  plan: /^(?:Plan |Restart |Replace |Raise |Roll back rollout)/,
  approve: /^Approve…$/,
  'roll-back': /^Roll back…$/,
};
const DESKTOP = { width: 1280, height: 900 };

export type Pages = {
  readonly html: string;
  readonly browser: Browser;
  /** The playground with this scenario, and a person in front of it. */
  open(
    scenario: string,
    more?: { readonly playbooks?: readonly string[]; readonly mode?: StageOptions['mode'] },
  ): Promise<Visit>;
  close(): Promise<void>;
};

export type Visit = Reader & {
  readonly served: ServedPage;
  /** Addresses that the page asked for. */
  readonly asked: readonly string[];
  /** Another tab on the same playground. */
  tab(): Promise<Reader>;
  /** Closes the tabs and stops the playground. */
  leave(): Promise<void>;
};

/** A browser, and as many playgrounds as are opened. */
export async function openPages(chromium: string): Promise<Pages> {
  const [browser, html] = await Promise.all([openBrowser(chromium), bundlePage('app.tsx', 'app.css')]);
  const closing: (() => Promise<unknown>)[] = [];
  return {
    html,
    browser,
    async open(scenario, { playbooks = [], mode = 'http' } = {}) {
      const served = await servePage({ page: html, port: 0, scenario, speed: FASTEST, mode, playbooks });
      closing.push(served.close);
      const asked: string[] = [];
      const windows: BrowserContext[] = [];
      const tab = async () => {
        // A window of its own: Chromium draws nothing in a tab behind another one.
        const window = await browser.createBrowserContext();
        windows.push(window);
        const page = await window.newPage();
        page.on('request', (request) => asked.push(request.url()));
        await page.setViewport(DESKTOP);
        await page.goto(served.url);
        return createReader(page);
      };
      const reader = await tab();
      await reader.sees(/bot\s+running/);
      const leave = async () => {
        await Promise.all(windows.map((window) => window.close()));
        closing.splice(closing.indexOf(served.close), 1);
        await served.close();
      };
      return { ...reader, served, asked, tab, leave };
    },
    async close() {
      await browser.close();
      await Promise.all(closing.map((close) => close()));
    },
  };
}

/** What people do in a scenario, by typing and clicking. */
export async function playOnPage(reader: Reader, { steps }: Pick<Scenario, 'steps'>): Promise<void> {
  for (const step of steps) await playStep(reader, step);
}

async function playStep(reader: Reader, step: Step): Promise<unknown> {
  switch (step.kind) {
    case 'type': {
      await reader.actAs(PEOPLE[step.as]);
      await reader.type(`/oom ${step.text}`);
      return reader.sees(/Confidence:|Handover|No memory/);
    }
    case 'click': {
      await reader.actAs(PEOPLE[step.as]);
      await reader.click(BUTTONS[step.button] ?? step.button);
      return confirm(reader);
    }
    case 'restart-bot':
      await reader.click('Kill bot');
      await reader.sees(/bot\s+stopped/);
      await reader.click('Start bot');
      return reader.sees(/bot\s+running/);
    case 'until':
      return reader.sees(onPage(step.says));
  }
}

// A summary begins with the word that a message shows after its emoji.
function onPage({ source }: RegExp): RegExp {
  return new RegExp(source.replace(/^\^/, '^(?:\\p{Emoji}\\S* )?'), 'mu');
}

// The dialog that asks whether it is meant, if there is one.
export async function confirm({ page }: Reader): Promise<void> {
  const yes = await page.$('dialog footer button:last-child:not([type=submit])');
  await yes?.click();
}
