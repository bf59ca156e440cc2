import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const START = 'INFO 09-14 08:00:00 [api_server.py:1234] vLLM API server version 0.11.0';
const UCX = (limit: string) =>
  `[1726300000.1] [p:1:0] ib_mlx5_md.c:500 UCX  ERROR ibv_reg_mr(address=0x7f0000000000, length=34359738368, access=0xf) failed: Cannot allocate memory : Please set max locked memory (ulimit -l) to 'unlimited' (current: ${limit})`;

async function readingOf(line: string) {
  const { diagnosis, facts } = await diagnoseSource(aSnapshot({ 'previous.log': `${START}\n${line}\n` }), {
    phrases: COMPILED_PHRASES,
    judge,
  });
  const limit = facts.get('ram.lock-limit');
  return { ...diagnosis.verdict, limit: limit?.kind === 'known' ? limit.value : undefined };
}

describe('memory that a network card could not have locked', () => {
  it.each([
    ['UCX', UCX('64 kbytes'), 64 * 1024],
    ['UCX, of a region', UCX('8192 kbytes'), 8192 * 1024],
    [
      'NCCL',
      'p:1:2 [0] misc/ibvwrap.cc:213 (wrap_ibv_reg_mr_iova2) NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory errno 12',
      undefined,
    ],
    [
      'libfabric',
      'p:1:2 [0] register_mr_buffers:647 NCCL WARN NET/OFI Unable to register memory (type = 1) for device 0. RC: -12, Error: Cannot allocate memory',
      undefined,
    ],
    [
      'Mooncake',
      'E0914 08:00:10.1 100 rdma_context.cpp:210] Failed to register memory 0x7f4c00000000: Cannot allocate memory [12]',
      undefined,
    ],
  ])('is a limit and no lack of RAM, by %s', async (_, line, limit) => {
    const finding = await readingOf(line);

    expect(finding).toMatchObject({ finding: 'none-lock-refused', plane: 'none', certain: true, limit });
    expect(finding.remedies).toMatchObject([{ action: 'advise', says: expect.stringContaining('LimitMEMLOCK') }]);
  });

  it.each([
    ['huge pages that the node has not set aside', 'mmap with MAP_HUGETLB failed: Cannot allocate memory'],
    [
      'another refusal of libfabric',
      'NCCL WARN NET/OFI Unable to register memory (type = 2) for device 5. RC: -22, Error: Invalid argument',
    ],
  ])('near miss: %s', async (_, line) => {
    const { finding, plane } = await readingOf(line);

    expect(finding).not.toBe('none-lock-refused');
    expect(plane).not.toBe('host');
  });

  it('near miss: an errno beside nothing of that stays RAM', async () => {
    expect(await readingOf('OSError: [Errno 12] Cannot allocate memory')).toMatchObject({ plane: 'host' });
  });
});
