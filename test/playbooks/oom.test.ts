import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../src/app/diagnose.ts';
import { runOom } from '../fakes/terminal.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from './shipped.ts';

describe('the built-in playbook', () => {
  it.each([[['lint']], [['test', '--strict']]])('passes oom playbook %s', async (words) => {
    const { code, out } = await runOom(['playbook', ...words]);

    expect(code, out).toBe(0);
  });
});

describe('an error that a finding quotes', () => {
  it('stands in quotes and without its own full stop', async () => {
    const { diagnosis } = await diagnoseSource(
      aSnapshot({ 'previous.log': 'RuntimeError: [SYMM] NVSHMEM init failed.\n' }),
      { phrases: COMPILED_PHRASES, judge },
    );

    expect(diagnosis.says).toMatch(/: “RuntimeError: \[SYMM\] NVSHMEM init failed”\.$/);
  });
});

describe('what a finding says where a number is not known', () => {
  it('leaves the number out, and the sentence with it', async () => {
    const log = [
      '(VllmWorker rank=7 pid=240)   File "/usr/local/lib/python3.12/dist-packages/vllm/distributed/parallel_state.py", line 1085, in destroy_model_parallel',
      '(VllmWorker rank=7 pid=240)     _TP.destroy()',
      '(VllmWorker rank=7 pid=240) ncclUnhandledCudaError: Call to CUDA function failed.',
      '(VllmWorker rank=7 pid=240) Last error:',
      "(VllmWorker rank=7 pid=240) Cuda failure 'out of memory'",
      'ERROR 05-21 09:27:46 [multiproc_executor.py:123] Worker proc VllmWorker-6 died unexpectedly, shutting down executor.',
    ].join('\n');

    const { diagnosis } = await diagnoseSource(aSnapshot({ 'previous.log': `${log}\n` }), {
      phrases: COMPILED_PHRASES,
      judge,
    });

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', finding: 'gpu-undated-start' });
    expect(diagnosis.says).toBe('GPU memory ran out, and what there is looks like a start.');
  });
});
