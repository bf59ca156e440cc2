import type { Api } from './api.ts';
import { createLife, DEFAULT_LIFE } from './life/create-life.ts';
import type { Fighter, LifeSettings } from './life/settings.ts';
import { NOW } from './objects/builders.ts';
import type { ApiWorld, KubeObject } from './objects/world.ts';
import { createStorage } from './write/storage.ts';
import type { Admission } from './write/write-request.ts';

export type ClusterOptions = {
  readonly life?: Partial<LifeSettings> | undefined;
  /** Time at the start, epoch ms. */
  readonly now?: number | undefined;
  readonly proxied?: Readonly<Record<string, string>> | undefined;
};

/** A cluster without its server: objects, and time that passes when told. */
export type ClusterInMemory = Api & {
  readonly admission: Admission[];
  /** How pods live; may be changed. */
  readonly life: LifeSettings;
  readonly fighters: Fighter[];
  now(): number;
  /** Lets time pass: controllers follow, pods load, serve, crash and go. 0 lets only what is due happen. */
  advance(ms: number): void;
  /** A change by somebody else. */
  edit(
    wanted: { readonly kind: string; readonly name: string },
    by: { readonly manager: string; readonly change: (object: KubeObject) => KubeObject },
  ): void;
};

const STEP_MS = 1000;

export function createClusterInMemory(world: ApiWorld, options: ClusterOptions = {}): ClusterInMemory {
  let now = options.now ?? NOW;
  const storage = createStorage(world, () => now);
  const life = createLife(storage, { ...DEFAULT_LIFE, ...options.life });
  storage.onSaved = life.noteChange;
  return {
    storage,
    admission: [],
    warnings: [],
    proxied: options.proxied,
    life: life.settings,
    fighters: life.fighters,
    now: () => now,
    advance(ms) {
      const end = now + ms;
      do {
        now = Math.min(end, now + STEP_MS);
        life.step();
      } while (now < end);
    },
    edit({ kind, name }, { manager, change }) {
      const before = world.objects.find((one) => one.kind === kind && one.metadata.name === name);
      if (before === undefined) throw new Error(`no ${kind}/${name}`);
      storage.save(before, change(before), { manager });
    },
  };
}
