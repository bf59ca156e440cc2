import { describe, expect, it } from 'vitest';
import { readContainerSpec } from '../../../src/read/cluster/container-spec.ts';
import { gatherPod } from '../../../src/read/cluster/gather.ts';
import { aPod } from './a-pod.ts';

const GIB = 1024 ** 3;
const specOf = (parts: Parameters<typeof aPod>[0], container?: string) =>
  readContainerSpec(gatherPod({ pod: aPod(parts) }), container);
const resources = (limits: object, requests: object = {}) => ({ container: { resources: { limits, requests } } });

describe('the spec of a container', () => {
  it('gives words, image and variables with their places', () => {
    const spec = specOf({
      container: {
        command: ['vllm', 'serve'],
        args: ['--x'],
        env: [
          { name: 'A', value: '1' },
          { name: 'S', valueFrom: {} },
        ],
      },
    });

    expect(spec.words.map((word) => [word.value, word.from.kind === 'field' && word.from.path])).toEqual([
      ['vllm', '/spec/containers/0/command/0'],
      ['serve', '/spec/containers/0/command/1'],
      ['--x', '/spec/containers/0/args/0'],
    ]);
    expect(spec.env.map(({ name, value }) => [name, value?.value])).toEqual([
      ['A', '1'],
      ['S', undefined],
    ]);
  });

  it('has no limit where the spec sets none', () => {
    const spec = specOf(resources({ 'nvidia.com/gpu': '1' }, { memory: '8Gi' }));

    expect(spec.memoryLimit).toMatchObject({ kind: 'unknown', reason: 'not-in-snapshot' });
    expect(spec.memoryRequest).toMatchObject({ value: 8 * GIB });
  });

  it('takes the limit in force before that of the template', () => {
    const spec = specOf({ containerStatus: { resources: { limits: { memory: '64Gi' } } } });

    expect(spec.memoryLimit).toMatchObject({
      value: 64 * GIB,
      from: [{ path: '/status/containerStatuses/0/resources/limits/memory' }],
    });
  });

  it('says so when a limit is no quantity', () => {
    expect(specOf(resources({ memory: 'lots' })).memoryLimit).toMatchObject({ kind: 'unknown', reason: 'failed' });
  });

  it.each([
    ['whole devices', resources({ 'nvidia.com/gpu': '4' }), 4, 'nvidia.com/gpu'],
    ['MIG slices', resources({ 'nvidia.com/mig-1g.10gb': 2 }), 2, 'nvidia.com/mig-1g.10gb'],
    ['AMD', resources({}, { 'amd.com/gpu': '8' }), 8, 'amd.com/gpu'],
    [
      'shares of memory are no devices',
      resources({ 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '8000' }),
      1,
      'nvidia.com/gpu',
    ],
    ['claims', { container: { resources: { claims: [{ name: 'a' }, { name: 'b' }] } } }, 2, 'a'],
  ])('counts GPUs: %s', (_, parts, count, resource) => {
    const spec = specOf(parts);

    expect(spec.gpuCount).toMatchObject({ value: count });
    expect(spec.gpuResource).toBe(resource);
  });

  it('does not know the GPUs of a container that asks for none', () => {
    expect(specOf(resources({})).gpuCount).toMatchObject({ kind: 'unknown' });
  });

  it('finds the memory volume at /dev/shm', () => {
    const shm = (emptyDir: object, mountPath = '/dev/shm') =>
      specOf({
        container: { volumeMounts: [{ name: 'dshm', mountPath }] },
        spec: { containers: undefined, volumes: [{ name: 'dshm', emptyDir }] },
      }).shm;
    const withContainer = (emptyDir: object, mountPath = '/dev/shm') =>
      readContainerSpec(
        gatherPod({
          pod: aPod({
            spec: {
              containers: [{ name: 'vllm', volumeMounts: [{ name: 'dshm', mountPath }] }],
              volumes: [{ name: 'dshm', emptyDir }],
            },
          }),
        }),
      ).shm;

    expect(withContainer({ medium: 'Memory', sizeLimit: '2Gi' })?.sizeLimit).toBe(2 * GIB);
    expect(withContainer({ medium: 'Memory' }, '/dev/shm/')).toMatchObject({ sizeLimit: undefined });
    expect(withContainer({})).toBeUndefined();
    expect(shm({ medium: 'Memory' })).toBeUndefined();
  });

  it('is that of the named container, else of the engine', () => {
    const containers = [
      { name: 'proxy', image: 'envoy' },
      { name: 'vllm', image: 'vllm/vllm-openai' },
    ];

    expect(specOf({ spec: { containers } }, 'proxy').name).toBe('proxy');
    expect(specOf({ spec: { containers } }).name).toBe('vllm');
    expect(specOf({ spec: { containers } }, 'gone').name).toBe('vllm');
  });
});
