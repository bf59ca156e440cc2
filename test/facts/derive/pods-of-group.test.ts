import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { memoriesBlock } from '../../../src/report/card/memories.ts';
import { beforeOf, beforeOf } from '../../../src/report/card/preceding-events.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const DAY = '2026-09-14';
const RUNNING = { running: { startedAt: `${DAY}T09:30:10Z` } };
const ended = (reason: string, exitCode: number, finished = '09:20:20') => ({
  terminated: { reason, exitCode, startedAt: `${DAY}T09:00:00Z`, finishedAt: `${DAY}T${finished}Z` },
});

const LWS = 'leaderworkerset.sigs.k8s.io';
const inGroup = (group: string) => ({ [`${LWS}/name`]: 'lws', [`${LWS}/group-index`]: group });

function aPod(name: string, lastState: object, { labels = {}, state = RUNNING as object, metadata = {} } = {}) {
  return {
    kind: 'Pod',
    metadata: { name, labels, ...metadata },
    spec: { containers: [{ name: 'engine', image: 'vllm/vllm-openai:v0.11.0' }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'engine', restartCount: 1, lastState, state }] },
  };
}

const leader = (end = ended('Error', 1)) => aPod('lws-0', end, { labels: inGroup('0') });
const worker = (end: object, group = '0') => aPod(`lws-${group}-1`, end, { labels: inGroup(group) });

const SERVES =
  'INFO 09-14 09:00:02 [api_server.py:1896] vLLM API server version 0.11.0\nINFO:     Application startup complete.\n';
const LOST = `${SERVES}ERROR 09-14 09:20:10 [core.py:710] ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\nERROR 09-14 09:20:10 [core.py:710] The actor died because its node has died. Node Id: abc\n`;
const NCCL = `${SERVES}ERROR 09-14 09:20:10 [core.py:710] RuntimeError: NCCL error: remote process exited or there was a network error\n`;
const GPU = `${SERVES}ERROR 09-14 09:20:10 [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 94.31 MiB is free.\n`;

async function read(own: object, log: string, others: readonly object[]) {
  const files = {
    'pod.json': JSON.stringify(own),
    'previous.log': log,
    'siblings.json': JSON.stringify({ items: [own, ...others] }),
  };
  const { facts, diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  return { facts, ...diagnosis };
}

describe('a leader that reports the end of a worker', () => {
  it.each([
    ['of Ray', LOST],
    ['of NCCL', NCCL],
  ])('is told as the worker that was OOMKilled first, by a line %s', async (_name, log) => {
    const { verdict, says, facts } = await read(leader(), log, [worker(ended('OOMKilled', 137, '09:20:05'))]);

    expect(verdict).toMatchObject({ plane: 'host', certain: true, causeCertain: false });
    expect(says).toContain('Pod lws-0-1 of the same group was OOMKilled first. That was at 2026-09-14 09:20:05');
    expect(verdict.evidence[0]?.from[0]).toMatchObject({
      file: 'siblings.json',
      text: expect.stringContaining('OOMKilled'),
    });
    expect(JSON.stringify(memoriesBlock(facts, verdict))).toContain('lws-0-1 of its group was OOMKilled');
  });

  it('is told so where the group was made anew for it', async () => {
    const metadata = { deletionTimestamp: `${DAY}T09:20:40Z`, deletionGracePeriodSeconds: 30 };
    const own = aPod('lws-0', {}, { labels: inGroup('0'), state: ended('Error', 143), metadata });

    const { verdict } = await read(own, SERVES, [worker(ended('OOMKilled', 137, '09:20:05'))]);

    expect(verdict).toMatchObject({ plane: 'host', finding: 'host-group-member' });
  });

  it.each([
    ['ended on an error', 'Error', 1],
    ['was killed by signal 9', 'Error', 137],
  ])('names the worker that %s first, and guesses no memory', async (_name, reason, code) => {
    const { verdict, says } = await read(leader(), LOST, [worker(ended(reason, code, '09:20:05'))]);

    expect(verdict).toMatchObject({ plane: 'unknown', certain: false });
    expect(says).toContain('Pod lws-0-1 of the same group ended before this one');
  });

  it('takes the first of several workers', async () => {
    const first = {
      ...worker(ended('OOMKilled', 137, '09:19:05')),
      metadata: { name: 'lws-0-2', labels: inGroup('0') },
    };

    const { facts } = await read(leader(), LOST, [worker(ended('Error', 1, '09:19:40')), first]);

    expect(facts.get('group.first-pod')).toMatchObject({ value: 'lws-0-2' });
    expect(facts.get('group.first-at')).toMatchObject({ value: Date.parse(`${DAY}T09:19:05Z`) });
  });
});

describe('no other pod of the group ended first', () => {
  it.each([
    ['where it ended later', worker(ended('Error', 1, '09:20:30'))],
    ['where it was told to stop', worker(ended('Error', 143, '09:20:05'))],
    ['where it ended in order', worker(ended('Completed', 0, '09:20:05'))],
    ['where it did hours before', worker(ended('OOMKilled', 137, '06:20:05'))],
    ['where it is of another group', worker(ended('OOMKilled', 137, '09:20:05'), '1')],
    ['where it is a replica that is bound to none', aPod('web-2', ended('OOMKilled', 137, '09:20:05'))],
  ])('%s', async (_name, other) => {
    const { facts } = await read(leader(), LOST, [other]);

    expect(facts.get('group.first-pod')?.kind).toBe('unknown');
  });

  it('and a leader that lacked GPU memory itself is told as that', async () => {
    const { verdict } = await read(leader(), GPU, [worker(ended('OOMKilled', 137, '09:20:05'))]);

    expect(verdict.plane).toBe('gpu');
  });
});

it('replicas that were OOMKilled are told beside a verdict on GPU memory, and not as its cause', async () => {
  const others = [aPod('web-2', ended('OOMKilled', 137, '09:15:00')), aPod('web-3', ended('Error', 1, '09:16:00'))];

  const { facts, verdict } = await read(aPod('web-1', ended('Error', 1)), GPU, others);

  expect(verdict.plane).toBe('gpu');
  expect(beforeOf(facts, verdict).map(({ says }) => says)).toContain(
    '100 % of the other replicas died within 20 minutes; 1 of them OOMKilled, for want of RAM: it is not this pod alone',
  );
});

describe('a container that ends now so, now so', () => {
  it.each([
    [
      'OOMKilled, then an error of another day',
      'OOMKilled',
      137,
      'The run before it ended in another way: OOMKilled, exit code 137',
    ],
    ['the same twice', 'Error', 1, undefined],
  ])('%s', async (_name, reason, code, says) => {
    const before = ended(reason, code, '01:00:00');
    const own = aPod('web-1', before, { state: ended('Error', 1) });
    const files = { 'pod.json': JSON.stringify(own), 'current.log': GPU };

    const { facts, diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });

    expect(diagnosis.verdict.plane).toBe('gpu');
    expect(beforeOf(facts, diagnosis.verdict).find(({ fact }) => fact === 'death.other-end')?.says).toBe(says);
  });
});
