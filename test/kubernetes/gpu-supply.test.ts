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

const REFUSED = { kind: 'failed', failure: { reason: 'forbidden', code: 'forbidden', detail: 'missing right' } };

/** An edge that answers lists: of claims only where they are given. */
function aSupply(
  nodes: readonly unknown[],
  pods: readonly unknown[],
  more = '',
  claimed?: Readonly<Record<string, unknown[]>>,
) {
  const getJson = async ({ path }: { path: string }) => {
    const plural = path.split('/').at(-1) ?? '';
    const items = { nodes, pods, ...claimed }[plural];
    if (items === undefined) return REFUSED;
    return { kind: 'ok', body: { items, metadata: { continue: plural === 'pods' ? more : '' } } };
  };
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

  const claiming = (node: string | undefined) => ({
    metadata: { name: 'p' },
    spec: { nodeName: node, containers: [{ name: 'c', resources: { claims: [{ name: 'gpu' }] } }] },
    status: { phase: node === undefined ? 'Pending' : 'Running' },
  });
  const slice = (nodeName: string, driver: string, count: number) => ({
    spec: {
      nodeName,
      driver,
      pool: { name: nodeName },
      devices: Array.from({ length: count }, (_, i) => ({ name: `d${i}` })),
    },
  });
  const claim = (pool: string, device: string, driver = 'gpu.nvidia.com') => ({
    status: { allocation: { devices: { results: [{ driver, pool, device, request: 'gpu' }] } } },
  });

  it('are those of resource slices that no claim holds', async () => {
    const claimed = {
      resourceslices: [slice('a', 'gpu.nvidia.com', 4), slice('a', 'dra.net', 2), slice('b', 'gpu.nvidia.com', 1)],
      resourceclaims: [claim('a', 'd0'), claim('b', 'd0'), claim('a', 'd1', 'dra.net'), { status: {} }],
    };

    const read = await aSupply([aNode('a', 0), aNode('b', 0)], [claiming('a'), claiming(undefined)], '', claimed);

    expect(read).toEqual({ kind: 'read', free: [3, 0], waiting: 1 });
  });

  it('are not known where pods have claims that may not be read', async () => {
    expect(await aSupply([aNode('a', 1)], [claiming('a')])).toMatchObject({ kind: 'unknown' });
  });
});
