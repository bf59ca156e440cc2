import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { ActStore } from '../app/acting-ports.ts';
import type { Clock, Groups, Log } from '../app/ports.ts';
import { type Config, readEnvironment } from '../config.ts';
import { createTokenReviewer, type TokenReview } from '../kubernetes/review-token.ts';
import { toOomError } from '../model/errors.ts';
import { parseJson } from '../model/json-file.ts';
import { Message } from '../model/message.ts';
import { type Acting, defaultCluster } from './acting.ts';
import { VERSION } from './version.ts';

/** What a terminal may ask of the running bot. `plan` is not among them: a terminal makes its own. */
const PORT_VERBS = ['status', 'approve', 'reject', 'rollback', 'abort', 'go-on', 'pause', 'resume'] as const;
export type PortVerb = (typeof PORT_VERBS)[number];
const Asked = z.strictObject({ verb: z.enum(PORT_VERBS), rest: z.string().max(2000) });

/** What comes back: messages to print, or why nothing was done. */
export const PortAnswer = z.union([
  z.strictObject({ messages: z.array(Message) }),
  z.strictObject({ says: z.string().max(2000), next: z.string().max(2000) }),
]);

export type ActPortDeps = {
  readonly port: number;
  /** User names of the cluster, and the Slack user that each of them is. */
  readonly people: Readonly<Record<string, string>>;
  readonly review: (token: string, signal: AbortSignal) => Promise<TokenReview>;
  readonly answer: (verb: PortVerb, rest: string, user: string) => Promise<readonly Message[]>;
  readonly acts: Pick<ActStore, 'recordRefusal'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<PortLimits>;
};

type PortLimits = {
  /** Longest time for the headers of a request, and for all of it, in ms. */
  readonly headersMs: number;
  readonly requestMs: number;
  readonly connections: number;
  /** Requests in a minute, and of those refused how many are audited. */
  readonly perMinute: number;
  readonly auditedPerMinute: number;
};

const LIMITS: PortLimits = {
  headersMs: 5_000,
  requestMs: 10_000,
  connections: 32,
  perMinute: 60,
  auditedPerMinute: 10,
};

export type ActPort = { readonly port: number; stop(): Promise<void> };

type Reply = { readonly status: number; readonly body: z.infer<typeof PortAnswer> };

const MOST_BYTES = 16_384;
const REVIEW_MS = 10_000;

/**
 * The port for terminals. It listens on the loopback interface alone: who reaches it comes through `kubectl port-forward`,
 * which is encrypted, and shows who they are by a token of the cluster.
 */
export async function startActPort(deps: ActPortDeps): Promise<ActPort> {
  const underWay = new Set<Promise<void>>();
  const { headersMs, requestMs, connections, perMinute, auditedPerMinute } = { ...LIMITS, ...deps.limits };
  const gates = { asked: aMinuteOf(perMinute, deps.clock), audited: aMinuteOf(auditedPerMinute, deps.clock) };
  const times = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: headersMs / 4 };
  const server = createServer(times, (request, response) => {
    const work = reply({ ...deps, gates }, request, response).catch((error) =>
      deps.log.error('act port failed', { error }),
    );
    underWay.add(work);
    void work.then(() => underWay.delete(work));
  });
  server.maxConnections = connections;
  await listen(server, deps.port);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(underWay);
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

type Gates = { readonly asked: () => boolean; readonly audited: () => boolean };
type GatedDeps = ActPortDeps & { readonly gates: Gates };

const MINUTE_MS = 60_000;

/** True so many times in a minute. */
function aMinuteOf(most: number, clock: Clock): () => boolean {
  let since = clock.now();
  let count = 0;
  return () => {
    // Also where the clock was set back.
    if (Math.abs(clock.now() - since) >= MINUTE_MS) {
      since = clock.now();
      count = 0;
    }
    count += 1;
    return count <= most;
  };
}

