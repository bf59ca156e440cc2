import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

const FAILED =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 246.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 178.06 MiB is free.';

async function lifeAfter(...lines: readonly string[]) {
  const facts = await readFacts(aSnapshot({ 'previous.log': `${[...lines, FAILED].join('\n')}\n` }), COMPILED_PHRASES);
  const life = facts.get('failure.life');
  return life?.kind === 'known' ? life.value : undefined;
}

describe('a failure below lines of a start', () => {
  it.each([
    ['its platform', 'INFO 08-19 07:51:03 [cuda.py:300] Using XFormers backend.'],
    ['without brackets, V0', 'WARNING 02-05 07:35:23 config.py:1674] Casting torch.bfloat16 to torch.float16.'],
    ['behind a process', '(EngineCore_DP0 pid=12) INFO 08-19 07:51:03 [parallel_state.py:1208] rank 0 in world size 1'],
    ['with a path', 'DEBUG 08-19 07:51:03 [v1/core/kv_cache_utils.py:93] KV cache is laid out'],
    ['a feature with a word of work', 'INFO 08-19 07:51:03 [cuda.py:12] Using FlashInfer prefill for MLA'],
    ['a setting, SGLang', '[2025-06-18 18:11:03 TP0] Mixed chunked prefill is disabled because of using DFLASH.'],
    ['its communication, SGLang', '[2025-06-18 18:11:03 TP0] Init torch distributed begin.'],
  ])('was in that start: %s', async (_, line) => {
    expect(await lifeAfter(line)).toBe('starting');
  });

  it.each([
    ['who speaks while serving too', 'INFO 08-19 07:51:03 [utils.py:99] Something of no time', undefined],
    ['a traceback of who caught it', 'ERROR 08-19 07:51:03 [config.py:99] Something of no time', undefined],
    ['a feature that tells no time', 'speculative decoding with chunked prefill', undefined],
    ['prose about a setting', '# prefix caching is disabled', undefined],
    ['work itself', '[2025-06-18 18:11:03 TP0] Aborting request: 4096', 'serving'],
  ])('near miss: %s', async (_, line, life) => {
    expect(await lifeAfter(line)).toBe(life);
  });

  it('was at work where a request stands below them', async () => {
    const start = 'INFO 08-19 07:51:03 [cuda.py:300] Using XFormers backend.';
    const request = 'INFO 08-19 07:59:03 [async_llm.py:99] Added request 4096.';

    expect(await lifeAfter(start, request)).toBe('serving');
    expect(await lifeAfter(request, '[2025-06-18 18:11:03 TP0] Prefix caching is disabled')).toBe('serving');
  });
});
