import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../src/app/diagnose.ts';
import { readMetricsText } from '../../src/facts/text/metrics-text.ts';
import { withSummary } from '../../src/facts/with-summary.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../playbooks/shipped.ts';

const MIB = 1024 ** 2;

function summary({
  ooms = 1,
  stuck = '| Non-releasable memory |   9000 MiB |  12000 MiB |  14000 MiB |   5000 MiB |',
} = {}) {
  return [
    '|                  PyTorch CUDA memory summary, device ID 0                 |',
    `|            CUDA OOMs: ${ooms}            |        cudaMalloc retries: 1         |`,
    '|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |',
    '| Allocated memory      |  60000 MiB |  70000 MiB | 174000 MiB | 164000 MiB |',
    '| GPU reserved memory   |  77000 MiB |  77000 MiB |  77000 MiB |      0 B   |',
    stuck,
  ].join('\n');
}

async function facts(log: string, metrics: string) {
  const snapshot = aSnapshot({ 'previous.log': `${log}\n`, 'metrics.txt': metrics });
  return (await diagnoseSource(snapshot, { phrases: COMPILED_PHRASES, judge })).facts;
}

const CUT = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';
const WHOLE = `${CUT} GPU 0 has a total capacity of 79.25 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process has 78.25 GiB memory in use. Of the allocated memory 70.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.`;

describe("torch's memory summary beside an OOM line", () => {
  it('gives what was allocated where the line was cut', async () => {
    const known = await facts(CUT, summary());

    expect(known.get('gpu.allocated')).toMatchObject({ value: 60000 * MIB, from: [{ file: 'metrics.txt', line: 4 }] });
    expect(known.get('gpu.want')).toMatchObject({ value: 2 * 1024 * MIB });
  });

  it('takes for slack only what can not be released', async () => {
    expect((await facts(CUT, summary())).get('gpu.fragmented')).toMatchObject({ value: true });
    expect((await facts(CUT, summary({ stuck: '' }))).get('gpu.fragmented')).toMatchObject({ kind: 'unknown' });
  });

  it('does not outweigh a whole line', async () => {
    expect((await facts(WHOLE, summary())).get('gpu.allocated')).toMatchObject({ value: 70 * 1024 * MIB });
  });

  it('of a process that never ran out of memory tells nothing', async () => {
    expect((await facts(CUT, summary({ ooms: 0 }))).get('gpu.allocated')).toMatchObject({ kind: 'unknown' });
  });

  it('leaves an account as it was where there is none', () => {
    expect(withSummary(undefined, readMetricsText('up 1').account)).toBeUndefined();
  });
});
