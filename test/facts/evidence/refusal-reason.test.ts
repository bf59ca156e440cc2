import { describe, expect, it } from 'vitest';
import { type Files, known, logged, verdictOfFiles } from '../incident.ts';

const REFUSALS: readonly (readonly [cause: string, line: string])[] = [
  [
    'none.config',
    'torch.distributed.DistStoreError: use_libuv was requested but PyTorch was built without libuv support, run with USE_LIBUV=0 to disable it.',
  ],
  ['none.config', "gguf_init_from_file: failed to open GGUF file '/models/a.gguf'"],
  ['none.config', '  Value error, World size (8) is larger than the number of available GPUs (4) in this node.'],
  ['none.config', "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'"],
  [
    'none.driver',
    'E0506 15:20:47.391725  6120 rdma_context.cpp:201] Failed to register memory 0x7f1c4e000000: Bad address [14]',
  ],
  ['none.other', 'Worker proc VllmWorker-3 died unexpectedly (exit code: -4), shutting down executor.'],
];
const OF_SIGNAL = [
  'Containers:',
  '  vllm:',
  '    Image: vllm/vllm-openai:v0.11.0',
  '    Last State:     Terminated',
  '      Reason:       Error',
  '      Exit Code:    137',
  '      Started:      Wed, 24 Jun 2026 11:00:00 +0000',
  '      Finished:     Wed, 24 Jun 2026 11:03:20 +0000',
].join('\n');

const verdictOf = (files: Files) => verdictOfFiles({ ...known({ uptime: 'startup' }), ...files });

describe('a line that names what was refused', () => {
  it.each(REFUSALS)('%s is certain: %s', async (cause, line) => {
    expect(await verdictOf(logged(line))).toMatchObject({ plane: 'none', cause, certain: true });
  });

  it.each(REFUSALS)('%s is not, where somebody was killed later: %s', async (_, line) => {
    const log = `${line}\nLoading safetensors checkpoint shards:  71% Completed | 12/17 [00:41<00:17,  3.55s/it]\nKilled\n`;

    expect(await verdictOf({ 'previous.log': log })).toMatchObject({ plane: 'host', certain: false });
  });

  it.each(REFUSALS)('%s is not, where the container ended by signal 9 or a bus error: %s', async (_, line) => {
    for (const end of [OF_SIGNAL, OF_SIGNAL.replace('137', '135')]) {
      expect(await verdictOf({ ...logged(line), 'describe.txt': end })).toMatchObject({ certain: false });
    }
  });

  const LATER = ['MemoryError', "terminate called after throwing an instance of 'std::bad_alloc'", 'Killed'];
  it.each(LATER.flatMap((end) => REFUSALS.map(([, line]) => [end, line])))(
    'yields to what was the end: %s, below %s',
    async (end, line) => {
      expect(await verdictOf({ 'previous.log': `${line}\n${end}\n` })).toMatchObject({ certain: false });
    },
  );

  it.each(REFUSALS)('%s yields to a device that refused later, and to a card that refused: %s', async (_, line) => {
    const later = logged(line, 'RuntimeError: CUDA error: out of memory');
    const above = logged('torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB.', line);

    for (const log of [later, above]) expect(await verdictOf(log)).toMatchObject({ plane: 'gpu' });
  });
});

const captured = (reason: string, wrapped: string) =>
  [
    'Traceback (most recent call last):',
    '  File "/w/flashinfer/decode.py", line 528, in begin_forward',
    `RuntimeError: ${reason}`,
    'During handling of the above exception, another exception occurred:',
    `Exception: Capture cuda graph failed: ${wrapped}`,
    'Possible solutions:',
    '1. set --mem-fraction-static to a smaller value (e.g., 0.8 or 0.7)',
    '',
  ].join('\n');
const REASON = 'BatchDecodeWithPagedKVCachePyTorchWrapper::Plan(at::Tensor) failed to dispatch head_dim 80';

it.each(['', 'CUDA out of memory'])(
  'an error of the capture of graphs is not certain where it says another thing: %s',
  async (wrapped) => {
    expect(await verdictOf({ 'previous.log': captured(REASON, wrapped) })).not.toMatchObject({
      plane: 'none',
      certain: true,
    });
  },
);
