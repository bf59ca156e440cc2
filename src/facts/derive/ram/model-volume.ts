import type { Cited } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { effectiveArgument, modelArgument } from '../../arguments.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';

// Where engines look for what they download (huggingface_hub constants.py; vllm/engine/arg_utils.py).
const CACHES: ReadonlySet<string> = new Set(['HF_HOME', 'HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE', 'TRANSFORMERS_CACHE']);

/** The volume in memory that holds the files of the model: all of them are RAM of the container, for as long as the pod lives. */
export function readModelVolume({ spec, args }: Evidence): Fact | undefined {
  const download = effectiveArgument(args, '--download-dir');
  const places = [
    modelArgument(args),
    download?.value == null ? undefined : { value: download.value, from: download.from },
    ...spec.env.map(({ name, value }) => (CACHES.has(name) ? value : undefined)),
  ].filter((place) => place !== undefined);
  for (const volume of spec.memoryVolumes) {
    const place = places.find(({ value }) => lies(value, volume));
    if (place !== undefined) return fact(volume.value, [volume.from, place.from]);
  }
  return undefined;
}

function lies(path: string, { value }: Cited<string>): boolean {
  return path === value || path.startsWith(`${value}/`);
}
