import type { LogLine } from '../../standins/api-server/objects/world.ts';
import { SGLANG_FRAMES, SGLANG_TEXT, sglangLine } from '../../standins/scenarios/sglang-text.ts';
import { GIB, graphBytes, kvBytesPerToken, MIB, weightBytes } from './arithmetic.ts';
import { type Moment, wait } from './engine.ts';
import { type EngineState, write } from './engine-state.ts';
import { CONTEXT_BYTES, freeOf, take } from './gpu-memory.ts';
import { processBytes, residentOf } from './host-memory.ts';
import { loadWeights } from './load-weights.ts';
import type { SecondOfWork } from './scheduler.ts';
import { openScheduler, serveSecond } from './serve.ts';

const DIED: Moment = { kind: 'exit', reason: 'Error', exitCode: 1 };
// containerd calls a container OOMKilled as soon as the kernel has killed any of its processes.
const COMPILER_KILLED: Moment = { kind: 'exit', reason: 'OOMKilled', exitCode: 1 };

/** SGLang 0.5.5: no profile run; the pool is what the static fraction leaves, and the rest has to do for graphs and steps. */
export function* sglangLife(state: EngineState): Generator<Moment, void> {
  const { gpu, settings } = state;
  const { model, ranks } = settings;
  say(state, SGLANG_TEXT.arguments(shownArguments(state)));
  state.host.processes = processBytes(settings);
  yield wait(10_000);
  gpu.context = CONTEXT_BYTES;
  state.stage = 'loading';
  const freeBefore = freeOf(gpu);
  say(state, SGLANG_TEXT.loading(freeBefore / GIB));
  const short = yield* loadWeights(state, weightBytes(model, ranks));
  if (short !== undefined) return yield* fail(state, SGLANG_FRAMES.load, short.message);
  say(state, SGLANG_TEXT.loaded(model.architecture, { free: freeOf(gpu) / GIB, used: gpu.weights / GIB }));
  const poolBytes = freeOf(gpu) - freeBefore * (1 - settings.fraction);
  const perToken = kvBytesPerToken(model, ranks, settings.kvBytes);
  const blocks = Math.floor(poolBytes / perToken / 16);
  if (blocks <= 0) return yield* fail(state, SGLANG_FRAMES.pool, SGLANG_TEXT.noPool(settings.fraction));
  const noPool = take(gpu, 'pool', { bytes: blocks * 16 * perToken, piece: 512 * MIB });
  if (noPool !== undefined) return yield* fail(state, SGLANG_FRAMES.pool, noPool.message);
  say(state, SGLANG_TEXT.pool(blocks * 16, gpu.pool / GIB / 2));
  say(state, SGLANG_TEXT.poolEnd(freeOf(gpu) / GIB));
  const isBuilt = yield* compileKernels(state);
  if (!isBuilt) return yield* fail(state, SGLANG_FRAMES.compile, SGLANG_TEXT.noCompiler, COMPILER_KILLED);
  const failed = settings.eager ? undefined : yield* capture(state);
  if (failed !== undefined) return yield* fail(state, SGLANG_FRAMES.capture, failed);
  const limits = { chunk: settings.stepTokens, running: settings.sequences, context: settings.maxModelLen };
  say(state, SGLANG_TEXT.limits(blocks * 16, { ...limits, free: freeOf(gpu) / GIB }));
  yield wait(2000);
  say(state, 'INFO:     Application startup complete.');
  say(state, SGLANG_TEXT.ready);
  openScheduler(state, blocks);
  state.stage = 'serving';
  yield* serve(state);
}

// FlashInfer compiles its kernels on first use, in as many processes as ninja starts. The kernel kills one of these: they are larger.
function* compileKernels({ host, hostLimit, settings, service }: EngineState): Generator<Moment, boolean> {
  const gib = service.faults?.compilerGib;
  if (gib === undefined) return true;
  const parts = 6;
  for (let i = 1; i <= parts; i += 1) {
    host.compilers = (settings.compileJobs * gib * GIB * i) / parts;
    if (residentOf(host) > hostLimit) {
      host.compilers = 0;
      return false;
    }
    yield wait(10_000);
  }
  host.compilers = 0;
  return true;
}

