import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopbackHost, readBody } from '../loopback.ts';
import type { Answer, ApiContext, Args } from './api-context.ts';
import type { Fault, Faults } from './faults.ts';
import { contentOf, refuseContent } from './messages.ts';
import { nextTs, type ResponseUrl, type SlackState } from './state.ts';
import { callMethod } from './web-api.ts';

const RESPONSE_URL_USES = 5;
const RESPONSE_URL_MS = 30 * 60_000;

type Reply = { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> };

/** The HTTP side of the stand-in: `/api/<method>`, `/upload/<file>` and `/response/<id>`. `changed` is called after each. */
export function createApiServer(context: ApiContext, faults: Faults, changed: () => void): Server {
  return createServer((request, response) => {
    answer(context, faults, request, response)
      .catch(() => response.destroy())
      .finally(changed);
  });
}

async function answer(
  context: ApiContext,
  faults: Faults,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isLoopbackHost(request)) return void response.writeHead(403).end('not a loopback host');
  const [, kind = '', name = ''] = new URL(request.url ?? '/', 'http://standin').pathname.split('/');
  const body = await readBody(request);
  const method = kind === 'api' ? name : kind === 'response' ? 'response_url' : kind;
  const fault = faults.take(method);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'slow') await sleep(fault.ms);
  const reply =
    refusedBy(fault, context.state, { method, now: context.now() }) ??
    (await route(context, { kind, name, request, body }));
  if (fault?.kind === 'lost') {
    response.destroy();
    return;
  }
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body);
}

function refusedBy(
  fault: Fault | undefined,
  state: SlackState,
  call: { method: string; now: number },
): Reply | undefined {
  const record = (answered: string, status: number) =>
    state.calls.push({ method: call.method, at: call.now, args: {}, answer: answered, status });
  switch (fault?.kind) {
    case 'http':
      record(`HTTP ${fault.status}`, fault.status);
      return { status: fault.status, body: 'upstream error' };
    case 'rate-limited':
      record('ratelimited', 429);
      return {
        status: 429,
        body: JSON.stringify({ ok: false, error: 'ratelimited' }),
        headers: { 'retry-after': String(fault.retryAfterSeconds) },
      };
    case 'error':
      record(fault.error, 200);
      return json({
        ok: false,
        error: fault.error,
        response_metadata: { messages: fault.messages ?? [] },
      });
    default:
      return undefined;
  }
}

type Call = { readonly kind: string; readonly name: string; readonly request: IncomingMessage; readonly body: Buffer };

async function route(context: ApiContext, call: Call): Promise<Reply> {
  if (call.kind === 'api') return callApi(context, call);
  if (call.kind === 'upload') return upload(context, call);
  if (call.kind === 'response') return respond(context, call);
  return { status: 404, body: '{}' };
}

function callApi(context: ApiContext, { name, request, body }: Call): Reply {
  const args = parseArgs(request, body);
  const result = callMethod(context, name, args, request.headers.authorization ?? '');
  context.state.calls.push({ method: name, at: context.now(), args, answer: result.error ?? 'ok', status: 200 });
  return json(result);
}

async function upload({ state }: ApiContext, { name, request, body }: Call): Promise<Reply> {
  const file = state.files.get(name);
  if (file === undefined) return { status: 404, body: 'no such upload' };
  // The SDK sends the file as the part `body` of a form.
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  }).formData();
  const part = form.get('body');
  file.bytes = part instanceof Blob ? Buffer.from(await part.arrayBuffer()) : Buffer.from(part ?? '');
  return { status: 200, body: `OK - ${file.bytes.length}` };
}

function respond({ state, now }: ApiContext, { name, body }: Call): Reply {
  const args = JSON.parse(body.toString('utf8')) as Args;
  const url = state.responseUrls.get(name);
  const refusal = refusedUrl(url, now()) ?? refuseContent(args, 'post');
  const status = refusal === undefined ? 200 : refusal.error?.endsWith('_url') ? 404 : 400;
  state.calls.push({ method: 'response_url', at: now(), args, answer: refusal?.error ?? 'ok', status });
  if (url !== undefined) url.uses += 1;
  if (url === undefined || refusal !== undefined) return { status, body: JSON.stringify(refusal) };
  const { channel, user } = url;
  state.ephemerals.push({ channel, user, ts: nextTs(state, now()), via: 'response_url', ...contentOf(args) });
  return { status, body: 'ok' };
}

function refusedUrl(url: ResponseUrl | undefined, now: number): Answer | undefined {
  if (url === undefined) return { ok: false, error: 'invalid_url' };
  if (now - url.since > RESPONSE_URL_MS) return { ok: false, error: 'expired_url' };
  return url.uses >= RESPONSE_URL_USES ? { ok: false, error: 'used_url' } : undefined;
}

// Slack's client sends forms in which objects are JSON; others may send JSON as a whole.
function parseArgs(request: IncomingMessage, body: Buffer): Args {
  const text = body.toString('utf8');
  if ((request.headers['content-type'] ?? '').startsWith('application/json')) return JSON.parse(text) as Args;
  const form = new URLSearchParams(text);
  return Object.fromEntries(
    [...form].map(([key, value]) => [key, ['blocks', 'view', 'files'].includes(key) ? JSON.parse(value) : value]),
  );
}

function json(body: unknown): Reply {
  return { status: 200, body: JSON.stringify(body) };
}
