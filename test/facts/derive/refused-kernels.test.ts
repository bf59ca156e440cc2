import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(...lines: readonly string[]) {
  const files = { 'previous.log': `${lines.join('\n')}\n`, 'incident.json': JSON.stringify({ uptime: 'startup' }) };
  return (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

const MEETING =
  '  File "/usr/lib/python3/dist-packages/vllm/worker/worker.py", line 110, in init_worker_distributed_environment';
const LINKER = 'collect2: error: ld returned 1 exit status';
const TORCH = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity';
const DRIVER = 'halMemAlloc failed:size=2122688(bytes), type=2, moduleId=3, drvFlag=2, drvRetCode=6, device_id 7';

describe('kernels, tensors and ranks that do not come together are no lack of memory', () => {
  it.each([
    ['Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!'],
    ['mat1 and mat2 shapes cannot be multiplied (16x4096 and 2048x4096)'],
    ['Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has 7.5.'],
    ['Shared memory exceeds 96KB: 102400 bytes'],
    ["ptxas error   : Entry function 'attend' uses too much shared data (0x12000 bytes, 0xc000 max)"],
    ['/usr/bin/ld: cannot find -lcuda: No such file or directory'],
    [LINKER],
    ['Not enough resources to allocate 2 placement groups, only created 1 placement groups.'],
    [MEETING],
  ])('%s', async (line) => {
    expect(await verdictOf('Starting', line)).toMatchObject({ plane: 'none' });
  });
});

describe('the driver of an NPU without memory', () => {
  it('is a guess at the card', async () => {
    expect(await verdictOf(`DevMemAllocManaged:[drv api] ${DRIVER}`)).toMatchObject({ plane: 'gpu', certain: false });
  });

  it('says nothing of the card where memory of the host was asked for', async () => {
    const verdict = await verdictOf(`HostMemAlloc:[drv api] ${DRIVER}`);

    expect(verdict.plane).not.toBe('gpu');
  });
});

describe('memory in the same log', () => {
  it.each([
    ['gpu', [MEETING, TORCH]],
    ['gpu', [LINKER, TORCH]],
    ['gpu', ['The size of tensor a (4) must match the size of tensor b (3) at dimension 0', TORCH]],
    ['host', ['c++: fatal error: Killed signal terminated program cc1plus', LINKER]],
    ['host', ['unable to allocate shared memory(shm) for file </torch_1_2_0>: Success (0)']],
  ])('%s', async (plane, lines) => {
    expect(await verdictOf(...lines)).toMatchObject({ plane });
  });
});
