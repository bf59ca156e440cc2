import { describe, expect, it } from 'vitest';
import { known, verdictOfFiles } from '../incident.ts';

const verdictOf = (log: string, uptime = 'startup') => verdictOfFiles({ 'previous.log': log, ...known({ uptime }) });

describe('lines of engines, drivers, runtimes and clusters that are no lack of memory', () => {
  it.each([
    [
      'none.config',
      'startup',
      "Error: llama runner process has terminated: error loading model: error loading model architecture: unknown model architecture: 'gptoss'",
    ],
    ['none.request-rejected', 'hours', 'the input length exceeds the context length'],
  ])('%s, %s: %s', async (cause, uptime, line) => {
    expect(await verdictOf(`${line}\n`, uptime)).toMatchObject({ plane: 'none', cause });
  });
});

describe('an error with a name of memory in it', () => {
  it.each([
    ['none.config', 'AssertionError: Cannot specify both memory usage and memory reserve.'],
    [
      'none.config',
      'AssertionError: All attention layers in the same KV cache group must have the same attention spec.',
    ],
    ['none.config', 'TypeError: entrypoint_memory must be an integer, got 1.5'],
    ['none.other', 'RuntimeError: MXFP8 KV cache requires torch.float8_e8m0fnu.'],
  ])('is one of settings where nothing failed to be had, and proves none: %s, %s', async (cause, error) => {
    expect(await verdictOf(`${error}\n`)).toMatchObject({ plane: 'none', cause, certain: false });
  });

  const ended = (error: string) =>
    `Traceback (most recent call last):\n  File "/opt/e.py", line 8, in <module>\n${error}\n`;

  it('is one of settings where it refuses them', async () => {
    expect(
      await verdictOf(ended('ValueError: FlashAttention does not support fp8 kv-cache on this device.')),
    ).toMatchObject({ plane: 'none', cause: 'none.config', certain: true });
  });

  const heads = 'ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).';

  it.each([
    ['the last word of the log', heads, true],
    ['with more of its own message', `${heads}\n  see the documentation`, true],
    [
      'of files that could not be fetched',
      "OSError: We couldn't connect to 'https://huggingface.co' to load the files.",
      true,
    ],
    ['with what followed it', `${heads}\nINFO loading again with one rank`, false],
  ])('is certain where the log shows that nobody caught it: %s', async (_, log, certain) => {
    expect(await verdictOf(`${log}\n`, 'startup')).toMatchObject({ plane: 'none', certain });
  });

  it.each([
    'ValueError: the KV cache must be divisible, 4 GiB are not enough',
    'RuntimeError: failed to allocate the kv cache, not supported',
    'ValueError: max seq len must be in [1, 1024], which is larger than the KV cache',
    'RuntimeError: the KV cache failed to start',
  ])('and is not where it speaks of a shortage, or of a failure that may be one: %s', async (error) => {
    expect((await verdictOf(ended(error))).plane).not.toBe('none');
  });
});

it('a library that is tried and not found does not outweigh what ended the process', async () => {
  const log =
    'WARNING Failed to import from vllm._C: libcudart.so.12: cannot open shared object file: No such file or directory\n';

  expect((await verdictOf(`${log}RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n`)).plane).toBe('gpu');
});

describe('what is left of a log that was cut', () => {
  it.each([
    ['none.gpu-fault', 'CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace'],
    ['none.config', 'kserve ERROR [__main__.py:254] Failed to start model server: integer division or modulo by zero'],
  ])('points to %s: %s', async (cause, line) => {
    expect(await verdictOf(`${line}\n`)).toMatchObject({ plane: 'none', cause, certain: false });
  });

  it('says no more than the error itself where that is there', async () => {
    const log = `CUDA error: invalid argument
CUDA kernel errors might be asynchronously reported at some other API call.
`;

    expect((await verdictOf(log)).cause).not.toBe('none.gpu-fault');
  });

  it('is no failure where it is a warning of an orderly end', async () => {
    const log =
      '[rank0]:[W514 11:29:56.613774080 ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not called before program exit\n';

    expect((await verdictOf(log)).plane).toBe('unknown');
  });
});

describe('an error that a logger repeats behind its own head', () => {
  it.each([
    "2026-07-01 10:00:00 WARNING loader TypeError: 'x' is wrong here, trying the next",
    '2026-07-01 10:00:00 ERROR worker - RuntimeError: failed to allocate the pool',
    "ERROR worker - Ignored TypeError: 'x' is wrong here",
  ])('is not where the engine goes on, or memory may have failed: %s', async (line) => {
    expect((await verdictOf(`${line}\n`)).plane).not.toBe('none');
  });

  it('counts less than the one that ended the process', async () => {
    const log = "ERROR worker - TypeError: 'x' is wrong here\nRuntimeError: no compiler for this graph\n";

    expect(await verdictOf(log)).toMatchObject({ plane: 'none', cause: 'none.other' });
  });
});

it('the head of a line does not silence what the line says', async () => {
  const log =
    '(EngineCore_DP0 pid=114) ERROR 08-12 14:37:44 [core.py:718] the server refuses: no module named flash here\n';

  expect(await verdictOf(log)).toMatchObject({ plane: 'none', cause: 'none.config' });
});
