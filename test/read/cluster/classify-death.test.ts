import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventsFile, parseJsonFile } from '../../../src/model/json-file.ts';
import { Pod } from '../../../src/model/kubernetes.ts';
import { classifyDeath } from '../../../src/read/cluster/classify-death.ts';
import { readDeath } from '../../../src/read/cluster/death.ts';
import { readDescribe } from '../../../src/read/cluster/describe.ts';
import { readDeletion, readPreemption } from '../../../src/read/cluster/ended-by.ts';
import { gatherPod, type PodInput } from '../../../src/read/cluster/gather.ts';
import { type AnEvent, aPod, CREATED, type Ended, ended, events, time } from './a-pod.ts';

const TAKEN = CREATED + 700_000;
const classify = (input: PodInput, takenAt = TAKEN) => {
  const evidence = gatherPod(input);
  return classifyDeath(evidence, readDeath(evidence, takenAt), takenAt);
};
const answer = (finding: { kind: string; value?: unknown; reason?: string }) =>
  finding.kind === 'known' ? finding.value : `unknown ${finding.reason}`;

const dead = (end: Parameters<typeof ended>[0], more: object = {}) =>
  aPod({ containerStatus: { lastState: ended(end) }, ...more });

describe('OOMKilled', () => {
  it.each([0, 1, 137, 143])('counts with exit code %d', (exitCode) => {
    expect(classify({ pod: dead({ reason: 'OOMKilled', exitCode }) }).oomKilled).toMatchObject({ value: true });
  });

  it.each([
    ['137 without that reason', { reason: 'Error', exitCode: 137 }, false, true],
    ['an exception', { reason: 'Error', exitCode: 1 }, false, false],
    ['137 of a container that was lost', { reason: 'ContainerStatusUnknown', exitCode: 137 }, false, false],
    ['OOMKilled itself', { reason: 'OOMKilled', exitCode: 137 }, true, false],
  ])('and a kill that nothing explains: %s', (_, end, oom, probably) => {
    const found = classify({ pod: dead(end) });

    expect(answer(found.oomKilled)).toBe(oom);
    expect(answer(found.probablyKilled)).toBe(probably);
  });

  it('is unknown where a paste has the code and no reason', () => {
    const found = classify({ describe: readDescribe('    Last State:     Terminated\n      Exit Code:    137\n') });

    expect(answer(found.oomKilled)).toBe('unknown not-in-snapshot');
    expect(answer(found.probablyKilled)).toBe(true);
  });

  it('is no for a pod that runs and never restarted', () => {
    const pod = aPod({ containerStatus: { state: { running: {} }, restartCount: 0, lastState: {} } });

    expect(answer(classify({ pod }).oomKilled)).toBe(false);
    expect(answer(classify({ pod }).probablyKilled)).toBe(false);
  });

  it('leaves open what ended a pod of whose containers one waits', () => {
    const pod = aPod({ containerStatus: { state: { waiting: {} }, restartCount: 0, lastState: {} } });

    expect(answer(classify({ pod }).probablyKilled)).toBe('unknown not-in-snapshot');
  });
});

