import { describe, expect, it } from 'vitest';
import { aPod, at } from '../../read/cluster/a-pod.ts';
import { type Files, factsOfFiles, valueIn } from '../incident.ts';

const json = (value: unknown): string => JSON.stringify(value);
const pod = (parts: Parameters<typeof aPod>[0]): Files => ({ 'pod.json': json(aPod(parts)) });
const node = (labels: object, taints: readonly object[] | undefined = undefined): Files => ({
  'node.json': json({ metadata: { name: 'gpu-1', labels }, spec: { providerID: 'x', taints } }),
});
const scaling = (value: object): Files => ({ 'autoscalers.json': json(value) });
const metric = (type: string, name?: string) =>
  name === undefined ? { type } : { type, resource: { name, target: { type: 'Utilization', averageUtilization: 80 } } };
const hpa = (...metrics: object[]) => ({ hpas: [{ metadata: { name: 'h' }, spec: { maxReplicas: 4, metrics } }] });
const pdb = (spec: object, status: object = {}) => ({ pdbs: [{ metadata: { name: 'b' }, spec, status }] });

async function factOf(id: string, files: Files) {
  return (await factsOfFiles(files)).get(`amplifier.${id}`);
}

const factValue = (id: string, files: Files) => valueIn(files, `amplifier.${id}`);

const LOADED =
  '(EngineCore_DP0 pid=2) INFO 03-01 10:02:30 [gpu_model_runner.py:3562] Model loading took 60.0000 GiB memory and 95.5 seconds\n';
const SHARDS = 'Loading safetensors checkpoint shards:  25% Completed | 1/4 [01:00<03:00, 60.0s/it]\n';
// Ready turned False at the creation of the pod: the instance that died never served.
const probe = (name: string, value: object) =>
  pod({ container: { [name]: value }, ready: { status: 'False', since: 0 } });

describe('a probe that is tighter than the load', () => {
  const WAITS_94 = { initialDelaySeconds: 64, failureThreshold: 3 };

  it.each([
    ['longer than it waits', { initialDelaySeconds: 60, failureThreshold: 3 }, LOADED, true],
    ['on the line', { ...WAITS_94, periodSeconds: 10 }, LOADED.replace('95.5', '95'), true],
    ['a second under it', { ...WAITS_94, periodSeconds: 10 }, LOADED.replace('95.5', '94'), undefined],
    ['longer by the pace of its bar', { initialDelaySeconds: 60, failureThreshold: 10 }, SHARDS, true],
    ['not shown', { initialDelaySeconds: 60 }, 'INFO 03-01 10:02:30 hello\n', undefined],
  ])('where the load takes time %s', async (_name, value, log, tight) => {
    const files = { ...probe('livenessProbe', value), 'previous.log': log };

    expect(await factValue('tight-probe', files)).toBe(tight);
  });

  it('is not tight where the engine became ready', async () => {
    const container = { livenessProbe: { failureThreshold: 1, periodSeconds: 1 } };
    const files = pod({ container, ready: { status: 'False', since: 600 } });

    expect(await factValue('tight-probe', { ...files, 'previous.log': LOADED })).toBe(false);
  });

  it('is none where the pod has none, and unknown without the pod', async () => {
    expect(await factValue('tight-probe', { ...pod({}), 'previous.log': LOADED })).toBe(false);
    expect(await factValue('tight-probe', { 'previous.log': LOADED })).toBeUndefined();
  });
});

const SMI = (...rows: [gpu: number, pid: number, name: string, mib: number][]): Files => ({
  'nvidia-smi.txt': [
    '| Processes:                                                                              |',
    '|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |',
    '|=========================================================================================|',
    ...rows.map(([gpu, pid, name, mib]) => `|    ${gpu}   N/A  N/A ${pid}      C   ${name}     ${mib}MiB |`),
    '+-----------------------------------------------------------------------------------------+',
  ].join('\n'),
});

describe('what shares the card', () => {
  it.each([
    ['time-slicing', node({ 'nvidia.com/gpu.product': 'NVIDIA-L4-SHARED', 'nvidia.com/gpu.replicas': '4' }), true],
    ['MPS', node({ 'nvidia.com/gpu.sharing-strategy': 'mps' }), true],
    ['whole cards', node({ 'nvidia.com/gpu.product': 'NVIDIA-L4', 'nvidia.com/gpu.sharing-strategy': 'none' }), false],
    [
      'a part of a card asked for',
      pod({ container: { resources: { limits: { 'nvidia.com/gpumem': '8000' } } } }),
      true,
    ],
    ['the node in a paste', { 'describe.txt': 'Labels:  nvidia.com/gpu.product=NVIDIA-A10-SHARED\n' }, true],
    ['one replica in a paste', { 'describe.txt': '  nvidia.com/gpu.replicas=1\n' }, undefined],
    ['the server of MPS on the card', SMI([0, 41, 'nvidia-cuda-mps-server', 30]), true],
  ])('several pods: %s', async (_name, files, expected) => {
    expect(await factValue('shared-gpu', files)).toBe(expected);
  });

  const GPU = { 'nvidia.com/gpu.product': 'NVIDIA-L4' };
  it.each([
    ['no taint', node(GPU), true],
    ['a taint for GPUs', node(GPU, [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }]), false],
    ['a taint that only prefers', node(GPU, [{ key: 'gpu', effect: 'PreferNoSchedule' }]), true],
    ['a taint of the moment', node(GPU, [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }]), true],
    ['no GPU', node({}), undefined],
    ['no node', {}, undefined],
  ])('a node with %s', async (_name, files, expected) => {
    expect(await factValue('node-mixing', files)).toBe(expected);
  });
});

