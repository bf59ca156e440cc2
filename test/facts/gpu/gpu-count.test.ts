import { expect, it } from 'vitest';
import { valueIn } from '../incident.ts';
import { podFile } from '../pod.ts';

const NOTED = JSON.stringify({ gpu: { model: 'A800', count: 8, memory_gib: 79.33 } });
const POD = podFile({ container: { resources: { limits: { 'nvidia.com/gpu': '2' } } } });
const ROW = (i: number) => `${i}, NVIDIA L40S, 46068 MiB, 45100 MiB, 968 MiB`;
const SMI = (rows: number) =>
  [
    'index, name, memory.total [MiB], memory.used [MiB], memory.free [MiB]',
    ...Array.from({ length: rows }, (_, i) => ROW(i)),
    '',
  ].join('\n');

it.each([
  ['the pod asked for, whatever is noted', { ...POD, 'incident.json': NOTED }, 2],
  ['somebody noted', { 'incident.json': NOTED }, 8],
  ['nvidia-smi lists', { 'nvidia-smi.txt': SMI(4) }, 4],
  ['nobody knows by one row of it, which may be one of many', { 'nvidia-smi.txt': SMI(1) }, undefined],
  ['nobody says', {}, undefined],
] as const)('how many GPUs there are is what %s', async (_name, files, count) => {
  expect(await valueIn({ 'previous.log': 'a line\n', ...files }, 'gpu.count')).toBe(count);
});
