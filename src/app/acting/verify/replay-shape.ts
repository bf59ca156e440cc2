import type { RequestShape } from '../../../actions/request-shape.ts';
import { workloadOf } from '../../../model/plan.ts';
import type { EngineCaller, EngineReply, WorkloadPod } from '../../acting-ports.ts';
import type { Clock } from '../../ports.ts';
import type { EngineAnswer, Look, Replay } from '../engine-eyes.ts';
import { type Asking, ask, findEngine, newestServing } from './probe-engine.ts';
import type { ShapeRead } from './read-shape.ts';

export type ReplayDeps = {
  readonly callers: ReadonlyMap<string, EngineCaller>;
  readonly clock: Clock;
  readonly version: string;
  /** Longest time for all of it, in ms. */
  readonly timeoutMs: number;
  readonly shapeOf: (incidentId: string) => Promise<ShapeRead>;
};

type Going = { readonly pod: WorkloadPod; readonly stop: AbortController; answer: EngineAnswer };

const UNDER_WAY: EngineAnswer = { kind: 'could-not-tell', why: 'replay in progress' };
const WATCH_MS = 2000;
const HEALTH_MS = 1500;
// Two timers are never quite the same.
const SLACK_MS = 250;
const MOST_AT_ONCE = 64;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_ANSWER_TOKENS = 1024;
// ` a` is one token of most vocabularies.
const WORD = ' a';

/** A replay over the engines that may be asked. */
export function createReplay(deps: ReplayDeps): Replay {
  const going = new Map<string, Going>();
  const keyOf = ({ target, begun }: Pick<Look, 'target' | 'begun'>) => `${workloadOf(target)}@${begun}`;
  return {
    async look(look) {
      const known = going.get(keyOf(look));
      if (known !== undefined) return judgeGoing(known, look);
      const [pod] = newestServing(look.pods);
      const caller = deps.callers.get(look.target.cluster);
      if (pod === undefined || caller === undefined) return { kind: 'could-not-tell', why: 'no pod to send it to' };
      const one: Going = { pod, stop: new AbortController(), answer: UNDER_WAY };
      going.set(keyOf(look), one);
      const asking: Asking = { ...deps, caller, signal: one.stop.signal };
      replay(deps, asking, { look, pod, stop: one.stop })
        .catch((): EngineAnswer => ({ kind: 'could-not-tell', why: 'not sent' }))
        .then((answer) => {
          if (one.answer === UNDER_WAY) one.answer = answer;
        });
      return one.answer;
    },
    knows: (run) => going.has(keyOf(run)),
    stop: (run) => going.get(keyOf(run))?.stop.abort(),
  };
}

// A pod that is in distress gets nothing more, and has said enough.
function judgeGoing(one: Going, { pods }: Look): EngineAnswer {
  const now = pods.find(({ uid }) => uid === one.pod.uid);
  const isWell = now?.ready === true && now.restarts === one.pod.restarts;
  if (isWell || one.answer !== UNDER_WAY) return one.answer;
  one.stop.abort();
  one.answer = { kind: 'failed', why: `${one.pod.name} did not survive it` };
  return one.answer;
}

type Sent = { readonly look: Look; readonly pod: WorkloadPod; readonly stop: AbortController };

