import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { beforeOf } from '../../../src/report/card/preceding-events.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const DAY = '2026-09-14';
const OOM =
  'CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 94.31 MiB is free.';

type Engine = { readonly image: string; readonly works: (time: string) => string; readonly fails: string };

const ENGINES: Readonly<Record<string, Engine>> = {
  vllm: {
    image: 'vllm/vllm-openai:v0.11.0',
    works: (time) =>
      `INFO 09-14 ${time} [loggers.py:123] Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 100.0 tokens/s, Running: 2 reqs, Waiting: 0 reqs, GPU KV cache usage: 1.0%, Prefix cache hit rate: 0.0%`,
    fails: `ERROR 09-14 10:20:00 [serving.py:1] torch.OutOfMemoryError: ${OOM}`,
  },
  sglang: {
    image: 'lmsysorg/sglang:v0.5.3-cu126',
    works: (time) =>
      `[${DAY} ${time} TP0] Decode batch. #running-req: 4, #token: 8000, token usage: 0.10, cuda graph: True, gen throughput (token/s): 200.0, #queue-req: 0`,
    fails: `[${DAY} 10:20:00] ERROR: Exception in ASGI application\ntorch.OutOfMemoryError: ${OOM}\n[${DAY} 10:20:02] INFO: 500`,
  },
  'llama.cpp': {
    image: 'ghcr.io/ggml-org/llama.cpp:server-cuda-b6500',
    works: (time) => `${DAY}T${time}Z srv  log_server_r: request: POST /v1/chat/completions 127.0.0.1 200`,
    fails: `${DAY}T10:20:00Z ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1024.00 MiB on device 0: cudaMalloc failed: out of memory`,
  },
  ollama: {
    image: 'ollama/ollama:0.12.3',
    works: (time) =>
      `${DAY}T${time}Z [GIN] 2026/09/14 - ${time} | 200 |   1.215165201s |    192.168.65.1 | POST     "/v1/chat/completions"`,
    fails: `${DAY}T10:20:00Z llama_model_load: error loading model: unable to allocate CUDA0 buffer`,
  },
  tgi: {
    image: 'ghcr.io/huggingface/text-generation-inference:3.3.4',
    works: (time) =>
      `${DAY}T${time}.100Z  INFO generate{parameters=GenerateParameters { best_of: None } total_time="4ms"}: text_generation_router::server: router/src/server.rs:432: Success`,
    fails: `${DAY}T10:20:00.100Z ERROR text_generation_launcher: Method Prefill encountered an error. ${OOM}`,
  },
  triton: {
    image: 'nvcr.io/nvidia/tritonserver:25.03-py3',
    works: (time) => `${DAY}T${time}Z "POST /v2/models/m/infer HTTP/1.1" 200`,
    fails: `${DAY}T10:20:00Z E0914 python_be.cc:1] Failed to process the request(s) for model 'm_0', message: OutOfMemoryError: ${OOM}`,
  },
};

const POD = 'e-7f6c9d8b5-k2x4p';
const event = (type: string, reason: string, message: string) => ({
  type,
  reason,
  message,
  involvedObject: { kind: 'Pod', name: POD, fieldPath: 'spec.containers{engine}' },
  lastTimestamp: `${DAY}T11:29:20Z`,
});
const PROBED = JSON.stringify([
  event('Warning', 'Unhealthy', 'Liveness probe failed: Get "http://10.0.0.1:8000/health": context deadline exceeded'),
  event('Normal', 'Killing', 'Container engine failed liveness probe, will be restarted'),
]);
const DELETED = { deletionTimestamp: `${DAY}T11:30:30Z`, deletionGracePeriodSeconds: 30 };
const drained = { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] };
const preempted = { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] };

type Ending = {
  readonly reason: string;
  readonly exitCode: number;
  readonly plane: string;
  readonly meta?: object;
  readonly status?: object;
  readonly events?: string;
  readonly last?: string;
};

const ENDINGS: Readonly<Record<string, Ending>> = {
  'a drain': { reason: 'Error', exitCode: 143, plane: 'none', meta: DELETED, status: drained },
  'a roll-out': { reason: 'Completed', exitCode: 0, plane: 'none', meta: DELETED },
  'a preemption': { reason: 'Error', exitCode: 137, plane: 'none', meta: DELETED, status: preempted },
  'a probe': { reason: 'Error', exitCode: 137, plane: 'none', events: PROBED },
  'a kill for want of RAM': { reason: 'OOMKilled', exitCode: 137, plane: 'host' },
  'a fault of the GPU': {
    reason: 'Error',
    exitCode: 1,
    plane: 'none',
    last: 'torch.AcceleratorError: CUDA error: an illegal memory access was encountered',
  },
};

function filesOf({ image, works, fails }: Engine, ending: Ending): Record<string, string> {
  const { reason, exitCode, meta = {}, status = {}, events, last = '' } = ending;
  const terminated = { reason, exitCode, startedAt: `${DAY}T09:00:00Z`, finishedAt: `${DAY}T11:30:00Z` };
  const lines = [works('09:05:00'), fails, works('10:24:00'), works('11:29:00'), last];
  return {
    'current.log': `${lines.join('\n')}\n`,
    'pod.json': JSON.stringify({
      kind: 'Pod',
      metadata: { name: POD, ...meta },
      spec: { containers: [{ name: 'engine', image }] },
      status: { phase: 'Running', containerStatuses: [{ name: 'engine', state: { terminated } }], ...status },
    }),
    ...(events === undefined ? {} : { 'events.json': events }),
  };
}

async function read(files: Readonly<Record<string, string>>) {
  const { facts, diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  return { facts, verdict: diagnosis.verdict, before: beforeOf(facts, diagnosis.verdict) };
}

describe.each(Object.entries(ENGINES))('%s lacked GPU memory and went on', (_engine, engine) => {
  it.each(Object.entries(ENDINGS))('until %s an hour later, which is told beside it', async (_ending, ending) => {
    const { verdict, before } = await read(filesOf(engine, ending));

    expect(verdict.plane).toBe(ending.plane);
    expect(before[0]).toMatchObject({
      fact: 'outlived.memory',
      says: 'GPU memory did not suffice 70 min before the end, and the engine went on: a failure of its own, which this verdict is not about',
    });
    expect(before[0]?.from).toMatchObject([
      { file: 'current.log', text: expect.stringMatching(/out of memory|unable to allocate/) },
    ]);
  });
});

describe('no failure that was outlived is told', () => {
  const { vllm } = ENGINES;
  const works = vllm?.works ?? String;

  it.each([
    ['where the engine ended on it', [works('10:19:00'), vllm?.fails]],
    [
      'where it was one of a search',
      [
        'INFO:__main__:Try to determine available gpu blocks for context length 9',
        vllm?.fails,
        'INFO:__main__:Set max_model_len from 9 to 4',
        works('10:24:00'),
        works('10:30:00'),
      ],
    ],
    ['where there was none', [works('10:19:00'), works('10:24:00')]],
  ])('%s', async (_name, lines) => {
    const { facts } = await read({ 'previous.log': `${lines.join('\n')}\n` });

    expect(facts.get('outlived.memory')?.kind).toBe('unknown');
  });

  it('counts reports, and not lines', async () => {
    const twice = [
      works('09:05:00'),
      vllm?.fails,
      vllm?.fails,
      ...Array(12).fill(works('10:24:00')),
      vllm?.fails,
      works('10:40:00'),
    ];

    const { facts } = await read({ 'previous.log': `${twice.join('\n')}\n` });

    expect(facts.get('outlived.times')).toMatchObject({ value: 2 });
  });
});
