import { expect, it } from 'vitest';
import { verdictOf } from '../raised-error.ts';

const bare = (check: string) =>
  [
    'EngineCore failed to start.',
    'Traceback (most recent call last):',
    '  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py", line 1210, in run_engine_core',
    '    engine_core = EngineCoreProc(*args, **kwargs)',
    '  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/core/kv_cache_utils.py", line 1737, in get_kv_cache_groups',
    `    assert ${check}`,
    '           ^^^^^^^^^^^^^^^^^^',
    'AssertionError',
  ]
    .map((line) => `(EngineCore pid=139) ERROR 06-25 11:48:02 [core.py:1229] ${line}`)
    .join('\n');

it.each([
  'self.total_num_heads % tp_size == 0',
  'vllm_config.model_config.is_multimodal_model',
  'isinstance(quant_method, Fp8LinearMethod)',
  'current_platform.is_cuda()',
])('an assertion without words is about the settings where it checks one: %s', async (check) => {
  expect(await verdictOf(bare(check))).toMatchObject({ plane: 'none', cause: 'none.config' });
});
