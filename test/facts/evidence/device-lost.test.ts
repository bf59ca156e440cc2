import { describe, expect, it } from 'vitest';
import { logged, verdictOfFiles } from '../incident.ts';

const SMALL = 'srv   prompt_save:  - saving prompt with length 8204, total state size = 413.771 MiB';
const WORKS =
  'slot update_slots: id  1 | task 7713 | prompt processing progress, n_tokens = 36864, batch.n_tokens = 2048, progress = 0.291207';
const LOST = [
  "terminate called after throwing an instance of 'vk::DeviceLostError'",
  '  what():  vk::Queue::submit: ErrorDeviceLost',
];
const SYCL = 'RuntimeError: Native API failed. Native API returns: 20 (UR_RESULT_ERROR_DEVICE_LOST)';
const NO_ROOM = 'radv/amdgpu: Not enough memory for command submission.';

const SUBMIT = '[41881.530077] amdgpu 0000:c5:00.0: amdgpu: Not enough memory for command submission!';
const pages = (order: number) =>
  `[41880.118204] kworker/u64:3: page allocation failure: order:${order}, mode:0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), nodemask=(null)`;

const verdictOf = (lines: readonly string[], kernel?: readonly string[]) =>
  verdictOfFiles({
    ...logged(...lines),
    ...(kernel === undefined ? {} : { 'kernel.txt': `${kernel.join('\n')}\n` }),
  });

describe('a device that is lost', () => {
  it.each([[LOST], [[SYCL]]])('is a fault of the device where nothing beside it speaks of memory: %j', async (lost) => {
    const alone = { plane: 'none', cause: 'none.gpu-fault', certain: true };
    expect(await verdictOf([WORKS, ...lost])).toMatchObject(alone);
    expect(await verdictOf([WORKS, ...lost], ['[41880.1] amdgpu: ring gfx_0.0.0 timeout'])).toMatchObject(alone);
  });

  it('is for want of its memory, likely, where its driver had no room', async () => {
    expect(await verdictOf([WORKS, ...LOST], [SUBMIT])).toMatchObject({ plane: 'gpu', certain: false });
  });

  it('is for want of memory where the process itself was told so', async () => {
    expect(await verdictOf([WORKS, NO_ROOM, ...LOST])).toMatchObject({ plane: 'gpu' });
  });

  it('is for want of RAM, likely, where the machine had no page left', async () => {
    expect(await verdictOf([SMALL, WORKS, ...LOST], [pages(0)])).toMatchObject({
      plane: 'host',
      cause: 'host.node-pressure',
      certain: false,
    });
  });

  it('is no proof of a fault where large pieces were missing', async () => {
    expect(await verdictOf([WORKS, ...LOST], [pages(4)])).toMatchObject({ plane: 'none', certain: false });
    expect(await verdictOf([WORKS, ...LOST], [pages(3)])).toMatchObject({ plane: 'host', certain: false });
  });
});
