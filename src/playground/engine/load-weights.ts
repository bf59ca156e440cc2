import { GIB, MIB } from './arithmetic.ts';
import { type Moment, wait } from './engine.ts';
import type { EngineState } from './engine-state.ts';
import { type OutOfMemory, take } from './gpu-memory.ts';
import { stagingBytes } from './host-memory.ts';

// A fast local disk.
const SECONDS_PER_GIB = 1.5;
const PIECE = 112 * MIB;

/** Reads the weights onto the GPU in twenty parts; answers the piece that did not fit. */
export function* loadWeights(state: EngineState, bytes: number): Generator<Moment, OutOfMemory | undefined> {
  const { host, settings, gpu, service } = state;
  const seconds = service.faults?.loadSeconds ?? (bytes / GIB) * SECONDS_PER_GIB;
  const offloaded = Math.min(settings.offloadGib * GIB, bytes);
  const parts = 20;
  for (let i = 1; i <= parts; i += 1) {
    const failed = take(gpu, 'weights', {
      bytes: (bytes - offloaded) / parts,
      piece: PIECE,
    });
    if (failed !== undefined) return failed;
    host.staging = stagingBytes(settings, i / parts);
    host.pageCache = settings.readsEagerly ? 0 : (bytes * settings.ranks * i) / parts;
    host.pinned = (offloaded * settings.ranks * i) / parts;
    yield wait((seconds * 1000) / parts);
  }
  host.staging = 0;
  return undefined;
}
