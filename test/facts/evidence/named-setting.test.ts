import { describe, expect, it } from 'vitest';
import { verdictOf } from '../raised-error.ts';

const raisedIn = (file: string, fn: string, said: string) =>
  ['Traceback (most recent call last):', `  File "/x/${file}", line 310, in ${fn}`, '    raise x', said].join('\n');

it.each([
  'AssertionError: max_running_request is zero',
  'ValueError: max_mamba_cache_size must be greater than 0, got 0. Try to increase --mem-fraction-static or decrease --max-mamba-cache-size',
  'ValueError: The number of pages (-310) must be greater than 0: --mem-fraction-static is too low',
  'ValueError: NIM_MODEL_PROFILE=abc is not currently runnable, make sure you have enough free GPUs',
])('a setting that may have come out too small for want of memory is not certain: %s', async (said) => {
  expect(await verdictOf(raisedIn('profiles.py', 'configure', said))).toMatchObject({ certain: false });
});

it.each([
  ['shared_memory.py', '__init__', "FileNotFoundError: [Errno 2] No such file or directory: '/psm_1a2b3c4d'"],
  ['multiprocessing/connection.py', 'SocketClient', 'FileNotFoundError: [Errno 2] No such file or directory'],
])('what another process had made is gone with it, which tells not why: %s', async (file, fn, said) => {
  expect(await verdictOf(raisedIn(file, fn, said))).toMatchObject({ certain: false });
});

describe('a request in a log', () => {
  const refused = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB';

  it.each([
    `Receive: obj=EmbeddingReqInput(rid='a1', text='${refused}', image_data=None)`,
    `Receive OpenAI: obj={'messages': [{'role': 'user', 'content': [{'type': 'text', 'text': '${refused}'}]}]}`,
    `Receive OpenAI: obj={'input': '${refused}', 'model': 'q'}`,
    `[2026-07-10 14:04:01] {"event": "request.received", "rid": "a", "obj": {"text": "${refused}"}}`,
    `[2026-07-10 14:04:01] {"event": "request.finished", "rid": "a", "out": {"text": "${refused}"}}`,
    `2:04PM DBG Prompt (after templating): ${refused}`,
  ])('holds the words of a user: %s', async (line) => {
    expect((await verdictOf(line)).plane).not.toBe('gpu');
  });
});

describe('what TensorRT-LLM explains as memory of the GPU', () => {
  const explains = [
    'RuntimeError: Executor creation failed due to insufficient GPU memory.',
    'The following component could not be created: KV cache',
  ].join('\n');
  const refused = (call: string) =>
    `RuntimeError: [TensorRT-LLM][ERROR] CUDA runtime error in ::${call}: out of memory`;

  it('is RAM where a call for page-locked memory was refused', async () => {
    const log = [refused('cudaHostAlloc(ptr, n, cudaHostAllocDefault)'), ...Array(20).fill('    x()'), explains].join(
      '\n',
    );

    expect((await verdictOf(log)).plane).toBe('host');
    expect((await verdictOf(explains)).plane).toBe('gpu');
  });
});