describe('an eviction', () => {
  const evicted = (message: string, more: object = {}) =>
    aPod({ status: { phase: 'Failed', reason: 'Evicted', message, containerStatuses: [] }, ...more });

  it.each([
    ['The node was low on resource: memory. Threshold quantity: 100Mi, available: 20Mi.', 'memory', 'memory'],
    ['The node had condition: [MemoryPressure]. ', 'memory', 'memory'],
    ['The node was low on resource: ephemeral-storage. Container vllm was using 5Gi', 'other', 'storage'],
    ['Pod ephemeral local storage usage exceeds the total limit of containers 100Gi. ', 'other', 'own-storage'],
    ['Container vllm exceeded its local ephemeral storage limit "20Gi". ', 'other', 'own-storage'],
    ['Usage of EmptyDir volume "dshm" exceeds the limit "2Gi". ', 'other', 'empty-dir'],
    ['Usage of EmptyDir volume "engine-shm-volume" exceeds the limit "2Gi". ', 'other', 'empty-dir'],
    ['Usage of EmptyDir volume "model-cache" exceeds the limit "2Gi". ', 'other', 'volume'],
    ['Usage of EmptyDir volume "eshmun-cache" exceeds the limit "2Gi". ', 'other', 'volume'],
    ['Usage of EmptyDir volume "coshm-cache" exceeds the limit "2Gi". ', 'other', 'volume'],
    ['The node was low on resource: pids.', 'other', 'pids'],
    ['Something new.', 'other', 'other'],
  ])('%s', (message, memory, resource) => {
    const found = classify({ pod: evicted(message) });

    expect([found.evicted, found.evictedFor].map(answer)).toEqual([memory, resource]);
  });

  it.each([
    ['in memory, whatever its name', { medium: 'Memory' }, 'scratch', 'empty-dir'],
    ['on disk, whatever its name', {}, 'dshm', 'own-storage'],
  ])('of a volume %s', (_, emptyDir, name, resource) => {
    const message = `Usage of EmptyDir volume "${name}" exceeds the limit "2Gi". `;
    const pod = evicted(message, { spec: { volumes: [{ name, emptyDir }] } });

    expect(answer(classify({ pod }).evictedFor)).toBe(resource);
  });

  const MORE = ', has larger consumption of memory. ';
  const PROXY = 'Container proxy was using 1Gi, request is 0';
  it.each<[string, string, number | string]>([
    ['of the engine', `Container vllm was using 51200Mi, request is 16Gi${MORE}`, 50],
    ['of the engine beside another', `${PROXY}${MORE}Container vllm was using 40Gi, request is 0${MORE}`, 40],
    ['in the words of older kubelets', 'Container vllm was using 2Gi, which exceeds its request of 1Gi. ', 2],
    ['of another container alone', `${PROXY}. `, 'unknown'],
    ['not told', 'Threshold quantity: 100Mi, available: 20Mi.', 'unknown'],
  ])('tells the use: %s', (_, message, use) => {
    const status = { phase: 'Failed', reason: 'Evicted', message: `The node was low on resource: memory. ${message}` };
    const pod = dead({ reason: 'Error', exitCode: 137 }, { status });
    const found = classify({ pod });
    const gib = (finding: typeof found.evictedUse) =>
      finding.kind === 'known' ? finding.value / 1024 ** 3 : 'unknown';

    expect(gib(found.evictedUse)).toBe(use);
  });

  it.each([
    ['vllm', 'known'],
    ['istio-proxy', 'unknown'],
  ])('of which the event alone is left, and names %s: the use is %s', (container, kind) => {
    const pod = evicted(`The node was low on resource: memory. Container ${container} was using 900Mi, request is 0. `);

    expect(classify({ pod }).evictedUse.kind).toBe(kind);
  });

  it('is seen in an event when the pod is gone', () => {
    const found = classify({ events: events({ reason: 'Evicted', message: 'The node was low on resource: memory.' }) });

    expect(answer(found.evicted)).toBe('memory');
  });

  it('is no for a pod whose phase is known, and unknown without any', () => {
    expect(answer(classify({ pod: aPod() }).evicted)).toBe('no');
    expect(answer(classify({}).evicted)).toBe('unknown not-in-snapshot');
  });
});

const refused = (message: string) => {
  const end = ended({ reason: 'StartError', exitCode: 128 }) as { terminated: object };
  return aPod({ containerStatus: { lastState: { terminated: { ...end.terminated, message } } } });
};

it('what the runtime could not start ran out of memory where it says so, and never ran otherwise', () => {
  const killed = classify({ pod: refused('container init was OOM-killed (memory limit too low?)') });
  const missing = classify({ pod: refused('exec: "vllm": executable file not found in $PATH') });

  expect([killed.oomKilled, killed.pending].map(answer)).toEqual([true, false]);
  expect([missing.oomKilled, missing.pending].map(answer)).toEqual([false, true]);
});

