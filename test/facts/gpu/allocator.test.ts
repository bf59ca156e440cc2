import { describe, expect, it } from 'vitest';
import { diagnoseFiles, factsOfFiles, known } from '../incident.ts';

const SERVE = 'vllm serve acme/falcon-9b';

const hint = (variable: string) =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.12 GiB. GPU 0 has a total capacity of 44.39 GiB of which 1.04 GiB is free. Including non-PyTorch memory, this process has 43.30 GiB memory in use. Of the allocated memory 33.01 GiB is allocated by PyTorch, and 9.48 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting ${variable}=expandable_segments:True to avoid fragmentation.`;

type Given = {
  readonly args?: string;
  readonly variable?: string;
  readonly version?: string;
  readonly gpu?: string;
  readonly pytorch?: string;
  readonly image?: string;
  /** What the allocator calls the device; then it gives no advice. */
  readonly device?: string;
};

async function remediesOf(given: Given) {
  const { args = SERVE, variable, version, gpu, pytorch, image, device } = given;
  const advised = hint(variable ?? 'PYTORCH_CUDA_ALLOC_CONF');
  const refused = device === undefined ? advised : advised.replace('CUDA', device).replace(/ If reserved .*$/, '');
  const files = {
    'previous.log': `INFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n${pytorch === undefined ? '' : `${pytorch}\n`}${refused}\n`,
    'args.txt': `${args}\n`,
    ...(image === undefined ? {} : { 'pod.json': JSON.stringify({ spec: { containers: [{ name: 'vllm', image }] } }) }),
    ...known({ engine: 'vllm', engine_version: version, uptime: '2 days', gpu: { model: gpu } }),
  };
  const { diagnosis } = await diagnoseFiles(files);
  expect(diagnosis.verdict.finding).toBe('gpu-fragmentation');
  return diagnosis.verdict.remedies;
}

const edited = (remedies: Awaited<ReturnType<typeof remediesOf>>) =>
  remedies.flatMap(({ action, edits }) => (action === 'set-allocator' ? edits : []));

describe('expandable segments against fragments', () => {
  it('are set under the name that the build prints', async () => {
    const variable = 'PYTORCH_CUDA_ALLOC_CONF';

    expect(edited(await remediesOf({ variable }))).toMatchObject([{ flag: variable, to: 'expandable_segments:True' }]);
  });

  const [OLD, NEW, HIP] = ['PYTORCH_CUDA_ALLOC_CONF', 'PYTORCH_ALLOC_CONF', 'PYTORCH_HIP_ALLOC_CONF'];
  const typed = (variable: string) => `${variable}=max_split_size_mb:128 ${SERVE}`;
  const asked = (variable: string) => `${variable}=expandable_segments:True ${SERVE}`;

  it.each([
    ['2.9, which ignores the new one that it prints', { pytorch: 'PyTorch version: 2.9.1+cu128', variable: NEW }, OLD],
    ['2.12 for ROCm, whatever it prints', { pytorch: 'PyTorch version: 2.12.0+rocm7.1', variable: HIP }, NEW],
    ['2.9 in the image', { image: 'pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime', variable: NEW }, OLD],
    ['2.9, whose container holds another', { pytorch: '[pip3] torch==2.9.1', args: typed(NEW) }, OLD],
    ['2.9, whose container asks in vain', { pytorch: 'PyTorch: 2.9.1', args: asked(NEW) }, OLD],
    ['2.10, which reads the new one', { pytorch: 'PyTorch version: 2.10.0+cu129', variable: OLD }, NEW],
    ['a monthly release that is no version', { image: 'nvcr.io/nvidia/pytorch:25.09-py3', variable: NEW }, OLD],
  ])('are set under the name that is read by %s', async (_what, given, flag) => {
    expect(edited(await remediesOf(given))).toMatchObject([{ flag, to: 'expandable_segments:True' }]);
  });

  const NPU = 'PYTORCH_NPU_ALLOC_CONF';
  const ROCM = { device: 'HIP', pytorch: 'torch==2.12.0+rocm7.1' };

  it.each([
    ['CUDA', { device: 'CUDA' }, OLD],
    ['ROCm from 2.12 on', ROCM, NEW],
    ['ROCm whose container holds that of CUDA, which such builds read first', { ...ROCM, args: typed(OLD) }, OLD],
    ['Ascend', { device: 'NPU' }, NPU],
    ['Ascend, whatever release of PyTorch is under it', { device: 'NPU', pytorch: 'torch==2.10.0' }, NPU],
    ['Ascend whose container holds it', { device: 'NPU', args: typed(NPU) }, NPU],
    ['Ascend whose container holds that of CUDA in vain', { device: 'NPU', args: typed(OLD) }, NPU],
  ])('are set, without advice, under the name of builds for %s', async (_what, given, flag) => {
    expect(edited(await remediesOf(given))).toMatchObject([{ flag, to: 'expandable_segments:True' }]);
  });

  it.each([
    ['of unknown release', { device: 'HIP' }],
    ['of unknown release, by the name that it prints', { variable: HIP }],
    ['of 2.11', { device: 'HIP', pytorch: 'torch==2.11.0+rocm7.1' }],
    ['of 2.9, which prints the name for all', { pytorch: 'PyTorch version: 2.9.1+rocm6.4', variable: NEW }],
    ['of 2.9, which was asked for them in vain', { device: 'HIP', pytorch: 'torch==2.9.1', args: asked(OLD) }],
  ])('are not offered to a build for ROCm %s, and it says why', async (_what, given) => {
    const remedies = await remediesOf(given);

    expect(edited(remedies)).toEqual([]);
    expect(remedies.filter(({ kind }) => kind === 'lasting')).toMatchObject([
      { action: 'advise', says: expect.stringContaining('on ROCm they need PyTorch 2.12') },
    ]);
  });

  it('are off where what asks for them is read by no build for the device', async () => {
    expect(edited(await remediesOf({ device: 'NPU', args: asked(OLD) }))).toMatchObject([{ flag: NPU }]);
    expect(edited(await remediesOf({ device: 'HIP', args: asked(OLD) }))).toEqual([]);
  });

  it('are advice without a variable where none is known for the device', async () => {
    const remedies = await remediesOf({ device: 'XPU' });

    expect(edited(remedies)).toEqual([]);
    const says = expect.stringContaining('expandable segments');
    expect(remedies).toContainEqual(expect.objectContaining({ action: 'advise', says }));
  });

  it('say that the name is one for all where nothing tells the build', async () => {
    expect(edited(await remediesOf({ variable: NEW }))[0]?.why).toContain('every PyTorch version');
    expect(edited(await remediesOf({ pytorch: 'torch==2.9.1' }))[0]?.why).not.toContain('every version');
  });

  it('keep to the name that the container uses already', async () => {
    expect(edited(await remediesOf({ args: typed(NEW) }))).toMatchObject([{ flag: NEW }]);
  });

  it.each([
    ['the model of the card is not known', {}, true],
    ['the card has memory of its own', { gpu: 'NVIDIA L40S' }, true],
    ['CPU and GPU share one memory', { gpu: 'NVIDIA GB10' }, false],
    ['sleep mode refuses them', { args: `${SERVE} --enable-sleep-mode`, version: '0.11.0' }, false],
    ['sleep mode may refuse them', { args: `${SERVE} --enable-sleep-mode` }, false],
    ['sleep mode takes them', { args: `${SERVE} --enable-sleep-mode`, version: '0.15.0' }, true],
    ['a connector refuses them', { args: `${SERVE} --kv-transfer-config {}`, version: '0.21.0' }, false],
  ] as const)('where %s', async (_name, given, isOffered) => {
    const remedies = await remediesOf(given);

    expect(edited(remedies).length > 0).toBe(isOffered);
    expect(remedies.map(({ kind }) => kind).toSorted()).toEqual(['lasting', 'stop-bleed']);
  });
});

describe('the variable where no line of the allocator tells the device', () => {
  const variableOf = async (container: object, log = '') => {
    const pod = { spec: { containers: [{ name: 'engine', image: 'acme/serve:1', ...container }] } };
    const files = { 'pod.json': JSON.stringify(pod), 'current.log': log };
    return (await factsOfFiles(files)).get('allocator.variable');
  };
  const asking = (resource: string) => ({ resources: { limits: { [resource]: '1' } } });

  it.each([
    ['a GPU of AMD that the pod asks for', asking('amd.com/gpu'), '', 'PYTORCH_HIP_ALLOC_CONF'],
    ['an NPU that it asks for', asking('huawei.com/Ascend910'), '', 'PYTORCH_NPU_ALLOC_CONF'],
    ['a GPU of Intel that it asks for', asking('gpu.intel.com/i915'), '', 'none'],
    ['an image for ROCm', { image: 'lmsysorg/sglang:v0.5.10-rocm700-mi30x' }, '', 'PYTORCH_HIP_ALLOC_CONF'],
    ['an image for Ascend', { image: 'quay.io/ascend/vllm-ascend:v0.9.1' }, '', 'PYTORCH_NPU_ALLOC_CONF'],
    ['nothing', asking('nvidia.com/gpu'), '', undefined],
    ['a name that only begins so', { image: 'acme/rocmount:1' }, '', undefined],
  ])('is told by %s', async (_what, container, log, value) => {
    const fact = await variableOf(container, log);

    expect(fact?.kind === 'known' ? fact.value : undefined).toBe(value);
  });

  it('is not told by refusals of two devices', async () => {
    const of = (device: string) => `torch.OutOfMemoryError: ${device} out of memory. Tried to allocate 2.00 GiB.\n`;

    expect(await variableOf(asking('amd.com/gpu'), `${of('HIP')}${of('CUDA')}`)).toMatchObject({ kind: 'unknown' });
  });
});
