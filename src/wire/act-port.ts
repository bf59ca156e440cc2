import { z } from 'zod';
import type { ActStore } from '../app/acting-ports.ts';
import type { PortReply, PortRequest } from '../app/http-ports.ts';
import type { Clock, Groups, Log } from '../app/ports.ts';
import { type Config, defaultCluster, readEnvironment } from '../config.ts';
import { createTokenReviewer, type TokenReview } from '../kubernetes/review-token.ts';
import { toOomError } from '../model/errors.ts';
import { parseJson } from '../model/json-file.ts';
import { Message } from '../model/message.ts';
import { createRateGate, type HttpLimits, type HttpPort, openHttpPort } from '../system/http-port.ts';
import type { Acting } from './acting.ts';
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

/** Of the requests that are refused, so many a minute are audited. */
type PortLimits = HttpLimits & { readonly auditedPerMinute: number };

const LIMITS: PortLimits = {
  bytes: 16_384,
  headersMs: 5_000,
  requestMs: 10_000,
  connections: 32,
  perMinute: 60,
  auditedPerMinute: 10,
};

type Reply = { readonly status: number; readonly body: z.infer<typeof PortAnswer> };

const REVIEW_MS = 10_000;

/**
 * The port for terminals. It listens on the loopback interface alone: who reaches it comes through `kubectl port-forward`,
 * which is encrypted, and shows who they are by a token of the cluster.
 */
export async function startActPort(deps: ActPortDeps): Promise<HttpPort> {
  const { port, clock, log } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const isAudited = createRateGate(limits.auditedPerMinute, clock);
  const answer = async (request: PortRequest): Promise<PortReply> => {
    const { status, body } = await answerOrFault({ ...deps, isAudited }, request);
    return { status, type: 'application/json', body: JSON.stringify(body) };
  };
  return openHttpPort({ name: 'act port', port, host: '127.0.0.1', limits, answer, clock, log });
}

type AuditingDeps = ActPortDeps & { readonly isAudited: () => boolean };

async function answerOrFault(deps: AuditingDeps, request: PortRequest): Promise<Reply> {
  try {
    return await answerTo(deps, request);
  } catch (thrown) {
    const error = toOomError(thrown);
    deps.log.error('command of a terminal failed', { error, code: error.code });
    return no(500, error.message, error.next);
  }
}

async function answerTo(deps: AuditingDeps, request: PortRequest): Promise<Reply> {
  if (request.method !== 'POST' || request.path !== '/v1/act') {
    return no(404, 'This port only takes `oom` commands.', 'Use `oom approve`, `oom abort` and the like.');
  }
  if (!request.isInRate()) return no(429, 'Too many commands in a minute.', 'Wait a minute, or use Slack.');
  const body = await request.readBody();
  const asked = Asked.safeParse(body.kind === 'text' ? parseJson(body.text) : undefined);
  if (!asked.success) {
    return no(400, 'The bot did not understand the request.', 'Use the same `oom` version as the bot.');
  }
  const user = await identify(deps, request, asked.data);
  if (typeof user !== 'string') return user;
  const messages = await deps.answer(asked.data.verb, asked.data.rest, user);
  return { status: 200, body: { messages: [...messages] } };
}

async function identify(
  { review, people, acts, clock, log, isAudited }: AuditingDeps,
  request: PortRequest,
  { verb, rest }: z.infer<typeof Asked>,
): Promise<string | Reply> {
  const token = /^Bearer (\S+)$/.exec(request.authorization ?? '')?.[1];
  const reviewed = token === undefined ? undefined : await review(token, AbortSignal.timeout(REVIEW_MS));
  if (reviewed?.kind === 'could-not-tell') {
    log.warn('token not reviewed', { why: reviewed.why });
    return no(503, `Could not check who you are: ${reviewed.why}.`, 'Nothing was changed. Use Slack for now.');
  }
  const who = reviewed?.kind === 'user' ? reviewed.username : undefined;
  const user = who !== undefined && Object.hasOwn(people, who) ? people[who] : undefined;
  if (user !== undefined) return user;
  const why = who === undefined ? 'unknown token' : 'nobody in acting.people';
  if (!isAudited()) log.warn('refusal not audited: too many in one minute', { who, verb, why });
  else await acts.recordRefusal({ who: who ?? 'unknown', verb, subject: rest.slice(0, 200), why, at: clock.now() });
  return who === undefined
    ? no(401, 'The cluster does not know the token.', 'Use --token-file, or log in to the cluster again.')
    : no(403, `${who} may not act.`, 'Ask the platform team to add you under `acting.people`.');
}

function no(status: number, says: string, next: string): Reply {
  return { status, body: { says, next } };
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
): Promise<HttpPort | undefined> {
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
