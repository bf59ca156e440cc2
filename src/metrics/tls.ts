import { readFile, stat } from 'node:fs/promises';
import { Agent, type Dispatcher } from 'undici';

export type TlsOptions = {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly insecure?: boolean | undefined;
};

type Made = { readonly mark: string; readonly agent: Agent };

/** Returns the dispatcher for requests; rebuilt when a certificate file has changed. Throws what the file system throws. */
export function createDispatcherSource(tls: TlsOptions | undefined): () => Promise<Dispatcher> {
  // One after the other: questions come several at once, and must not each make their own.
  let last: Promise<Made | undefined> = Promise.resolve(undefined);
  return async () => {
    const before = last.catch(() => undefined);
    const next = before.then((made) => renew(made, tls));
    last = next.catch(() => before);
    return (await next).agent;
  };
}

async function renew(before: Made | undefined, tls: TlsOptions | undefined): Promise<Made> {
  const files = [tls?.caFile, tls?.certFile, tls?.keyFile];
  const mark = (await Promise.all(files.map(markOf))).join('/');
  if (before?.mark === mark) return before;
  const [ca, cert, key] = await Promise.all(files.map((file) => (file === undefined ? undefined : readFile(file))));
  const agent = new Agent({
    // A few questions at once, and nothing kept open between two triages for long.
    connections: 8,
    keepAliveTimeout: 4000,
    connect: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), rejectUnauthorized: !tls?.insecure },
  });
  // Requests under way are let finish.
  before?.agent.close().catch(() => {});
  return { mark, agent };
}

async function markOf(file: string | undefined): Promise<string> {
  if (file === undefined) return '-';
  const { mtimeMs, ino, size } = await stat(file);
  return `${mtimeMs}:${ino}:${size}`;
}
