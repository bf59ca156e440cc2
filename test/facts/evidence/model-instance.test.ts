import { describe, expect, it } from 'vitest';
import { diagnoseFiles } from '../incident.ts';

const OLLAMA = [
  'time=2026-07-10T10:00:00.100Z level=INFO source=routes.go:1384 msg="Listening on [::]:11434 (version 0.11.4)"',
];
const NO_RAM =
  'time=2026-07-10T10:05:00.000Z level=INFO source=server.go:1200 msg="llm load error: model requires more system memory (42.1 GiB) than is available (28.0 GiB)"';
const NO_VRAM =
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 11012.50 MiB on device 0: cudaMalloc failed: out of memory';
const CRASHED = 'SIGABRT: abort';
const LOADED =
  'time=2026-07-10T10:11:00.000Z level=INFO source=server.go:637 msg="llama runner started in 3.02 seconds"';
const NOT_LOADED =
  'time=2026-07-10T10:05:01.000Z level=ERROR source=sched.go:470 msg="error loading llama server" error="llama runner process has terminated: cudaMalloc failed: out of memory"';
const ANSWERED = '[GIN] 2026/07/10 - 10:15:00 | 200 |  2.1s |  10.0.0.1 | POST     "/api/chat"';
const FAULT = 'CUDA error: an illegal memory access was encountered';
const KILLED =
  'time=2026-07-10T14:20:00.000Z level=ERROR source=server.go:457 msg="llama runner terminated" error="signal: killed"';
const BUSY =
  'time=2026-07-10T12:20:00.000Z level=ERROR source=routes.go:1 msg="server busy, please try again.  maximum pending requests exceeded"';

const TRITON_UP = 'I0710 10:00:40.200000 1 http_server.cc:4755] "Started HTTPService at 0.0.0.0:8000"';
const OVER_LIMIT = `E0710 10:00:02.300000 1 model_lifecycle.cc:654] "failed to load 'ranker' version 1: Internal: memory limit set for GPU 0 has exceeded, model loading is rejected."`;
const POLL = `E0710 11:00:02.300000 1 model_repository_manager.cc:1460] "Poll failed for model directory 'tmp_upload': Invalid model name"`;
const NO_REGION = `E0710 11:00:02.300000 1 http_server.cc:3500] "[request id: <id_unknown>] Unable to find shared memory region: 'in0'"`;
const STUB = `E0710 14:20:30.000000 1 pb_stub.cc:721] "Failed to process the request(s) for model 'llm_0_0', message: Stub process 'llm_0_0' is not healthy."`;

const INSTANCE = '[40001] llama_model_load: error loading model: unable to allocate CUDA0 buffer';
const ANSWERS = 'srv  log_server_r: request: POST /v1/chat/completions 10.0.0.4 200';

const TGI_UP = '2026-07-10T10:00:51.000000Z  INFO text_generation_router::server: router/src/server.rs:2402: Connected';
const TGI_REFUSED =
  '2026-07-10T11:00:00.000000Z ERROR generate{}: text_generation_router::server: Input validation error: `inputs` must have less than 4096 tokens. Given: 9000';
const TGI_SHARD = (signal: number) =>
  `2026-07-10T14:20:00.000000Z ERROR text_generation_launcher: Shard process was signaled to shutdown with signal ${signal} rank=0`;

async function found(lines: readonly string[], exitCode?: number, log = 'previous.log') {
  const end = `Containers:\n  engine:\n    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    ${exitCode}\n`;
  const files = { [log]: `${lines.join('\n')}\n`, ...(exitCode === undefined ? {} : { 'describe.txt': end }) };
  return diagnoseFiles(files);
}

describe('a model that failed, of a server that went on', () => {
  it.each([
    ['a fault of the GPU', [...OLLAMA, NO_RAM, LOADED, FAULT], 'none'],
    ['a fault of the GPU, after the card had been full', [...OLLAMA, NO_VRAM, CRASHED, LOADED, FAULT], 'none'],
    ['a kill', [...OLLAMA, NO_VRAM, CRASHED, LOADED, KILLED], 'host'],
    ['a stub that is gone', [OVER_LIMIT, TRITON_UP, STUB], 'host'],
  ])('yields to %s', async (_, lines, plane) => {
    expect((await found(lines)).facts.get('evidence.plane')).not.toMatchObject({ value: 'gpu' });
    expect((await found(lines)).diagnosis.verdict.plane).toBe(plane);
  });

  it.each([
    [[...OLLAMA, NO_RAM, LOADED]],
    [[...OLLAMA, NO_VRAM, LOADED]],
    [[OVER_LIMIT, TRITON_UP]],
    [[TRITON_UP, POLL]],
  ])('is no proof where the container ended later: %s', async (lines) => {
    expect((await found(lines, 137)).diagnosis.verdict.certain).toBe(false);
  });

  it.each([
    ['it runs on', [...OLLAMA, NO_RAM, LOADED], undefined, 'current.log', 'host'],
    ['what ended is the model itself', [...OLLAMA, NO_VRAM, CRASHED, LOADED], undefined, 'current.log', 'gpu'],
    ['it was told to stop', [...OLLAMA, NO_VRAM, LOADED], 143, 'previous.log', 'gpu'],
    ['the run before it ended', [...OLLAMA, NO_VRAM, LOADED], 137, 'current.log', 'gpu'],
  ])('is what there is to tell where %s', async (_, lines, exitCode, log, plane) => {
    expect((await found(lines, exitCode, log)).diagnosis.verdict).toMatchObject({ plane, certain: true });
  });

  it('is what there is to tell where the model does not exist', async () => {
    expect((await found([TRITON_UP, POLL], undefined, 'current.log')).diagnosis.verdict.cause).toBe('none.config');
  });

  it('leaves no time of life behind', async () => {
    expect((await found([INSTANCE, ANSWERS, 'Killed'])).diagnosis.verdict.phase).toBe('burst');

    expect((await found([...OLLAMA, NO_VRAM, NOT_LOADED, LOADED, ANSWERED, 'Killed'])).diagnosis.verdict).toMatchObject(
      { plane: 'host', phase: 'burst', causeCertain: false },
    );
  });
});

it.each([
  ['the runner', [...OLLAMA, BUSY, KILLED]],
  ['the stub', [TRITON_UP, NO_REGION, STUB]],
  ['the shard', [TGI_UP, TGI_REFUSED, TGI_SHARD(9)]],
  ['the shard by itself', [TGI_UP, TGI_REFUSED, TGI_SHARD(11)]],
])('a request that was refused is no verdict where a signal ended %s', async (_, lines) => {
  const { verdict } = (await found(lines)).diagnosis;

  expect(verdict.cause).not.toBe('none.request-rejected');
  expect(verdict.certain).toBe(false);
});
