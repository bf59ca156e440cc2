import { describe, expect, it } from 'vitest';
import { diagnoseFiles, factsOfFiles, logged } from '../incident.ts';

const MIB = 1024 ** 2;

function summary({
  ooms = 1,
  device = 0,
  allocated = 60000,
  stuck = '| Non-releasable memory |   9000 MiB |  12000 MiB |  14000 MiB |   5000 MiB |',
} = {}) {
  return [
    `|                  PyTorch CUDA memory summary, device ID ${device}                 |`,
    `|            CUDA OOMs: ${ooms}            |        cudaMalloc retries: 1         |`,
    '|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |',
    `| Allocated memory      |  ${allocated} MiB |  70000 MiB | 174000 MiB | 164000 MiB |`,
    '| GPU reserved memory   |  77000 MiB |  77000 MiB |  77000 MiB |      0 B   |',
    stuck,
  ].join('\n');
}

const facts = (log: string, metrics: string) => factsOfFiles({ ...logged(log), 'nvidia-smi.txt': metrics });

const CUT = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';
const WHOLE = `${CUT} GPU 0 has a total capacity of 79.25 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process has 78.25 GiB memory in use. Of the allocated memory 70.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.`;

describe("torch's memory summary beside an OOM line", () => {
  it('gives what was allocated where the line was cut', async () => {
    const known = await facts(CUT, summary());

    expect(known.get('gpu.allocated')).toMatchObject({
      value: 60000 * MIB,
      from: [{ file: 'nvidia-smi.txt', line: 4 }],
    });
    expect(known.get('gpu.want')).toMatchObject({ value: 2 * 1024 * MIB });
  });

  it('takes for slack only what cannot be released', async () => {
    expect((await facts(CUT, summary())).get('gpu.fragmented')).toMatchObject({ value: true });
    expect((await facts(CUT, summary({ stuck: '' }))).get('gpu.fragmented')).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['does not outweigh a whole line', WHOLE, summary(), { value: 70 * 1024 * MIB }],
    ['of a process that never ran out of memory tells nothing', CUT, summary({ ooms: 0 }), { kind: 'unknown' }],
    ['leaves an account as it was where there is none', CUT, 'up 1', { kind: 'unknown' }],
  ])('%s', async (_name, log, metrics, allocated) => {
    expect((await facts(log, metrics)).get('gpu.allocated')).toMatchObject(allocated);
  });

  it('beside a line without what was wanted keeps what another line tells of it', async () => {
    const log =
      'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 2048.00 MiB on device 0: cudaMalloc failed: out of memory';

    expect((await facts(log, summary())).get('gpu.want')).toMatchObject({ value: 2048 * MIB });
  });
});

describe('the summary', () => {
  it('of several devices is that of the one whose line failed, else of the fullest', async () => {
    const two = `${summary({ device: 0 })}\n${summary({ device: 1, allocated: 20000 })}`;
    const named = `${CUT} GPU 1 has a total capacity of 79.25 GiB of which 1.00 GiB is free.`;

    expect((await facts(CUT, two)).get('gpu.allocated')).toMatchObject({ value: 60000 * MIB });
    expect((await facts(named, two)).get('gpu.allocated')).toMatchObject({ value: 20000 * MIB });
    expect((await facts(named, summary())).get('gpu.allocated')).toMatchObject({ kind: 'unknown' });
  });

  it('that is printed again and again is the last', async () => {
    const twice = `${summary({ allocated: 65000 })}\n${summary()}`;

    expect((await facts(CUT, twice)).get('gpu.allocated')).toMatchObject({ value: 60000 * MIB });
  });

  it('of several processes that write into one log is read apart', async () => {
    const prefix = (text: string, rank: number) =>
      text.split('\n').map((line) => `(Worker_TP${rank} pid=40${rank}) ERROR 09-14 10:47:10 [w.py:1] ${line}`);
    const [a, b] = [prefix(summary(), 0), prefix(summary({ allocated: 20000 }), 1)];
    const mixed = a.flatMap((line, i) => [line, b[i] ?? '']).join('\n');

    const known = await factsOfFiles(logged(CUT, mixed));

    expect(known.get('gpu.allocated')).toMatchObject({ value: 60000 * MIB, from: [{ file: 'previous.log' }] });
  });
});

const SERVED = '(APIServer pid=1) INFO:     10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n';

describe('memory in pieces, by the summary alone', () => {
  it('is none where less than a tenth of what is allocated is', async () => {
    const { diagnosis, facts: known } = await diagnoseFiles({
      'previous.log': `${SERVED}${CUT}\n`,
      'nvidia-smi.txt': summary({ allocated: 95000 }),
    });

    expect(known.get('gpu.fragmented')).toMatchObject({ value: true });
    expect(diagnosis.verdict).not.toMatchObject({ cause: 'gpu.chronic.fragmentation' });
  });
});
