import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known } from '../incident.ts';

const diagnosed = (files: Files, uptime = 'startup') => diagnoseFiles({ ...files, ...known({ uptime }) });

const verdictOf = async (log: string, uptime?: string) =>
  (await diagnosed({ 'previous.log': log }, uptime)).diagnosis.verdict;

describe('what looks like memory and is something else', () => {
  it('a size that no device has was computed wrong', async () => {
    const log =
      'Error: CUDA out of memory. Tried to allocate more than 1EB memory\nRuntimeError: Storage size calculation overflowed with sizes=[4703721924520770560]\n';

    expect(await verdictOf(log)).toMatchObject({ plane: 'none', cause: 'none.other' });
  });

  it.each([
    ['VLLM::EngineCor[21190]', { plane: 'none', cause: 'none.other', certain: false }],
    ['gnome-shell[2210]', { plane: 'unknown' }],
  ])('the kernel tells of an end without a lack, or of another program of the node: %s', async (program, verdict) => {
    const fault = 'segfault at 0 ip 00007f1c sp 00007f1a error 4 in libc.so.6[7f1c9ea36000+195000]';
    const files = { 'previous.log': 'INFO engine starts\n', 'kernel.txt': `[1234.5] ${program}: ${fault}\n` };

    expect((await diagnosed(files)).diagnosis.verdict).toMatchObject(verdict);
  });

  it('the reason of memory that could not be pinned proves no lack of GPU memory', async () => {
    const reason = 'ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory';
    const pinned = 'ggml_vulkan: Failed to allocate pinned memory.';

    expect(await verdictOf(`${pinned}\n${reason}\n`)).toMatchObject({ plane: 'none', certain: false });
    expect(await verdictOf(`${reason}\n`)).toMatchObject({ plane: 'gpu', certain: true });
  });

  it('llama.cpp takes ordinary memory where none could be pinned', async () => {
    const log = 'ggml_cuda_host_malloc: failed to allocate 1900.00 MiB of pinned memory: invalid argument\n';

    expect(await verdictOf(log)).toMatchObject({ plane: 'none', certain: false });
  });

  it.each([
    ['none.gpu-fault', 'Indexing.cu:12: f: block: [0,0,0], thread: [24,0,0] Assertion `srcIndex < size` failed.'],
    ['none.gpu-fault', 'RuntimeError: ACL stream synchronize failed, error code:507035'],
    ['none.driver', 'terminate: [FT][ERROR] CUDA runtime error: operation not supported /src/allocator.h:197'],
  ])('%s is proved by the sentence of the runtime, whoever prints it: %s', async (cause, line) => {
    expect(await verdictOf(`${line}\n`)).toMatchObject({ plane: 'none', cause, certain: true });
    expect((await verdictOf(`RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n${line}\n`)).plane).toBe(
      'gpu',
    );
  });

  it('a fault that somebody tells of is not proved', async () => {
    expect(await verdictOf('after a CUDA device-side assert the engine was gone\n')).toMatchObject({
      cause: 'none.gpu-fault',
      certain: false,
    });
  });
});

describe('an error that ended the process', () => {
  const traceback = (error: string) =>
    `Traceback (most recent call last):\n  File "/opt/e.py", line 8, in <module>\n${error}\n`;

  it.each([
    ['none.config', 'startup', "ModuleNotFoundError: No module named 'flash_attn'"],
    ['none.config', 'startup', 'ValueError: the architecture is not supported'],
    ['none.other', 'minutes', "AttributeError: 'NoneType' object has no attribute 'cpu'"],
  ])('is certain: %s, %s: %s', async (cause, uptime, error) => {
    expect(await verdictOf(traceback(error), uptime)).toMatchObject({ plane: 'none', cause, certain: true });
  });

  it.each([
    ['without a traceback a loader may have caught it', 'ValueError: no such file\n'],
    ['a library could not do something', traceback('RuntimeError: invalid argument')],
    [
      'the engine went on',
      `${traceback('ValueError: no such file')}INFO:     127.0.0.1:1 - "POST /v1/completions HTTP/1.1" 200 OK\n`,
    ],
    ['a line speaks of memory', `Killed\n${traceback('ValueError: no such file')}`],
  ])('is not where %s', async (_, log) => {
    expect((await verdictOf(log)).certain).toBe(false);
  });
});

describe('shared memory', () => {
  const line = (why: string) =>
    `NCCL WARN Error while creating shared memory segment /dev/shm/nccl-a (size 9637888)${why}\n`;

  it.each([
    ['its space ran out', ', error: No space left on device (28)', { cause: 'host.shm', certain: true }],
    ['no reason is given', '', { cause: 'host.shm', certain: false }],
    ['it was not allowed', ', error: Permission denied (13)', { cause: 'none.config', certain: false }],
  ])('is judged by the reason that the line gives: %s', async (_, why, verdict) => {
    expect(await verdictOf(line(why))).toMatchObject(verdict);
  });

  it('that could not be extended is full, whether or not the release prints why', async () => {
    const extended = 'NCCL WARN Error: failed to extend /dev/shm/nccl-H1dBqY to 9637892 bytes';

    expect(await verdictOf(`${extended}\n`)).toMatchObject({ cause: 'host.shm', certain: true });
    expect(await verdictOf(`${extended}, error: Operation not supported (95)\n`)).toMatchObject({ certain: false });
  });
});
