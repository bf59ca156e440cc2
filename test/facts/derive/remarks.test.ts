import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function diagnosed(log: string, uptime = 'startup', files: Readonly<Record<string, string>> = {}) {
  const all = { ...files, 'previous.log': `${log}\n`, 'incident.json': JSON.stringify({ uptime }) };
  return diagnoseSource(aSnapshot(all), { phrases: COMPILED_PHRASES, judge });
}

describe('what a remark quotes', () => {
  it.each([
    ['# the title of the thread: NotImplementedError: this model needs another kernel', 'none', 'none.config'],
    ['# it fails with "ValueError: Model architectures [\'X\'] failed to be inspected"', 'none', 'none.config'],
    ['# at decode: nixl._bindings.nixlBackendError: NIXL_ERR_BACKEND', 'none', 'none.comm'],
    ['# it crashes with AssertionError, then EngineDeadError', 'none', 'none.config'],
    ['# ValueError: Current node has no GPU available.', 'none', 'none.scheduling'],
    ['# fails with "No available memory for the cache blocks"', 'gpu', 'gpu.startup.kv-room'],
    ['# there is no memory left for the cache at the start', 'gpu', 'gpu.startup.kv-room'],
    ['# max seq len 16384 is more than the 9040 tokens of the KV cache', 'gpu', 'gpu.startup.kv-room'],
    ['# for large models the host runs out of memory', 'host', 'host.startup.weight-staging'],
    ['# "... GPU 0 has a total capacity of 9.50 GiB of which 60.19 MiB is free."', 'gpu', 'gpu.startup.weights'],
    ['# it said: 20.1 GiB is allocated by PyTorch, and 63 MiB is reserved', 'gpu', 'gpu.startup.weights'],
    ['# after the conversion an out-of-memory was seen', 'gpu', 'gpu.startup.weights'],
    ['# scheduler: 0/6 nodes available, 2 lack a card', 'none', 'none.scheduling'],
    ['# the client gets code 400 again and again', 'none', 'none.config'],
    [
      '# sequence group 2 preempted in RECOMPUTE mode, not enough KV cache space; it goes on',
      'none',
      'none.preemption-warning',
    ],
    ['# NCCL shared memory allocation errors at the start', 'host', 'host.shm'],
    ['# the CPU pod crashes with OOM, limit 100Gi', 'host', 'host.startup.weight-staging'],
    ['# the pod consumes 133 Gi of ephemeral storage', 'none', 'none.other'],
    ['# groups are preempted in RECOMPUTE mode, there is no room in the KV cache', 'none', 'none.preemption-warning'],
    ['# events: FailedPostStartHook, five times', 'none', 'none.other'],
    ['# error 804, forward compatibility on hardware that has none', 'none', 'none.driver'],
    ['# api_server.py: error, unrecognized arguments: /models/x', 'none', 'none.config'],
  ])('is read as the line of a log would be: %s', async (remark, plane, cause) => {
    const { facts, diagnosis } = await diagnosed(`INFO engine starts\n${remark}`);

    expect(facts.get(`log.likely-${plane}-cause`)).toMatchObject({ value: cause });
    expect(facts.get('log.remark')).toMatchObject({ from: [{ line: 2 }] });
    expect(diagnosis.verdict).toMatchObject({ plane, certain: false });
  });

  it.each([
    ['# no further line; 45 minutes', 'none', 'none.other'],
    ['# nothing more; stopped by hand after 35 minutes', 'none', 'none.other'],
    ['# the second call never returns', 'none', 'none.other'],
    ['# 加载到一半卡住', 'none', 'none.other'],
    ['# ping answers, ssh times out at the banner', 'host', 'host.node-pressure'],
    ['# the whole machine froze amid the load and was power-cycled', 'host', 'host.node-pressure'],
    ['# frozen host, nothing in the journal', 'host', 'host.node-pressure'],
    ['# the Mac froze, the power button had to be held', 'host', 'host.node-pressure'],
    ['# ssh and display gone, the node came back with an unclean mount', 'host', 'host.node-pressure'],
    ['# the node went NotReady under load', 'host', 'host.node-pressure'],
    ['# kernel panic in IOGPUFamily', 'none', 'none.driver'],
    ['# ends in a memory access fault with long batches', 'none', 'none.gpu-fault'],
    ['# dmesg is full of GPU page faults', 'none', 'none.gpu-fault'],
    ['# dmesg: xe, engine memory CAT error', 'none', 'none.gpu-fault'],
    ['# after resume the CPU is used until nvidia_uvm is reloaded', 'none', 'none.driver'],
  ])('stands still: %s', async (remark, plane, cause) => {
    const { facts, diagnosis } = await diagnosed(`INFO engine starts\n${remark}`);

    expect(facts.get(`log.likely-${plane}-cause`)).toMatchObject({ value: cause });
    expect(diagnosis.verdict).toMatchObject({ plane, certain: false });
  });

  it.each([
    '# memory gets stuck at 100 % of the limit',
    '# it is stuck with 63 GiB of 64 in use',
    '# RAM never returns to its level',
    '# it is stuck in CrashLoopBackOff',
  ])('a memory that stands at its level is no standstill: %s', async (remark) => {
    const { diagnosis } = await diagnosed(`INFO engine starts\n${remark}`);

    expect(diagnosis.verdict.plane).not.toBe('none');
  });

  it('what stands still tells nothing beside a word that names the failure', async () => {
    const remarks = ['# the client hangs for ever', '# the card runs out of memory'];
    const { diagnosis } = await diagnosed(['INFO engine starts', ...remarks].join('\n'), 'hours');

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', certain: false });
  });

  it.each([
    '# no error in the log; pod deleted by hand',
    '# afterwards EngineDeadError was all that was seen',
    '# kubectl: Error from server (BadRequest): previous terminated container "vllm" in pod "p-0" not found',
    '# docker logs: Error: No such container: vllm',
    '# RuntimeError: Engine core initialization failed. See root cause above.',
    '# GPU 0 has 24 GiB, of which the desktop takes one',
  ])('tells nothing where it is an echo or a figure: %s', async (remark) => {
    const { diagnosis } = await diagnosed(`INFO engine starts\n${remark}`);

    expect(diagnosis.verdict).toMatchObject({ plane: 'unknown' });
  });

  it.each([
    ['# the last line: CUDA error: misaligned address', 'none'],
    ['# the last lines are cut away', 'gpu'],
  ])('frames whose error is cut away are no sign of memory beside another error: %s', async (remark, plane) => {
    const frames = [
      '  File "/opt/vllm/v1/worker/gpu_worker.py", line 813, in execute_model',
      '    output = self.model_runner.execute_model(',
      remark,
    ];

    const { diagnosis } = await diagnosed(frames.join('\n'), 'hours');

    expect(diagnosis.verdict).toMatchObject({ plane, certain: false });
  });

  it('is no match for a line of the log', async () => {
    const { diagnosis } = await diagnosed('engine: OOM, sorry\n# ValueError: bad flag');

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu' });
  });
});