async function replay(deps: ReplayDeps, asking: Asking, { look, pod, stop }: Sent): Promise<EngineAnswer> {
  const read = await deps.shapeOf(look.incidentId ?? '');
  if (read.kind === 'unknown') return { kind: 'could-not-tell', why: read.why };
  const { shape } = read;
  const tooMuch = shape.concurrency > MOST_AT_ONCE || shape.promptTokens * shape.concurrency * WORD.length > MOST_BYTES;
  if (tooMuch) return { kind: 'could-not-tell', why: `${sayShape(shape)}: above the replay limit` };
  const place = { namespace: look.target.object.namespace, pod };
  const door = await findEngine(asking, place, pod.ports);
  if (door.kind !== 'found') return door;
  if (door.model === null) return { kind: 'could-not-tell', why: `${pod.name} does not report its model name` };
  const startedAt = deps.clock.monotonic();
  const over = new AbortController();
  const watch = watchHealth(asking, { ...place, port: door.port }, { over: over.signal, stop });
  const replies = await Promise.all(
    bodiesOf(shape, door.model).map(async (body) => {
      const call = { ...place, port: door.port, path: '/v1/completions', body, timeoutMs: deps.timeoutMs };
      const reply = await ask(asking, call);
      const ended: Ended = { reply, isLate: deps.clock.monotonic() - startedAt >= deps.timeoutMs - SLACK_MS };
      // One that failed is enough: the others would only add to it.
      if (isFailure(ended)) stop.abort();
      return ended;
    }),
  );
  over.abort();
  const distress = await watch;
  if (distress !== null) return { kind: 'failed', why: `${sayShape(shape)}: ${distress}` };
  return judgeReplies(replies, { shape, ms: deps.clock.monotonic() - startedAt, timeoutMs: deps.timeoutMs });
}

// Each begins otherwise, so that no prefix is taken from the cache.
function bodiesOf({ promptTokens, concurrency, maxTokens }: RequestShape, model: string): readonly string[] {
  const max_tokens = Math.min(maxTokens, MOST_ANSWER_TOKENS);
  return Array.from({ length: concurrency }, (_, i) =>
    JSON.stringify({ model, prompt: `${i}${WORD.repeat(promptTokens)}`, max_tokens, temperature: 0 }),
  );
}

type Ended = { readonly reply: EngineReply; readonly isLate: boolean };

function isFailure({ reply, isLate }: Ended): boolean {
  if (reply.kind === 'answered') return reply.status >= 500;
  return reply.kind === 'silent' && !isLate;
}

type At = Parameters<typeof findEngine>[1] & { readonly port: number };

/** Two bad looks at its health in a row end the replay; null where there were none. */
async function watchHealth(
  asking: Asking,
  at: At,
  { over, stop }: { over: AbortSignal; stop: AbortController },
): Promise<string | null> {
  let bad = 0;
  const end = AbortSignal.any([over, stop.signal]);
  while (!end.aborted) {
    const awake = await asking.clock.sleep(WATCH_MS, end).then(
      () => true,
      () => false,
    );
    if (!awake) return null;
    const health = await ask(asking, { ...at, path: '/health', body: null, timeoutMs: HEALTH_MS });
    if (end.aborted) return null;
    bad = health.kind === 'answered' && health.status < 500 ? 0 : bad + 1;
    if (bad < 2) continue;
    stop.abort();
    return `stopped, the health check of ${at.pod.name} failed twice`;
  }
  return null;
}

type Whole = { readonly shape: RequestShape; readonly ms: number; readonly timeoutMs: number };

function judgeReplies(ended: readonly Ended[], { shape, ms, timeoutMs }: Whole): EngineAnswer {
  const what = sayShape(shape);
  const failed = ended.find(isFailure)?.reply;
  if (failed !== undefined) {
    return { kind: 'failed', why: `${what}: ${failed.kind === 'answered' ? `HTTP ${failed.status}` : failed.why}` };
  }
  const count = (from: number, to: number) =>
    ended.filter(({ reply }) => reply.kind === 'answered' && reply.status >= from && reply.status < to).length;
  const [done, refused] = [count(200, 300), count(400, 500)];
  // A limit that keeps the shape out is what the change was for.
  if (done + refused === ended.length) {
    const says = refused === 0 ? 'all answered' : `${done} answered, ${refused} rejected by the limits`;
    return { kind: 'answered', ms, says: `${what}: ${says} in ${Math.round(ms / 1000)} s` };
  }
  const open = ended.length - done - refused;
  return {
    kind: 'could-not-tell',
    why: `${what}: ${open} of ${ended.length} not done within ${timeoutMs / 1000} s`,
  };
}

function sayShape({ concurrency, promptTokens, maxTokens }: RequestShape): string {
  return `${concurrency} concurrent ${concurrency === 1 ? 'request' : 'requests'} of about ${promptTokens} prompt tokens, up to ${Math.min(maxTokens, MOST_ANSWER_TOKENS)} output tokens`;
}
