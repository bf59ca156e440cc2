import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { OomError } from '../../model/errors.ts';
import { parseJson } from '../../model/json-file.ts';
import { close, isLoopbackHost, listen, readBody } from '../../standins/loopback.ts';
import { AnyDeed } from './deeds.ts';
import { createFeed, type EntryFeed } from './feed.ts';
import { openPlayground, type Playground, type PlaygroundOptions } from './playground.ts';

export type ServedPage = { readonly url: string; close(): Promise<void> };

type ServeOptions = Omit<PlaygroundOptions, 'onChange'> & {
  readonly page: string;
  /** Asked for; without it DEFAULT_PORT, or the next free one. */
  readonly port: number | undefined;
};

export const DEFAULT_PORT = 4040;
const MOST_PORTS = 20;
const MOST_BYTES = 100_000;

/** The playground with its page on 127.0.0.1. Throws OomError `bad-input` if the port that was asked for is in use. */
export async function servePage({ page, port, ...options }: ServeOptions): Promise<ServedPage> {
  let feed: EntryFeed | undefined;
  const playground = await openPlayground({ ...options, onChange: () => feed?.poke() });
  feed = createFeed(playground.read);
  const site: Site = { page, playground, feed };
  const server = createServer((request, response) => {
    answer(site, request, response).catch(() => response.destroy());
  });
  try {
    const listening = await listenOn(server, port);
    return {
      url: `http://127.0.0.1:${listening}`,
      async close() {
        feed.close();
        await Promise.all([close(server), playground.close()]);
      },
    };
  } catch (error) {
    feed.close();
    await playground.close();
    throw error;
  }
}

async function listenOn(server: ReturnType<typeof createServer>, asked: number | undefined): Promise<number> {
  for (let port = asked ?? DEFAULT_PORT; ; port += 1) {
    try {
      return await listen(server, port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      if (asked === undefined && port < DEFAULT_PORT + MOST_PORTS) continue;
      throw new OomError('bad-input', `Port ${port} is in use.`, {
        next: 'Choose another one with --port, or leave it out to take a free one.',
        cause: error,
      });
    }
  }
}

type Site = { readonly page: string; readonly playground: Playground; readonly feed: EntryFeed };

const SAFE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

async function answer(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const end = (status: number, type: string, body: string | Buffer, more: Record<string, string> = {}): void =>
    void response.writeHead(status, { ...SAFE, 'content-type': type, ...more }).end(body);
  // Neither another site's page nor a name that somebody points at 127.0.0.1 gets in.
  if (!isLoopbackHost(request) || !isOwnPage(request))
    return end(403, 'text/plain', 'Open the playground at http://127.0.0.1, from this machine.\n');
  if (request.method === 'POST' && pathname === '/do') return doDeed(site, request, end);
  if (request.method !== 'GET') return end(405, 'text/plain', 'not allowed\n');
  if (pathname === '/') return end(200, 'text/html; charset=utf-8', site.page);
  if (pathname === '/events') return site.feed.add(response);
  const file = site.playground.file(/^\/files\/(F\d+)$/.exec(pathname)?.[1] ?? '');
  if (file?.bytes === undefined) return end(404, 'text/plain', 'not found\n');
  const name = file.name.replaceAll(/[^\w.-]/g, '_');
  end(200, 'application/octet-stream', file.bytes, { 'content-disposition': `attachment; filename="${name}"` });
}

function isOwnPage({ headers }: IncomingMessage): boolean {
  return headers.origin === undefined || headers.origin === `http://${headers.host}`;
}

type End = (status: number, type: string, body: string) => void;

async function doDeed({ playground }: Site, request: IncomingMessage, end: End): Promise<void> {
  const body = await readBody(request);
  const isJson = request.headers['content-type'] === 'application/json' && body.length <= MOST_BYTES;
  const deed = AnyDeed.safeParse(isJson ? parseJson(body.toString('utf8')) : undefined);
  const outcome = deed.success
    ? await playground.do(deed.data)
    : { ok: false, says: 'The page asked for something the playground does not know. Reload the page.' };
  end(outcome.ok ? 200 : 422, 'application/json', JSON.stringify(outcome));
}
