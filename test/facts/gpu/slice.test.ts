import { describe, expect, it } from 'vitest';
import { largerSlice, migProfile } from '../../../src/model/gpu-table.ts';
import { GIB, MIB } from '../../../src/model/quantity.ts';
import { type Files, factsOfFiles, known } from '../incident.ts';

const H100 = { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3', 'nvidia.com/gpu.memory': '81559' };
const SINGLE = { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB-MIG-1g.10gb', 'nvidia.com/gpu.memory': '9728' };
const FULL = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 136.00 MiB.\n';

type Given = {
  readonly limits?: Files;
  readonly labels?: Files;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly model?: string;
  readonly log?: string;
  readonly more?: Files;
};

async function factsOf(given: Given) {
  const { limits = { 'nvidia.com/gpu': '1' }, labels = {}, env = [], log = FULL, more = {} } = given;
  const args = ['--model', given.model ?? 'Qwen/Qwen2.5-7B-Instruct'];
  const container = { name: 'e', image: 'vllm/vllm-openai:v0.11.0', args, env, resources: { limits } };
  return factsOfFiles({
    'pod.json': JSON.stringify({ metadata: { name: 'p' }, spec: { containers: [container] }, status: {} }),
    'node.json': JSON.stringify({ metadata: { name: 'n', labels } }),
    'current.log': log,
    ...more,
  });
}

const SLICE = { 'nvidia.com/mig-1g.10gb': '1' };
const DEVICE = '  Device 0: NVIDIA A100-SXM4-80GB MIG 1g.10gb, compute capability 8.0, VMM: yes';
const ALONE = 'a whole GPU: several slices do not work as one';
const LARGER = 'more GPUs for each replica, or a larger GPU';
const moreGpu = async (given: Given) => (await factsOf(given)).get('lasting.more-gpu');

describe('what gives an engine more memory', () => {
  it.each([
    ['by what the pod asks for', { limits: SLICE, labels: H100 }],
    ['by the label of the node', { labels: SINGLE }],
    ['by the name of the device in a line', { log: `${DEVICE}\n${FULL}` }],
    ['by a manifest that was pasted', { limits: {}, more: { 'args.txt': 'limits: { nvidia.com/mig-1g.10gb: 1 }\n' } }],
    ['by a note', { limits: {}, more: known({ gpu: { model: 'H100 MIG 1g.10gb' } }) }],
  ])('is on a slice a larger one, %s', async (_, given) => {
    expect(await moreGpu(given)).toMatchObject({ value: `a larger MIG slice (3g.40gb or more) or ${ALONE}` });
  });

  const env = [{ name: 'CUDA_VISIBLE_DEVICES', value: 'MIG-2e782cfd-36f2-55ff-a7d5-c6734444be2b' }];
  const CUT = { ...H100, 'nvidia.com/mig.strategy': 'mixed' };

  it.each([
    ['of a slice that only its id tells', { env }, `a larger MIG slice or ${ALONE}`],
    ['of a model that no slice holds', { limits: SLICE, model: 'Qwen/Qwen2.5-32B-Instruct' }, ALONE],
    ['of a whole card', { labels: H100 }, LARGER],
    ['of a node that is cut, where the pod has a whole card', { labels: CUT }, LARGER],
  ])('%s', async (_, given, value) => {
    expect(await moreGpu(given)).toMatchObject({ value });
  });

  it('is no number of GPUs on a slice', async () => {
    const ids = ['lasting.ranks', 'lasting.weights-per-gpu', 'knob.ranks'] as const;
    const cut = await factsOf({ limits: SLICE, labels: H100 });
    const whole = await factsOf({ labels: { ...H100, 'nvidia.com/gpu.memory': '15360' } });

    expect(ids.map((id) => cut.get(id)?.kind)).toEqual(['unknown', 'unknown', 'unknown']);
    expect(ids.map((id) => whole.get(id)?.kind)).toEqual(['known', 'known', 'known']);
  });
});

it.each([
  ['is not that of the card, by the labels of the node', { limits: SLICE, labels: H100 }, 9728 * MIB],
  ['is what the label of the slice says', { labels: { ...SINGLE, 'nvidia.com/gpu.memory': '9700' } }, 9700 * MIB],
])('the memory of a slice: %s', async (_, given, value) => {
  expect((await factsOf(given)).get('gpu.total')).toMatchObject({ value });
});

it('two slices under one name leave none idle, and are told not to add up', async () => {
  const facts = await factsOf({ limits: { 'nvidia.com/gpu': '2' }, labels: SINGLE });

  expect(facts.get('gpu.idle')?.kind).toBe('unknown');
});

it.each([
  ['the next', '1g.10gb', 15 * GIB, '1g.20gb'],
  ['exactly as large', '1g.10gb', 19968 * MIB, '1g.20gb'],
  ['a byte more', '1g.10gb', 19968 * MIB + 1, '3g.40gb'],
  ['only the whole card', '1g.10gb', 60 * GIB, undefined],
  ['of another card', '1g.5gb', 19 * GIB, '3g.20gb'],
  ['none beside the whole', '4g.24gb', 1 * GIB, undefined],
])('a larger slice of the same card: %s', (_, profile, bytes, larger) => {
  const slice = migProfile(profile);

  expect(slice && largerSlice(slice, bytes)?.profile).toBe(larger);
});
