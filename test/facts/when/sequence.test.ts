import { describe, expect, it } from 'vitest';
import { timeline } from '../../../src/report/words/timeline.ts';
import { factsOfFiles, logged, valueIn } from '../incident.ts';
import * as pod from '../pod.ts';

const GPU_OOM = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';
const CALM = 'INFO 09-14 10:00:00 [api_server.py:1] all is well';

const ended = (reason: string, exitCode: number, finishedAt: string) =>
  pod.ended(reason, exitCode, '2026-09-14T10:00:00Z', finishedAt);
const running = pod.running('2026-09-14T12:00:00Z');
const resources = { limits: { 'nvidia.com/gpu': '1' } };
const aPod = (lastState: object, state: object) =>
  pod.podFile({ container: { resources }, status: { lastState, state } })['pod.json'] ?? '';

describe('two memories in sequence', () => {
  const early = '2026-09-14T10:30:00Z';
  const late = '2026-09-14T11:30:00Z';

  const KILLED_FIRST = aPod(ended('OOMKilled', 137, early), running);
  const CRASHED_FIRST = aPod(ended('Error', 1, early), running);
  const CRASHED_THEN_KILLED = aPod(ended('Error', 1, early), ended('OOMKilled', 137, late));

  it.each([
    ['a CUDA OOM, then the next run OOMKilled', CRASHED_THEN_KILLED, GPU_OOM, CALM, 'gpu-then-host'],
    ['OOMKilled, then a CUDA OOM in the run after it', KILLED_FIRST, CALM, GPU_OOM, 'host-then-gpu'],
    ['a CUDA OOM survived, OOMKilled at the end', KILLED_FIRST, GPU_OOM, CALM, 'gpu-then-host'],
    ['a kill that may be older than the line', aPod(ended('OOMKilled', 1, early), running), GPU_OOM, CALM, 'unordered'],
    ['OOMKilled alone', KILLED_FIRST, CALM, CALM, 'one-plane'],
    ['a CUDA OOM alone', CRASHED_FIRST, GPU_OOM, CALM, 'one-plane'],
    ['nothing of either', aPod(ended('Completed', 0, early), running), CALM, CALM, 'nothing-seen'],
  ] as const)('%s', async (_name, pod, previous, current, order) => {
    const files = { 'pod.json': pod, ...logged(previous), 'current.log': `${current}\n` };

    expect((await factsOfFiles(files)).get('sequence.order')).toMatchObject({ kind: 'known', value: order });
  });

  it('tells when each failed, so that the order can be shown with its times', async () => {
    const log = `2026-09-14T10:59:00.000000000Z ${CALM}\n2026-09-14T11:00:00.000000000Z ${GPU_OOM}\n`;
    const files = { 'pod.json': KILLED_FIRST, ...logged(CALM), 'current.log': log };

    const facts = await factsOfFiles(files);

    expect(facts.get('sequence.host-at')).toMatchObject({ value: Date.parse(early) });
    expect(facts.get('gpu.oom-at')).toMatchObject({ value: Date.parse('2026-09-14T11:00:00Z') });
    expect(timeline(facts)).toEqual([
      '2026-09-14 10:00:00  container started',
      '2026-09-14 10:30:00  container ended (OOMKilled, exit code 137)',
      '2026-09-14 11:00:00  GPU memory ran out (log)',
    ]);
  });

  it('goes by the lines of one log where it holds several runs', async () => {
    const killed = 'Memory cgroup out of memory: Killed process 7 (python3) total-vm:1kB, anon-rss:1kB, file-rss:0kB';

    expect(await valueIn(logged(killed, CALM, GPU_OOM), 'sequence.order')).toBe('host-then-gpu');
  });

  it.each([
    [
      'the buffer that an engine misses for want of RAM is no second failure',
      'ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 137438953504\nllama_model_load: error loading model: unable to allocate CUDA0 buffer',
      'one-plane',
    ],
    [
      'pinned memory refused in the words of the device proves neither',
      'E cuda_driver.cc:967] failed to alloc 8589934592 bytes on host: CUDA_ERROR_OUT_OF_MEMORY: out of memory',
      'nothing-seen',
    ],
    [
      'the same lines from two runs are two',
      `2026-09-14T10:00:00Z ggml_aligned_malloc: insufficient memory (attempted to allocate 9.00 MB)\n2026-09-14T11:00:00Z llama_model_load: error loading model: unable to allocate CUDA0 buffer`,
      'host-then-gpu',
    ],
  ])('%s', async (_name, log, order) => {
    expect(await valueIn(logged(log), 'sequence.order')).toBe(order);
  });

  describe('a line of the device that proves nothing by itself', () => {
    const SAID =
      'May 19 21:02:51 spark vllm[4120]: (EngineCore pid=4177) ERROR 05-19 21:02:51 [core.py:1121] torch.AcceleratorError: CUDA error: out of memory';
    const AGAIN = 'May 19 21:03:08 spark systemd[1]: vllm.service: Scheduled restart job, restart counter is at 1.';
    const SPAWNED = "2026-05-19 21:03:08,114 INFO spawned: 'vllm' with pid 5310";
    const BANNER = 'INFO 05-19 21:03:20 [api_server.py:1289] vLLM API server version 0.9.1';
    const LOADS =
      'May 19 21:06:40 spark vllm[5310]: (EngineCore pid=5368) Loading safetensors checkpoint shards:  76% Completed | 16/21 [02:55<01:00, 12.0s/it]';
    const KERNEL =
      '[92051.730301] Out of memory: Killed process 5368 (VLLM::EngineCor) total-vm:182114032kB, anon-rss:10822140kB, file-rss:1204kB, shmem-rss:88kB, UID:1000';

    it.each([
      ['ended a run, and the next one was killed', [LOADS, SAID, AGAIN, LOADS], 'gpu-then-host'],
      ['ended a run that supervisord started again', [LOADS, SAID, SPAWNED, LOADS], 'gpu-then-host'],
      ['ended a run above the banner of another', [BANNER, LOADS, SAID, BANNER, LOADS], 'gpu-then-host'],
      ['stands in the run that was killed', [LOADS, AGAIN, LOADS, SAID], 'one-plane'],
      ['stands in the only run', [LOADS, SAID], 'one-plane'],
    ])('%s', async (_name, lines, order) => {
      const files = { ...logged(...lines), 'kernel.txt': `${KERNEL}\n` };

      expect(await valueIn(files, 'sequence.order')).toBe(order);
    });

    it('is told with the life of its own run', async () => {
      const lines = [LOADS, SAID, AGAIN, BANNER, 'INFO:     Application startup complete.'];
      const files = { ...logged(...lines), 'kernel.txt': `${KERNEL}\n` };

      const facts = await factsOfFiles(files);

      expect(facts.get('sequence.first-life')).toMatchObject({ value: 'starting' });
      expect(facts.get('sequence.first-cause')).toMatchObject({ value: 'gpu.startup.weights' });
    });

    it.each([LOADS.slice(LOADS.indexOf('Loading')), BANNER, CALM])('is followed by a kill: %s', async (line) => {
      const previous = SAID.slice(SAID.indexOf('torch'));
      const files = { 'pod.json': CRASHED_THEN_KILLED, ...logged(previous), 'current.log': `${line}\n` };

      expect(await valueIn(files, 'sequence.order')).toBe('gpu-then-host');
    });
  });

  describe('failures that lie hours apart', () => {
    const REFUSED = `2026-09-14T10:29:00Z ${GPU_OOM}\n`;
    const longAgo = { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: '2026-09-06T12:00:00Z' } };
    const KILLED_LONG_AGO = aPod(longAgo, ended('Error', 1, early));
    const WITHOUT_YEAR = `ERROR 09-14 07:11:00 [x.py:1] failed\n${GPU_OOM}\nERROR 09-14 07:11:01 [x.py:1]\n`;

    it.each([
      ['hours before the kill', `2026-09-14T07:11:00Z ${GPU_OOM}\n2026-09-14T10:29:00Z ${CALM}\n`, 'one-plane'],
      ['the same between lines that bear the time and no year', WITHOUT_YEAR, 'one-plane'],
      ['less than an hour apart', `2026-09-14T09:40:00Z ${GPU_OOM}\n`, 'gpu-then-host'],
      ['the distance of a time zone, told without one', `2026-09-14 18:29:30 ${GPU_OOM}\n`, 'gpu-then-host'],
    ])('a request that was refused, %s', async (_name, log, order) => {
      expect(await valueIn({ 'pod.json': KILLED_FIRST, 'previous.log': log }, 'sequence.order')).toBe(order);
    });

    it('a kill of days ago, and now the device: tells of the failure that came last', async () => {
      const files = { 'pod.json': KILLED_LONG_AGO, 'current.log': REFUSED };

      expect(await valueIn(files, 'sequence.order')).toBe('one-plane');
      expect(await valueIn(files, 'evidence.plane')).toBe('gpu');
    });

    it('belong together where others lie between them', async () => {
      const pod = aPod(ended('OOMKilled', 137, early), ended('OOMKilled', 137, late));
      const logs = { 'previous.log': `2026-09-14T10:20:00Z ${GPU_OOM}\n` };

      expect(await valueIn({ 'pod.json': pod, ...logs }, 'sequence.order')).toBe('gpu-then-host');
    });
  });

  it('goes by the name of a log for the run that wrote it', async () => {
    const files = { 'pod.json': KILLED_FIRST, 'current.log': `${GPU_OOM}\n` };

    expect(await valueIn(files, 'sequence.order')).toBe('host-then-gpu');
  });

  it('is not known where there is neither log nor status', async () => {
    expect(await valueIn({}, 'sequence.order')).toBeUndefined();
  });
});
