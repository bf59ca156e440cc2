import { describe, expect, it } from 'vitest';
import { diagnoseFiles, logged } from '../incident.ts';

const line = (kind: string, want: string, total: string, free: string, allocated: string, allowed = '') =>
  `torch.OutOfMemoryError: ${kind} out of memory. Tried to allocate ${want}. GPU 0 has a total capacity of ${total} of which ${free} is free. ${allowed}Of the allocated memory ${allocated} is allocated by PyTorch, and 121.80 MiB is reserved by PyTorch but unallocated.`;

const diagnosed = async (text: string) => {
  const { verdict } = (await diagnoseFiles(logged(text))).diagnosis;
  return { verdict, advice: verdict.remedies.map(({ says }) => says).join('\n') };
};

describe('an allocation that fails with more free than it wanted', () => {
  it.each([
    ['unified memory', line('HIP', '12.95 GiB', '127.00 GiB', '18.55 GiB', '99.37 GiB')],
    ['unified memory, GB10', line('CUDA', '20.00 GiB', '119.70 GiB', '31.00 GiB', '58.00 GiB')],
    ['a GPU of its own', line('CUDA', '9.00 GiB', '47.50 GiB', '12.10 GiB', '30.00 GiB')],
  ])('should have fitted, so smaller requests are no advice: %s', async (_, text) => {
    const { verdict, advice } = await diagnosed(text);

    expect(verdict).toMatchObject({ plane: 'gpu', finding: 'gpu-burst-unbalanced', certain: false });
    expect(advice).not.toMatch(/halve/i);
  });

  it('asks for what shares the memory where CPU and GPU do', async () => {
    const { advice } = await diagnosed(line('CUDA', '20.00 GiB', '119.70 GiB', '31.00 GiB', '58.00 GiB'));

    expect(advice).toMatch(/^CPU and GPU share this memory\. Check `free -g`/);
  });

  it.each([
    [
      'as much is free as was wanted, but for what the driver keeps',
      line('CUDA', '2.00 GiB', '79.20 GiB', '2.10 GiB', '70.00 GiB'),
    ],
    [
      'the engine itself allows less',
      line('CUDA', '2.00 GiB', '79.20 GiB', '20.00 GiB', '57.00 GiB', '59.00 GiB allowed; '),
    ],
  ])('did not fit where %s', async (_, text) => {
    expect((await diagnosed(text)).verdict.finding).not.toBe('gpu-burst-unbalanced');
  });
});
