import { existsSync } from 'node:fs';
import puppeteer, { type Browser } from 'puppeteer-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of this machine; undefined where none is installed. `CHROMIUM` names another. */
export function findChromium(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env.CHROMIUM ?? PLACES.find((path) => existsSync(path));
}

/** A headless Chromium that reaches loopback addresses alone. As root its own sandbox cannot start. */
export function openBrowser(executablePath: string): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return puppeteer.launch({
    executablePath,
    args: [...sandbox, '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
}
