import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, logged, valueOfFact } from '../incident.ts';

const diagnosed = (files: Files, uptime = 'startup') => diagnoseFiles({ ...files, ...known({ uptime }) });

const factOf = async (id: string, ...given: Parameters<typeof diagnosed>) =>
  valueOfFact((await diagnosed(...given)).facts, id);

const OOM = 'RuntimeError: CUDA out of memory.';
const frame = (name: string, file = 'engine/some_new_engine.py') => `  File "/opt/${file}", line 12, in ${name}`;

describe('frames of an engine that no signature knows', () => {
  it.each([
    ['_capture_generation_graphs', 'gpu.startup.graph-capture'],
    ['run_warmup', 'gpu.startup.profiling'],
    ['load_weights', 'gpu.startup.weights'],
  ])('%s names the stage', async (name, cause) => {
    const log = logged('Traceback (most recent call last):', frame(name), OOM);

    expect((await diagnosed(log)).diagnosis.verdict).toMatchObject({ plane: 'gpu', cause });
  });

  it('a start outweighs the forward pass inside it', async () => {
    const log = `Traceback (most recent call last):\n${frame('run_warmup')}\n${frame('forward')}\n${OOM}\n`;
    expect((await diagnosed({ 'previous.log': log })).facts.get('log.stage')).toMatchObject({
      value: 'profile',
      from: [{ line: 2 }],
    });
  });

  it('says nothing of names that speak of no stage', async () => {
    expect(await factOf('log.stage', { 'previous.log': `${frame('main')}\n${OOM}\n` })).toBe('nothing');
  });
});

it('what a metrics endpoint says of its own series is no remark in a folder made by hand', async () => {
  const { facts } = await diagnosed({
    ...logged('Loading model weights took 12.5 GB'),
    'metrics.txt': '# HELP node_vmstat_oom_kill killed by the OOM killer\n# TYPE node_vmstat_oom_kill counter\n',
  });

  expect(facts.get('guess.plane')).toMatchObject({ value: 'nothing' });
});

const loads = frame('load_weights', 'engine/model_loader.py');

const guess =
  "ValueError: TP rank 2 could finish the model loading, but there are other ranks that didn't finish loading. It is likely due to unexpected failures (e.g., OOM) or a slow node.";

it.each([
  ['tells nothing, nor do its frames', guess, { plane: 'unknown', phase: 'startup' }],
  ['is none that speaks for itself', OOM, { plane: 'gpu' }],
])('an error that guesses what something else died of: %s', async (_, line, verdict) => {
  const log = logged('Traceback (most recent call last):', loads, line);

  expect((await diagnosed(log)).diagnosis.verdict).toMatchObject(verdict);
});

describe('a refusal after which the engine asks for less', () => {
  const refused =
    'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 51748.72 MiB on device 1: cudaMalloc failed: out of memory';
  const again = 'sched_reserve: compute buffer allocation failed, retrying without pipeline parallelism';
  const goesOn = 'srv    load_model: initializing, n_slots = 1';

  it.each([
    ['none', [refused, again, goesOn]],
    ['gpu', [refused, again]],
    ['gpu', [refused, again, refused, goesOn]],
    ['gpu', [refused, goesOn]],
  ])('is %s', async (plane, lines) => {
    expect((await diagnosed(logged(...lines))).diagnosis.verdict).toMatchObject({ plane });
  });
});

const oom =
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 2012.50 MiB on device 0: cudaMalloc failed: out of memory';
const says = (msg: string) => `time=2026-07-10T10:05:02.000Z level=WARN source=sched.go:650 msg="${msg}"`;
const started = says('llama-server started in 9.02 seconds');

it('an Ollama that asks for less and serves but by one that nothing answers', async () => {
  const again = says('llama-server load failed; reducing automatic context and retrying once');

  expect((await diagnosed(logged(oom, again, oom, started))).diagnosis.verdict.plane).toBe('gpu');
});

describe('a warning of SGLang', () => {
  const ends = (lines: readonly string[]) => diagnosed(logged(...lines));
  const UNBALANCED =
    'The memory capacity is unbalanced. Some GPUs may be occupied by other processes. pre_model_load_memory=68.2, local_gpu_memory=78.6';

  it('that the cards differ decides nothing, and its error does', async () => {
    const warned = await ends([
      `[2026-07-10 10:00:24 TP0] ${UNBALANCED}`,
      'CUDA error: an illegal memory access was encountered',
    ]);
    const raised = await ends([`RuntimeError: ${UNBALANCED}`]);

    expect(warned.diagnosis.verdict).toMatchObject({ cause: 'none.gpu-fault', certain: true });
    expect(raised.diagnosis.verdict).toMatchObject({ plane: 'gpu', cause: 'gpu.startup.shared-gpu' });
  });

  it('that a step hangs leaves open why, though the engine then kills itself', async () => {
    const hung = '[2026-07-10 14:05:02 TP0] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)';
    expect((await ends([hung, 'Killed'])).diagnosis.verdict).toMatchObject({ cause: 'none.comm', certain: false });
  });

  it('that only logs a step that hangs does not hide a kill', async () => {
    const soft = '[2026-07-10 14:05:02] TokenizerManager watchdog timeout (self.watchdog_timeout=300, self.soft=True)';
    expect((await ends([soft, 'Killed'])).diagnosis.verdict).toMatchObject({ plane: 'host' });
  });
});

describe('a warning that is outlived', () => {
  const LOCK = 'warning: failed to mlock 245760-byte buffer (after previously locking 0 bytes): Cannot allocate memory';

  it('is a limit of the user where it stands alone', async () => {
    expect((await diagnosed(logged(LOCK))).diagnosis.verdict).toMatchObject({
      plane: 'none',
      cause: 'none.config',
      certain: false,
    });
  });

  it('stands back behind a hint of what came later', async () => {
    const hint = 'current allocated size is greater than the recommended max working set size';
    expect((await diagnosed({ 'previous.log': `${LOCK}\n${hint}\n` })).facts.get('log.hint-plane')).toMatchObject({
      value: 'gpu',
      from: [{ line: 2 }],
    });
  });
});

it.each([
  ['engine 3 could not allocate its VRAM slab', 'gpu'],
  ['worker 2: host memory exhausted', 'host'],
  ['the pod ran out of RAM again', 'host'],
  ['Tensor parallel size (16) exceeds available GPUs (8)', 'nothing'],
])('plain words: %s -> %s', async (line, plane) => {
  expect(await factOf('guess.words-plane', logged(line))).toBe(plane);
});

it.each([
  'Docker reports OOMKilled=false',
  'ExitCode 132\nOOMKilled false\nPaused false',
  '| OOMKilled        | false |',
])('is not OOMKilled: %s', async (text) => {
  expect(await factOf('death.oom-killed', { 'describe.txt': `${text}\n` })).not.toBe(true);
});

it('a request that is larger than the card is a shape of the profile run', async () => {
  const line =
    'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 256.00 GiB. GPU 0 has a total capacity of 31.98 GiB of which 21.21 GiB is free.';
  expect((await diagnosed(logged(line))).diagnosis.verdict.cause).toBe('gpu.startup.profiling');
});

it('a line beside the allocator’s own that names a cause gives the cause', async () => {
  const log = [
    'llama runner process has terminated: cudaMalloc failed: out of memory',
    'ggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size 838447104',
  ];
  expect((await diagnosed(logged(...log))).diagnosis.verdict.cause).toBe('gpu.startup.profiling');
});
