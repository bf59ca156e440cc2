import { describe, expect, it } from 'vitest';
import { factsOfFiles, logged, valueOfFact, verdictOfFiles } from '../incident.ts';

const FAILED =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 246.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 178.06 MiB is free.';

async function lifeAfter(...lines: readonly string[]) {
  const facts = await factsOfFiles({ 'previous.log': `${[...lines, FAILED].join('\n')}\n` });
  return valueOfFact(facts, 'failure.life');
}

const verdictOf = (log: string) => verdictOfFiles(logged(log));

describe('a failure below lines of a start', () => {
  it.each([
    ['its platform', 'INFO 08-19 07:51:03 [cuda.py:300] Using XFormers backend.'],
    ['without brackets, V0', 'WARNING 02-05 07:35:23 config.py:1674] Casting torch.bfloat16 to torch.float16.'],
    ['behind a process', '(EngineCore_DP0 pid=12) INFO 08-19 07:51:03 [parallel_state.py:1208] rank 0 in world size 1'],
    ['with a path', 'DEBUG 08-19 07:51:03 [v1/core/kv_cache_utils.py:93] KV cache is laid out'],
    ['a feature with a word of work', 'INFO 08-19 07:51:03 [cuda.py:12] Using FlashInfer prefill for MLA'],
    ['a setting, SGLang', '[2025-06-18 18:11:03 TP0] Mixed chunked prefill is disabled because of using DFLASH.'],
    ['its communication, SGLang', '[2025-06-18 18:11:03 TP0] Init torch distributed begin.'],
    ['the vocabulary, llama.cpp', 'print_info: max token length = 256'],
    ['its context, llama.cpp', '0.01.234.567 I srv  llama_context: n_ctx_per_seq (4096) < n_ctx_train (131072)'],
    [
      'its launcher, TGI',
      '2024-08-16T11:21:48.5Z  INFO text_generation_launcher: Default `max_batch_prefill_tokens` to 4096',
    ],
    [
      'its router, TGI',
      '2024-08-16T11:21:48.5Z  WARN text_generation_router: router/src/main.rs:372: no pipeline tag found for model m',
    ],
    ['its layout, TensorRT-LLM', '[TensorRT-LLM][INFO] TRTGptModel computeContextLogits: 0'],
    [
      'its layout, TensorRT-LLM of Python',
      '[07/10/2026-10:00:00] [TRT-LLM] [I] PyTorchConfig(extra_resource_managers={})',
    ],
    ['its pools, Triton', 'I0115 00:16:02.083123 1 pinned_memory_manager.cc:277] "Pinned memory pool is created"'],
    [
      'its backends, Triton',
      'I0115 00:16:02.083 1 python_be.cc:2404] TRITONBACKEND_ModelInstanceInitialize: m_0 (GPU device 0)',
    ],
    ['a load that a request asks for', 'INFO:     127.0.0.1:51336 - "POST /v1/model/load HTTP/1.1" 200'],
    [
      'its host cache, LMCache',
      '[2025-06-07 20:33:02,563] LMCache INFO: Creating LMCacheEngine instance vllm-instance (cache_engine.py:783:lmcache.v1.cache_engine)',
    ],
    ['its blocks, TurboMind', '[TM][INFO] [BlockManager] block_size = 4 MB'],
  ])('was in that start: %s', async (_, line) => {
    expect(await lifeAfter(line)).toBe('starting');
  });

  it.each([
    ['who speaks while serving too', 'INFO 08-19 07:51:03 [utils.py:99] Something of no time', undefined],
    ['a traceback of who caught it', 'ERROR 08-19 07:51:03 [config.py:99] Something of no time', undefined],
    ['a feature that tells no time', 'speculative decoding with chunked prefill', undefined],
    ['a function at work, llama.cpp', 'llama_decode: failed to decode, ret = -3', 'serving'],
    ['a shutdown, TGI', '2024-08-16T11:21:48.5Z  INFO text_generation_launcher: Shutting down shards', undefined],
    [
      'an iteration, TensorRT-LLM',
      '[TensorRT-LLM][INFO] {"Active Request Count":249,"Iteration Counter":60}',
      'serving',
    ],
    ['a shutdown, Triton', 'I0115 00:16:02.083 1 server.cc:325] "Waiting for in-flight work to complete."', undefined],
    ['an engine at work, TurboMind', '[TM][INFO] [Forward] [0, 1), dc=1, pf=0', undefined],
    ['the name of an engine', 'image: example.com/text-generation-inference', undefined],
    ['prose about a setting', '# prefix caching is disabled', undefined],
    ['prose between lines', 'prefix caching is disabled', undefined],
    ['work of a trainer', 'Compute log probs:  76%|███████   | 244/320 [08:56<02:05,  1.65s/it]', 'serving'],
    ['work itself', '[2025-06-18 18:11:03 TP0] Aborting request: 4096', 'serving'],
  ])('near miss: %s', async (_, line, life) => {
    expect(await lifeAfter(line)).toBe(life);
  });

  it.each([
    ['built', '  File "/x/vllm/engine/async_llm_engine.py", line 121, in from_engine_args'],
    ['called to be built', '    engine = MQLLMEngine.from_engine_args(engine_args=engine_args,'],
    ['given its worker', '    self.tp_worker = TpModelWorker('],
  ])('was of the start where the engine is %s', async (_, frame) => {
    expect(await lifeAfter('  File "/x/engine.py", line 378, in run', frame)).toBe('starting');
  });

  it('was at work where its report names the call of a client', async () => {
    const log =
      'ERROR embed:embed_pooled{inputs=String("a text")}: DriverError(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")';

    expect(await verdictOf(log)).toMatchObject({ plane: 'gpu', phase: 'burst' });
  });

  it('was at work in the step of a trainer', async () => {
    const call = '    actor_output = self.actor_rollout_wg.update_actor(batch)';

    expect(await lifeAfter('  File "/x/ppo/ray_trainer.py", line 901, in fit', call)).toBe('serving');
  });

  it('was at work where a request stands below them', async () => {
    const start = 'INFO 08-19 07:51:03 [cuda.py:300] Using XFormers backend.';
    const request = 'INFO 08-19 07:59:03 [async_llm.py:99] Added request 4096.';

    expect(await lifeAfter(start, request)).toBe('serving');
    expect(await lifeAfter(request, '[2025-06-18 18:11:03 TP0] Prefix caching is disabled')).toBe('serving');
  });
});

describe('a failure that tells its time itself', () => {
  it('was at work where a prompt was processed', async () => {
    const prompt = 'Processing Prompt [BLAS] (512 / 12710 tokens)CUDA error: out of memory';

    expect(await verdictOf(prompt)).toMatchObject({ plane: 'gpu', phase: 'burst' });
    expect(await verdictOf('CUDA error: out of memory')).toMatchObject({ plane: 'gpu', phase: 'n/a' });
  });

  it('is of the load where the launcher of DeepSpeed saw its process killed', async () => {
    const killed = '[2023-02-03 15:20:57,020] [INFO] [launch.py:318:sigkill_handler] Killing subprocess 4459';

    expect(await verdictOf(`Loading acme/falcon-7b...\n${killed}\n# return code = -9`)).toMatchObject({
      plane: 'host',
      phase: 'startup',
      cause: 'host.startup.weight-staging',
      certain: false,
    });
  });
});
