import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const line = (live: string, unused: string) =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.33 GiB. GPU 0 has a total capacity of 24.00 GiB of which 0 bytes is free. Of the allocated memory ${live} is allocated by PyTorch, and ${unused} is reserved by PyTorch but unallocated.\n`;

describe('figures of PyTorch against the card', () => {
  it.each([
    ['more than it has', '26.41 GiB', '23.08 GiB', 'gpu-beyond-card', false],
    ['as much as it has', '15.00 GiB', '8.50 GiB', 'gpu-fragmentation', true],
    ['a little more by rounding', '15.00 GiB', '9.10 GiB', 'gpu-fragmentation', true],
  ])('are %s', async (_, live, unused, finding, causeCertain) => {
    const files = {
      'previous.log': line(live, unused),
      'incident.json': JSON.stringify({ engine: 'transformers', uptime: 'hours' }),
    };
    const { diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });

    expect(diagnosis.verdict).toMatchObject({
      finding,
      cause: 'gpu.chronic.fragmentation',
      certain: true,
      causeCertain,
    });
  });
});
