import { describe, expect, it } from 'vitest';
import { saysWhose } from '../../../src/report/words/container-end.ts';
import { diagnoseFiles, type Files } from '../incident.ts';

const DAY = '2026-09-14';
const POD = 'e-7f6c9d8b5-k2x4p';

const ended = (reason: string, exitCode: number, finished = '09:10:00') => ({
  terminated: { reason, exitCode, startedAt: `${DAY}T09:00:00Z`, finishedAt: `${DAY}T${finished}Z` },
});
const RUNNING = { running: { startedAt: `${DAY}T09:10:10Z` } };
const WAITING = { waiting: { reason: 'CrashLoopBackOff' } };
const STARTING = { waiting: { reason: 'PodInitializing' } };
const status = (name: string, state: object, lastState?: object) => ({ name, restartCount: 2, state, lastState });

type Statuses = { readonly engine: object; readonly beside?: object; readonly init?: object };

function aPod({ engine, beside, init }: Statuses): string {
  const limits = { memory: '48Gi', 'nvidia.com/gpu': '1' };
  return JSON.stringify({
    kind: 'Pod',
    metadata: { name: POD },
    spec: {
      initContainers: init === undefined ? [] : [{ name: 'download', image: 'python:3' }],
      containers: [
        { name: 'engine', image: 'vllm/vllm-openai:v0.11.0', resources: { limits } },
        ...(beside === undefined ? [] : [{ name: 'istio-proxy', image: 'istio/proxyv2:1.20' }]),
      ],
    },
    status: {
      phase: 'Running',
      containerStatuses: [engine, ...(beside === undefined ? [] : [beside])],
      initContainerStatuses: init === undefined ? [] : [init],
    },
  });
}

const event = (reason: string, message: string, type = 'Warning', at = '09:09:58') => ({
  type,
  reason,
  message,
  involvedObject: { kind: 'Pod', name: POD, fieldPath: 'spec.containers{engine}' },
  lastTimestamp: `${DAY}T${at}Z`,
});
const events = (...all: readonly object[]) => ({ 'events.json': JSON.stringify(all) });

const LOADS = `INFO 09-14 09:00:02 [api_server.py:1896] vLLM API server version 0.11.0
INFO 09-14 09:00:30 [gpu_model_runner.py:2602] Starting to load model acme/falcon-9b...
`;
const SERVES = `${LOADS}INFO:     Application startup complete.
INFO:     10.0.0.1:1 - "POST /v1/chat/completions HTTP/1.1" 200 OK
`;

async function read(files: Files) {
  const { facts, diagnosis } = await diagnoseFiles(files);
  return { facts, diagnosis, says: saysWhose(diagnosis, facts) };
}

const HOOK = 'Exec lifecycle hook ([sh -c x]) for Container "engine" in Pod "p" failed - error: command \'sh -c x\'';
const hookFailed = (message = 'PostStartHook failed', at?: string) =>
  event('FailedPostStartHook', message, 'Warning', at);
const KILLED_FOR_HOOK = event('Killing', 'FailedPostStartHook', 'Normal');
const crashed = (reason: string, code: number) => ({
  'pod.json': aPod({ engine: status('engine', WAITING, ended(reason, code)) }),
  'previous.log': LOADS,
});

