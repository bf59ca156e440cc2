import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointsOf } from '../../../src/read/metrics/text-series.ts';
import { readNvidiaSmi } from '../../../src/read/tools/nvidia-smi.ts';
import { FAR_FROM_QUADRATIC, growthWith } from '../../growth.ts';

const MIB = 1024 ** 2;
/** What each GPU uses of its memory, in MiB. */
const mib = (text: string) =>
  readNvidiaSmi(text).gpus.map((gpu) => [gpu.used, gpu.total].map((size) => size && size.value / MIB).join('/'));

const NEW_TABLE = `Sat Nov 21 03:50:00 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|=========================================+========================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   34C    P0              62W / 400W |   75000MiB /  81920MiB |     17%      Default |
|                                         |                        |             Disabled |
|   1  NVIDIA A100-SXM4-80GB          On  |   00000000:0A:00.0 Off |                    0 |
| N/A   30C    P0              60W / 400W |       4MiB /  81920MiB |      0%      Default |
+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |
|=========================================================================================|
|    0   N/A  N/A     12345      C   /usr/bin/python3 -m vllm                    74000MiB |
|    0   N/A  N/A       999      G   /usr/lib/xorg/Xorg                              4MiB |
+-----------------------------------------------------------------------------------------+
`;

const OLD_TABLE = `+-----------------------------------------------------------------------------+
| NVIDIA-SMI 440.33.01    Driver Version: 440.33.01    CUDA Version: 10.2     |
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
|   0  Tesla T4            Off  | 00000000:00:1E.0 Off |                    0 |
| N/A   55C    P0    28W /  70W |   1000MiB / 15109MiB |     35%      Default |
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|    0      1234      C   python                                       990MiB |
`;

describe('the table', () => {
  const ROW = '| N/A   34C    P0   62W / 400W |   75000MiB /  81920MiB |     17%      Default |';
  const MIG =
    '|  0    7   0   0  |     12MiB /  9856MiB    | 14      0 |  1   0    0    0    0 |\n|                  |      0MiB / 16383MiB    |           |                       |';
  const NPU = '| 0                         | 0000:01:00.0  | 0           0    / 0          59792/ 65536         |';

  it.each([
    ['of a new driver', NEW_TABLE, ['75000/81920', '4/81920']],
    ['of an old driver', OLD_TABLE, ['1000/15109']],
    ['cut to the row of a device', ROW, ['75000/81920']],
    ['of MIG slices, without their BAR1 rows', MIG, ['12/9856']],
    ['of npu-smi', NPU, ['59792/65536']],
  ])('%s', (_, text, sizes) => {
    expect(mib(text)).toEqual(sizes);
  });

  it('gives names and processes', () => {
    const read = readNvidiaSmi(NEW_TABLE);

    expect(read.gpus[0]).toMatchObject({ index: 0, name: { value: 'NVIDIA A100-SXM4-80GB' } });
    expect(read.processes).toMatchObject([
      { gpu: 0, pid: 12345, name: '/usr/bin/python3 -m vllm', used: { value: 74000 * MIB } },
      { gpu: 0, pid: 999, used: { value: 4 * MIB } },
    ]);
    expect(read.series).toEqual([]);
    expect(readNvidiaSmi(OLD_TABLE).processes).toMatchObject([{ pid: 1234, name: 'python' }]);
  });

  it('cites the row', () => {
    const used = readNvidiaSmi(NEW_TABLE).gpus[0]?.used;

    expect(used?.from).toMatchObject({ file: 'nvidia-smi.txt', line: 9, text: NEW_TABLE.split('\n')[8] });
  });
});

