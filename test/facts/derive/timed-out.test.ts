import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const WAITS =
  '(EngineCore pid=145) INFO 06-24 11:01:12 [shm_broadcast.py:681] No available shared memory broadcast block found in 60 seconds.';
const FATAL = [
  'EngineCore encountered a fatal error.',
  'Traceback (most recent call last):',
  '  File "/opt/vllm/v1/executor/multiproc_executor.py", line 378, in get_response',
  'TimeoutError: RPC call to sample_tokens timed out.',
]
  .map((text) => `(EngineCore pid=145) ERROR 06-24 11:03:12 [core.py:1101] ${text}`)
  .join('\n');
const WORKS =
  'INFO 06-24 10:57:58 [loggers.py:236] Engine 000: Avg prompt throughput: 310.2 tokens/s, Avg generation throughput: 48.1 tokens/s, Running: 4 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.3%, Prefix cache hit rate: 0.0%';
const IDLES = WORKS.replace('310.2', '0.0').replace('48.1', '0.0');
const STEP = `${WORKS}\n${WAITS}\n${FATAL}`;
const FRONT_END = 'TimeoutError: Timed out waiting for engine core processes to start. Waited 600s';
const STORE = 'torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 8/16 clients joined.';
const OTHER_RANK = '(Worker_TP3 pid=18) ERROR 06-24 10:58:01 [multiproc_executor.py:670]';

async function diagnosed(log: string, files: Record<string, string> = {}) {
  const { diagnosis } = await diagnoseSource(
    aSnapshot({ 'previous.log': `${log}\n`, 'incident.json': '{"uptime":"unknown"}', ...files }),
    { phrases: COMPILED_PHRASES, judge },
  );
  return diagnosis.verdict;
}

describe('a wait that ran to its limit', () => {
  it.each([
    ['for a step, after waits that were told', STEP, 'none.comm'],
    [
      'for a step of V0',
      `INFO metrics.py:406] Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s, Running: 44 reqs, Swapped: 0 reqs, Pending: 0 reqs, GPU KV cache usage: 4.3%, CPU KV cache usage: 0.0%.\nERROR 08-20 17:44:27 async_llm_engine.py:658] Engine iteration timed out. This should never happen!`,
      'none.comm',
    ],
    ['for cores that load', FRONT_END, 'none.other'],
    ['for ranks that did not come', STORE, 'none.comm'],
  ])('%s leaves no memory', async (_, log, cause) => {
    expect(await diagnosed(log)).toMatchObject({ plane: 'none', cause, certain: true, causeCertain: false });
  });

  it.each([
    ['the log begins with the error', FATAL],
    ['the log begins within the wait', `${WAITS}\n${FATAL}`],
    ['the log begins when nothing more was done', `${IDLES}\n${WAITS}\n${FATAL}`],
    [
      'another rank raised before, and its last line is cut off',
      `${OTHER_RANK} WorkerProc hit an exception.\n${OTHER_RANK} Traceback (most recent call last):\n${STEP}`,
    ],
    ['a worker died', `${OTHER_RANK} Worker proc VllmWorker-1 died unexpectedly, shutting down executor.\n${STEP}`],
    ['a process was killed', `${STEP}\nKilled`],
    ['a rank had no RAM', `${OTHER_RANK} MemoryError\n${STEP}`],
    ['a remark speaks of memory', `${STEP}\n# the host ran out of memory at that time, swap was full`],
    ['a remark tells of a kill', `${STEP}\n# dmesg: Out of memory: Killed process 4123 (VLLM::Worker_TP1)`],
    [
      'the ranks had met and loaded',
      `INFO 11-08 15:22:31 [gpu_model_runner.py:2392] Model loading took 14.9889 GiB and 31.407713 seconds\n${STORE}`,
    ],
  ])('proves nothing where %s', async (_, log) => {
    expect(await diagnosed(log)).toMatchObject({ certain: false });
  });

  it.each(['--nnodes 2 --node-rank 0', '--headless --data-parallel-address 10.0.0.1'])(
    'proves nothing where a rank may have failed on another node: %s',
    async (flags) => {
      const args = `vllm serve Qwen/Qwen3-32B --tensor-parallel-size 8 ${flags}\n`;

      expect(await diagnosed(STEP, { 'args.txt': args })).toMatchObject({ plane: 'none', certain: false });
    },
  );

  it.each([
    ['that breaks off within the wait', '', 'none.comm'],
    ['that a worker which is gone has ended', '\nRuntimeError: cancelled\nKilled', undefined],
  ])('is known by its frames, in a log %s', async (_, end, cause) => {
    const frames = [
      'EngineCore encountered a fatal error.',
      'Traceback (most recent call last):',
      '  File "/opt/vllm/v1/executor/multiproc_executor.py", line 181, in collective_rpc',
      '    status, result = w.worker_response_mq.dequeue(',
      '  File "/opt/vllm/distributed/device_communicators/shm_broadcast.py", line 479, in dequeue',
    ].map((text) => `(EngineCore pid=145) ERROR 06-24 11:03:12 [core.py:398] ${text}`);
    const verdict = await diagnosed(`${WORKS}\n${frames.join('\n')}${end}`);

    expect(verdict.cause === 'none.comm').toBe(cause === 'none.comm');
    expect(verdict.certain).toBe(false);
  });

  it('yields to a device that refused another rank', async () => {
    const refused = `${OTHER_RANK} torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 3 has a total capacity of 79.15 GiB of which 1.10 GiB is free.`;

    expect(await diagnosed(`${refused}\n${STEP}`)).toMatchObject({ plane: 'gpu' });
  });

  it('proves nothing beside figures of RAM', async () => {
    const metrics =
      'free -m\n       total   used   free  shared  buff/cache  available\nMem:   257000 256300 200 2900 500 320\n';

    expect(await diagnosed(STEP, { 'metrics.txt': metrics })).toMatchObject({ certain: false });
  });
});

describe('a wait that somebody ended by failing', () => {
  it.each([
    ['no word of memory', [WAITS, FATAL.split('\n')[0] ?? ''], 'unknown'],
    ['the wait goes on', [WAITS, WAITS.replace('11:01', '11:02')], 'none'],
  ])('is no hang: %s', async (_, lines, plane) => {
    expect((await diagnosed(lines.join('\n'))).plane).toBe(plane);
  });
});
