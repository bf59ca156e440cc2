import type { ProcessExit } from '../../standins/api-server/life/container-process.ts';
import { vllmBare } from '../../standins/scenarios/vllm-text.ts';
import { GIB } from './arithmetic.ts';
import type { Engine } from './engine.ts';
import type { EngineService } from './engine-service.ts';
import { readFlags, settingsOf } from './engine-settings.ts';
import { type EngineState, newCounts, write } from './engine-state.ts';
import { emptyGpu } from './gpu-memory.ts';
import { apiServerBytes, emptyHost, residentOf } from './host-memory.ts';
import { GPUS } from './models.data.ts';
import type { Request } from './scheduler.ts';
import { sglangLife } from './sglang-engine.ts';
import { vllmLife } from './vllm-engine.ts';

export type EngineOptions = {
  readonly service: EngineService;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Memory limit of the container, bytes. */
  readonly hostLimit: number;
  readonly startedAt: number;
  /** GiB that another process holds on the GPU at a time, epoch ms. */
  readonly otherGib: (now: number) => number;
  /** Bytes in /dev/shm from processes that ended before. */
  readonly sharedLeft: number;
  /** Size of /dev/shm, bytes. */
  readonly sharedLimit: number;
  /** Bytes of the node's RAM that its other pods leave at a time, epoch ms. */
  readonly nodeLeft: (now: number) => number;
};

/** Starts an engine; it lives by the calls of `run`. */
export function createEngine(options: EngineOptions): Engine {
  const { service, args, env, startedAt } = options;
  const gpuGib = GPUS[service.gpu]?.totalGib ?? 0;
  const settings = settingsOf({ engine: service.engine, gpu: service.gpu, args, env, gpuGib });
  if (settings === undefined) throw new Error(`no such model in the playground: ${args.join(' ')}`);
  const state: EngineState = {
    service,
    settings,
    gpu: emptyGpu(gpuGib * GIB, options.otherGib(startedAt) * GIB),
    host: { ...emptyHost(), shared: options.sharedLeft },
    hostLimit: options.hostLimit,
    sharedLimit: options.sharedLimit,
    startedAt,
    log: [],
    counts: newCounts(),
    inbox: [],
    now: startedAt,
    stage: 'waiting',
    scheduler: undefined,
    lastSecond: undefined,
    blocks: 0,
    stuckSince: undefined,
    coreKilled: false,
    flags: readFlags(args),
  };
  const life = service.engine === 'vllm' ? vllmLife(state) : sglangLife(state);
  let wakesAt = startedAt;
  let exit: ProcessExit | undefined;
  const next = (): void => {
    const { value, done } = life.next();
    if (done || value === undefined) return;
    if (value.kind === 'wait') wakesAt += value.ms;
    else exit = { at: state.now, reason: value.reason, exitCode: value.exitCode };
  };
  return Object.assign(state, {
    isReady: () => exit === undefined && (state.scheduler !== undefined || isKeptUp(state)),
    offer(request: Request) {
      state.inbox.push(request);
    },
    run(now: number) {
      while (exit === undefined && wakesAt <= now) {
        state.now = wakesAt;
        state.gpu.other = options.otherGib(wakesAt) * GIB;
        if (!state.coreKilled) next();
        else wakesAt += 60_000;
        exit ??= killed(state, options.nodeLeft(state.now));
      }
      if (exit === undefined) {
        state.now = now;
        exit = killed(state, options.nodeLeft(now)) ?? probedOut(state) ?? watchedOut(state);
      }
      return exit;
    },
  });
}

function isKeptUp({ stage, service, blocks }: EngineState): boolean {
  return stage === 'dead' && blocks > 0 && service.faults?.outlivesCore === true;
}

const SYSTEM_OOM = {
  reason: 'SystemOOM',
  message: 'System OOM encountered, victim process: VLLM::EngineCor, pid: 214',
};

// The kernel ends the largest process of the container, and says nothing in its log.
function killed(state: EngineState, nodeLeft: number): ProcessExit | undefined {
  const resident = residentOf(state.host);
  if (resident <= Math.min(state.hostLimit, nodeLeft)) return undefined;
  state.stage = 'dead';
  const oomKilled = { at: state.now, reason: 'OOMKilled', exitCode: 137 };
  // containerd sets the reason for kills of the whole node as well; the kubelet tells them apart in an event of the node.
  if (resident > nodeLeft) return { ...oomKilled, nodeEvent: SYSTEM_OOM };
  if (state.service.faults?.hangsAfterFailure && state.service.faults.sharedMemoryLeftGib !== undefined) {
    // The API server is small: the kernel ends the engine core alone.
    const text = `RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore_DP0': -9}`;
    write(state, [
      { at: state.now, text: vllmBare('Traceback (most recent call last):') },
      { at: state.now, text: vllmBare(text) },
    ]);
    Object.assign(state.host, { ...emptyHost(), processes: apiServerBytes(state.settings), shared: state.host.shared });
    Object.assign(state.gpu, { context: 0, weights: 0 });
    state.coreKilled = true;
    return undefined;
  }
  return oomKilled;
}

// It answers nobody while its cache holds the whole pool.
function watchedOut(state: EngineState): ProcessExit | undefined {
  const { scheduler, service, now } = state;
  const limit = service.faults?.watchdogSeconds;
  const isStuck = scheduler !== undefined && scheduler.running === 0 && scheduler.usedShare > 0.99;
  if (!isStuck || limit === undefined) {
    state.stuckSince = undefined;
    return undefined;
  }
  state.stuckSince ??= now;
  return now - state.stuckSince < limit * 1000 ? undefined : { at: now, reason: 'Error', exitCode: 1 };
}

function probedOut(state: EngineState): ProcessExit | undefined {
  const limit = state.service.faults?.livenessSeconds;
  const isUp = state.scheduler !== undefined;
  if (limit === undefined || isUp || state.now - state.startedAt < limit * 1000) return undefined;
  const failedProbe =
    'Liveness probe failed: Get "http://10.0.0.5:8000/health": dial tcp 10.0.0.5:8000: connect: connection refused';
  return { at: state.now, reason: 'Error', exitCode: 137, failedProbe };
}
