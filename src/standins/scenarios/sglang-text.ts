const SOURCES = '/sgl-workspace/sglang/python/sglang/srt';

/** One line as SGLang 0.5 prints it at a time, epoch ms. */
export function sglangLine(at: number, text: string): string {
  return `[${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}] ${text}`;
}

const gb = (gib: number): string => `${gib.toFixed(2)} GB`;

/** What the lines say; memory in GiB, which it prints as GB. */
export const SGLANG_TEXT = {
  arguments: (shown: string) => `server_args=ServerArgs(${shown})`,
  loading: (free: number) => `Load weight begin. avail mem=${gb(free)}`,
  loaded: (architecture: string, { free, used }: { free: number; used: number }) =>
    `Load weight end. type=${architecture}, dtype=torch.bfloat16, avail mem=${gb(free)}, mem usage=${gb(used)}.`,
  pool: (tokens: number, half: number) =>
    `KV Cache is allocated. #tokens: ${tokens}, K size: ${gb(half)}, V size: ${gb(half)}`,
  poolEnd: (free: number) => `Memory pool end. avail mem=${gb(free)}`,
  capturing: (free: number) => `Capture cuda graph begin. This can take up to several minutes. avail mem=${gb(free)}`,
  captured: (seconds: number, { used, free }: { used: number; free: number }) =>
    `Capture cuda graph end. Time elapsed: ${seconds.toFixed(2)} s. mem usage=${gb(used)}. avail mem=${gb(free)}.`,
  limits: (pool: number, shown: { chunk: number; running: number; context: number; free: number }) =>
    `max_total_num_tokens=${pool}, chunked_prefill_size=${shown.chunk}, max_prefill_tokens=16384, max_running_requests=${shown.running}, context_len=${shown.context}, available_gpu_mem=${gb(shown.free)}`,
  ready: 'The server is fired up and ready to roll!',
  served: 'INFO:     10.0.0.9:41522 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
  prefill: (tokens: number, { usage, running, queued }: { usage: number; running: number; queued: number }) =>
    `Prefill batch. #new-seq: 1, #new-token: ${tokens}, #cached-token: 0, token usage: ${usage.toFixed(2)}, #running-req: ${running}, #queue-req: ${queued}`,
  decode: (running: number, shown: { tokens: number; usage: number; rate: number; queued: number }) =>
    `Decode batch. #running-req: ${running}, #token: ${shown.tokens}, token usage: ${shown.usage.toFixed(2)}, cuda graph: True, gen throughput (token/s): ${shown.rate.toFixed(2)}, #queue-req: ${shown.queued}`,
  noPool: (fraction: number) =>
    `RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: self.server_args.mem_fraction_static=${fraction}`,
  captureFailed: (why: string) =>
    `Exception: Capture cuda graph failed: ${why}\nPossible solutions:\n1. set --mem-fraction-static to a smaller value (e.g., 0.8 or 0.7)\n2. set --cuda-graph-max-bs to a smaller value (e.g., 16)\n3. disable torch compile by not using --enable-torch-compile\n4. disable CUDA graph by --disable-cuda-graph. (Not recommended. Huge performance loss)\nOpen an issue on GitHub https://github.com/sgl-project/sglang/issues/new/choose`,
  decodeFull: 'RuntimeError: Decode out of memory. Try to lower your batch size.',
  onlyRequest: 'AssertionError: No space left for only one request, self.token_to_kv_pool_allocator.available_size()=0',
  noCompiler:
    'RuntimeError: Ninja build failed. Ninja output:\n[3/14] /usr/local/cuda/bin/nvcc -c batch_prefill_paged_kernel_mask_0.cu -o batch_prefill_paged_kernel_mask_0.cuda.o\nFAILED: [code=137] batch_prefill_paged_kernel_mask_0.cuda.o \nKilled\nninja: build stopped: subcommand failed.',
  failed: 'Scheduler hit an exception: Traceback (most recent call last):',
  childDied: 'Received sigquit from a child process. It usually means the child failed.',
} as const;

const frame = (file: string, line: number, name: string): string =>
  `  File "${SOURCES}/${file}", line ${line}, in ${name}`;
const ROOT = frame('managers/scheduler.py', 2721, 'run_scheduler_process');

/** The frames above a failure, outermost first. */
export const SGLANG_FRAMES = {
  load: [ROOT, '    scheduler = Scheduler(', frame('model_executor/model_runner.py', 512, 'load_model')],
  pool: [ROOT, '    scheduler = Scheduler(', frame('model_executor/model_runner.py', 1460, 'init_memory_pool')],
  compile: [
    ROOT,
    '    scheduler = Scheduler(',
    frame('model_executor/model_runner.py', 1702, 'init_attention_backend'),
    '  File "/usr/local/lib/python3.12/dist-packages/flashinfer/jit/core.py", line 262, in build_and_load',
    '  File "/usr/local/lib/python3.12/dist-packages/flashinfer/jit/cpp_ext.py", line 308, in run_ninja',
  ],
  capture: [ROOT, '    scheduler = Scheduler(', frame('model_executor/cuda_graph_runner.py', 382, '__init__')],
  step: [
    ROOT,
    '    scheduler.event_loop_overlap()',
    frame('managers/scheduler.py', 769, 'event_loop_overlap'),
    frame('model_executor/model_runner.py', 1890, 'forward_extend'),
  ],
  decode: [
    ROOT,
    '    scheduler.event_loop_overlap()',
    frame('managers/schedule_batch.py', 1402, 'prepare_for_decode'),
    frame('mem_cache/common.py', 210, 'alloc_token_slots'),
  ],
  retract: [
    ROOT,
    '    scheduler.event_loop_overlap()',
    frame('managers/scheduler.py', 1454, 'update_running_batch'),
    frame('managers/schedule_batch.py', 1302, 'retract_decode'),
    '    assert (',
  ],
} as const;
