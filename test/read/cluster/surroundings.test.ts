import { describe, expect, it } from 'vitest';
import { parseJsonFile, RevisionsFile, SiblingsFile } from '../../../src/model/json-file.ts';
import { Node } from '../../../src/model/kubernetes.ts';
import { readNode } from '../../../src/read/cluster/node.ts';
import { readRevisionChange } from '../../../src/read/cluster/revisions.ts';
import { readSiblings } from '../../../src/read/cluster/siblings.ts';
import { aPod, at, CREATED, ended } from './a-pod.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

function value<T>(file: { kind: string; value?: T }): T {
  if (file.value === undefined) throw new Error('no value');
  return file.value;
}

describe('what changed between two revisions', () => {
  const revision = (name: string, container: object, more: object = {}) => ({
    name,
    template: { spec: { containers: [{ name: 'vllm', ...container }] } },
    ...more,
  });
  const change = (now: object, before?: object) => {
    const raw = before === undefined ? [now] : [now, before];
    return readRevisionChange(value(parseJsonFile(RevisionsFile, JSON.stringify(raw))));
  };

  it.each([
    ['the image', { image: 'a:2' }, { image: 'a:1' }, 'image: a:1 -> a:2'],
    [
      'a flag in two words',
      { args: ['--max-model-len', '32768'] },
      { args: ['--max-model-len', '8192'] },
      'args: --max-model-len 8192 -> 32768',
    ],
    ['a flag with =', { args: ['--tp=2'] }, { args: ['--tp=1'] }, 'args: --tp 1 -> 2'],
    ['the same flag in another form', { args: ['--tp=2'] }, { args: ['--tp', '2'] }, 'nothing'],
    ['a new switch', { args: ['--enable-prefix-caching'] }, { args: [] }, 'args: --enable-prefix-caching added'],
    ['a flag that went', { args: [] }, { args: ['--swap-space', '4'] }, 'args: --swap-space removed'],
    ['a negative value', { args: ['--n', '-1'] }, { args: ['--n', '4'] }, 'args: --n 4 -> -1'],
    ['a model', { command: ['vllm', 'serve', 'b'] }, { command: ['vllm', 'serve', 'a'] }, 'command: word 3 a -> b'],
    ['a variable', { env: [{ name: 'A', value: '2' }] }, { env: [{ name: 'A', value: '1' }] }, 'env: A 1 -> 2'],
    [
      'a limit',
      { resources: { limits: { memory: '16Gi' } } },
      { resources: { limits: { memory: '32Gi' } } },
      'limits.memory: 32Gi -> 16Gi',
    ],
    ['a limit that is new', { resources: { limits: { memory: '16Gi' } } }, {}, 'limits.memory: (not set) -> 16Gi'],
    ['nothing', { image: 'a' }, { image: 'a' }, 'nothing'],
  ])('%s', (_, now, before, says) => {
    expect(change(revision('r2', now), revision('r1', before))).toMatchObject({ kind: 'known', value: says });
  });

  it('lists several changes and cites both sides', () => {
    const now = revision('r2', { image: 'a:2', args: ['--x', '2'] });
    const before = revision('r1', { image: 'a:1', args: ['--x', '1'] });

    const found = change(now, before);

    expect(found).toMatchObject({ value: 'image: a:1 -> a:2; args: --x 1 -> 2' });
    for (const citation of found.kind === 'known' ? found.from : []) {
      if (citation.kind !== 'field') throw new Error('no field');
      expect(JSON.stringify(at([now, before], citation.path))).toBe(citation.text);
    }
  });

  it('says which container where there are several, and that one is new', () => {
    const now = { name: 'r2', template: { spec: { containers: [{ name: 'vllm', image: 'a:2' }, { name: 'proxy' }] } } };

    expect(change(now, revision('r1', { image: 'a:1' }))).toMatchObject({
      value: 'vllm image: a:1 -> a:2; container: (not set) -> proxy',
    });
  });

  it('is unknown with fewer than two', () => {
    expect(change(revision('r1', {}))).toMatchObject({ kind: 'unknown', reason: 'empty' });
    expect(readRevisionChange([])).toMatchObject({ kind: 'unknown', reason: 'empty' });
  });
});

describe('siblings', () => {
  const siblings = (...pods: readonly unknown[]) => value(parseJsonFile(SiblingsFile, JSON.stringify(pods)));
  const died = (to: number) => aPod({ containerStatus: { lastState: ended({ from: to - 60, to }) } });
  const calm = aPod({ containerStatus: { state: { running: {} }, lastState: {} } });
  const UNTIL = CREATED + 10_000_000;

  it.each([
    ['in the last twenty minutes', [died(9990), died(9000), calm, calm], 0.5],
    ['exactly twenty minutes ago', [died(8800), calm], 0.5],
    ['long ago', [died(600), calm], 0],
    ['by a clock that is ahead', [died(10_030), calm], 0.5],
    ['after the time looked at', [died(12_000), calm], 0],
  ])('died %s', (_, pods, share) => {
    expect(readSiblings(siblings(...pods), UNTIL)).toMatchObject({ kind: 'known', value: share });
  });

  it('are not zero when there are none', () => {
    expect(readSiblings([], UNTIL)).toMatchObject({ kind: 'unknown', reason: 'empty' });
    expect(readSiblings(siblings(null, {}), UNTIL)).toMatchObject({ kind: 'unknown' });
  });
});

describe('a node', () => {
  const node = (labels: object, status: object = {}) => Node.parse({ metadata: { name: 'gpu-1', labels }, status });
  const answer = (finding: { kind: string; value?: unknown }) => (finding.kind === 'known' ? finding.value : 'unknown');

  it.each([
    [
      'by labels',
      { 'nvidia.com/gpu.product': 'NVIDIA-L4', 'nvidia.com/gpu.memory': '23034', 'nvidia.com/gpu.count': '2' },
      ['NVIDIA-L4', 2, 23034 * MIB],
    ],
    [
      'by product where the size is missing',
      { 'nvidia.com/gpu.product': 'NVIDIA-H200' },
      ['NVIDIA-H200', 'unknown', 143771 * MIB],
    ],
    ['by instance type', { 'node.kubernetes.io/instance-type': 'g6.12xlarge' }, ['L4', 4, 23034 * MIB]],
    [
      'MIG slice',
      { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB-MIG-1g.10gb' },
      [expect.anything(), 'unknown', 9728 * MIB],
    ],
    ['unknown', { 'node.kubernetes.io/instance-type': 'm5.large' }, ['unknown', 'unknown', 'unknown']],
  ])('has GPUs %s', (_, labels, expected) => {
    const found = readNode(node(labels));

    expect([found.product, found.count, found.gpuMemory].map(answer)).toEqual(expected);
  });

  it('shares its GPUs when replicas or the name say so', () => {
    expect(answer(readNode(node({ 'nvidia.com/gpu.replicas': '4' })).shared)).toBe(true);
    expect(answer(readNode(node({ 'nvidia.com/gpu.product': 'Tesla-T4-SHARED' })).shared)).toBe(true);
    expect(answer(readNode(node({ 'nvidia.com/gpu.replicas': '1' })).shared)).toBe(false);
    expect(answer(readNode(node({})).shared)).toBe('unknown');
  });

  it('tells its memory', () => {
    expect(answer(readNode(node({}, { allocatable: { memory: '64Gi' } })).allocatableMemory)).toBe(64 * GIB);
    expect(answer(readNode(node({})).allocatableMemory)).toBe('unknown');
  });
});
