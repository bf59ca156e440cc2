import { expect, it } from 'vitest';
import { factsOfFiles, logged, valueIn, valueOfFact } from '../incident.ts';

const MIB = 2 ** 20;
const slices = `| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |
|==================+==================================+===========+=======================|
|  0    2   0   0  |           39000MiB / 40448MiB    | 60      0 |  3   0    3    0    3 |
|                  |               0MiB / 24739MiB    |           |                       |
+------------------+----------------------------------+-----------+-----------------------+
|  0    9   0   1  |              11MiB /  9984MiB    | 16      0 |  1   0    1    0    1 |
`;
const oom = (total: string) =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of ${total} GiB of which 1.10 GiB is free.`;

it.each([
  ['the one whose size the log names', oom('39.25'), 39000, 40448],
  ['the other one', oom('9.62'), 11, 9984],
  ['the fullest, where no log names one', 'INFO nothing', 39000, 40448],
])('the MIG slices of nvidia-smi: %s', async (_, line, used, total) => {
  const facts = await factsOfFiles({ ...logged(line), 'nvidia-smi.txt': slices });

  expect(valueOfFact(facts, 'gpu.used')).toBe(used * MIB);
  expect(valueOfFact(facts, 'gpu.total')).toBe(total * MIB);
  expect(valueOfFact(facts, 'gpu.uneven')).toBeUndefined();
});

const dcgm = (name: string, gpu: number, mib: number) =>
  `DCGM_FI_DEV_FB_${name}{gpu="${gpu}",UUID="GPU-${gpu}"} ${mib}\n`;

it.each([
  ['used and free', dcgm('USED', 0, 27_000) + dcgm('FREE', 0, 18_000), 45_000 * MIB],
  ['its own total', dcgm('USED', 0, 27_000) + dcgm('FREE', 0, 17_000) + dcgm('TOTAL', 0, 46_068), 46_068 * MIB],
  [
    'those of the fullest of several GPUs',
    dcgm('USED', 0, 1000) + dcgm('FREE', 0, 1000) + dcgm('USED', 1, 9000) + dcgm('FREE', 1, 3000),
    12_000 * MIB,
  ],
  ['nothing: free of another GPU', dcgm('USED', 0, 27_000) + dcgm('FREE', 1, 18_000), undefined],
  ['Triton', 'nv_gpu_memory_total_bytes{gpu_uuid="GPU-a"} 17179869184.000000\n', 2 ** 34],
  ['nvidia_gpu_exporter', 'nvidia_smi_memory_total_bytes{uuid="a"} 1.7179869184e+10\n', 2 ** 34],
])('the memory of a GPU as exporters measure it: %s', async (_, metrics, total) => {
  expect(await valueIn({ 'metrics.txt': metrics }, 'gpu.total')).toBe(total);
});

const row = (name: string, mib: number) => `|    0   N/A  N/A      4242      C   ${name}      ${mib}MiB |\n`;

it.each([
  ['a program that is none', row('/opt/train.py', 69_000), 69_000 * MIB],
  ['a bare interpreter, which may be the engine', row('python3', 69_000), undefined],
  ['the engine as it restarts', row('VLLM::EngineCore', 69_000), undefined],
])('other processes that nvidia-smi lists, where the failed one is gone: %s', async (_, list, foreign) => {
  const files = { ...logged('torch.OutOfMemoryError: CUDA out of memory.'), 'nvidia-smi.txt': list };

  expect(await valueIn(files, 'gpu.foreign')).toBe(foreign);
});
