import { describe, expect, it } from 'vitest';
import { judgeChecks, type VerifyInput, type VerifyMarks } from '../../src/actions/verify-checks.ts';
import type { RequestTimes } from '../../src/model/request-times.ts';
import { DEFAULT_MARKS } from '../fakes/verify-marks.ts';

const known = (value: number) => ({ kind: 'known', value }) as const;
const HOUR = { from: Date.parse('2026-01-05T08:30:00Z'), to: Date.parse('2026-01-05T09:30:00Z') };
const SICK = { ...HOUR, restarts: 3 };
const partly = (value: number) => ({ ...known(value), of: 'vllm-1', lacks: 'vllm-2' });
const unknown = { kind: 'unknown', why: 'Prometheus did not answer in time' } as const;
const time = (ms: number, over: object = {}) =>
  ({ kind: 'known', ms, atLeast: false, requests: 400, lacks: null, ...over }) as const;
const wait = (lowMs: number, highMs: number | null, over: object = {}) =>
  ({ kind: 'known', lowMs, highMs, share: 0.8, requests: 400, lacks: null, ...over }) as const;
const times = (over: Partial<RequestTimes> = {}): RequestTimes => ({
  ttftP99: time(200),
  latencyP99: time(2000),
  shortWait: wait(10, 20),
  ...over,
});

function anInput(over: Partial<VerifyInput> = {}): VerifyInput {
  return {
    rollout: { kind: 'read', ready: 2, wanted: 2, pending: null, deaths: [] },
    signature: { kind: 'good', says: 'none in the logs of vllm-0' },
    readings: {
      ramShare: known(0.5),
      gpuFreeShare: known(0.1),
      kvShare: known(0.4),
      preemptions: known(0),
      waiting: known(0),
      running: known(3),
      times: times(),
    },
    before: times(),
    probe: { kind: 'good', says: 'one token answered in 80 ms' },
    replay: { kind: 'good', says: 'the killing shape answered in 900 ms' },
    ...over,
  };
}

const reads = (over: Partial<VerifyInput['readings']>) => anInput({ readings: { ...anInput().readings, ...over } });
const sees = (over: Partial<RequestTimes>, before: Partial<RequestTimes> = {}) => ({
  ...reads({ times: times(over) }),
  before: times(before),
});
const rolls = (over: object) =>
  anInput({ rollout: { kind: 'read', ready: 2, wanted: 2, pending: null, deaths: [], ...over } });
const withTarget = (over: Partial<VerifyMarks>): VerifyMarks => ({ ...DEFAULT_MARKS, ...over });

