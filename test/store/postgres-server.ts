import { randomBytes } from 'node:crypto';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import postgres from 'postgres';

const BASE = process.env.OOM_TEST_POSTGRES;

/** `describe` or `it` by it: without a server the suites are skipped, and a word says so. */
export const hasPostgres = BASE !== undefined && BASE !== '';
if (!hasPostgres)
  console.log('skipped: suites on PostgreSQL; set OOM_TEST_POSTGRES=postgres://user@host:port/database');

export type PlaceInPostgres = {
  readonly url: string;
  /** A connection beside the store's, in the same schema. */
  readonly raw: postgres.Sql;
  drop(): Promise<void>;
};

/** A schema of its own in the test server, which the address leads to. */
export async function placeInPostgres(parameters: Readonly<Record<string, string>> = {}): Promise<PlaceInPostgres> {
  const schema = `oom_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(BASE ?? '');
  url.searchParams.set('search_path', schema);
  const raw = postgres(url.href, { max: 1, onnotice: () => undefined });
  await raw.unsafe(`create schema ${schema}`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return {
    url: url.href,
    raw,
    async drop() {
      await raw.unsafe(`drop schema ${schema} cascade`);
      await raw.end();
    },
  };
}

export type Gate = {
  /** The same address through the gate. */
  readonly url: string;
  /** Ends all connections; while shut, new ones are refused. */
  shut(): Promise<void>;
  open(): Promise<void>;
  /** From the next chunk that the store sends and `matches`: it still gets through, and then all connections are cut. */
  cutAfter(matches: (chunk: string) => boolean): Promise<void>;
  close(): Promise<void>;
};

/** A door before PostgreSQL, which can be shut as if the server went away. */
export async function gateBefore(url: string): Promise<Gate> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let watch: { matches: (chunk: string) => boolean; cut: () => void } | undefined;
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((near) => {
    const far = connectTo(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
    }
    near.on('data', (chunk) => {
      if (watch?.matches(chunk.toString('latin1')) !== true) return void far.write(chunk);
      const { cut } = watch;
      watch = undefined;
      // The answer of the server is dropped: it came after the cut.
      far.pause();
      far.write(chunk, () => setTimeout(() => [cutAll(), cut()], 100));
    });
    far.on('data', (chunk) => near.write(chunk));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  let port = 0;
  const listen = () => new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  await listen();
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  const shut = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      cutAll();
    });
  return {
    url: through.href,
    shut,
    open: listen,
    cutAfter: (matches) =>
      new Promise((cut) => {
        watch = { matches, cut };
      }),
    close: shut,
  };
}
