import { GIB, weightBytes } from './arithmetic.ts';
import type { EngineSettings } from './engine-settings.ts';

/** RAM of a container. Amounts are bytes; page cache that can be dropped does not count against the limit. */
export type HostMemory = {
  /** Python processes with CUDA libraries. */
  processes: number;
  /** Weights on their way to the GPU. */
  staging: number;
  /** Pinned: offloaded weights and KV cache. */
  pinned: number;
  /** Processed media, kept for later requests. */
  caches: number;
  /** Decoded media of the requests at work. */
  payload: number;
  /** Files in /dev/shm, which outlive the process. */
  shared: number;
  leaked: number;
  /** Compilers of kernels. */
  compilers: number;
  /** Page cache of the checkpoint. */
  pageCache: number;
};

const PROCESS_BYTES = 1.7 * GIB;
// Of a mapped checkpoint a few tensors at a time are private memory.
const MAPPED_BYTES = 1.2 * GIB;
// The kernel soon counts the rest of a file that was read once as inactive.
const ACTIVE_SHARE = 0.03;

export function emptyHost(): HostMemory {
  return {
    processes: 0,
    staging: 0,
    pinned: 0,
    caches: 0,
    payload: 0,
    shared: 0,
    leaked: 0,
    compilers: 0,
    pageCache: 0,
  };
}

/** API servers, and an engine core that is its own worker for one rank, or has one for each of several. */
export function processBytes({ apiServers, ranks }: EngineSettings): number {
  return (apiServers + 1 + (ranks > 1 ? ranks : 0)) * PROCESS_BYTES;
}

export function apiServerBytes({ apiServers }: EngineSettings): number {
  return apiServers * PROCESS_BYTES;
}

/** RAM that the weights need on their way at a point of the load, 0 to 1: a few tensors, or with eager reading all that was read so far, once per rank. */
export function stagingBytes(settings: EngineSettings, share: number): number {
  const whole = weightBytes(settings.model);
  if (!settings.readsEagerly) return MAPPED_BYTES * Math.min(1, 4 * share);
  return whole * share * settings.ranks;
}

export function residentOf(host: HostMemory): number {
  const { processes, staging, pinned, caches, payload, shared, leaked, compilers } = host;
  return processes + staging + pinned + caches + payload + shared + leaked + compilers;
}

/** As cAdvisor counts it: what is resident, and the part of the page cache that is in use. */
export function workingSetOf(host: HostMemory, limit: number): number {
  const resident = residentOf(host);
  return Math.min(limit, resident + ACTIVE_SHARE * host.pageCache);
}
