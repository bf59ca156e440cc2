import { GIB, kvBytesPerToken, MIB, stepTensors } from './arithmetic.ts';
import { observe } from './engine.ts';
import type { EngineState } from './engine-state.ts';
import { type OutOfMemory, runStep } from './gpu-memory.ts';
import { createScheduler, type SecondOfWork } from './scheduler.ts';

/** GPU memory that prefills and generates at the speed of a model of this size. */
export function openScheduler(state: EngineState, blocks: number): void {
  const { settings, service } = state;
  const { model, ranks } = settings;
  const active = (model.activeBillions ?? model.parametersBillions) / ranks;
  state.blocks = blocks;
  state.scheduler = createScheduler({
    blocks,
    sequences: settings.sequences,
    stepTokens: settings.stepTokens,
    maxModelLen: settings.maxModelLen,
    prefixCache: settings.prefixCache,
    prefillRate: Math.round(200_000 / active),
    decodeRate: 30,
    pinnedShare: service.faults?.pinnedCacheShare ?? 0,
    retracts: service.faults?.miscountsBlocks !== true,
  });
}

const SECONDS_PER_HOUR = 3600;

/** One second of serving: requests are taken in and worked on; answers the allocation that failed. */
export function serveSecond(state: EngineState): OutOfMemory | undefined {
  const { scheduler, settings, counts, service } = state;
  if (scheduler === undefined) return undefined;
  for (const request of state.inbox.splice(0)) if (!scheduler.offer(request)) counts.rejected += 1;
  const work = scheduler.second(state.now);
  state.lastSecond = work;
  counts.promptTokens += work.prefillTokens;
  counts.generatedTokens += work.decodeTokens;
  counts.preempted += work.preempted;
  for (const { request, firstTokenMs, totalMs } of work.finished) {
    counts.finished += 1;
    observe(counts.prompts, request.prompt);
    observe(counts.outputs, request.output);
    observe(counts.firstToken, firstTokenMs / 1000);
    observe(counts.latency, totalMs / 1000);
  }
  age(state, work);
  const { faults } = service;
  if (work.images > 0 && settings.imageCacheGib > 0) {
    const cap = settings.imageCacheGib * settings.apiServers * GIB;
    state.host.caches = Math.min(cap, state.host.caches + work.images * 24 * MIB);
  }
  fillCache(state, work);
  state.host.payload = (scheduler.running + scheduler.waiting) * (faults?.payloadMib ?? 0) * MIB;
  if (work.tokens === 0) return undefined;
  return runStep(state.gpu, stepTensors(settings.model, stepOf(work), settings.ranks));
}

// A cache of KV blocks in RAM fills with the prompts that it sees, up to its size.
function fillCache({ settings, host }: EngineState, { prefillTokens }: SecondOfWork): void {
  if (settings.kvCacheGib === 0) return;
  const copied = prefillTokens * kvBytesPerToken(settings.model, 1, settings.kvBytes);
  host.pinned = Math.min(settings.kvCacheGib * GIB * settings.ranks, host.pinned + copied);
}

function stepOf({ tokens, sampled, context, images, logprobTokens }: SecondOfWork) {
  return { tokens, logitsRows: sampled + logprobTokens, context, images, isReal: true };
}

// What grows with time: leaks whether or not anybody asks, fragments with the variety of requests.
function age(state: EngineState, { tokens }: SecondOfWork): void {
  const { faults } = state.service;
  if (faults === undefined) return;
  const leaks = faults.whileFlag === undefined || state.flags.has(faults.whileFlag);
  if (leaks) {
    state.gpu.leaked += ((faults.gpuLeakGibPerHour ?? 0) * GIB) / SECONDS_PER_HOUR;
    state.host.leaked += ((faults.ramLeakGibPerHour ?? 0) * GIB) / SECONDS_PER_HOUR;
  }
  if (tokens > 0 && !state.settings.expandableSegments) {
    state.gpu.fragments += ((faults.fragmentsGibPerHour ?? 0) * GIB) / SECONDS_PER_HOUR;
  }
}
