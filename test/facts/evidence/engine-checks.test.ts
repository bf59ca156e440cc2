import { describe, expect, it } from 'vitest';
import { ofEngineCore, type Raised, tracebackOf, verdictOf } from '../raised-error.ts';

describe('an error of an engine that checks code, settings or counts is no memory', () => {
  it.each<Raised>([
    [
      'ValueError',
      'Hybrid KV cache manager is disabled but failed to convert the KV cache specs to one unified type.',
      'vllm/v1/core/kv_cache_utils.py',
      'get_kv_cache_config',
    ],
    [
      'AssertionError',
      'The KV cache specs for the same layer are different across workers. This is not supported yet.',
      'vllm/v1/core/kv_cache_utils.py',
      'get_kv_cache_configs',
    ],
    [
      'AssertionError',
      'Some layers are not assigned to any group.',
      'vllm/v1/core/kv_cache_utils.py',
      'get_kv_cache_configs',
    ],
    [
      'AssertionError',
      'V1 CPU offloading requires uva (pin memory) support',
      'vllm/model_executor/models/utils.py',
      'maybe_offload_to_cpu',
    ],
    [
      'ValueError',
      'skip_attn must only be True for initial memory profiling.',
      'vllm/v1/worker/gpu/model_runner.py',
      '_dummy_run',
    ],
    [
      'ValueError',
      "Cannot run the multi-modal processor on 'cuda': this instance also runs the language model. The processor would share the device with the model's forward pass, and its allocations are outside the memory the engine profiled for its KV cache -- risking OOM or a silently shrunken cache.",
      'vllm/config/multimodal.py',
      'verify',
    ],
    [
      'ValueError',
      'MegaMoE input exceeds its allocated token capacity',
      'vllm/models/step5/nvidia/mega_moe.py',
      'forward',
    ],
    [
      'ValueError',
      'No memory should be allocated for the cache blocks for an attention-free model, but 128 blocks are allocated.',
      'vllm/worker/worker.py',
      'raise_if_cache_size_invalid',
    ],
    [
      'MemoryError',
      'Not enough space in the data buffer, try calling free_buf() to free up space',
      'vllm/distributed/device_communicators/shm_object_storage.py',
      'allocate_buf',
    ],
  ])('vLLM, %s: %s', async (...raised) => {
    expect(await verdictOf(ofEngineCore(raised))).toMatchObject({ plane: 'none' });
  });

  it.each<Raised>([
    [
      'AssertionError',
      'num_sm_parts 160 exceeds preallocated max 132',
      'sglang/srt/layers/attention/flashmla_backend.py',
      'capture',
    ],
    [
      'RuntimeError',
      'Decode status not found for request 8a1b. It may be due to the request being evicted from the decode status due to memory pressure.',
      'sglang/srt/managers/detokenizer_manager.py',
      'handle_batch_token_id_out',
    ],
    [
      'AssertionError',
      'The host memory should be larger than the device memory with the current protocol',
      'sglang/srt/mem_cache/memory_pool_host.py',
      '__init__',
    ],
    [
      'RuntimeError',
      'No graph-capture backend is available for the current accelerator: memory pools cannot be used.',
      'transformers/generation/continuous_batching/utils.py',
      'forward',
    ],
    [
      'ContextLengthExceeded',
      'The prompt leaves no room for output tokens',
      'xinference/model/llm/trt_llm/core.py',
      '_sampling_params',
    ],
    [
      'xinference.errors.ContextLengthExceeded',
      'Prompt leaves 0 output token(s) within context_length 4096; audio generation needs at least 2 thinker tokens.',
      'xinference/model/llm/transformers/multimodal/qwen-omni.py',
      'generate',
    ],
    [
      'NotImplementedError',
      'Inference requires a CUDA or XPU device (got cpu). CPU / MPS lack the pinned-memory and stream primitives used here.',
      'sensenova_u1/utils/accel.py',
      'require',
    ],
    [
      'vllm_omni.diffusion.model_loader.host_weight_plan._PlanIncompatibleError',
      'checkpoint key transformer.w for w is missing from /models/dit.safetensors',
      'vllm_omni/diffusion/model_loader/host_weight_plan.py',
      '_validate_source_metadata',
    ],
  ])('%s: %s', async (...raised) => {
    expect(await verdictOf(tracebackOf(raised))).toMatchObject({ plane: 'none' });
  });

  it.each<Raised>([
    [
      'VLLMValidationError',
      'The decoder prompt contains a(n) image item with 16384 embedding tokens, which exceeds the pre-allocated encoder cache size 8192. Please reduce the input size.',
      'vllm/v1/engine/input_processor.py',
      '_validate_model_input',
    ],
    [
      'ValueError',
      'Audio decode exceeded 512 MiB memory limit (513 MiB decoded so far). Set VLLM_MAX_AUDIO_DECODE_BYTES to increase this limit.',
      'vllm/multimodal/media/audio.py',
      'load_bytes',
    ],
  ])('one request was refused: %s: %s', async (...raised) => {
    expect(await verdictOf(ofEngineCore(raised))).toMatchObject({ plane: 'none', cause: 'none.request-rejected' });
  });
});
