import { describe, expect, it } from 'vitest';
import { actionWords, causeLine } from '../../../src/report/card/cause.ts';
import { failureWords } from '../../../src/report/card/headline.ts';
import { saysWhose } from '../../../src/report/words/container-end.ts';
import { diagnoseFiles, type Files } from '../incident.ts';

const DAY = '2026-09-14';
const RUNNING = { running: { startedAt: `${DAY}T09:10:10Z` } };
const WAITING = { waiting: { reason: 'CrashLoopBackOff' } };
const ended = (reason: string, exitCode: number, from = '09:00:00', to = '09:10:00') => ({
  terminated: { reason, exitCode, startedAt: `${DAY}T${from}Z`, finishedAt: `${DAY}T${to}Z` },
});

function aPod(states: object, created = '08:59:00', others: readonly object[] = []): string {
  return JSON.stringify({
    kind: 'Pod',
    metadata: { name: 'e-0', creationTimestamp: `${DAY}T${created}Z` },
    spec: {
      nodeName: 'n1',
      containers: [
        {
          name: 'engine',
          image: 'vllm/vllm-openai:v0.11.0',
          resources: { limits: { memory: '48Gi', 'nvidia.com/gpu': '1' } },
        },
        ...others,
      ],
    },
    status: { phase: 'Running', containerStatuses: [{ name: 'engine', restartCount: 1, ...states }] },
  });
}

const died = (reason: string, exitCode: number) => aPod({ lastState: ended(reason, exitCode), state: WAITING });

const SERVES =
  'INFO 09-14 09:00:02 [api_server.py:1896] vLLM API server version 0.11.0\nINFO:     Application startup complete.\nINFO:     10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n';
const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 94.31 MiB is free.';

async function read(files: Files) {
  const { facts, diagnosis } = await diagnoseFiles(files);
  return {
    facts,
    ...diagnosis,
    said: saysWhose(diagnosis, facts),
    cause: causeLine(diagnosis, facts),
    todo: actionWords(diagnosis, facts),
    title: failureWords(diagnosis, facts, 'vllm-0'),
  };
}

it.each([
  ['is empty', ''],
  [
    'is an answer of the API server',
    'Error from server (BadRequest): previous terminated container "engine" in pod "e-0" not found\n',
  ],
  ['is an answer of the kubelet', 'unable to retrieve container logs for containerd://aaaa\n'],
])('a log that tells nothing: %s', async (_name, log) => {
  const crashed = await read({ 'pod.json': died('Error', 1), 'previous.log': log });
  const killed = await read({ 'pod.json': died('OOMKilled', 137), 'previous.log': log });

  expect(crashed.verdict).toMatchObject({ plane: 'unknown', certain: false });
  expect(killed.verdict).toMatchObject({ plane: 'host', certain: true, causeCertain: false });
});

describe('the log of another container of the pod', () => {
  const beside = [{ name: 'istio-proxy', image: 'istio/proxyv2' }];

  it.each([
    ['that lacked RAM', 'fatal error: runtime: out of memory\n'],
    ['that lacked GPU memory', `${OOM}\n`],
  ])('%s tells nothing of the engine', async (_name, log) => {
    const pod = aPod({ lastState: ended('Error', 1), state: WAITING }, '08:59:00', beside);

    const { verdict, facts } = await read({ 'pod.json': pod, 'istio-proxy.previous.log': log });

    expect(verdict).toMatchObject({ plane: 'unknown', certain: false });
    expect(facts.get('gpu.oom-logged')?.kind).toBe('unknown');
  });

  it('is that of the engine where the pod has no such container', async () => {
    expect(
      (await read({ 'pod.json': died('Error', 1), 'vllm.previous.log': `${SERVES}${OOM}\n` })).verdict,
    ).toMatchObject({ plane: 'gpu', certain: true });
  });
});

it('runs in their order outweigh clocks that differ by minutes', async () => {
  const pod = aPod({
    lastState: ended('Error', 1, '08:55:00', '09:05:00'),
    state: ended('OOMKilled', 137, '09:05:10', '09:06:00'),
  });
  const log = [...SERVES.trim().split('\n'), OOM].map((line) => `${DAY}T09:09:50.0Z ${line}\n`).join('');

  expect((await read({ 'pod.json': pod, 'previous.log': log })).facts.get('sequence.order')).toMatchObject({
    value: 'gpu-then-host',
  });
});

describe('a status that is cut off', () => {
  it('claims nothing', async () => {
    expect(
      (await read({ 'pod.json': died('OOMKilled', 137).slice(0, -60), 'previous.log': SERVES })).verdict,
    ).toMatchObject({ plane: 'unknown', certain: false });
  });

  it('leaves the log its say', async () => {
    const { verdict } = await read({
      'pod.json': died('OOMKilled', 137).slice(0, -60),
      'previous.log': `${SERVES}${OOM}\n`,
    });

    expect(verdict).toMatchObject({ plane: 'gpu' });
  });
});

describe('an exit code beside its reason', () => {
  it.each([0, 1, 143])('OOMKilled with %i is the kill of a process, and another end of the container', async (code) => {
    const { verdict, said } = await read({ 'pod.json': died('OOMKilled', code), 'previous.log': SERVES });

    expect(verdict).toMatchObject({ plane: 'host', certain: true });
    expect(said).toMatch(
      `The kernel OOM killer killed a process in the container; the container exited with code ${code}.`,
    );
  });

  it('OOMKilled with 137 is its end', async () => {
    expect((await read({ 'pod.json': died('OOMKilled', 137), 'previous.log': SERVES })).said).not.toMatch(
      /killed a process|nothing says who/,
    );
  });

  it('137 without a reason is a guess that says so first', async () => {
    const { verdict, cause, title, todo, next } = await read({
      'pod.json': died('Error', 137),
      'previous.log': SERVES,
    });

    expect(verdict.certain).toBe(false);
    expect(title).toBe('Killed, probably RAM: vllm-0 while serving, memory not proven');
    expect(cause).toMatch(/^It was killed by signal 9, sender unknown\./);
    expect(todo).toContain(next[0]?.slice(0, 40));
    expect(verdict.remedies.filter(({ kind }) => kind === 'stop-bleed')).not.toEqual([]);
  });
});

describe('a pod that was made anew', () => {
  const anew = aPod({ restartCount: 0, ready: true, state: RUNNING }, '09:10:00');
  const killed =
    'Memory cgroup out of memory: Killed process 7731 (VLLM::EngineCor) total-vm:9kB, anon-rss:49000000kB, file-rss:1kB, shmem-rss:0kB';
  const event = (at: string) =>
    JSON.stringify([
      {
        reason: 'OOMKilling',
        message: killed,
        involvedObject: { kind: 'Node', name: 'n1' },
        lastTimestamp: `${DAY}T${at}Z`,
      },
    ]);

  it.each([
    ['dmesg', { 'kernel.txt': `[Mon Sep 14 09:08:20 2026] ${killed}\n` }],
    ['an event', { 'events.json': event('09:08:21') }],
  ])('was not killed before it was there, by %s', async (_name, files) => {
    const { verdict, says } = await read({ 'pod.json': anew, 'current.log': SERVES, ...files });

    expect(verdict).toMatchObject({ finding: 'none-healthy' });
    expect(says).toContain('replaced');
  });

  it('was killed where the kill came after', async () => {
    expect(
      (await read({ 'pod.json': anew, 'current.log': SERVES, 'events.json': event('09:12:21') })).facts.get(
        'kernel.oom-kill',
      ),
    ).toMatchObject({ value: 'container' });
  });
});
