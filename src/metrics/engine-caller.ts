import { isIP } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import type { EngineCall, EngineCaller, EngineReply } from '../app/acting-ports.ts';
import { codeOf } from '../model/connection-fault.ts';
import { type Authorization, createAuthorization } from './credentials.ts';
import { readBody, whyUnreachable } from './response.ts';

export type EngineCallerOptions = {
  /** File with the key that engines were started with; read again when it changes. */
  readonly apiKeyFile?: string | undefined;
  readonly dispatcher?: Dispatcher;
};

const MAX_BODY_BYTES = 64 * 1024;
const CONNECT_MS = 1500;
// Where no connection comes about, a firewall or another network is as likely as the engine.
const NO_WAY = new Set(['UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);

/** Asks engines by the address of their pod. */
export function createEngineCaller({ apiKeyFile, dispatcher }: EngineCallerOptions = {}): EngineCaller {
  const authorization = createAuthorization(
    apiKeyFile === undefined ? { kind: 'none' } : { kind: 'bearer-file', file: apiKeyFile },
  );
  const agent = dispatcher ?? new Agent({ connect: { timeout: CONNECT_MS }, keepAliveTimeout: 1000 });
  return { call: (call, context) => callByIP(call, { ...context, authorization, agent }) };
}

type With = {
  readonly signal: AbortSignal;
  readonly agent: Dispatcher;
  readonly authorization: Authorization;
};

async function callByIP(call: EngineCall, { signal, agent, authorization }: With): Promise<EngineReply> {
  const { ip } = call.pod;
  if (ip === null || isIP(ip) === 0) return { kind: 'no-way', why: `${call.pod.name} has no address yet` };
  const key = await authorization(false).catch(() => null);
  if (key === null) return { kind: 'no-way', why: "cannot read the engine's API key file" };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(call.timeoutMs)]);
  try {
    const { statusCode, body } = await request(`http://${isIP(ip) === 6 ? `[${ip}]` : ip}:${call.port}${call.path}`, {
      method: call.body === null ? 'GET' : 'POST',
      dispatcher: agent,
      signal: limit,
      headers: { accept: 'application/json', 'content-type': 'application/json', ...(key && { authorization: key }) },
      body: call.body,
    });
    const { text } = await readBody(body, MAX_BODY_BYTES);
    return { kind: 'answered', status: statusCode, text };
  } catch (thrown) {
    if (signal.aborted) return { kind: 'no-way', why: 'no time left' };
    const { detail } = whyUnreachable(thrown, `port ${call.port} of ${call.pod.name}`, limit);
    return { kind: NO_WAY.has(codeOf(thrown).code) ? 'no-way' : 'silent', why: detail };
  }
}