describe('what people looked for in vain', () => {
  it.each([['# dmesg has neither Xid nor a kill'], ['# no Xid in the kernel log'], ['# without any NCCL error']])(
    'points nowhere: %s',
    async (remark) => {
      expect((await diagnosed(remark, 'hours')).diagnosis.verdict.plane).toBe('unknown');
    },
  );

  it('points where it was found', async () => {
    expect((await diagnosed('# dmesg has an Xid, and no kill', 'hours')).diagnosis.verdict.plane).toBe('none');
  });
});

describe('a machine that no longer answers, noted below the line that decides', () => {
  const error = 'api_server.py: error: unrecognized arguments: --no-such-flag';

  it('leaves open what it died of', async () => {
    const found = (await diagnosed(`${error}\n# ten minutes later the node is unresponsive, power cycle`)).diagnosis
      .verdict;

    expect((await diagnosed(error)).diagnosis.verdict.certain).toBe(true);
    expect(found.certain).toBe(false);
  });
});

describe('a table beside the log whose last row is an end', () => {
  const error =
    "[rank0]:[E901 02:22:40.118 ProcessGroupNCCL.cpp:1832] [PG ID 2 PG GUID 3 Rank 0] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress";
  const table = (last: string) => ({ 'metrics.txt': `| prompt | outcome |\n| 24k | ok |\n| 58k | ${last} |\n` });

  it('leaves open what was waited for', async () => {
    const gone = await diagnosed(error, 'hours', table('worker gone'));
    const slow = await diagnosed(error, 'hours', table('slow'));

    expect([gone, slow].map(({ diagnosis }) => diagnosis.verdict.certain)).toEqual([false, true]);
  });
});

describe('a device as large as the memory of a machine that has one for both', () => {
  const refused = (total: string) =>
    `ValueError: Free memory on device cuda:0 (41.20/${total} GiB) on startup is less than desired GPU memory utilization (0.82, 99.74 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.`;
  const froze = '\n# ssh: Connection timed out during banner exchange, power cycle needed';

  it.each([
    ['121.63', froze, 'both', false],
    ['121.63', '', 'gpu', true],
    ['139.80', froze, 'gpu', true],
  ])('fails with the machine: %s GiB%s', async (total, remark, plane, certain) => {
    expect((await diagnosed(`${refused(total)}${remark}`)).diagnosis.verdict).toMatchObject({ plane, certain });
  });
});

describe('a list that is the same for every end, and a memory that held its level', () => {
  it('points nowhere', async () => {
    const list = '# Ray lists three roots: SIGKILL by the OOM killer, ray stop --force, SIGSEGV or other';

    expect((await diagnosed(list)).diagnosis.verdict.plane).toBe('unknown');
  });

  it('leaves the growth to the memory that grew', async () => {
    const remark = '# after each test the memory keeps increasing and is not released; GPU memory usage stays normal';

    expect((await diagnosed(remark, 'hours')).diagnosis.verdict).toMatchObject({ plane: 'host', certain: false });
    expect((await diagnosed(remark.replace('stays normal', 'grows'), 'hours')).diagnosis.verdict.plane).toBe('gpu');
  });

  it('is told of an engine whose log ends at work', async () => {
    const log =
      'INFO 12-10 17:30:53 metrics.py:449] Avg prompt throughput: 21.7 tokens/s, Avg generation throughput: 1.4 tokens/s, Running: 1 reqs, Swapped: 0 reqs, Pending: 0 reqs, GPU KV cache usage: 0.3%, CPU KV cache usage: 0.0%.\n# docker stats: 31 GiB at call 10, 58 GiB at call 25, 90 GiB at call 44, then the container is gone';

    expect((await diagnosed(log, 'hours')).diagnosis.verdict).toMatchObject({
      plane: 'host',
      cause: 'host.chronic.leak',
    });
  });
});