async function reply(deps: GatedDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let answer: Reply;
  try {
    answer = await answerTo(deps, request);
  } catch (thrown) {
    const error = toOomError(thrown);
    deps.log.error('command of a terminal failed', { error, code: error.code });
    answer = no(500, error.message, error.next);
  }
  response.writeHead(answer.status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(answer.body));
}

async function answerTo(deps: GatedDeps, request: IncomingMessage): Promise<Reply> {
  if (request.method !== 'POST' || request.url !== '/v1/act') {
    return no(404, 'This port only takes `oom` commands.', 'Use `oom approve`, `oom abort` and the like.');
  }
  if (!deps.gates.asked()) return no(429, 'Too many commands in a minute.', 'Wait a minute, or use Slack.');
  const text = await readText(request);
  const asked = Asked.safeParse(parseJson(text));
  if (!asked.success) {
    return no(400, 'The bot did not understand the request.', 'Use the same `oom` version as the bot.');
  }
  const user = await identify(deps, request, asked.data);
  if (typeof user !== 'string') return user;
  const messages = await deps.answer(asked.data.verb, asked.data.rest, user);
  return { status: 200, body: { messages: [...messages] } };
}

async function identify(
  { review, people, acts, clock, log, gates }: GatedDeps,
  request: IncomingMessage,
  { verb, rest }: z.infer<typeof Asked>,
): Promise<string | Reply> {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  const reviewed = token === undefined ? undefined : await review(token, AbortSignal.timeout(REVIEW_MS));
  if (reviewed?.kind === 'could-not-tell') {
    log.warn('token not reviewed', { why: reviewed.why });
    return no(503, `Could not check who you are: ${reviewed.why}.`, 'Nothing was changed. Use Slack for now.');
  }
  const who = reviewed?.kind === 'user' ? reviewed.username : undefined;
  const user = who !== undefined && Object.hasOwn(people, who) ? people[who] : undefined;
  if (user !== undefined) return user;
  const why = who === undefined ? 'unknown token' : 'nobody in acting.people';
  if (!gates.audited()) log.warn('refusal not audited: too many in one minute', { who, verb, why });
  else await acts.recordRefusal({ who: who ?? 'unknown', verb, subject: rest.slice(0, 200), why, at: clock.now() });
  return who === undefined
    ? no(401, 'The cluster does not know the token.', 'Use --token-file, or log in to the cluster again.')
    : no(403, `${who} may not act.`, 'Ask the platform team to add you under `acting.people`.');
}

function no(status: number, says: string, next: string): Reply {
  return { status, body: { says, next } };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const piece = chunk as Uint8Array;
    bytes += piece.byteLength;
    if (bytes > MOST_BYTES) return '';
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type OpenActPortParts = {
  readonly acting: Acting;
  readonly groupsOf: (user: string) => Promise<Groups>;
  readonly store: Pick<ActStore, 'recordRefusal'>;
  readonly clock: Clock;
  readonly log: Log;
};

/** The port for terminals, where the configuration wants one. Users are those of the default cluster. */
export async function openActPort(
  config: Config,
  { acting, groupsOf, store, clock, log }: OpenActPortParts,
): Promise<ActPort | undefined> {
  const { port, people } = config.acting;
  if (port === undefined) return undefined;
  const { inCluster = false, kubeconfig, context } = defaultCluster(config) ?? {};
  const reviewer = createTokenReviewer({
    source: { inCluster, kubeconfig, context, environment: readEnvironment() },
    clock,
    version: VERSION,
  });
  const opened = await startActPort({
    port,
    people,
    review: reviewer.review,
    answer: async (verb, rest, user) => acting.answer(verb, rest, { user, groups: await groupsOf(user) }),
    acts: store,
    clock,
    log,
  });
  return {
    port: opened.port,
    async stop() {
      await opened.stop();
      await reviewer.close();
    },
  };
}
