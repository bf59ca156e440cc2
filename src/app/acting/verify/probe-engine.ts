import { z } from 'zod';
import type { EngineCall, EngineCaller, EngineReply, WorkloadPod } from '../../acting-ports.ts';
import type { Clock } from '../../ports.ts';
import type { EngineAnswer, Look } from '../engine-eyes.ts';

export type ProbeDeps = {
  /** By cluster. */
  readonly callers: ReadonlyMap<string, EngineCaller>;
  readonly clock: Clock;
  readonly version: string;
  /** Longest wait for the token, in ms. */
  readonly timeoutMs: number;
};

// Both have to answer within one look.
const MOST_PODS = 2;
const MOST_PORTS = 3;
// vLLM, and most that copy it, where the pod declares none.
const USUAL_PORTS = [8000];
const SHORT_MS = 1500;

type Place = Pick<EngineCall, 'namespace' | 'pod'>;
export type Asking = Omit<ProbeDeps, 'callers'> & { readonly caller: EngineCaller; readonly signal: AbortSignal };

/** Asks the newest pods that serve for one token each: an engine that hangs has its health check answered by another process. */
export async function probeEngines(deps: ProbeDeps, { target, pods, signal }: Look): Promise<EngineAnswer> {
  const all = newestServing(pods);
  const serving = all.slice(0, MOST_PODS);
  if (serving.length === 0) return { kind: 'could-not-tell', why: 'no pod is ready' };
  const caller = deps.callers.get(target.cluster);
  if (caller === undefined) return { kind: 'could-not-tell', why: 'engine probes are off for this cluster' };
  const { namespace } = target.object;
  const asking: Asking = { ...deps, caller, signal };
  const answers = await Promise.all(serving.map((pod) => probePod(asking, { namespace, pod })));
  const worst = answers.find(({ kind }) => kind === 'failed') ?? answers.find(({ kind }) => kind === 'could-not-tell');
  const slowest = Math.max(...answers.map((answer) => (answer.kind === 'answered' ? answer.ms : 0)));
  return worst ?? { kind: 'answered', ms: slowest, says: sayAnswered(serving.length, all.length, slowest) };
}

/** Ready pods, the newest first. */
export function newestServing(pods: readonly WorkloadPod[]): readonly WorkloadPod[] {
  const serving = pods.filter(({ ready, terminating }) => ready && !terminating);
  return serving.toSorted((a, b) => b.createdAt - a.createdAt);
}

function sayAnswered(asked: number, all: number, ms: number): string {
  const time = `within ${Math.round(ms)} ms`;
  if (all === 1) return `the only ready pod returned a token ${time}`;
  if (asked === all) return `both ready pods returned a token ${time}`;
  return `the ${asked} newest of ${all} ready pods returned a token ${time}; the others were not probed`;
}

async function probePod(asking: Asking, place: Place & { pod: WorkloadPod }): Promise<EngineAnswer> {
  const door = await findEngine(asking, place, place.pod.ports);
  if (door.kind !== 'found') return door;
  const startedAt = asking.clock.monotonic();
  const [answer, health] = await Promise.all([
    askToken(asking, { ...place, port: door.port }, door.model),
    ask(asking, { ...place, port: door.port, path: '/health', body: null, timeoutMs: SHORT_MS }),
  ]);
  if (answer.kind === 'token') return { kind: 'answered', ms: asking.clock.monotonic() - startedAt };
  if (answer.kind !== 'failed') return answer;
  const healthy = health.kind === 'answered' && health.status === 200 ? ', but /health returns 200' : '';
  return { kind: 'failed', why: `${place.pod.name}: ${answer.why}${healthy}` };
}

type Door =
  | { readonly kind: 'found'; readonly port: number; readonly model: string | null }
  | Extract<EngineAnswer, { kind: 'failed' | 'could-not-tell' }>;

const Models = z.object({ data: z.array(z.object({ id: z.string() })).min(1) });

