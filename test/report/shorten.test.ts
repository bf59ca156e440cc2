import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shorten } from '../../src/report/words/citations.ts';

const ACCOUNT =
  'Tried to allocate 1.27 GiB. GPU 0 has a total capacity of 79.33 GiB of which 109.81 MiB is free. Process 2377657 has 79.19 GiB memory in use. Of the allocated memory 67.68 GiB is allocated by PyTorch, with 76.00 MiB allocated in private pools (e.g., CUDA Graphs), and 1.47 GiB is reserved by PyTorch but unallocated.';
const OLD =
  'Tried to allocate 1.63 GiB (GPU 0; 44.56 GiB total capacity; 27.91 GiB already allocated; 565.31 MiB free; 27.93 GiB reserved in total by PyTorch)';
const URL = 'https://pytorch.org/docs/stable/notes/cuda.html#environment-variables';

const ADVICE =
  'If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True';
const SEE = ` to avoid fragmentation. See documentation for Memory Management (${URL})`;

describe('a line about a failed allocation', () => {
  it.each([
    ['today', ACCOUNT, `${ADVICE}${SEE}`],
    ['with its newer variable', ACCOUNT, `${ADVICE.replace('PYTORCH_CUDA_', 'PYTORCH_')}${SEE}`],
    [
      'before its version 2.2',
      OLD,
      'If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation. See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF',
    ],
    ['cut off', ACCOUNT, `${ADVICE} to avoid fragmentation.`],
  ])('loses the advice that PyTorch gives under every failure: %s', (_name, account, advice) => {
    expect(shorten(`torch.OutOfMemoryError: CUDA out of memory. ${account} ${advice}`, 480)).toBe(
      `torch.OutOfMemoryError: CUDA out of memory. ${account} …`,
    );
  });

  it('keeps the words that name the failure before its figures', () => {
    expect(shorten(`${'client/mod.rs:45 '.repeat(20)}CUDA out of memory. ${ACCOUNT}`, 480)).toContain(
      ` … CUDA out of memory. ${ACCOUNT}`,
    );
  });

  it('keeps what stands behind that advice, and the advice of others', () => {
    expect(shorten(`OOM(${ADVICE}${SEE}) [repeated 7x]`, 480)).toBe('OOM( …) [repeated 7x]');
    expect(shorten('Try increasing `gpu_memory_utilization`.', 480)).toBe('Try increasing `gpu_memory_utilization`.');
  });

  it('keeps all its figures where its head is too long, and loses the end of the head', () => {
    const head = `(Worker_TP7_EP7 pid=65033) ERROR 07-31 12:11:49 [multiproc_executor.py:1018] ${'path/'.repeat(40)} `;

    const shown = shorten(`${head}${ACCOUNT} and what follows`, 400);

    expect(shown).toMatch(/^\(Worker_TP7_EP7 .* … Tried to allocate 1\.27 GiB\. .*by PyTorch but unallocated\. …$/);
    expect([...shown].length).toBeLessThanOrEqual(400);
  });

  it('loses its middle where not even its figures have room', () => {
    expect(shorten(`x ${ACCOUNT}`, 100)).toMatch(/^x Tried to allocate 1\.27 GiB.* … .*PyTorch but unallocated\.$/);
  });
});

it('never gives more than is asked for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('word', 'x'.repeat(90), ACCOUNT, OLD, '€😀')),
      fc.integer({ min: 60, max: 500 }),
      (words, length) => {
        expect([...shorten(words.join(' '), length)].length).toBeLessThanOrEqual(length);
      },
    ),
    { seed: 16, numRuns: 300 },
  );
});
