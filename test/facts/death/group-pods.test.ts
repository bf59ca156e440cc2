import { describe, expect, it } from 'vitest';
import { diagnoseFiles } from '../incident.ts';

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
const GPU = `${SERVES}ERROR 09-14 09:20:10 [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 94.31 MiB is free.\n`;

async function read(own: object, log: string, others: readonly object[]) {
  const files = {
    'pod.json': JSON.stringify(own),
    'previous.log': log,
    'siblings.json': JSON.stringify({ items: [own, ...others] }),
  };
  const { facts, diagnosis } = await diagnoseFiles(files);
  return { facts, ...diagnosis };
}

describe('a leader that reports the end of a worker', () => {
  it('is told so where the group was made anew for it', async () => {
    const metadata = { deletionTimestamp: `${DAY}T09:20:40Z`, deletionGracePeriodSeconds: 30 };
    const own = aPod('lws-0', {}, { labels: inGroup('0'), state: ended('Error', 143), metadata });

    expect((await read(own, SERVES, [worker(ended('OOMKilled', 137, '09:20:05'))])).verdict).toMatchObject({
      plane: 'host',
      finding: 'host-group-member',
    });
  });

  it.each([
    ['ended on an error', 'Error', 1],
    ['was killed by signal 9', 'Error', 137],
  ])('names the worker that %s first, and guesses no memory', async (_name, reason, code) => {
    const { verdict, says } = await read(leader(), LOST, [worker(ended(reason, code, '09:20:05'))]);

    expect(verdict).toMatchObject({ plane: 'unknown', certain: false });
    expect(says).toContain('Pod lws-0-1 ended before this one');
  });

  it('takes the first of several workers', async () => {
    const first = {
      ...worker(ended('OOMKilled', 137, '09:19:05')),
      metadata: { name: 'lws-0-2', labels: inGroup('0') },
    };

    expect(
      (await read(leader(), LOST, [worker(ended('Error', 1, '09:19:40')), first])).facts.get('group.first-pod'),
    ).toMatchObject({ value: 'lws-0-2' });
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
    expect((await read(leader(), LOST, [other])).facts.get('group.first-pod')?.kind).toBe('unknown');
  });

  it('and a leader that lacked GPU memory itself is told as that', async () => {
    expect((await read(leader(), GPU, [worker(ended('OOMKilled', 137, '09:20:05'))])).verdict.plane).toBe('gpu');
  });
});
