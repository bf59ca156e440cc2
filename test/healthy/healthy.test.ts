import { describe, expect, it } from 'vitest';
import { alarmOf, healthyStaysHealthy, someHealthy } from './no-memory-finding.ts';

describe('engines that are well', () => {
  it('are no memory finding and get no remedy, 20 times over', () => healthyStaysHealthy(20));

  it('are told from one that failed', async () => {
    const failed =
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.06 GiB is free. Including non-PyTorch memory, this process has 78.18 GiB memory in use. Of the allocated memory 74.90 GiB is allocated by PyTorch, and 1.61 GiB is reserved by PyTorch but unallocated.';
    const [healthy] = someHealthy(20).filter(({ phase, engine }) => phase === 'serving' && engine === 'vllm V1');
    if (healthy === undefined) throw new Error('no such snapshot among the first');

    const files = { ...healthy.files, 'current.log': `${healthy.files['current.log']}${failed}\n` };

    expect(await alarmOf({ ...healthy, files })).toContain('(gpu)');
  });
});