describe('what stands around the workload', () => {
  it.each([
    ['CPU alone', hpa(metric('Resource', 'cpu')), true],
    ['CPU and RAM', hpa(metric('Resource', 'cpu'), metric('Resource', 'memory')), true],
    ['CPU of the old form', { hpas: [{ spec: { targetCPUUtilizationPercentage: 80 } }] }, true],
    ['CPU and a queue', hpa(metric('Resource', 'cpu'), metric('Pods')), false],
    ['KEDA by Prometheus', { hpas: [], scaledObjects: [{ spec: { triggers: [{ type: 'prometheus' }] } }] }, false],
    ['nobody', { hpas: [] }, false],
    ['an autoscaler that does not say', { hpas: [{ spec: {} }] }, undefined],
  ])('scaled by %s', async (_name, value, expected) => {
    expect(await factValue('cpu-autoscaling', scaling(value))).toBe(expected);
  });

  it.each([
    ['none allowed', pdb({ minAvailable: 1 }, { disruptionsAllowed: 0 }), true],
    ['one allowed', pdb({ minAvailable: 1 }, { disruptionsAllowed: 1 }), false],
    [
      'none allowed, but what has failed may go',
      pdb({ unhealthyPodEvictionPolicy: 'AlwaysAllow' }, { disruptionsAllowed: 0 }),
      false,
    ],
    ['no status, nothing may be missing', pdb({ maxUnavailable: 0 }), true],
    ['no status, all must be there', pdb({ minAvailable: '100%' }), true],
    ['as many as there are', pdb({ minAvailable: 2 }, { expectedPods: 2 }), true],
    ['no numbers', pdb({ minAvailable: 2 }), undefined],
  ])('a disruption budget: %s', async (_name, value, expected) => {
    expect(await factValue('eviction-blocked', scaling(value))).toBe(expected);
  });
});

const cpuOf = (name: string) => ({ spec: { scaleTargetRef: { name }, metrics: [metric('Resource', 'cpu')] } });
const budgetOf = (app: string) => ({
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed: 0 },
});

it.each([
  ['vllm', true],
  ['other', false],
])('what a namespace has counts where it is of the workload of the pod: %s', async (name, expected) => {
  const files = {
    ...scaling({ hpas: [cpuOf('web'), cpuOf(name)], pdbs: [budgetOf('web'), budgetOf(name)] }),
    'pod.json': json({ metadata: { name: 'vllm-7d8f6f9c6b-4mnl2', labels: { app: 'vllm' } } }),
  };

  expect(await factValue('cpu-autoscaling', files)).toBe(expected);
  expect(await factValue('eviction-blocked', files)).toBe(expected);
});

describe('the proof of an amplifier', () => {
  it.each([
    ['cpu-autoscaling', scaling(hpa(metric('Resource', 'cpu'))), '/hpas/0/spec/metrics/0/resource/name'],
    ['eviction-blocked', scaling(pdb({}, { disruptionsAllowed: 0 })), '/pdbs/0/status/disruptionsAllowed'],
    ['shared-gpu', node({ 'nvidia.com/gpu.replicas': '4' }), '/metadata/labels/nvidia.com~1gpu.replicas'],
    ['node-mixing', node({ 'nvidia.com/gpu.product': 'NVIDIA-L4' }), '/spec'],
  ])('%s stands in the file at its path', async (id, files, path) => {
    const fact = await factOf(id, files);

    const [first] = fact?.kind === 'known' ? fact.from : [];
    expect(fact).toMatchObject({ value: true });
    expect(first).toMatchObject({ kind: 'field', path });
    const value = at(JSON.parse(files[first?.file as keyof typeof files] ?? ''), path);
    expect(first).toHaveProperty('text', JSON.stringify(value));
  });

  it('names both sides of the sum of a probe', async () => {
    const files = probe('livenessProbe', { initialDelaySeconds: 10, failureThreshold: 3 });
    const fact = await factOf('tight-probe', { ...files, 'previous.log': LOADED });

    const ofPod = { file: 'pod.json', path: '/spec/containers/0/livenessProbe/failureThreshold' };
    expect(fact).toMatchObject({ value: true, from: [ofPod, { file: 'previous.log', line: 1 }] });
  });
});
