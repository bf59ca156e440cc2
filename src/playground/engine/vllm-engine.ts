import { vllmFailure, vllmLines } from '../../standins/scenarios/vllm-log.ts';
import { VLLM_FRAMES, VLLM_TEXT, type VllmWriter, vllmPlain, vllmRecord } from '../../standins/scenarios/vllm-text.ts';
import { GIB, graphBytes, kvBytesPerToken, MIB, peakOf, sizePool, stepTensors, weightBytes } from './arithmetic.ts';
import { type Moment, wait } from './engine.ts';
import { type EngineState, write } from './engine-state.ts';
import { CONTEXT_BYTES, freeOf, type OutOfMemory, runStep, take } from './gpu-memory.ts';
import { apiServerBytes, processBytes } from './host-memory.ts';
import { loadWeights } from './load-weights.ts';
import { SEGMENT_BYTES, shareMemory } from './nccl-segments.ts';
import { openScheduler, serveSecond } from './serve.ts';

const DIED: Moment = { kind: 'exit', reason: 'Error', exitCode: 1 };

/** vLLM 0.11.0 with its V1 engine: the steps of its startup, each of which may fail as the real one does, and then service. */
export function* vllmLife(state: EngineState): Generator<Moment, void> {
  yield* startServer(state);
  do {
    const failed = yield* startCore(state);
    if (failed) return;
  } while (yield* serve(state));
}

function* startServer(state: EngineState): Generator<Moment, void> {
  const { settings } = state;
  say(state, 'api', VLLM_TEXT.version(state.service.version));
  say(state, 'api', VLLM_TEXT.arguments(shownArguments(state)));
  state.host.processes = apiServerBytes(settings);
  yield wait(6000);
  say(state, 'api', VLLM_TEXT.architecture(settings.model.architecture));
  say(state, 'api', VLLM_TEXT.length(settings.maxModelLen));
  say(state, 'api', VLLM_TEXT.stepTokens(settings.stepTokens));
}

function* startCore(state: EngineState): Generator<Moment, boolean> {
  const { gpu, settings } = state;
  const { model, modelName } = settings;
  const share = settings.fraction;
  state.host.processes += processBytes(settings) - apiServerBytes(settings);
  yield wait(6000);
  const shown = `, max_seq_len=${settings.maxModelLen}, tensor_parallel_size=${settings.ranks}`;
  say(state, 'core', VLLM_TEXT.core(modelName, shown, state.service.version));
  const noSpace = settings.ranks > 1 ? shareMemory(state) : undefined;
  if (noSpace !== undefined) {
    writeWorkerFailure(state, noSpace);
    yield* fail(state, VLLM_FRAMES.workers, VLLM_TEXT.workersFailed);
    return true;
  }
  const freeAtStart = freeOf(gpu);
  const requested = gpu.total * share;
  if (freeAtStart < requested) {
    const figures = { share, wanted: requested / GIB };
    yield* fail(state, VLLM_FRAMES.device, VLLM_TEXT.shortOfFraction(freeAtStart / GIB, gpu.total / GIB, figures));
    return true;
  }
  gpu.context = CONTEXT_BYTES;
  yield wait(3000);
  say(state, 'core', VLLM_TEXT.loading(modelName));
  state.stage = 'loading';
  const began = state.now;
  const short = yield* loadWeights(state, weightBytes(model, settings.ranks));
  if (short !== undefined) {
    yield* fail(state, VLLM_FRAMES.load, short.message);
    return true;
  }
  const seconds = (state.now - began) / 1000;
  say(state, 'core', VLLM_TEXT.read(seconds * 0.95));
  say(state, 'core', VLLM_TEXT.loaded(gpu.weights / GIB, seconds));
  return yield* profile(state, requested);
}

