import { expect, it } from 'vitest';
import type { DefaultContext } from '../../src/model/engine-reader.ts';
import { tablesInForce } from '../../src/model/reference-tables.ts';
import { ENGINE_READERS, readerOf } from '../../src/read/engine/index.ts';

const GIB = 1024 ** 3;

const takes = (engine: string, flag: string, context: DefaultContext) =>
  readerOf(engine)?.defaultOf(flag, context)?.value;

it.each([
  ['--gpu-memory-utilization', { version: '0.20.2' }, '0.9'],
  ['--gpu-memory-utilization', { version: '0.21.0' }, '0.92'],
  ['--gpu-memory-utilization', { version: undefined }, undefined],
  // A month of NVIDIA, a product of Red Hat, a wheel of a checkout without tags: none tells which release it is.
  ['--gpu-memory-utilization', { version: '25.09' }, undefined],
  ['--gpu-memory-utilization', { version: '3.2.0' }, undefined],
  ['--gpu-memory-utilization', { version: '0.1.dev1+g0ab1' }, undefined],
  ['--enable-prefix-caching', { version: '0.1.dev1+g0ab1' }, undefined],
  ['--max-num-seqs', { version: '0.9.1', generation: 'V0' }, '256'],
  ['--max-num-seqs', { version: '0.9.1', generation: 'V1', gpuBytes: 24 * GIB }, '256'],
  ['--max-num-seqs', { version: '0.9.1', generation: 'V1', gpuBytes: 79.3 * GIB, gpuName: 'NVIDIA H100' }, '1024'],
  ['--max-num-seqs', { version: '0.11.0', gpuBytes: 79.3 * GIB, gpuName: 'NVIDIA A100-SXM4-80GB' }, '256'],
  // The name decides and nobody knows it.
  ['--max-num-seqs', { version: '0.11.0', gpuBytes: 79.3 * GIB }, undefined],
  ['--max-num-seqs', { version: '0.11.0' }, undefined],
  // Either engine may run in these versions.
  ['--max-num-seqs', { version: '0.9.1', gpuBytes: 24 * GIB }, undefined],
  // What 0.8 took was not read in source.
  ['--max-num-seqs', { version: '0.8.3', generation: 'V1', gpuBytes: 24 * GIB }, undefined],
  ['--max-num-batched-tokens', { version: '0.11.0', gpuBytes: 79.3 * GIB, gpuName: 'NVIDIA H100' }, '8192'],
  ['--swap-space', { version: '0.17.1' }, '4'],
  ['--swap-space', { version: '0.18.0' }, undefined],
  // No A100 has as much, whatever its name is.
  ['--max-num-seqs', { version: '0.11.0', gpuBytes: 139 * GIB }, '1024'],
  ['--no-such-flag', { version: '0.11.0' }, undefined],
] as const)('a default of vLLM: %s with %o is %s', (flag, context, value) => {
  expect(takes('vllm', flag, context)).toBe(value);
});

it.each([
  ['tgi', '--max-total-tokens', '1.4.5', '2048'],
  ['tgi', '--max-total-tokens', '3.3.7', undefined],
  ['lmdeploy', '--cache-max-entry-count', undefined, '0.8'],
  // Computed from the card at start.
  ['sglang', '--mem-fraction-static', '0.5.18', undefined],
] as const)('a default of another engine: %s %s of %s is %s', (engine, flag, version, value) => {
  expect(takes(engine, flag, { version })).toBe(value);
});

it('the table names engines that have a reader, and a source for each row', () => {
  // KAITO gives vLLM values of its own.
  const engines = new Set([...ENGINE_READERS.map(({ engine }) => engine), 'kaito']);

  const { defaults } = tablesInForce();
  expect(defaults.filter(({ engine }) => !engines.has(engine))).toEqual([]);
  expect(defaults.filter(({ source }) => !/\w+\/[\w.-]+ \w+/.test(source))).toEqual([]);
});