/** The port behind which the engine listens, and the name that it serves its model under. */
export async function findEngine(asking: Asking, place: Place, declared: readonly number[]): Promise<Door> {
  const ports = [...new Set(declared.length > 0 ? declared : USUAL_PORTS)].slice(0, MOST_PORTS);
  const replies = await Promise.all(
    ports.map((port) => ask(asking, { ...place, port, path: '/v1/models', body: null, timeoutMs: SHORT_MS })),
  );
  const doors = replies.map((reply, i) => readDoor(reply, { port: ports[i] ?? 0, pod: place.pod.name }));
  const best = ['found', 'failed', 'could-not-tell'] as const;
  // A named model before a port that only listens; a silent port proves nothing while another answers.
  const named = doors.find((door) => door.kind === 'found' && door.model !== null);
  const found =
    named ?? best.map((kind) => doors.find((door) => door.kind === kind)).find((door) => door !== undefined);
  return found ?? { kind: 'could-not-tell', why: `${place.pod.name} has no port` };
}

function readDoor(reply: EngineReply, { port, pod }: { port: number; pod: string }): Door {
  if (reply.kind === 'no-way') return { kind: 'could-not-tell', why: reply.why };
  if (reply.kind === 'silent') return { kind: 'failed', why: reply.why };
  const { status, text } = reply;
  if (status === 401 || status === 403) return wantsKey(pod, status);
  if (status >= 500) return { kind: 'failed', why: `${pod}: /v1/models returned HTTP ${status}` };
  const models = Models.safeParse(parse(text));
  // TGI and the native server of SGLang serve without such a list.
  return { kind: 'found', port, model: models.data?.data[0]?.id ?? null };
}

function wantsKey(pod: string, status: number): Extract<EngineAnswer, { kind: 'could-not-tell' }> {
  return {
    kind: 'could-not-tell',
    why: `${pod} rejects the API key (HTTP ${status}): see \`acting.verify.apiKeyFile\``,
  };
}

type Token = { readonly kind: 'token' } | Extract<EngineAnswer, { kind: 'failed' | 'could-not-tell' }>;
type At = Place & { readonly port: number };

async function askToken(asking: Asking, at: At, model: string | null): Promise<Token> {
  let last: Token = { kind: 'could-not-tell', why: `${at.pod.name} has no known completion API` };
  for (const { path, body } of waysOf(model)) {
    const call = { ...at, path, body: JSON.stringify(body), timeoutMs: asking.timeoutMs };
    const reply = await ask(asking, call);
    const token = readToken(reply, { pod: at.pod.name, seconds: asking.timeoutMs / 1000 });
    if (token !== 'other-way') return token;
    if (reply.kind === 'answered') last = { ...last, why: `${last.why} (${path} returned HTTP ${reply.status})` };
  }
  return last;
}

// The common interface, then TGI's own and SGLang's own.
function waysOf(model: string | null): readonly { readonly path: string; readonly body: object }[] {
  const common = { path: '/v1/completions', body: { model, prompt: 'Hi', max_tokens: 1, temperature: 0 } };
  return [
    ...(model === null ? [] : [common]),
    { path: '/generate', body: { inputs: 'Hi', parameters: { max_new_tokens: 1 } } },
    { path: '/generate', body: { text: 'Hi', sampling_params: { max_new_tokens: 1 } } },
  ];
}

const NOT_THIS_WAY = new Set([400, 404, 405, 422]);

function readToken(reply: EngineReply, { pod, seconds }: { pod: string; seconds: number }): Token | 'other-way' {
  if (reply.kind === 'no-way') return { kind: 'could-not-tell', why: reply.why };
  if (reply.kind === 'silent') return { kind: 'failed', why: `no token within ${seconds} s (${reply.why})` };
  const { status, text } = reply;
  if (NOT_THIS_WAY.has(status)) return 'other-way';
  if (status === 401 || status === 403) return wantsKey(pod, status);
  if (status !== 200) return { kind: 'failed', why: `the test prompt returned HTTP ${status}` };
  if (isToken(parse(text))) return { kind: 'token' };
  return { kind: 'could-not-tell', why: `${pod} returned no completion` };
}

const Completion = z.union([
  z.object({ choices: z.array(z.object({})).min(1) }),
  z.object({ generated_text: z.string() }),
  z.object({ text: z.string() }),
]);

function isToken(answer: unknown): boolean {
  return Completion.safeParse(Array.isArray(answer) ? answer[0] : answer).success;
}

/** One request in the name of the verification. */
export function ask({ caller, signal, version }: Asking, call: EngineCall): Promise<EngineReply> {
  return caller.call(call, { signal, agent: `oombot/${version} (verification)` });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