describe('a probe kill', () => {
  const PROBE = 'Container vllm failed liveness probe, will be restarted';
  const killing = { reason: 'Killing', message: PROBE, container: 'vllm' };
  const unhealthy = { reason: 'Unhealthy', message: 'Startup probe failed: connection refused' };
  const unready = { reason: 'Unhealthy', message: 'Readiness probe failed' };
  const KILLED = { reason: 'Error', exitCode: 137 };

  it.each<[string, Ended, readonly AnEvent[], boolean]>([
    ['the kubelet says so', KILLED, [killing], true],
    ['the process shut down in order', { reason: 'Completed', exitCode: 0 }, [killing], true],
    ['a probe failed as often as it may', { reason: 'Error', exitCode: 143 }, [{ ...unhealthy, count: 3 }], true],
    ['a probe failed while the process died of its own', { reason: 'Error', exitCode: 1 }, [unhealthy], false],
    ['readiness does not kill', KILLED, [unready], false],
    ['another container was killed', KILLED, [{ ...killing, container: 'proxy' }], false],
    ['the kill was an hour before', KILLED, [{ ...killing, at: -3000 }], false],
    ['the kill came later', KILLED, [{ ...killing, at: 690 }], false],
    ['no event tells of it', KILLED, [{ reason: 'BackOff' }], false],
    ['the kernel killed it', { reason: 'OOMKilled', exitCode: 137 }, [{ reason: 'BackOff' }], false],
  ])('%s', (_, end, list, expected) => {
    expect(answer(classify({ pod: dead(end), events: events(...list) }).probeKilled)).toBe(expected);
  });

  it('is not told by a probe that failed less often than it takes', () => {
    const { probeKilled } = classify({ pod: dead(KILLED), events: events({ ...unhealthy, count: 2 }) });

    expect(answer(probeKilled)).toBe('unknown not-in-snapshot');
  });

  it('explains the 137', () => {
    const found = classify({ pod: dead({ exitCode: 137 }), events: events(killing) });

    expect(answer(found.probablyKilled)).toBe(false);
  });

  const probed = (exitCode: number, uptime: number, state: object = {}) =>
    aPod({
      container: { livenessProbe: { initialDelaySeconds: 60, periodSeconds: 10, failureThreshold: 3 } },
      containerStatus: { lastState: ended({ exitCode, from: 10, to: 10 + uptime }), ...state },
    });

  it.each([
    ['SIGTERM at delay + period x threshold', probed(143, 95), true],
    ['SIGTERM later than such a kill takes', probed(143, 130), 'unknown not-in-snapshot'],
    ['SIGTERM at another age', probed(143, 400), 'unknown not-in-snapshot'],
    ['SIGKILL at that age once is not enough', probed(137, 120), 'unknown not-in-snapshot'],
    ['SIGKILL at that age twice', probed(137, 120, { state: ended({ exitCode: 137, from: 200, to: 321 }) }), true],
    ['an exception at that age', probed(1, 95), false],
  ])('without events: %s', (_, pod, expected) => {
    expect(answer(classify({ pod }).probeKilled)).toBe(expected);
  });

  it('cannot be ruled out when the events have expired', () => {
    const input = { pod: dead({ exitCode: 137 }), events: events({ reason: 'BackOff' }) };

    expect(answer(classify(input, CREATED + 3_600_000 * 3).probeKilled)).toBe('unknown gone');
  });

  it('is known from a paste of the events alone, and a failed probe alone is not a kill', () => {
    const seen = (message: string, reason: string) => {
      const table = `Events:\n  Warning  ${reason}  41s (x3 over 61s)  kubelet  ${message}\n`;
      return answer(classify({ describe: readDescribe(table) }).probeKilled);
    };

    expect(seen('Container x failed startup probe, will be restarted', 'Killing')).toBe(true);
    expect(seen('Startup probe failed', 'Unhealthy')).toBe('unknown not-in-snapshot');
  });
});

describe('a deletion', () => {
  const deletionOf = (pod: Pod) => {
    const evidence = gatherPod({ pod });
    const reading = readDeath(evidence, TAKEN);
    return readDeletion(evidence, reading.kind === 'death' ? reading.death : undefined);
  };

  it.each([
    ['asked for before the death', 625, true],
    ['asked for long after the death', 4000, false],
  ])('%s', (_, until, expected) => {
    const pod = aPod({ metadata: { deletionTimestamp: time(until) } });

    expect(answer(deletionOf(pod))).toBe(expected);
  });

  it('is no while the pod lives', () => {
    expect(answer(deletionOf(aPod()))).toBe(false);
  });
});

it.each([
  ['PreemptionByScheduler', true],
  ['EvictionByEvictionAPI', false],
  [undefined, false],
])('a preemption by the condition %s: %s', (reason, expected) => {
  const conditions = reason === undefined ? [] : [{ type: 'DisruptionTarget', status: 'True', reason }];

  expect(answer(readPreemption(gatherPod({ pod: aPod({ status: { conditions } }) }), undefined))).toBe(expected);
});