describe('a postStart hook that failed', () => {
  it.each([
    ['by its event and that of the kill', events(hookFailed(), KILLED_FOR_HOOK), 137],
    ['by the event of the kill alone', events(KILLED_FOR_HOOK), 143],
    ['by the event of older kubelets', events(hookFailed(`${HOOK} exited with 1: , message: ""`)), 137],
  ])('is what the kubelet ended the container for, %s', async (_name, told, code) => {
    const { diagnosis } = await read({ ...crashed('Error', code), ...told });

    expect(diagnosis).toMatchObject({ verdict: { plane: 'none', cause: 'none.config', certain: true } });
    expect(diagnosis.says).toContain('Age at the kill');
  });

  it('is read in the state of a container that waits for it', async () => {
    const engine = status('engine', { waiting: { reason: 'PostStartHookError' } }, ended('Error', 137));
    const { facts } = await read({ 'pod.json': aPod({ engine }), 'previous.log': LOADS });

    expect(facts.get('death.post-start-failed')).toMatchObject({ value: true });
  });

  it.each([
    ['the container was killed for want of RAM', 'OOMKilled', 137, 'PostStartHook failed'],
    ['the hook ended with the container', 'Error', 137, `${HOOK} exited with 137: `],
    ['the engine ended on an error', 'Error', 1, 'PostStartHook failed'],
  ])('is no reason where %s', async (_name, reason, code, message) => {
    const { facts, diagnosis } = await read({ ...crashed(reason, code), ...events(hookFailed(message)) });

    expect(facts.get('death.post-start-failed')?.kind).toBe('unknown');
    expect(diagnosis.verdict.cause).not.toBe('none.config');
  });

  it('of hours before is none of this end', async () => {
    const told = events(hookFailed('PostStartHook failed', '04:00:00'));
    const { facts } = await read({ ...crashed('Error', 137), ...told });

    expect(facts.get('death.post-start-failed')?.kind).toBe('unknown');
  });
});

it('a preStop hook that failed as a probe ended the container leaves it to the probe', async () => {
  const told = events(
    event('Unhealthy', 'Liveness probe failed: context deadline exceeded'),
    event('Killing', 'Container engine failed liveness probe, will be restarted', 'Normal'),
    event('FailedPreStopHook', 'PreStopHook failed'),
  );

  const { diagnosis } = await read({ ...crashed('Error', 137), ...told, 'previous.log': SERVES });

  expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.probe-kill', certain: true });
});

/** The pod with the state of its engine, and that of what ran beside or before it. */
const beside = (engine: object, ...proxy: readonly [object, object?]) => ({
  'pod.json': aPod({ engine, beside: status('istio-proxy', ...proxy) }),
  'engine.current.log': SERVES,
});
const initEnded = (...init: readonly [object, object?]) => ({
  'pod.json': aPod({ engine: status('engine', STARTING), init: status('download', ...init) }),
});
const RUNS = status('engine', RUNNING);
const endedAt = (time: string) => status('engine', ended('Completed', 0, time));
const KILLED = ended('OOMKilled', 137);
const FAILED = ended('Error', 1);
const NO_GPU_CAUSE = expect.not.arrayContaining([expect.stringMatching(/^gpu\./)]);

it.each([
  [
    'an init container that was OOMKilled',
    initEnded(WAITING, KILLED),
    { plane: 'host', certain: true },
    'Container download (init) was killed',
  ],
  [
    'an init container that ended on an error',
    {
      ...initEnded(WAITING, FAILED),
      'download.previous.log': 'hub.errors.RepositoryNotFoundError: 404 Client Error.\n',
    },
    { plane: 'none', certain: false },
    'Init container download ended before the engine started',
  ],
  [
    'a sidecar that was OOMKilled beside an engine that runs',
    beside(RUNS, RUNNING, KILLED),
    { plane: 'host', certain: true },
    'Container istio-proxy (sidecar) was killed.',
  ],
  [
    'a sidecar that was OOMKilled before the engine ended in order',
    beside(endedAt('09:12:00'), KILLED),
    { plane: 'host', certain: true },
    'Container istio-proxy (sidecar) was killed',
  ],
  [
    'a sidecar that ended on an error, which no GPU is an alternative of',
    { ...beside(RUNS, RUNNING, FAILED), 'istio-proxy.previous.log': 'panic: boom\n' },
    { plane: 'none', certain: false, alternatives: NO_GPU_CAUSE },
    'Container istio-proxy ended, the engine did not',
  ],
  ['an engine that ended in order before it', beside(endedAt('09:08:00'), KILLED), { plane: 'unknown' }, ''],
  [
    'an engine that was OOMKilled after its init container had done its work',
    {
      'pod.json': aPod({ engine: status('engine', WAITING, KILLED), init: status('download', ended('Completed', 0)) }),
      'previous.log': LOADS,
    },
    { plane: 'host', phase: 'startup' },
    'Weights are staged in RAM',
  ],
])('the verdict is about the container that ended: %s', async (_name, files, verdict, words) => {
  const { diagnosis, says } = await read(files);

  expect(diagnosis.verdict).toMatchObject(verdict);
  expect(says).toContain(words);
});
