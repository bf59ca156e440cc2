import type { CompiledPhrases } from '../facts/scan/compile.ts';
import type { Facts } from '../model/fact.ts';
import type { Diagnosis } from '../model/verdict.ts';
import type { Finding } from './investigate.ts';
import type { SnapshotSource } from './ports.ts';

export type DiagnoseDeps = {
  readonly phrases: CompiledPhrases;
  /** The walk through the playbook in force: facts in, diagnosis out. */
  readonly judge: (facts: Facts, id: string) => Diagnosis;
};

/** Reads a snapshot, small files whole and logs as streams, derives the facts and walks the playbook. A strange or empty folder gives plane unknown, never a throw. */
export async function diagnoseSource(_source: SnapshotSource, _deps: DiagnoseDeps): Promise<Finding> {
  throw new Error('not built yet');
}