describe('who ended the whole pod', () => {
  const killed = { containerStatus: { lastState: {}, state: ended({ exitCode: 137, to: 600 }) } };
  const disrupted = (reason: string) => ({
    ...killed,
    status: { phase: 'Failed', conditions: [{ type: 'DisruptionTarget', status: 'True', reason }] },
  });
  const failed = (reason: string, message: string) => ({ ...killed, status: { phase: 'Failed', reason, message } });

  it.each([
    ['the scheduler', disrupted('PreemptionByScheduler'), 'preemption'],
    ['the eviction API', disrupted('EvictionByEvictionAPI'), 'eviction-api'],
    ['a taint', disrupted('DeletionByTaintManager'), 'taint'],
    ['the garbage collection', disrupted('DeletionByPodGC'), 'garbage-collection'],
    ['the shutdown of its node', failed('Terminated', 'in response to imminent node shutdown'), 'node-shutdown'],
    ['its deadline', failed('DeadlineExceeded', 'Pod was active on the node longer than specified'), 'deadline'],
    ['a deletion', { ...killed, metadata: { deletionTimestamp: time(625) } }, 'deletion'],
    ['nobody', killed, 'nothing'],
  ])('%s', (_, parts, expected) => {
    const { endedBy, probablyKilled } = classify({ pod: aPod(parts) });

    expect(answer(endedBy)).toBe(expected);
    expect(answer(probablyKilled)).toBe(expected === 'nothing');
  });

  it('is read elsewhere of an eviction by the kubelet', () => {
    expect(answer(classify({ pod: aPod(disrupted('TerminationByKubelet')) }).endedBy)).toBe('nothing');
  });

  it('is read elsewhere of an eviction whose containers the kubelet stopped', () => {
    const parts = failed('Evicted', 'The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi.');
    const stop = events({ reason: 'Killing', message: 'Stopping container vllm', container: 'vllm', at: 590 });

    expect(answer(classify({ pod: aPod(parts), events: stop }).endedBy)).toBe('nothing');
  });

  it('is nobody where the container was started again in it', () => {
    const status = { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] };

    expect(answer(classify({ pod: aPod({ status }) }).endedBy)).toBe('nothing');
  });

  it.each([
    ['as it stops the container', 'Stopping container vllm', 580, 'deletion'],
    ['long before', 'Stopping container vllm', 100, 'nothing'],
    ['for a probe', 'Container vllm failed liveness probe, will be restarted', 580, 'nothing'],
    ['as it stops another container', 'Stopping container istio-proxy', 580, 'nothing'],
  ])('is told by the kubelet %s', (_, message, at, expected) => {
    const container = message.includes('istio') ? 'istio-proxy' : 'vllm';
    const stop = events({ reason: 'Killing', message, container, at });

    expect(answer(classify({ pod: aPod(killed), events: stop }).endedBy)).toBe(expected);
  });
});

describe('a pod that waits', () => {
  const pending = (parts: object) =>
    aPod({ status: { phase: 'Pending', containerStatuses: [], conditions: [], ...parts } });
  const unscheduled = (reason: string, message?: string) =>
    pending({ conditions: [{ type: 'PodScheduled', status: 'False', reason, message }] });
  const lacking = (what: string) => unscheduled('Unschedulable', `0/4 nodes are available: 4 ${what}.`);
  const waiting = (reason: string) =>
    pending({ containerStatuses: [{ name: 'vllm', state: { waiting: { reason } } }] });
  const NEVER_RAN = { state: { waiting: {} }, lastState: ended({ reason: 'StartError', exitCode: 128 }) };

  it.each([
    ['no GPU', lacking('Insufficient nvidia.com/gpu'), 'insufficient-gpu'],
    ['no GPU for a claim', lacking('cannot allocate all claims'), 'insufficient-gpu'],
    ['no memory', lacking('Insufficient memory'), 'insufficient-memory'],
    ['taints', lacking('node(s) had untolerated taint'), 'unschedulable'],
    ['a queue', unscheduled('SchedulingGated'), 'scheduling-gated'],
    ['an image', waiting('ImagePullBackOff'), 'image-pull'],
    ['the kubelet refused it', pending({ phase: 'Failed', reason: 'UnexpectedAdmissionError' }), 'admission'],
    ['the node had no memory', pending({ phase: 'Failed', reason: 'OutOfmemory' }), 'insufficient-memory'],
    ['the node had no GPU', pending({ phase: 'Failed', reason: 'OutOfnvidia.com/gpu' }), 'insufficient-gpu'],
    ['the runtime could not start it', aPod({ containerStatus: NEVER_RAN }), 'runtime'],
    ['a secret is missing', waiting('CreateContainerConfigError'), 'config'],
  ])('%s', (_, pod, expected) => {
    const found = classify({ pod });

    expect(answer(found.pending)).toBe(true);
    expect(answer(found.pendingFor)).toBe(expected);
  });

  it('for nobody knows what', () => {
    expect(answer(classify({ pod: pending({}) }).pendingFor)).toBe('unknown not-in-snapshot');
  });

  it.each([
    ['crashes', aPod()],
    ['runs', aPod({ containerStatus: { state: { running: {} }, lastState: {} } })],
    ['lost an init container', pending({ initContainerStatuses: [{ name: 'init', state: ended({ exitCode: 137 }) }] })],
  ])('is not one that %s', (_, pod) => {
    expect(answer(classify({ pod }).pending)).toBe(false);
  });

  it('is seen in the events of a paste', () => {
    const text =
      'Status: Pending\nEvents:\n  Warning  FailedScheduling  default-scheduler  0/1 nodes are available: 1 Insufficient nvidia.com/gpu.\n';

    expect(answer(classify({ describe: readDescribe(text) }).pendingFor)).toBe('insufficient-gpu');
  });

  it.each([
    ['whose probe was asked', 'Warning  Unhealthy  41s  kubelet  Liveness probe failed', false],
    ['of whose container nothing is told', 'Normal  Scheduled  41s  default-scheduler  x', 'unknown not-in-snapshot'],
  ])('is not one %s', (_, event, pending) => {
    const text = `Events:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  -------\n  ${event}\n`;

    expect(answer(classify({ describe: readDescribe(text) }).pending)).toBe(pending);
  });
});