function writeWorkerFailure(state: EngineState, path: string): void {
  write(state, [{ at: state.now, text: VLLM_TEXT.ncclNoSpace(path, SEGMENT_BYTES) }]);
  const lines = [
    VLLM_TEXT.workerFailed,
    'Traceback (most recent call last):',
    ...VLLM_FRAMES.nccl,
    VLLM_TEXT.ncclFailed,
  ];
  for (const line of lines) say(state, 'worker', line, 'ERROR');
  // The files go with the processes.
  state.host.shared = 0;
}

function* profile(state: EngineState, requested: number): Generator<Moment, boolean> {
  const { gpu, settings } = state;
  const { model, ranks } = settings;
  state.stage = 'profiling';
  const started = state.now;
  yield wait(6000);
  const profiled = stepTensors(model, { tokens: settings.stepTokens, logitsRows: 0 }, ranks);
  const sampler = stepTensors(model, { tokens: 0, logitsRows: settings.sequences }, ranks);
  const short = runStep(gpu, profiled);
  if (short !== undefined) {
    yield* fail(state, VLLM_FRAMES.profile, short.message);
    return true;
  }
  if (runStep(gpu, sampler) !== undefined) {
    yield* fail(state, VLLM_FRAMES.sampler, VLLM_TEXT.samplerWarmup(settings.sequences));
    return true;
  }
  const peak = Math.max(peakOf(profiled), peakOf(sampler));
  const availableBytes = requested - gpu.context - gpu.weights - peak;
  const bytesPerToken = kvBytesPerToken(model, ranks, settings.kvBytes);
  const pool = sizePool({ availableBytes, bytesPerToken, maxModelLen: settings.maxModelLen });
  say(state, 'core', VLLM_TEXT.available(availableBytes / GIB));
  if (availableBytes <= 0 || pool.blocks === 0) {
    yield* fail(state, VLLM_FRAMES.pool, VLLM_TEXT.noPool);
    return true;
  }
  if (pool.neededBytes > availableBytes) {
    const figures = {
      needed: pool.neededBytes / GIB,
      available: availableBytes / GIB,
      estimate: pool.estimatedLength,
    };
    yield* fail(state, VLLM_FRAMES.pool, VLLM_TEXT.shortOfPool(settings.maxModelLen, figures));
    return true;
  }
  const noPool = take(gpu, 'pool', { bytes: availableBytes, piece: 512 * MIB });
  if (noPool !== undefined) {
    yield* fail(state, VLLM_FRAMES.profile, noPool.message);
    return true;
  }
  state.host.pinned += settings.pinnedKvGib * GIB;
  say(state, 'core', VLLM_TEXT.pool(pool.tokens));
  say(state, 'core', VLLM_TEXT.concurrency(settings.maxModelLen, pool.concurrency));
  const failed = settings.eager ? undefined : yield* capture(state);
  if (failed !== undefined) {
    yield* fail(state, VLLM_FRAMES.capture, failed.message);
    return true;
  }
  say(state, 'core', VLLM_TEXT.started((state.now - started) / 1000));
  yield wait(4000);
  say(state, 'api', VLLM_TEXT.listening);
  write(
    state,
    vllmLines(state.now, [vllmPlain('Started server process [1]'), vllmPlain('Application startup complete.')]),
  );
  openScheduler(state, pool.blocks);
  state.stage = 'serving';
  return false;
}

function* capture(state: EngineState): Generator<Moment, OutOfMemory | undefined> {
  const { gpu, settings } = state;
  const { model, ranks, sequences } = settings;
  state.stage = 'capturing';
  say(state, 'core', VLLM_TEXT.capturing);
  const bytes = graphBytes(model, sequences, ranks);
  const parts = 10;
  for (let i = 0; i < parts; i += 1) {
    const failed = take(gpu, 'graphs', { bytes: bytes / parts, piece: 26 * MIB });
    if (failed !== undefined) return failed;
    yield wait(2000);
  }
  say(state, 'core', VLLM_TEXT.captured(2 * parts, bytes / GIB));
  return undefined;
}

// True: the engine core starts once more in this container.
function* serve(state: EngineState): Generator<Moment, boolean> {
  for (let second = 0; ; second += 1) {
    const failed = serveSecond(state);
    if (failed !== undefined) return yield* endCore(state, failed);
    if (second % 10 === 9) writeLoad(state);
    yield wait(1000);
  }
}

