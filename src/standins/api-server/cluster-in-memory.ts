import type { Api, Proxied } from './api.ts';
import type { ContainerRuntime } from './life/container-process.ts';
import { createLife, DEFAULT_LIFE } from './life/create-life.ts';
import type { LifeSettings } from './life/settings.ts';
import { NOW } from './objects/builders.ts';
import type { ApiWorld } from './objects/world.ts';
import { createStorage } from './write/storage.ts';
import type { Admission } from './write/write-request.ts';

export type ClusterOptions = {
  readonly life?: Partial<LifeSettings> | undefined;
  /** What runs in the pods; without it, processes that follow `life`. */
  readonly runtime?: ContainerRuntime | undefined;
  /** Time at the start, epoch ms. */
  readonly now?: number | undefined;
  readonly proxied?: Proxied | undefined;
};

/** A cluster without its server: objects, and time that passes when told. */
export type ClusterInMemory = Api & {
  readonly admission: Admission[];
  /** How pods live; may be changed. */
  readonly life: LifeSettings;
  now(): number;
  /** Lets time pass: controllers follow, pods load, serve, crash and go. 0 lets only what is due happen. */
  advance(ms: number): void;
};

const STEP_MS = 1000;

export function createClusterInMemory(world: ApiWorld, options: ClusterOptions = {}): ClusterInMemory {
  let now = options.now ?? NOW;
  const storage = createStorage(world, () => now);
  const life = createLife(storage, { ...DEFAULT_LIFE, ...options.life }, options.runtime);
  storage.onSaved = life.noteChange;
  storage.onDeleted = life.end;
  return {
    storage,
    admission: [],
    warnings: [],
    proxied: options.proxied,
    life: life.settings,
    now: () => now,
    advance(ms) {
      const end = now + ms;
      do {
        now = Math.min(end, now + STEP_MS);
        life.step();
      } while (now < end);
    },
  };
}