describe('each check of a verification', () => {
  it.each([
    ['rollout', anInput(), 'yes', '2 of 2 replicas ready'],
    ['rollout', rolls({ ready: 1 }), 'no', '1 of 2 replicas ready'],
    ['rollout', rolls({ pending: '1 of 2 have the new template' }), 'no', '1 of 2 have the new template'],
    ['rollout', anInput({ rollout: unknown }), 'could-not-tell', unknown.why],
    ['restarts', anInput(), 'yes', 'no restarts since the change'],
    ['restarts', rolls({ deaths: ['vllm-0 has restarted 1 time: OOMKilled'] }), 'no', 'OOMKilled'],
    ['restarts', anInput({ rollout: unknown }), 'could-not-tell', unknown.why],
    ['oom-signature', anInput(), 'yes', 'none in the logs of vllm-0'],
    ['oom-signature', anInput({ signature: { kind: 'bad', says: 'vllm-0: CUDA out of memory' } }), 'no', 'CUDA out'],
    ['oom-signature', anInput({ signature: unknown }), 'could-not-tell', unknown.why],
    ['ram', reads({ ramShare: known(0.9) }), 'yes', '90% of the RAM limit in use, threshold 90%'],
    ['ram', reads({ ramShare: known(0.91) }), 'no', '91%'],
    ['ram', reads({ ramShare: unknown }), 'could-not-tell', unknown.why],
    ['gpu-memory', reads({ gpuFreeShare: known(0.02) }), 'yes', '2% of the fullest GPU free, threshold 2%'],
    ['gpu-memory', reads({ gpuFreeShare: known(0.019) }), 'no', '1.9%'],
    ['gpu-memory', reads({ gpuFreeShare: unknown }), 'could-not-tell', unknown.why],
    ['kv-cache', reads({ kvShare: known(0.95) }), 'yes', '95% of the KV pool in use'],
    ['kv-cache', reads({ kvShare: known(0.96) }), 'no', '96%'],
    ['kv-cache', reads({ kvShare: unknown }), 'could-not-tell', unknown.why],
    ['preemptions', anInput(), 'yes', '0 since the change'],
    ['preemptions', reads({ preemptions: known(3) }), 'no', '3 since the change'],
    ['preemptions', reads({ preemptions: unknown }), 'could-not-tell', unknown.why],
    ['queue', anInput(), 'yes', 'no request is waiting'],
    ['queue', reads({ waiting: known(3) }), 'yes', '3 waiting, 3 running'],
    ['queue', reads({ waiting: known(4) }), 'no', '4 waiting, 3 running'],
    ['queue', reads({ waiting: known(4), running: unknown }), 'could-not-tell', unknown.why],
    ['queue', reads({ waiting: unknown }), 'could-not-tell', unknown.why],
    ['ram', reads({ ramShare: partly(0.5) }), 'could-not-tell', 'in use (vllm-1), threshold 90%; no data for vllm-2'],
    ['ram', reads({ ramShare: partly(0.95) }), 'no', '95% of the RAM limit in use (vllm-1)'],
    ['gpu-memory', reads({ gpuFreeShare: partly(0.5) }), 'could-not-tell', 'no data for vllm-2'],
    ['gpu-memory', reads({ gpuFreeShare: partly(0) }), 'no', 'free (vllm-1)'],
    ['kv-cache', reads({ kvShare: partly(0.5) }), 'could-not-tell', 'no data for vllm-2'],
    ['queue', reads({ waiting: partly(0) }), 'could-not-tell', 'no request is waiting; no data for vllm-2'],
    ['queue', reads({ waiting: partly(2) }), 'could-not-tell', '2 waiting, 3 running (vllm-1); no data'],
    ['queue', reads({ waiting: partly(4) }), 'no', '4 waiting, 3 running (vllm-1)'],
    [
      'ttft',
      sees({ ttftP99: time(240) }),
      'yes',
      '240 ms to the first token, P99 of 400 requests since the change, 200 ms in the hour before',
    ],
    ['ttft', sees({ ttftP99: time(241) }), 'no', '241 ms'],
    ['ttft', sees({ ttftP99: time(200, { atLeast: true }) }), 'could-not-tell', 'more than 200 ms'],
    ['ttft', sees({ ttftP99: time(300, { atLeast: true }) }), 'no', 'more than 300 ms'],
    ['ttft', sees({ ttftP99: time(200, { lacks: 'vllm-1' }) }), 'could-not-tell', 'no data for vllm-1'],
    ['ttft', sees({ ttftP99: time(300, { lacks: 'vllm-1' }) }), 'no', '300 ms'],
    ['ttft', sees({ ttftP99: unknown }), 'could-not-tell', unknown.why],
    ['ttft', { ...anInput(), hour: HOUR }, 'yes', '200 ms in the hour before the incident (08:30 to 09:30 UTC)'],
    ['ttft', { ...anInput(), hour: { ...HOUR, restarts: 0 } }, 'yes', '(08:30 to 09:30 UTC)'],
    ['ttft', { ...anInput(), hour: { ...HOUR, restarts: 1 } }, 'yes', 'UTC, an engine restarted once)'],
    ['ttft', { ...anInput(), hour: SICK }, 'could-not-tell', 'restarted 3 times): that hour had restarts too'],
    ['ttft', { ...sees({ ttftP99: time(300) }), hour: SICK }, 'no', 'restarted 3 times'],
    ['short-requests', { ...anInput(), hour: SICK }, 'could-not-tell', 'that hour had restarts too'],
    ['short-requests', { ...sees({ shortWait: wait(30, 60) }), hour: SICK }, 'no', 'restarted 3 times'],
    [
      'ttft',
      sees({}, { ttftP99: unknown }),
      'could-not-tell',
      '200 ms to the first token, P99 of 400 requests since the change; no target is set',
    ],
    ['latency', sees({ latencyP99: time(2400) }), 'yes', '2400 ms a request'],
    ['latency', sees({ latencyP99: time(2401) }), 'no', '2401 ms a request'],
    ['latency', sees({ latencyP99: time(19_671) }), 'no', '19.7 s a request'],
    ['latency', sees({ latencyP99: unknown }), 'could-not-tell', unknown.why],
    ['short-requests', anInput(), 'yes', '10 to 20 ms in the queue for short requests, P95 of 80% of 400 requests'],
    ['short-requests', sees({ shortWait: wait(30, 60) }), 'no', '10 to 20 ms in the hour before'],
    ['short-requests', sees({ shortWait: wait(15, 40) }), 'could-not-tell', '15 to 40 ms'],
    ['short-requests', sees({ shortWait: wait(15, 20) }), 'could-not-tell', '15 to 20 ms'],
    ['short-requests', sees({ shortWait: wait(10, null) }), 'could-not-tell', 'more than 10 ms'],
    ['short-requests', sees({ shortWait: unknown }), 'could-not-tell', unknown.why],
    ['short-requests', sees({}, { shortWait: unknown }), 'could-not-tell', 'no target is set'],
    ['probe', anInput(), 'yes', '80 ms'],
    ['probe', anInput({ probe: { kind: 'bad', says: 'one token: nothing within 5 s' } }), 'no', 'nothing within 5 s'],
    ['probe', anInput({ probe: unknown }), 'could-not-tell', unknown.why],
    ['replay', anInput(), 'yes', '900 ms'],
    ['replay', anInput({ replay: { kind: 'bad', says: 'the killing shape: cut' } }), 'no', 'cut'],
    ['replay', anInput({ replay: unknown }), 'could-not-tell', unknown.why],
  ] as const)('%s', (check, input, answer, words) => {
    const found = judgeChecks(input, DEFAULT_MARKS).find((one) => one.check === check);

    expect(found).toMatchObject({ answer, says: expect.stringContaining(words) });
  });

  it.each([
    ['ttft', { ttftP99: 200 }, 'yes', 'target 200 ms'],
    ['ttft', { ttftP99: 199 }, 'no', '200 ms to the first token'],
    ['latency', { latencyP99: 2000 }, 'yes', 'target 2000 ms'],
    ['latency', { latencyP99: 1000 }, 'no', 'target 1000 ms'],
    ['short-requests', { shortWait: 20 }, 'yes', 'target 20 ms'],
    ['short-requests', { shortWait: 15 }, 'could-not-tell', 'target 15 ms'],
    ['short-requests', { shortWait: 9 }, 'no', 'target 9 ms'],
  ] as const)('%s against a target needs no hour before: %o', (check, target, answer, words) => {
    const before = { ttftP99: unknown, latencyP99: unknown, shortWait: unknown };
    const found = judgeChecks(anInput({ before, hour: SICK }), withTarget(target)).find((one) => one.check === check);

    expect(found).toMatchObject({ answer, says: expect.stringContaining(words) });
  });

  it('of a probe and a replay there is none where nobody asked for them', () => {
    const checks = judgeChecks(anInput({ probe: undefined, replay: undefined }), DEFAULT_MARKS);

    expect(checks.map(({ check }) => check)).not.toContain('probe');
    expect(checks.map(({ check }) => check)).not.toContain('replay');
  });
});
