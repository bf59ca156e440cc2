import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const hint = (variable: string) =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.12 GiB. GPU 0 has a total capacity of 44.39 GiB of which 1.04 GiB is free. Including non-PyTorch memory, this process has 43.30 GiB memory in use. Of the allocated memory 33.01 GiB is allocated by PyTorch, and 9.48 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting ${variable}=expandable_segments:True to avoid fragmentation.`;

type Given = {
  readonly args?: string;
  readonly variable?: string;
  readonly version?: string;
  readonly gpu?: string;
  readonly pytorch?: string;
  readonly image?: string;
};

async function remediesOf({ args = 'vllm serve acme/falcon-9b', variable, version, gpu, pytorch, image }: Given) {
  const files = {
    'previous.log': `INFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n${pytorch === undefined ? '' : `${pytorch}\n`}${hint(variable ?? 'PYTORCH_CUDA_ALLOC_CONF')}\n`,
    'args.txt': `${args}\n`,
    ...(image === undefined ? {} : { 'pod.json': JSON.stringify({ spec: { containers: [{ name: 'vllm', image }] } }) }),
    'incident.json': JSON.stringify({ engine: 'vllm', engine_version: version, uptime: '2 days', gpu: { model: gpu } }),
  };
  const { diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  expect(diagnosis.verdict.finding).toBe('gpu-fragmentation');
  return diagnosis.verdict.remedies;
}

const edited = (remedies: Awaited<ReturnType<typeof remediesOf>>) =>
  remedies.flatMap(({ action, edits }) => (action === 'set-allocator' ? edits : []));

describe('expandable segments against fragments', () => {
  it.each(['PYTORCH_CUDA_ALLOC_CONF', 'PYTORCH_HIP_ALLOC_CONF'])(
    'are set under the name that the build prints: %s',
    async (variable) => {
      const edits = edited(await remediesOf({ variable }));

      expect(edits).toMatchObject([{ flag: variable, to: 'expandable_segments:True' }]);
    },
  );

  const [OLD, NEW, HIP] = ['PYTORCH_CUDA_ALLOC_CONF', 'PYTORCH_ALLOC_CONF', 'PYTORCH_HIP_ALLOC_CONF'];
  const holding = (value: string) => `${NEW}=${value} vllm serve acme/falcon-9b`;

  it.each([
    ['2.9, which ignores the new one that it prints', { pytorch: 'PyTorch version: 2.9.1+cu128', variable: NEW }, OLD],
    ['2.9, which prints that of ROCm', { pytorch: 'PyTorch version: 2.9.1+rocm6.4', variable: HIP }, HIP],
    ['2.9 in the image', { image: 'pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime', variable: NEW }, OLD],
    [
      '2.9, whose container holds another',
      { pytorch: '[pip3] torch==2.9.1', args: holding('max_split_size_mb:128') },
      OLD,
    ],
    [
      '2.9, whose container asks in vain',
      { pytorch: 'PyTorch: 2.9.1', args: holding('expandable_segments:True') },
      OLD,
    ],
    ['2.10, which reads the new one', { pytorch: 'PyTorch version: 2.10.0+cu129', variable: OLD }, NEW],
    ['a monthly release that is no version', { image: 'nvcr.io/nvidia/pytorch:25.09-py3', variable: NEW }, OLD],
    ['two versions', { pytorch: 'PyTorch version: 2.10.0\ntorch==2.9.1', variable: NEW }, OLD],
    ['no version: the one that all read', { variable: NEW }, OLD],
  ])('are set under the name that is read by %s', async (_what, given, flag) => {
    expect(edited(await remediesOf(given))).toMatchObject([{ flag, to: 'expandable_segments:True' }]);
  });

  it('say that the name is one for all where nothing tells the build', async () => {
    expect(edited(await remediesOf({ variable: NEW }))[0]?.why).toContain('every version of PyTorch');
    expect(edited(await remediesOf({ pytorch: 'torch==2.9.1' }))[0]?.why).not.toContain('every version');
  });

  it('keep to the name that the container uses already', async () => {
    const args = 'PYTORCH_ALLOC_CONF=max_split_size_mb:128 vllm serve acme/falcon-9b';

    expect(edited(await remediesOf({ args }))).toMatchObject([{ flag: 'PYTORCH_ALLOC_CONF' }]);
  });

  it.each([
    ['the model of the card is not known', {}, true],
    ['the card has memory of its own', { gpu: 'NVIDIA L40S' }, true],
    ['CPU and GPU share one memory', { gpu: 'NVIDIA GB10' }, false],
    ['sleep mode refuses them', { args: 'vllm serve acme/falcon-9b --enable-sleep-mode', version: '0.11.0' }, false],
    ['sleep mode may refuse them', { args: 'vllm serve acme/falcon-9b --enable-sleep-mode' }, false],
    ['sleep mode takes them', { args: 'vllm serve acme/falcon-9b --enable-sleep-mode', version: '0.15.0' }, true],
    [
      'a connector refuses them',
      { args: 'vllm serve acme/falcon-9b --kv-transfer-config {}', version: '0.21.0' },
      false,
    ],
    ['a connector takes them', { args: 'vllm serve acme/falcon-9b --kv-transfer-config {}', version: '0.11.0' }, true],
    ['they are on', { args: 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True vllm serve acme/falcon-9b' }, false],
  ] as const)('where %s', async (_name, given, isOffered) => {
    const remedies = await remediesOf(given);

    expect(edited(remedies).length > 0).toBe(isOffered);
    expect(remedies.map(({ kind }) => kind).toSorted()).toEqual(['lasting', 'stop-bleed']);
  });
});
