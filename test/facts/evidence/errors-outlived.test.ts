import { describe, expect, it } from 'vitest';
import { known, logged, verdictOfFiles } from '../incident.ts';

const BANNER = 'INFO 09-14 10:00:01 [api_server.py:1896] vLLM API server version 0.10.2';
const READY = 'INFO:     Application startup complete.';
const stats = (rate: string) =>
  `INFO 09-14 13:40:08 [loggers.py:127] Engine 000: Avg prompt throughput: 812.4 tokens/s, Avg generation throughput: ${rate} tokens/s, Running: 12 reqs, Waiting: 0 reqs, GPU KV cache usage: 20.0%, Prefix cache hit rate: 22.0%`;
const SERVES = stats('301.9');
const REFUSED =
  "ERROR 09-14 12:00:00 [serving_chat.py:262] ValueError: This model's maximum context length is 8192 tokens.";
const PLACED =
  "INFO 09-14 10:00:22 [ray_utils.py:235] Waiting for creating a placement group of specs for 10 seconds. specs=[{'GPU': 1.0}].";
const DIED = [
  'ERROR 09-14 18:30:00 [core.py:710] EngineCore encountered a fatal error.',
  'ERROR 09-14 18:30:00 [core.py:710] ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.',
  'ERROR 09-14 18:30:00 [core.py:710] The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file.',
];
const OOM = [
  'ERROR 09-14 18:30:00 [core.py:710] EngineCore encountered a fatal error.',
  'ERROR 09-14 18:30:00 [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.12 GiB is free.',
];

const IN_PASSING = [
  PLACED,
  'WARNING 09-14 12:00:00 [nixl_connector.py:1300] Releasing expired KV blocks for request cmpl-12 which were retrieved by 0 decode worker(s) within 480 seconds.',
  'vllm-0:212:300 [0] transport/nvls.cc:254 NCCL WARN Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401',
  'WARNING 09-14 10:00:22 [cuda.py:400] pynvml.NVMLError_NotSupported: Not Supported',
  'E0914 10:01:20.120000 212 torch/_inductor/select_algorithm.py:2431] [0/0] CUDA error: misaligned address',
];

async function verdictOf(lines: readonly string[], exitCode?: number) {
  const end = `Containers:\n  vllm:\n    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    ${exitCode}\n`;
  const files = {
    ...logged(...lines),
    ...known({ engine: 'vllm', uptime: 'hours' }),
    ...(exitCode === undefined ? {} : { 'describe.txt': end }),
  };
  return verdictOfFiles(files);
}

describe('a line of something else than memory, of an engine that served for hours after it', () => {
  it.each(IN_PASSING)('is no verdict where nothing ended: %s', async (line) => {
    expect(await verdictOf([BANNER, line, READY, SERVES])).toMatchObject({ certain: false });
  });

  it.each([...IN_PASSING, REFUSED])('leaves signal 9 its say: %s', async (line) => {
    expect(await verdictOf([BANNER, line, READY, SERVES], 137)).toMatchObject({ plane: 'host', certain: false });
  });

  it.each([...IN_PASSING, REFUSED])('leaves the word of the shell its say: %s', async (line) => {
    expect(await verdictOf([BANNER, line, READY, SERVES, 'Killed'])).toMatchObject({ plane: 'host' });
  });

  it.each([PLACED, REFUSED])('does not decide what an actor died of: %s', async (line) => {
    expect(await verdictOf([BANNER, line, READY, SERVES, ...DIED])).toMatchObject({ certain: false });
  });

  it.each([
    ['nobody was answered below it', [BANNER, PLACED]],
    ['what is written below it shows nothing generated', [BANNER, READY, SERVES, PLACED, stats('0.0')]],
    [
      'the engine died of it',
      [BANNER, READY, SERVES, 'CUDA error: an illegal memory access was encountered', ...DIED, SERVES],
    ],
  ])('decides where %s', async (_, lines) => {
    expect(await verdictOf(lines)).toMatchObject({ plane: 'none', certain: true });
  });
});

describe('a request that was refused', () => {
  it.each([
    ['the engine runs on', [BANNER, READY, REFUSED, SERVES], undefined],
    ['the program ended on it', [BANNER, REFUSED], 1],
  ])('is what there is to tell where %s', async (_, lines, exitCode) => {
    expect(await verdictOf(lines, exitCode)).toMatchObject({ cause: 'none.request-rejected', certain: true });
  });

  it.each([
    ['signal 9 ended it at once', [BANNER, READY, REFUSED], 137],
    ['the process ended later', [BANNER, READY, REFUSED, SERVES], 1],
    ['the run above it ran out of memory', [BANNER, READY, SERVES, ...OOM, BANNER, READY, REFUSED, SERVES], undefined],
    [
      'the pod above it in the paste did',
      ['==> vllm-0.log <==', BANNER, READY, ...OOM, '==> vllm-1.log <==', BANNER, READY, REFUSED],
      undefined,
    ],
  ])('is not where %s', async (_, lines, exitCode) => {
    const { cause, certain } = await verdictOf(lines, exitCode);

    expect({ cause, certain }).not.toMatchObject({ cause: 'none.request-rejected', certain: true });
  });
});