function* capture(state: EngineState): Generator<Moment, string | undefined> {
  const { gpu, settings } = state;
  state.stage = 'capturing';
  say(state, SGLANG_TEXT.capturing(freeOf(gpu) / GIB));
  // It captures at most 160 sequences by default on GPUs of this size.
  const bytes = graphBytes(settings.model, Math.min(160, settings.sequences), settings.ranks);
  const parts = 5;
  for (let i = 0; i < parts; i += 1) {
    const failed = take(gpu, 'graphs', { bytes: bytes / parts, piece: 64 * MIB });
    if (failed !== undefined) return SGLANG_TEXT.captureFailed(failed.message.replace('torch.OutOfMemoryError: ', ''));
    yield wait(2000);
  }
  say(state, SGLANG_TEXT.captured(2 * parts, { used: bytes / GIB, free: freeOf(gpu) / GIB }));
  return undefined;
}

function* serve(state: EngineState): Generator<Moment, void> {
  for (let second = 0; ; second += 1) {
    const failed = serveSecond(state);
    const work = state.lastSecond;
    if (failed !== undefined) return yield* fail(state, SGLANG_FRAMES.step, failed.message);
    if (work?.exhausted === 'batch') {
      writeLoad(state, work);
      return yield* fail(state, SGLANG_FRAMES.decode, SGLANG_TEXT.decodeFull);
    }
    if (work?.exhausted === 'only-request') {
      writeLoad(state, work);
      return yield* fail(state, SGLANG_FRAMES.retract, SGLANG_TEXT.onlyRequest);
    }
    if (second % 10 === 9 && work !== undefined) writeLoad(state, work);
    yield wait(1000);
  }
}

function writeLoad(state: EngineState, work: SecondOfWork): void {
  const { scheduler, blocks } = state;
  if (scheduler === undefined) return;
  const { running, waiting: queued, usedShare: usage } = scheduler;
  if (work.prefillTokens > 0) {
    const tokens = Math.min(state.settings.stepTokens, work.prefillTokens);
    say(state, SGLANG_TEXT.prefill(tokens, { usage, running, queued }));
  }
  const tokens = Math.round(usage * blocks * 16);
  say(state, SGLANG_TEXT.decode(running, { tokens, usage, rate: work.decodeTokens, queued }));
  if (work.finished.length > 0) say(state, SGLANG_TEXT.served);
}

// The scheduler prints its traceback without times, and the server ends with it.
function* fail(
  state: EngineState,
  frames: readonly string[],
  error: string,
  end: Moment = DIED,
): Generator<Moment, void> {
  const at = state.now;
  const lines = [
    sglangLine(at, SGLANG_TEXT.failed),
    ...frames,
    ...error.split('\n'),
    '',
    sglangLine(at, SGLANG_TEXT.childDied),
  ];
  write(
    state,
    lines.map((text, i): LogLine => ({ at: at + i, text })),
  );
  state.counts.failed += (state.scheduler?.running ?? 0) + (state.scheduler?.waiting ?? 0);
  state.scheduler = undefined;
  state.stage = 'dead';
  yield wait(2000);
  yield end;
}

function say(state: EngineState, text: string): void {
  write(state, [{ at: state.now, text: sglangLine(state.now, text) }]);
}

function shownArguments({ flags, settings }: EngineState): string {
  const shown = [...flags].map(([flag, value]) => {
    const isNumber = value !== '' && !Number.isNaN(Number(value));
    return `${flag.slice(2).replaceAll('-', '_')}=${value === 'true' ? 'True' : isNumber ? value : `'${value}'`}`;
  });
  const told = (name: string, value: unknown) =>
    shown.some((one) => one.startsWith(`${name}=`)) ? [] : [`${name}=${value}`];
  return [
    ...shown,
    ...told('mem_fraction_static', settings.fraction),
    ...told('chunked_prefill_size', settings.stepTokens),
    ...told('tp_size', settings.ranks),
  ].join(', ');
}