function* endCore(state: EngineState, failed: OutOfMemory): Generator<Moment, boolean> {
  const { outlivesCore = false, reloadsCore = false } = state.service.faults ?? {};
  const { version } = state.service;
  const dumped = [VLLM_TEXT.dumpInput(version), VLLM_TEXT.dumpStep(state.lastSecond?.tokens ?? 0)];
  for (const line of dumped) say(state, 'core', line, 'ERROR');
  const exits = !outlivesCore && !reloadsCore;
  write(state, vllmFailure(state.now, { frames: framesOf(failed), error: failed.message, serving: true, exits }));
  state.stage = 'dead';
  state.counts.failed += (state.scheduler?.running ?? 0) + (state.scheduler?.waiting ?? 0);
  state.scheduler = undefined;
  Object.assign(state.gpu, { context: 0, weights: 0, pool: 0, graphs: 0, activations: 0, fragments: 0, leaked: 0 });
  if (outlivesCore) yield* answerDead(state);
  yield wait(2000);
  if (reloadsCore) return true;
  yield DIED;
  return false;
}

function framesOf({ tensor }: OutOfMemory): readonly string[] {
  if (tensor === 'logits') return VLLM_FRAMES.stepLogits;
  return tensor === 'image' ? VLLM_FRAMES.stepImage : VLLM_FRAMES.step;
}

// Probes succeed, requests fail.
function* answerDead(state: EngineState): Generator<Moment, void> {
  for (;;) {
    yield wait(10_000);
    const asked = state.inbox.splice(0).length;
    state.counts.failed += asked;
    const failed = vllmPlain('10.0.0.9:41522 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error');
    const probed = vllmPlain('10.0.0.1:50112 - "GET /health HTTP/1.1" 200 OK');
    write(state, vllmLines(state.now, asked > 0 ? [failed, probed] : [probed]));
  }
}

function writeLoad(state: EngineState): void {
  const { scheduler, lastSecond: work } = state;
  if (scheduler === undefined || work === undefined) return;
  const hitRate = scheduler.lookedUp === 0 ? 0 : (100 * scheduler.hits) / scheduler.lookedUp;
  const figures = [
    `Avg prompt throughput: ${work.prefillTokens.toFixed(1)} tokens/s`,
    `Avg generation throughput: ${work.decodeTokens.toFixed(1)} tokens/s`,
    `Running: ${scheduler.running} reqs`,
    `Waiting: ${scheduler.waiting} reqs`,
    `GPU KV cache usage: ${(100 * scheduler.usedShare).toFixed(1)}%`,
    `Prefix cache hit rate: ${hitRate.toFixed(1)}%`,
  ].join(', ');
  if (work.finished.length > 0) {
    write(state, vllmLines(state.now, [vllmPlain('10.0.0.9:41522 - "POST /v1/chat/completions HTTP/1.1" 200 OK')]));
  }
  say(state, 'api', VLLM_TEXT.load(figures));
}

function* fail(state: EngineState, frames: readonly string[], error: string): Generator<Moment, void> {
  write(state, vllmFailure(state.now, { frames, error, serving: false }));
  state.stage = 'dead';
  yield wait(2000);
  while (state.service.faults?.hangsAfterFailure) yield wait(60_000);
  yield DIED;
}

function say(state: EngineState, who: VllmWriter, text: string, level?: 'ERROR'): void {
  write(state, [{ at: state.now, text: vllmRecord(state.now, who, text, level) }]);
}

function shownArguments({ flags }: EngineState): string {
  const pairs = [...flags].map(([flag, value]) => {
    const isNumber = value !== '' && !Number.isNaN(Number(value));
    const shown = value === 'true' ? 'True' : isNumber ? value : `'${value}'`;
    return `'${flag.slice(2).replaceAll('-', '_')}': ${shown}`;
  });
  return `{${pairs.join(', ')}}`;
}