it.each([
  ['since the creation: never ready', { status: 'False', since: 2 }, {}, 'before-ready'],
  ['at the death: it served', { status: 'False', since: 604 }, {}, 'after-ready'],
  ['clearly between: lost readiness first', { status: 'False', since: 300 }, {}, 'lost-ready-first'],
  ['ready again: hides it', { status: 'True', since: 650 }, {}, 'unknown stale'],
  ['before this one began: an earlier one served', { status: 'False', since: 300 }, { from: 400 }, 'before-ready'],
  ['after the death', { status: 'False', since: 650 }, {}, 'unknown contradictory'],
  ['clocks disagree', { status: 'False', since: 300 }, { from: 700, to: 600 }, 'unknown contradictory'],
])('readiness of the instance that died: %s', (_, ready, end, expected) => {
  const found = classify({ pod: dead(end, { ready }) }, CREATED + 3_600_000);

  expect(answer(found.readiness)).toBe(expected);
});

describe('the classification', () => {
  const word = fc.constantFrom(
    ...'Error OOMKilled Evicted Pending Failed True False Ready PodScheduled x'.split(' '),
    '',
  );
  const stamp = fc.option(fc.integer({ min: -5000, max: 5000 }).map(time), { nil: null });
  const end = fc.record({
    terminated: fc.option(
      fc.record({ reason: word, exitCode: fc.integer({ min: -10, max: 260 }), startedAt: stamp, finishedAt: stamp }),
    ),
  });
  const status = fc.record({ name: word, restartCount: fc.integer(), state: end, lastState: end });
  const podJson = fc.record({
    metadata: fc.record({ creationTimestamp: stamp, deletionTimestamp: stamp }),
    spec: fc.record({
      containers: fc.array(fc.record({ name: word, livenessProbe: fc.record({ periodSeconds: fc.integer() }) }), {
        maxLength: 2,
      }),
    }),
    status: fc.record({
      phase: word,
      reason: word,
      message: word,
      conditions: fc.array(fc.record({ type: word, status: word, reason: word, lastTransitionTime: stamp }), {
        maxLength: 3,
      }),
      containerStatuses: fc.array(status, { maxLength: 3 }),
      initContainerStatuses: fc.array(status, { maxLength: 2 }),
    }),
  });
  const eventJson = fc.array(
    fc.record({
      reason: fc.constantFrom('Killing', 'Unhealthy', 'Evicted', 'FailedScheduling'),
      message: fc.constantFrom('Liveness probe failed', 'failed startup probe', ''),
      lastTimestamp: stamp,
    }),
    { maxLength: 4 },
  );

  it('is total, proves what it knows, and has no number below zero', () => {
    fc.assert(
      fc.property(
        podJson,
        eventJson,
        fc.string({ maxLength: 300 }),
        fc.integer({ min: 0, max: 3e12 }),
        (raw, list, text, takenAt) => {
          const file = parseJsonFile(EventsFile, JSON.stringify(list));
          const input = {
            pod: Pod.parse(raw),
            describe: readDescribe(text),
            ...(file.kind === 'value' ? { events: file.value } : {}),
          };
          const evidence = gatherPod(input);
          const reading = readDeath(evidence, takenAt);
          const found = classifyDeath(evidence, reading, takenAt);

          for (const finding of Object.values(found)) {
            if (finding.kind === 'known') expect(finding.from.length).toBeGreaterThan(0);
            else expect(finding.detail).not.toBe('');
          }
          const uptimes = reading.kind === 'death' ? reading.all.map((death) => death.uptime) : [];
          for (const uptime of uptimes) expect(uptime.kind === 'unknown' || uptime.value >= 0).toBe(true);
        },
      ),
      { numRuns: 300, seed: 3 },
    );
  });
});
