import { readFile, stat } from 'node:fs/promises';
import { Agent, type Dispatcher } from 'undici';

export type TlsOptions = {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly insecure?: boolean | undefined;
};

/** Gives the dispatcher to ask through; made anew when a certificate file has changed. Throws what the file system throws. */
export function createDispatcherSource(tls: TlsOptions | undefined): () => Promise<Dispatcher> {
  let last: { readonly mark: string; readonly agent: Agent } | undefined;
  return async () => {
    const files = [tls?.caFile, tls?.certFile, tls?.keyFile];
    const mark = (await Promise.all(files.map(markOf))).join('/');
    if (last?.mark === mark) return last.agent;
    const [ca, cert, key] = await Promise.all(files.map((file) => (file === undefined ? undefined : readFile(file))));
    const before = last?.agent;
    const agent = new Agent({
      // A few questions at once, and nothing kept open between two triages for long.
      connections: 8,
      keepAliveTimeout: 4000,
      connect: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), rejectUnauthorized: !tls?.insecure },
    });
    last = { mark, agent };
    // Requests under way are let finish.
    before?.close().catch(() => {});
    return agent;
  };
}

async function markOf(file: string | undefined): Promise<string> {
  if (file === undefined) return '-';
  const { mtimeMs, ino, size } = await stat(file);
  return `${mtimeMs}:${ino}:${size}`;
}
