import { expect, it } from 'vitest';
import { factsOfFiles } from '../incident.ts';

const BASE = Array.from({ length: 9 }, (_, i) => 20_000 + i);
const spiked = BASE.map((mib, i) => (i === 4 ? 79_000 : mib));
const SMI = spiked.map((mib) => `${mib} MiB, 81920 MiB\n`).join('');
const TOP = `NAME   CPU(cores)   MEMORY(bytes)\n${spiked.map((mib) => `api-0   1m   ${mib}Mi\n`).join('')}`;
const points = spiked.map((mib, i) => [1_700_000_000_000 + i * 15_000, mib * 2 ** 20]);
const SERIES = JSON.stringify({
  from: 1_700_000_000_000,
  to: 1_700_000_200_000,
  stepMs: 15_000,
  series: [{ id: 'gpu.framebuffer.used', unit: 'bytes', labels: {}, query: 'q', points }],
  unknown: [],
});

it.each([
  ['rows of nvidia-smi', { 'nvidia-smi.txt': SMI }, 'gpu.shape', { line: 5 }],
  ['prints of kubectl top', { 'metrics.txt': TOP }, 'ram.shape', { line: 6 }],
  ['a series', { 'series.json': SERIES }, 'gpu.shape', { value: 79_000 * 2 ** 20 }],
])('a spike in %s is proved by its peak', async (_, files, id, peak) => {
  const facts = await factsOfFiles({ 'previous.log': 'INFO a line\n', ...files });

  const shape = facts.get(id);
  expect(shape).toMatchObject({ kind: 'known', value: 'spike' });
  expect(shape?.kind === 'known' && shape.from[0]).toMatchObject(peak);
});
