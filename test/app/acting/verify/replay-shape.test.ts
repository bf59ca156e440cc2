import { describe, expect, it } from 'vitest';
import type { Look } from '../../../../src/app/acting/engine-eyes.ts';
import type { ShapeRead } from '../../../../src/app/acting/verify/read-shape.ts';
import { createReplay } from '../../../../src/app/acting/verify/replay-shape.ts';
import type { EngineCall, EngineCaller, EngineReply, WorkloadPod } from '../../../../src/app/acting-ports.ts';
import { createFakeClock } from '../../../fakes/clock.ts';
import { examplePlan } from '../../../model/plan-examples.ts';
import { aPod } from '../pod-builder.ts';

const SHAPE: ShapeRead = { kind: 'known', shape: { promptTokens: 2000, concurrency: 3, maxTokens: 64 } };
const shaped = (promptTokens: number, concurrency: number): ShapeRead => {
  return { kind: 'known', shape: { promptTokens, concurrency, maxTokens: 1 } };
};
const LIMIT_MS = 60_000;
const MODELS: EngineReply = { kind: 'answered', status: 200, text: '{"data":[{"id":"m"}]}' };
const with200: EngineReply = { kind: 'answered', status: 200, text: '{}' };
const cut: EngineReply = { kind: 'silent', why: 'port 8000 of vllm-0 cannot be reached: the connection was cut' };

const POD = aPod('vllm-0', { ip: '10.0.0.1', ports: [8000] });

type Answers = {
  readonly prompt?: (i: number) => EngineReply | 'hang';
  readonly health?: () => EngineReply;
  readonly shape?: ShapeRead;
};

/** A replay over an engine that answers so; what hangs ends with the signal. */
function aReplay({ prompt = () => with200, health = () => with200, shape = SHAPE }: Answers = {}) {
  const clock = createFakeClock();
  const sent: EngineCall[] = [];
  let stopped = 0;
  const caller: EngineCaller = {
    async call(call, { signal }) {
      if (call.path === '/v1/models') return MODELS;
      if (call.path === '/health') return health();
      sent.push(call);
      const reply = prompt(sent.length - 1);
      if (reply !== 'hang') return reply;
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stopped += 1;
          resolve({ kind: 'no-way', why: 'no time left' });
        });
      });
    },
  };
  const { target } = examplePlan;
  const replay = createReplay({
    callers: new Map([[target.cluster, caller]]),
    clock,
    version: '0.0.0',
    timeoutMs: LIMIT_MS,
    shapeOf: async () => shape,
  });
  const aLook = (pods: readonly WorkloadPod[] = [POD], begun = 0): Look => ({
    target,
    pods,
    since: 0,
    begun,
    incidentId: 'inc_1',
    signal: new AbortController().signal,
  });
  const look = async (pods?: readonly WorkloadPod[]) => {
    const answer = await replay.look(aLook(pods));
    // What is under way in the background gets its turn.
    await new Promise((resolve) => setImmediate(resolve));
    return answer;
  };
  return { replay, look, aLook, sent, clock, stopped: () => stopped };
}

describe('a replay of the killing shape', () => {
  it('sends it once, with synthetic text, and tells at a later look', async () => {
    const { look, sent } = aReplay();

    const first = await look();
    const second = await look();
    const third = await look();

    expect(first).toMatchObject({ kind: 'could-not-tell', why: 'replay in progress' });
    expect(second).toMatchObject({
      kind: 'answered',
      says: '3 concurrent requests of about 2000 prompt tokens, up to 64 output tokens: all answered in 0 s',
    });
    expect(third).toEqual(second);
    expect(sent).toHaveLength(3);
    const bodies = sent.map(({ body }) => JSON.parse(body ?? '{}'));
    expect(bodies[0]).toMatchObject({ model: 'm', max_tokens: 64 });
    expect(bodies[0].prompt.split(' ')).toHaveLength(2001);
    expect(new Set(bodies.map(({ prompt }) => prompt.slice(0, 2))).size).toBe(3);
  });

  it.each([
    ['all are kept out', () => ({ ...with200, status: 400 }), 'answered', '0 answered, 3 rejected by the limits'],
    ['one fails', (i: number) => (i === 1 ? { ...with200, status: 500 } : 'hang'), 'failed', 'HTTP 500'],
    ['one is cut', (i: number) => (i === 0 ? cut : 'hang'), 'failed', 'the connection was cut'],
  ] as const)('%s', async (_, prompt, kind, words) => {
    const { look } = aReplay({ prompt: prompt as (i: number) => EngineReply | 'hang' });

    await look();

    const answer = await look();
    expect(answer.kind).toBe(kind);
    expect(JSON.stringify(answer)).toContain(words);
  });

  it('that fails takes the other requests back', async () => {
    const { look, stopped } = aReplay({ prompt: (i) => (i === 2 ? cut : 'hang') });

    await look();

    expect(stopped()).toBe(2);
  });

  it('could not tell of what has not ended in its time', async () => {
    const late = aReplay({
      prompt: () => {
        late.clock.pass(LIMIT_MS);
        return { kind: 'silent', why: 'did not answer in time' };
      },
    });

    await late.look();

    expect(await late.look()).toMatchObject({
      kind: 'could-not-tell',
      why: expect.stringContaining('not done within 60 s'),
    });
  });

  it('is broken off where the health check fails twice', async () => {
    const { look, clock, stopped } = aReplay({ prompt: () => 'hang', health: () => cut });
    await look();
    await clock.advance(2000);
    await clock.advance(2000);

    const answer = await look();

    expect(answer).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('health check of vllm-0 failed twice'),
    });
    expect(stopped()).toBe(3);
  });

  it.each([
    ['is no longer ready', [{ ...POD, ready: false }]],
    ['has restarted', [{ ...POD, restarts: 1 }]],
    ['is gone', []],
  ])('is broken off where the pod %s', async (_, pods) => {
    const { look, stopped } = aReplay({ prompt: () => 'hang' });
    await look();

    expect(await look(pods)).toEqual({ kind: 'failed', why: 'vllm-0 did not survive it' });
    expect(stopped()).toBe(3);
  });

  it('is broken off by hand, and knows the run it is of', async () => {
    const { replay, look, aLook, stopped } = aReplay({ prompt: () => 'hang' });
    expect(replay.knows(aLook())).toBe(false);
    await look();

    replay.stop(aLook());

    expect([replay.knows(aLook()), replay.knows(aLook([POD], 7)), stopped()]).toEqual([true, false, 3]);
  });

  it.each([
    ['the log holds no shape', { kind: 'unknown', why: 'the log does not tell' }, 'the log does not tell'],
    ['it is larger than is ever sent', shaped(9_000_000, 1), 'above the replay limit'],
    ['there are more at once than are ever sent', shaped(1, 65), 'above the replay limit'],
  ] as const)('sends nothing where %s', async (_, shape, why) => {
    const { look, sent } = aReplay({ shape });

    await look();

    expect(await look()).toMatchObject({ kind: 'could-not-tell', why: expect.stringContaining(why) });
    expect(sent).toEqual([]);
  });
});
