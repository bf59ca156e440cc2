import type { ServerResponse } from 'node:http';
import type { Feed } from '../page/shown.ts';

const GATHER_MS = 60;
const ALIVE_MS = 15_000;

/** Server-sent events to every open page: all entries at first, then those that change. */
export type EntryFeed = {
  /** Something may have changed: it is read and sent soon. */
  poke(): void;
  add(response: ServerResponse): void;
  close(): void;
};

export function createFeed(read: () => Feed): EntryFeed {
  const pages = new Set<ServerResponse>();
  let sent = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const send = (): void => {
    timer = undefined;
    const now = textsOf(read());
    const changes = [
      ...[...now].filter(([key, text]) => sent.get(key) !== text),
      ...[...sent.keys()].filter((key) => !now.has(key)).map((key) => [key, 'null'] as const),
    ];
    sent = now;
    if (changes.length > 0) for (const page of pages) page.write(eventOf('change', changes));
  };
  const alive = setInterval(() => {
    for (const page of pages) page.write(': alive\n\n');
  }, ALIVE_MS);
  return {
    poke() {
      timer ??= setTimeout(send, GATHER_MS);
    },
    add(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      // The others get what has changed, so that all begin from the same.
      clearTimeout(timer);
      send();
      response.write(eventOf('all', [...sent]));
      pages.add(response);
      response.on('close', () => pages.delete(response));
    },
    close() {
      clearTimeout(timer);
      clearInterval(alive);
      for (const page of pages) page.end();
    },
  };
}

function textsOf(feed: Feed): Map<string, string> {
  return new Map(Object.entries(feed).map(([key, value]) => [key, JSON.stringify(value)]));
}

function eventOf(name: string, entries: readonly (readonly [string, string])[]): string {
  return `event: ${name}\ndata: {${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}\n\n`;
}
