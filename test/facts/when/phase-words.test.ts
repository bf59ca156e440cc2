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
    ['its blocks, TurboMind', '[TM][INFO] [BlockManager] block_size = 4 MB'],
  ])('was in that start: %s', async (_, line) => {
    expect(await lifeAfter(line)).toBe('starting');
  });

  it.each([
    ['who speaks while serving too', 'INFO 08-19 07:51:03 [utils.py:99] Something of no time', undefined],
    ['a traceback of who caught it', 'ERROR 08-19 07:51:03 [config.py:99] Something of no time', undefined],
    ['a feature that tells no time', 'speculative decoding with chunked prefill', undefined],
    ['a function at work, llama.cpp', 'llama_decode: failed to decode, ret = -3', 'serving'],
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