describe('csv', () => {
  const ONE = '0, NVIDIA A10G, 22000 MiB, 23028 MiB';
  const HEAD = 'index, memory.used [MiB], memory.total [MiB]\n';

  it.each([
    ['with header and units', `${HEAD}0, 22000 MiB, 23028 MiB`, ['22000/23028']],
    ['without units', 'index, memory.total [MiB], memory.used [MiB]\n0, 23028, 22000', ['22000/23028']],
    ['without header', `${ONE}\n${ONE.replace('0', '1').replace('22000', '10')}`, ['22000/23028', '10/23028']],
    ['without header and units', '0, NVIDIA A10G, 22000, 23028', ['22000/23028']],
    ['total first', '0, NVIDIA A10G, 23028 MiB, 22000 MiB', ['22000/23028']],
    ['what is not supported', `${HEAD}0, [N/A], 23028 MiB`, ['/23028']],
    ['shares before the sizes, without units', '0, 17, 5, 75000, 81920', ['75000/81920']],
    ['a share after the sizes, without units', '0, 75000, 81920, 17', ['75000/81920']],
    ['used, free and total of an idle GPU, without units', '0, 4, 81916, 81920', ['4/81920']],
    ['a time before the index', '2026/11/27 10:00:00.123, 1, 17 %, 5 %, 75000 MiB, 81920 MiB', ['75000/81920']],
    ['a column alone', 'memory.used [MiB]\n22000 MiB', ['22000/']],
    ['two rows without an index', '22000 MiB, 23028 MiB\n100 MiB, 23028 MiB', ['22000/23028', '100/23028']],
    ['other numbers', '3, 4, 5', []],
    ['prose with commas', 'the pod used 22000, then 23028, then died', []],
  ])('%s', (_, text, sizes) => {
    expect(mib(text)).toEqual(sizes);
  });

  it('of processes', () => {
    const text = 'pid, process_name, used_gpu_memory [MiB]\n77, python, 5144 MiB\n78, python, [N/A]';

    for (const rows of [text, text.slice(text.indexOf('\n') + 1)]) {
      expect(readNvidiaSmi(rows).processes).toMatchObject([
        { pid: 77, name: 'python', used: { value: 5144 * MIB } },
        { pid: 78, used: undefined },
      ]);
    }
  });

  const ROWS = [70_000, 71_000, 72_000].map((used) => `17 %, 5 %, ${used} MiB, 81920 MiB`);

  it.each([
    ['no time', ROWS],
    ['a time', ROWS.map((row, i) => `2026/11/27 10:00:0${i}.123, ${row}`)],
  ])('is a series of one GPU where rows have %s and no index', (_, rows) => {
    const { gpus, series } = readNvidiaSmi(rows.join('\n'));

    expect(gpus).toMatchObject([{ used: { value: 72_000 * MIB } }]);
    expect(series.map(({ points }) => points.map(({ value }) => value / MIB))).toEqual([[70_000, 71_000, 72_000]]);
  });

  it('with timestamps is a series', () => {
    const text = [
      'timestamp, index, memory.used [MiB], utilization.gpu [%]',
      '2026/11/21 03:50:00.500, 0, 100 MiB, 5 %',
      '2026/11/21 03:50:00.500, 1, 7 MiB, 0 %',
      '2026/11/21 03:50:02.500, 0, 200 MiB, 6 %',
      '2026/11/21 03:50:02.500, 1, 7 MiB, 0 %',
    ].join('\n');

    const used = readNvidiaSmi(text).series.filter((series) => series.id === 'gpu.framebuffer.used');

    const start = Date.parse('2026-11-21T03:50:00.500Z');
    expect(used.map((series) => series.labels.gpu)).toEqual(['0', '1']);
    expect(used[0]).toMatchObject({ timed: true, unit: 'bytes' });
    expect(used[0] && pointsOf(used[0])).toEqual([
      [start, 100 * MIB],
      [start + 2000, 200 * MIB],
    ]);
  });
});

describe('repeated blocks', () => {
  it('are a series by the times between them', () => {
    const later = NEW_TABLE.replace('03:50:00', '03:50:02').replace('75000MiB', '76000MiB');

    const read = readNvidiaSmi(NEW_TABLE + later);

    expect(read.gpus.map((gpu) => gpu.used && gpu.used.value / MIB)).toEqual([76000, 4]);
    const series = read.series.find((each) => each.labels.gpu === '0');
    expect(series?.timed).toBe(true);
    expect(series?.points.map((point) => [point.at, point.value / MIB])).toEqual([
      [Date.parse('2026-11-21T03:50:00Z'), 75000],
      [Date.parse('2026-11-21T03:50:02Z'), 76000],
    ]);
  });

  it.each([
    ['times of the day', '03:50:00\n0, 100 MiB, 24576 MiB\n03:50:02\n0, 200 MiB, 24576 MiB', true],
    ['no times at all', '0, 100 MiB, 24576 MiB\n0, 200 MiB, 24576 MiB', false],
    ['times that run backwards', '03:50:05\n0, 100 MiB, 24576 MiB\n03:50:02\n0, 200 MiB, 24576 MiB', false],
  ])('with %s', (_, text, timed) => {
    const [series] = readNvidiaSmi(text).series;

    expect(series?.timed).toBe(timed);
    expect(series?.points.map((point) => point.value / MIB)).toEqual([100, 200]);
  });
});

describe('monitors', () => {
  it('dmon and pmon are read with commas', () => {
    const dmon = readNvidiaSmi('#gpu, fb, bar1, ccpm\n#Idx, MB, MB, MB\n0, 70000, 4, 0\n0, 71000, 4, 0');
    const pmon = readNvidiaSmi(
      '#gpu, pid, type, fb, ccpm, command\n#Idx, #, C/G, MB, MB, name\n0, 77, C, 5144, 0, vllm',
    );

    expect(dmon.series[0]?.points.map(({ value }) => value / MIB)).toEqual([70_000, 71_000]);
    expect(pmon.processes).toMatchObject([{ gpu: 0, pid: 77, name: 'vllm', used: { value: 5144 * MIB } }]);
  });

  it('dmon is a series of memory and load', () => {
    const text = `# gpu    pwr  gtemp     sm    mem   mclk   pclk     fb   bar1
# Idx      W      C      %      %    MHz    MHz     MB     MB
    0     62     34      7      0   1593   1410  75000      2
    0     62     35      8      0   1593   1410  75500      2`;

    const read = readNvidiaSmi(text);

    expect(read.gpus[0]).toMatchObject({ used: { value: 75500 * MIB } });
    expect(read.series.map((series) => series.id)).toEqual(['gpu.framebuffer.used']);
  });

  it('dmon with times passes midnight', () => {
    const text =
      '#Time        gpu     sm     fb\n#HH:MM:SS    Idx      %     MB\n 23:59:59      0      1    100\n 00:00:01      0      1    110';

    const [series] = readNvidiaSmi(text).series;

    expect(series?.timed).toBe(true);
    expect((series?.points[1]?.at ?? 0) - (series?.points[0]?.at ?? 0)).toBe(2000);
  });

  it('pmon lists processes', () => {
    const text =
      '# gpu        pid  type    fb   command\n# Idx          #   C/G    MB   name\n    0      12345     C  75000   python\n    1          -     -      -   -';

    expect(readNvidiaSmi(text).processes).toMatchObject([
      { gpu: 0, pid: 12345, name: 'python', used: { value: 75000 * MIB } },
    ]);
  });
});

