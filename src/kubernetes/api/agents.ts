import { createHash } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import type { Material } from './credentials.ts';

/**
 * Each lane has connections of its own, so that a slow log holds up no call, and no storm of triages a write. A watch keeps
 * its connection for minutes: that lane has as many as there are watches, and the Lease of their leader.
 */
export type Lane = 'calls' | 'logs' | 'acts' | 'watches';

export type Agents = {
  of(lane: Lane): Dispatcher;
  /** Lets what is under way end. */
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 5000;
const HEADERS_TIMEOUT_MS = 15_000;
const CONNECTIONS = 4;

/** Connections to one API server, made when first used. */
export function createAgents(material: Material, proxy: string | undefined): Agents {
  const made = new Map<Lane, Dispatcher>();
  return {
    of(lane) {
      const agent = made.get(lane) ?? createAgent(material, proxy, lane === 'watches' ? null : CONNECTIONS);
      made.set(lane, agent);
      return agent;
    },
    async close() {
      await Promise.allSettled([...made.values()].map((agent) => agent.close()));
    },
  };
}

function createAgent(material: Material, proxy: string | undefined, connections: number | null): Dispatcher {
  const { servername, rejectUnauthorized } = material;
  const tls = {
    secureContext: secureContextOf(material),
    ...(servername !== undefined && { servername }),
    rejectUnauthorized,
    timeout: CONNECT_TIMEOUT_MS,
    // With HTTP/2 all calls would share one connection.
    allowH2: false,
  };
  const usual = {
    connections,
    allowH2: false,
    headersTimeout: HEADERS_TIMEOUT_MS,
  };
  if (proxy === undefined) return new Agent({ ...usual, connect: tls });
  if (proxy.startsWith('socks')) {
    return new Socks5ProxyAgent(proxy, { requestTls: tls, connections });
  }
  return new ProxyAgent({ ...usual, uri: proxy, requestTls: tls });
}

// For all its connections: to read the certificates takes longer than a handshake.
function secureContextOf({ ca, cert, key }: Material) {
  return createSecureContext({
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  });
}

/** Changes when connections must be opened again. Headers do not count: they go with each request. */
export function markOf({ ca, cert, key, servername, rejectUnauthorized }: Material): string {
  const hash = createHash('sha256');
  for (const part of [ca, cert, key, servername, String(rejectUnauthorized)]) hash.update(part ?? '').update('\0');
  return hash.digest('hex');
}
