import { describe, expect, it } from 'vitest';
import type { KubeHttp } from '../../src/kubernetes/api/http.ts';
import { createGpuSupply } from '../../src/kubernetes/gpu-supply.ts';
import { aReadContext } from '../fakes/read-context.ts';

const aNode = (name: string, gpus: number, spec: object = {}) => ({
  metadata: { name },
  spec,
  status: { allocatable: { cpu: '64', ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }) } },
});
const aPod = (node: string | undefined, gpus: number, phase = 'Running') => ({
  metadata: { name: 'p', uid: 'u' },
  spec: { nodeName: node, containers: [{ name: 'c', resources: { limits: { 'nvidia.com/gpu': String(gpus) } } }] },
  status: { phase },
});

/** An edge that answers two lists. */
function aSupply(nodes: readonly unknown[], pods: readonly unknown[], more = '') {
  const getJson = async ({ path }: { path: string }) => ({
    kind: 'ok',
    body: { items: path.endsWith('/nodes') ? nodes : pods, metadata: { continue: path.endsWith('/pods') ? more : '' } },
  });
  return createGpuSupply({ getJson } as unknown as KubeHttp).read(aReadContext());
}

describe('the GPUs that nobody has asked for', () => {
  it.each([
    ['all of a node', [aNode('a', 8)], [], [8], 0],
    ['none', [aNode('a', 2)], [aPod('a', 2)], [0], 0],
    ['node by node', [aNode('a', 8), aNode('b', 4)], [aPod('a', 6), aPod('b', 1)], [2, 3], 0],
    ['not those of a node without', [aNode('a', 0)], [], [], 0],
    [
      'those of a pod that has ended again',
      [aNode('a', 2)],
      [aPod('a', 2, 'Succeeded'), aPod('a', 2, 'Failed')],
      [2],
      0,
    ],
    ['none of a node that takes no pod', [aNode('a', 4, { unschedulable: true })], [], [0], 0],
    [
      'less those of whom waits',
      [aNode('a', 1)],
      [aPod(undefined, 1, 'Pending'), aPod(undefined, 0, 'Pending')],
      [1],
      1,
    ],
  ])('are %s', async (_, nodes, pods, free, waiting) => {
    expect(await aSupply(nodes, pods)).toEqual({ kind: 'read', free, waiting });
  });

  it('are not known where there are more pods than are read', async () => {
    expect(await aSupply([aNode('a', 1)], [], 'next')).toEqual({
      kind: 'unknown',
      why: expect.stringMatching(/more than 500/),
    });
  });
});
