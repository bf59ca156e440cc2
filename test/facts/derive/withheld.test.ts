import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const REFUSED = [
  'load_tensors: loading model tensors, this can take a while... (mmap = false)',
  'NvMapMemAllocInternalTagged: 1075072515 error 12',
  'NvMapMemHandleAlloc: error 0',
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 2048.00 MiB on device 0: cudaMalloc failed: out of memory',
].join('\n');

async function verdictOf(log: string) {
  const incident = JSON.stringify({ engine: 'ollama', uptime: 'startup' });
  const snapshot = aSnapshot({ 'previous.log': `${log}\n`, 'incident.json': incident });
  return (await diagnoseSource(snapshot, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

describe('a Jetson that refuses the GPU what it has left', () => {
  it.each([
    '# free -m: available 4096',
    '# available: 5.6 GiB',
    'RAM 2900/7620MB (lfb 8x4MB) SWAP 0/3810MB',
    'Mem:           7.4Gi       1.3Gi       4.9Gi        41Mi       1.2Gi       5.8Gi',
    '# /etc/nv_tegra_release: R36 (release), REVISION: 4.7, GCID: 42132812',
    '# jetson_release: JetPack 6.2.1 [L4T 36.4.7]',
  ])('is no want of memory: %s', async (told) => {
    expect(await verdictOf(`${REFUSED}\n${told}`)).toMatchObject({ finding: 'none-withheld', certain: false });
  });

  it.each([
    '# free -m: available 4095',
    '# free: available 5870000',
    'RAM 6900/7620MB (lfb 8x4MB) SWAP 0/3810MB',
    '# jetson_release: JetPack 6.2 [L4T 36.4.3]',
    '# R36 (release), REVISION: 4.7; free -m: available 1100',
  ])('near miss - it had no more, or nothing tells: %s', async (told) => {
    expect(await verdictOf(`${REFUSED}\n${told}`)).toMatchObject({ plane: 'gpu', certain: true });
  });

  it('near miss - another card has a memory of its own, whatever RAM is left', async () => {
    const card = REFUSED.replaceAll(/^NvMap.*\n/gm, '');

    expect(await verdictOf(`${card}\n# free -m: available 40960`)).toMatchObject({ plane: 'gpu', certain: true });
  });
});
