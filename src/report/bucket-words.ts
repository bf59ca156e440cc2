import type { Bucket } from '../model/taxonomy.ts';

const HOLDS: Readonly<Record<Bucket, string>> = {
  static: 'weights, and what else an engine takes once',
  'kv-cache': 'the KV cache, and what fills it',
  overhead: 'activations, buffers, graphs and fragments beside both',
  host: 'RAM',
  scheduling: 'where pods run, and when they are ended',
  other: 'no use of memory, or not known which',
};

/** The word under which a hand-over files an incident, with what belongs to it. */
export function bucketWords(bucket: Bucket): string {
  return `hand-over bucket: ${bucket} (${HOLDS[bucket]})`;
}
