/**
 * How a version has a behaviour: not at all, only where it is asked for, unless it is turned off, whatever is said; or
 * by the model, the platform or a release between, so that the version alone does not tell.
 */
export type FeatureState = 'no' | 'asked' | 'default' | 'always' | 'depends';

/** A behaviour of an engine or of what it is built on, by version. What has a flag or variable of its own stands in the flag table. */
export type Feature = {
  readonly id: string;
  readonly engine: string;
  readonly says: string;
  /** From which release on the state holds; the first one has none. A span ends where the next begins. */
  readonly spans: readonly (readonly [from: string | null, state: FeatureState])[];
  /** The flag or variable that turns it on, where there is one. */
  readonly by?: string;
  readonly note?: string;
  readonly source: string;
};

export const FEATURES = [
  {
    id: 'vllm.v1',
    engine: 'vllm',
    says: 'the second engine (V1): chunked prefill always, prefix caching unless turned off, preempted requests are computed again, so that swap space is accepted and not used',
    spans: [
      [null, 'no'],
      ['0.6.4', 'asked'],
      ['0.8', 'default'],
      ['0.11', 'always'],
    ],
    by: 'VLLM_USE_V1',
    note: '0.8 to 0.10 fall back to V0 for models and platforms that V1 lacks',
    source: 'vllm-project/vllm vllm/envs.py, vllm/engine/arg_utils.py (v0.6.4 to v0.11.0)',
  },
  {
    id: 'vllm.model-runner-2',
    engine: 'vllm',
    says: 'the second model runner of V1, with texts and an accounting of its own',
    spans: [
      [null, 'no'],
      ['0.12', 'asked'],
      ['0.22', 'depends'],
      ['0.29', 'default'],
    ],
    by: 'VLLM_USE_V2_MODEL_RUNNER',
    note: 'dense Qwen3 from 0.22, dense Llama and Mistral from 0.23, all dense models from 0.25',
    source:
      'vllm-project/vllm vllm/envs.py, vllm/v1/worker/gpu/model_runner.py (017e9f4448), releases 0.22, 0.23, 0.29',
  },
  {
    id: 'vllm.graphs-in-fraction',
    engine: 'vllm',
    says: 'the memory of CUDA graphs is estimated at start and counted inside --gpu-memory-utilization; before, graphs live outside of it',
    spans: [
      [null, 'no'],
      ['0.18', 'asked'],
      ['0.21', 'default'],
      ['0.22', 'depends'],
      ['0.29', 'default'],
    ],
    by: 'VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS',
    note: 'of 0.22 to 0.28 by the model runner: the second one estimates nothing',
    source:
      'vllm-project/vllm vllm/v1/worker/gpu_worker.py, vllm/v1/worker/gpu/model_runner.py (017e9f4448), release 0.29',
  },
  {
    id: 'vllm.start-compares-free',
    engine: 'vllm',
    says: 'the start is refused where less is free than the fraction asks for; before, the KV pool shrank by the difference',
    spans: [
      [null, 'no'],
      ['0.9.1', 'always'],
    ],
    source: 'vllm-project/vllm vllm/v1/worker/gpu_worker.py (v0.9.0, v0.9.1)',
  },
  {
    id: 'vllm.sleep-against-segments',
    engine: 'vllm',
    says: 'sleep mode refuses expandable segments: the engine ends with an assertion at its start',
    spans: [
      [null, 'no'],
      ['0.7', 'always'],
      ['0.14', 'no'],
    ],
    source: 'vllm-project/vllm vllm/device_allocator/cumem.py (v0.7.0 to v0.14.0)',
  },
  {
    id: 'vllm.connector-against-segments',
    engine: 'vllm',
    says: 'a KV connector that registers memory refuses expandable segments',
    spans: [
      [null, 'no'],
      ['0.21', 'always'],
    ],
    source: 'vllm-project/vllm vllm/config/vllm.py (017e9f4448)',
  },
  {
    id: 'tgi.keeps-of-free',
    engine: 'tgi',
    says: 'the KV pool is a part of what the fraction leaves free: 0.95 of it, from 2.3 what TGI_WIGGLE_ROOM says. From 3.0 on TGI_WIGGLE_ROOM multiplies the fraction itself, and the pool is all that both leave',
    spans: [
      [null, 'no'],
      ['1.4.1', 'always'],
      ['3.0', 'no'],
    ],
    source:
      'huggingface/text-generation-inference server/text_generation_server/models/flash_causal_lm.py (v1.4.0 to v3.3.7)',
  },
  {
    id: 'sglang.piecewise-graphs',
    engine: 'sglang',
    says: 'CUDA graphs of the prefill, taken in pieces beside those of the decode',
    spans: [
      [null, 'no'],
      ['0.5.3.post2', 'asked'],
      ['0.5.10', 'default'],
    ],
    by: '--enable-piecewise-cuda-graph',
    source: 'sgl-project/sglang python/sglang/srt/server_args.py (v0.5.3.post2 to v0.5.18)',
  },
  {
    id: 'pytorch.alloc-conf',
    engine: 'pytorch',
    says: 'expandable segments are read from PYTORCH_ALLOC_CONF; PYTORCH_CUDA_ALLOC_CONF stays an alias that every build for CUDA reads, the newest with a warning',
    spans: [
      [null, 'no'],
      ['2.10', 'always'],
    ],
    note: '2.9.1 takes the new name and ignores this setting in it',
    source:
      'pytorch/pytorch c10/cuda/CUDAAllocatorConfig.h as shipped with 2.8.0, 2.9.1, 2.10.0 and 2.11.0; issue 183387 (seen in 2.9.1)',
  },
  {
    id: 'pytorch.rocm-segments',
    engine: 'pytorch',
    says: 'builds for ROCm have expandable segments; before, they say “not supported on this platform” and go on without',
    spans: [
      [null, 'no'],
      ['2.12', 'always'],
    ],
    note: "AMD's own branches took it over into 2.10 and 2.11 in 2026 (ROCm/pytorch pull requests 3106, 3178, 3179): such a build does not tell",
    source: 'pytorch/pytorch pull request 177974 and the notes of release 2.12',
  },
] as const satisfies readonly Feature[];
