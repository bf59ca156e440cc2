import { describe, expect, it } from 'vitest';
import { aPod, CREATED, ended } from '../../read/cluster/a-pod.ts';
import { diagnoseFiles, valueOfFact } from '../incident.ts';

const STEP_MS = 600_000;
const HOUR = 3600;
const SERVED = '(APIServer pid=1) INFO:     10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n';

type Course = { readonly from: number; readonly values: readonly number[]; readonly container?: string };

/** GiB every ten minutes from so many seconds after the creation of the pod. */
function ram({ from, values, container = 'vllm' }: Course): string {
  const points = values.map((gib, i) => [CREATED + from * 1000 + i * STEP_MS, gib * 2 ** 30]);
  const series = [{ id: 'container.memory.working-set', unit: 'bytes', labels: { container }, query: 'q', points }];
  return JSON.stringify({ from: CREATED, to: CREATED + 86_400_000, stepMs: STEP_MS, series, unknown: [] });
}

async function found(status: object, course: Course) {
  const files = {
    'pod.json': JSON.stringify(aPod({ containerStatus: status })),
    'previous.log': SERVED,
    'series.json': ram(course),
  };
  const { facts, diagnosis } = await diagnoseFiles(files);
  return { shape: valueOfFact(facts, 'ram.shape'), verdict: diagnosis.verdict };
}

const TEETH = Array.from({ length: 60 }, (_, i) => 10 + (i % 15));
const rise = (points: number, gib: number) => Array.from({ length: points }, (_, i) => 10 + i * gib);
const KILLED = { reason: 'OOMKilled', exitCode: 137 };

describe('RAM that rises and falls', () => {
  it('inside one life of the container is no proof of a leak', async () => {
    const status = { restartCount: 1, lastState: ended({ ...KILLED, from: 0, to: 10 * HOUR }) };

    const { shape, verdict } = await found(status, { from: 60, values: TEETH });

    expect(shape).toBe('irregular');
    expect(verdict).toMatchObject({ plane: 'host', causeCertain: false });
  });

  it.each([
    ['at another pace in each life', [...rise(30, 0.5), ...rise(15, 1)]],
    ['in the last life alone', [...rise(30, 0), ...rise(15, 1)]],
    ['in one life', [...rise(3, 0.5), ...rise(15, 1)]],
  ])('%s is no proof of a leak', async (_what, values) => {
    const began = ((values.length - 15) * STEP_MS) / 1000;
    const status = { restartCount: 1, lastState: ended({ ...KILLED, from: began, to: began + 2.5 * HOUR }) };

    const { shape, verdict } = await found(status, { from: 60, values });

    expect(shape).toBe('climb');
    expect(verdict).toMatchObject({ finding: 'host-climb', certain: true, causeCertain: false });
  });

  it('is looked at until the death: the load of the next instance is none of its course', async () => {
    const status = {
      restartCount: 1,
      lastState: ended({ ...KILLED, from: 0, to: 5 * HOUR }),
      state: { running: { startedAt: new Date(CREATED + 5 * HOUR * 1000 + 1000).toISOString() } },
    };
    const flat = Array.from({ length: 29 }, (_, i) => 20 + (i % 2));

    expect((await found(status, { from: 60, values: [...flat, 2, 4, 6, 8, 10, 12, 14, 16] })).shape).toBe('flat-low');
  });

  it('is held against the lives of the container that died where its label names none of the pod', async () => {
    const status = { restartCount: 1, lastState: ended({ ...KILLED, from: 0, to: 10 * HOUR }) };

    expect((await found(status, { from: 60, values: TEETH, container: 'of-nobody' })).shape).toBe('irregular');
  });
});
