import type { LogLine } from '../api-server/objects/world.ts';
import { VLLM_FRAMES, VLLM_TEXT, type VllmWriter, vllmBare, vllmPlain, vllmRecord } from './vllm-text.ts';

/** Lines of a log in the forms of vLLM 0.11 (V1 engine), one after the other from `at` (epoch ms), `stepMs` apart. */
export function vllmLines(at: number, texts: readonly string[], stepMs = 20): LogLine[] {
  return texts.map((text, i) => ({ at: at + i * stepMs, text }));
}

type StartOptions = { readonly maxModelLen?: number };
type Timed = readonly (readonly [afterMs: number, who: VllmWriter, text: string])[];

/** Records at their times after `at`, epoch ms. */
export function vllmRecords(at: number, records: Timed): LogLine[] {
  return records.map(([after, who, text]) => ({ at: at + after, text: vllmRecord(at + after, who, text) }));
}

/** A start up to the point where it serves. Ends 90 s after `at`. */
export function vllmStart(at: number): LogLine[] {
  return [...vllmLoad(at), ...vllmReady(at + 45_000)];
}

/** A start as far as the weights are loaded. Ends 40 s after `at`. */
export function vllmLoad(at: number, { maxModelLen = 32_768 }: StartOptions = {}): LogLine[] {
  const model = 'meta-llama/Llama-3.1-8B-Instruct';
  const args = `{'model': '${model}', 'max_model_len': ${maxModelLen}, 'gpu_memory_utilization': 0.92}`;
  return vllmRecords(at, [
    [0, 'api', VLLM_TEXT.version()],
    [50, 'api', VLLM_TEXT.arguments(args)],
    [6_000, 'api', VLLM_TEXT.architecture('LlamaForCausalLM')],
    [6_100, 'api', VLLM_TEXT.length(maxModelLen)],
    [6_300, 'api', VLLM_TEXT.stepTokens(8192)],
    [12_000, 'core', VLLM_TEXT.waiting],
    [12_100, 'core', VLLM_TEXT.core(model)],
    [15_000, 'core', VLLM_TEXT.loading(model)],
    [39_000, 'core', VLLM_TEXT.read(21.94)],
    [39_400, 'core', VLLM_TEXT.loaded(14.9889, 22.9)],
  ]);
}

function vllmReady(at: number): LogLine[] {
  return [
    ...vllmRecords(at, [
      [0, 'core', VLLM_TEXT.available(54.21)],
      [200, 'core', VLLM_TEXT.pool(444_080)],
      [210, 'core', VLLM_TEXT.concurrency(32_768, 13.55)],
      [20_000, 'core', VLLM_TEXT.captured(18, 0.62)],
      [21_000, 'core', VLLM_TEXT.started(45.02)],
      [30_000, 'api', VLLM_TEXT.listening],
    ]),
    ...vllmLines(at + 31_000, [vllmPlain('Started server process [1]'), vllmPlain('Application startup complete.')]),
  ];
}

type ServeOptions = {
  readonly until: number;
  readonly running?: number;
  readonly kv?: string;
};

/** Requests and the loggers' lines from `at` to `until`. */
export function* vllmServe(at: number, { until, running = 4, kv = '31.7' }: ServeOptions): Generator<LogLine> {
  for (let time = at; time < until; time += 10_000) {
    yield { at: time, text: vllmPlain('10.0.0.9:41522 - "POST /v1/chat/completions HTTP/1.1" 200 OK') };
    const load = `Running: ${running} reqs, Waiting: 0 reqs, GPU KV cache usage: ${kv}%, Prefix cache hit rate: 12.4%`;
    const rates = 'Avg prompt throughput: 812.4 tokens/s, Avg generation throughput: 140.1 tokens/s';
    yield { at: time + 5, text: vllmRecord(time + 5, 'api', VLLM_TEXT.load(`${rates}, ${load}`)) };
  }
}

/** What an API server whose engine core is dead prints from `at` to `until`: probes that succeed, requests that fail. */
export function vllmDead(at: number, until: number): LogLine[] {
  const lines: LogLine[] = [];
  for (let time = at + 10_000; time < until; time += 10_000) {
    lines.push(
      { at: time, text: vllmPlain('10.0.0.9:41522 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error') },
      { at: time + 5, text: vllmPlain('10.0.0.1:50112 - "GET /health HTTP/1.1" 200 OK') },
    );
  }
  return lines;
}

/** A failure of the engine core as it is logged: while it serves, or at the start, with what the API server makes of it. */
export function vllmFailure(
  at: number,
  {
    frames,
    error,
    serving,
    exits = true,
  }: {
    readonly frames: readonly string[];
    readonly error: string;
    readonly serving: boolean;
    /** The API server ends with the engine core. */
    readonly exits?: boolean;
  },
): LogLine[] {
  const core = (text: string) => vllmRecord(at, 'core', `[core.py:${serving ? 710 : 708}] ${text}`, 'ERROR');
  return vllmLines(at, [
    core(serving ? 'EngineCore encountered a fatal error.' : 'EngineCore failed to start.'),
    core('Traceback (most recent call last):'),
    ...frames.map(core),
    core(error),
    ...(serving
      ? [vllmRecord(at, 'api', VLLM_TEXT.handlerFailed, 'ERROR'), vllmRecord(at, 'api', VLLM_TEXT.engineDead, 'ERROR')]
      : [vllmBare('Traceback (most recent call last):'), vllmBare(VLLM_TEXT.startFailed)]),
    ...(exits && serving ? [vllmPlain('Shutting down'), vllmPlain('Finished server process [1]')] : []),
  ]);
}

/** The failure of an allocation while a batch runs, as the engine core prints it, and what the API server makes of it. */
export function vllmCudaOom(at: number, { exits = true }: { readonly exits?: boolean } = {}): LogLine[] {
  const error =
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.06 GiB is free. Including non-PyTorch memory, this process has 78.18 GiB memory in use. Of the allocated memory 74.90 GiB is allocated by PyTorch, with 1.20 GiB allocated in private pools (e.g., CUDA Graphs), and 1.61 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)';
  return vllmFailure(at, { frames: VLLM_FRAMES.step, error, serving: true, exits });
}

/** The failure of an allocation while the memory for a step is measured at the start. */
export function vllmLoadOom(at: number): LogLine[] {
  const error =
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.02 GiB is free.';
  return vllmFailure(at, { frames: VLLM_FRAMES.profile, error, serving: false });
}

/** The refusal to start where one sequence of the maximum length does not fit. */
export function vllmKvRoom(at: number, maxModelLen = 131_072): LogLine[] {
  const error = VLLM_TEXT.shortOfPool(maxModelLen, { needed: 16, available: 3.18, estimate: 26_048 });
  return [
    ...vllmRecords(at, [[0, 'core', VLLM_TEXT.available(3.18)]]),
    ...vllmFailure(at, { frames: VLLM_FRAMES.pool, error, serving: false }),
  ];
}