describe('loose lines', () => {
  const FB = (total: number, used: number) =>
    `FB Memory Usage\n Total : ${total} MiB\n Used : ${used} MiB\nBAR1 Memory Usage\n Total : 131072 MiB`;
  const SLICE = (gi: number, used: number) =>
    `MIG Device\n GPU Instance ID : ${gi}\n Compute Instance ID : 0\n${FB(20_096, used)}`;
  const APP = 'Processes\n Process ID : 77\n  Name : python\n  Used GPU Memory : 5144 MiB';

  it.each([
    ['a GPU', FB(81_920, 75_000), ['75000/81920']],
    ['slices of a GPU', [SLICE(1, 12), SLICE(2, 19_000), FB(81_920, 19_012)].join('\n'), ['12/20096', '19000/20096']],
  ])('of nvidia-smi -q give %s and its processes', (_, sections, sizes) => {
    const text = `GPU 00000000:07:00.0\n Product Name : NVIDIA A100-SXM4-80GB\n${sections}\n${APP}`;

    expect(mib(text)).toEqual(sizes);
    expect(readNvidiaSmi(text).processes).toMatchObject([{ gpu: 0, pid: 77, used: { value: 5144 * MIB } }]);
  });

  it.each([
    ['index, name, total', '0: NVIDIA GeForce RTX 5090 32607MiB', ['/32607']],
    ['figures in words', '1.5 GiB of 24 GiB', []],
    ['other output', 'nvidia_uvm           1380352  0', []],
  ])('%s', (_, text, sizes) => {
    expect(mib(text)).toEqual(sizes);
  });

  it('nvidia-smi -L gives names', () => {
    const { gpus } = readNvidiaSmi('GPU 0: NVIDIA A10G (UUID: GPU-1)\nGPU 1: NVIDIA A10G (UUID: GPU-2)');

    expect(gpus).toMatchObject([{ index: 0, name: { value: 'NVIDIA A10G' } }, { index: 1 }]);
  });

  it('pid and size are processes', () => {
    expect(readNvidiaSmi('PID       GPU Memory\n3794364   5144 MiB\n3798331   1562 MiB').processes).toMatchObject([
      { pid: 3794364, used: { value: 5144 * MIB } },
      { pid: 3798331 },
    ]);
  });

  it('nvidia-smi -q gives the framebuffer, not BAR1', () => {
    const text = `GPU 00000000:07:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    FB Memory Usage
        Total                             : 81559 MiB
        Used                              : 70000 MiB
    BAR1 Memory Usage
        Total                             : 131072 MiB
        Used                              : 1 MiB`;

    expect(mib(text)).toEqual(['70000/81559']);
  });
});

describe('any text', () => {
  it('is read without a throw', () => {
    const lines = NEW_TABLE.split('\n');
    const mixed = fc.array(fc.oneof(fc.constantFrom(...lines), fc.string()), { maxLength: 25 });
    fc.assert(
      fc.property(mixed, (some) => {
        for (const gpu of readNvidiaSmi(some.join('\n')).gpus) {
          for (const size of [gpu.used, gpu.total]) {
            expect(size === undefined || (Number.isFinite(size.value) && size.value >= 0)).toBe(true);
          }
        }
      }),
      { numRuns: 300, seed: 2 },
    );
  });

  it.each([
    ['blanks', ' '.repeat(600_000)],
    ['a framed row of blanks', `|${' '.repeat(600_000)}`],
    ['digits', '9'.repeat(600_000)],
    ['bars', '|'.repeat(600_000)],
    ['commas', '1,'.repeat(300_000)],
  ])('takes time in step with its length: one long line of %s', (_, text) => {
    expect(growthWith(text, readNvidiaSmi)).toBeLessThan(FAR_FROM_QUADRATIC);
  });
});

it('a card without memory of its own is named, and has no sizes', () => {
  const { gpus } = readNvidiaSmi(
    [
      '|   0  NVIDIA GB10                    On  |   0000000F:01:00.0 Off |                  N/A |',
      '| N/A   67C    P0             16W /  N/A  | Not Supported          |     41%      Default |',
    ].join('\n'),
  );

  expect(gpus).toMatchObject([{ index: 0, name: { value: 'NVIDIA GB10' } }]);
  expect(gpus[0]?.total).toBeUndefined();
});
