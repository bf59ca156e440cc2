import type { Facts } from '../../model/fact.ts';
import type { SeriesFile } from '../../model/snapshot.ts';
import type { ChangedValue } from '../../model/temporary-change.ts';
import type { Verdict } from '../../model/verdict.ts';
import { joinChanges } from '../change.ts';
import { nameOf } from '../owners/read-object.ts';
import { autoscalingPatch } from './autoscaling.ts';
import { argumentPart, computedEdits, type FixPart, memoryPart } from './container-changes.ts';
import { findManifest, type Manifest, mergePatch } from './manifest.ts';
import { restartJob } from './planned-restarts.ts';
import { type MeasuredStart, startupProbePart } from './startup-probe.ts';
import { tolerationPart } from './toleration.ts';

/** What a permanent fix is made from: the finding, and the objects of its evidence as JSON. */
export type FixInput = {
  readonly verdict: Pick<Verdict, 'plane' | 'phase' | 'cause' | 'causeCertain' | 'remedies'>;
  readonly facts: Facts;
  /** Ids of the contributing factors that matter for this finding. */
  readonly factors: readonly string[];
  readonly start: MeasuredStart | undefined;
  readonly owners: readonly unknown[];
  readonly pod: unknown;
  readonly container: string | null;
  readonly hpas: readonly unknown[];
  readonly scaledObjects: readonly unknown[];
  readonly series: SeriesFile | undefined;
};

/** One patch to merge into Git, as YAML. `values` are what it changes; of new objects none. */
export type FixPatch = {
  readonly object: string;
  /** `pod`: the workload is not in the evidence, and the pod spec goes into its template. `new`: objects to create. */
  readonly of: 'workload' | 'pod' | 'autoscaler' | 'new';
  readonly yaml: string;
  readonly values: readonly ChangedValue[];
  readonly needs: readonly string[];
};

export type PermanentFix = { readonly patches: readonly FixPatch[]; readonly byHand: readonly string[] };

/** The permanent fix of a finding as patches, as far as the evidence shows what to patch. Never throws. */
export function permanentFix(input: FixInput): PermanentFix {
  const manifest = findManifest(input);
  const workload = manifest.kind === 'none' ? handOver(manifest, input) : workloadFix(manifest, input);
  const others = [autoscalerFix(input), restartFix(manifest, input)].flatMap((one) => one ?? []);
  return { patches: [...workload.patches, ...others], byHand: workload.byHand };
}

// Without a manifest the values that the finding computed are still known.
function handOver({ says }: Extract<Manifest, { kind: 'none' }>, { verdict }: FixInput): PermanentFix {
  const edits = computedEdits(verdict);
  const values = edits.map(({ flag, from, to }) => ({ label: flag, from, to }));
  return { patches: [], byHand: values.length === 0 ? [] : [`${says} Set by hand: ${wordsOf(values)}.`] };
}

function workloadFix(manifest: Extract<Manifest, { kind: 'manifest' }>, input: FixInput): PermanentFix {
  const parts = partsOf(manifest, input);
  const byHand = parts.flatMap(({ says, values }) =>
    says === undefined ? [] : [`${says} Set by hand: ${wordsOf(values)}.`],
  );
  const { patch } = joinChanges(parts.map(({ change }) => change));
  const values = parts.flatMap((part) => (part.says === undefined ? part.values : []));
  const yaml = mergePatch(manifest, patch);
  if (values.length === 0) return { patches: [], byHand };
  if (yaml === undefined) {
    const why = 'The manifest in the evidence has redacted values, or the API server merges this list as a whole.';
    return { patches: [], byHand: [...byHand, `${why} Set by hand: ${wordsOf(values)}.`] };
  }
  const of = manifest.owner === undefined ? 'pod' : 'workload';
  return { patches: [{ object: nameOf(manifest.ref), of, yaml, values, needs: [] }], byHand };
}

function partsOf(manifest: Extract<Manifest, { kind: 'manifest' }>, input: FixInput): readonly FixPart[] {
  const { verdict, facts, factors, start } = input;
  const engine = engineOf(facts);
  const isTight =
    factors.includes('amplifier.tight-probe') || (verdict.cause === 'none.probe-kill' && !isServing(facts));
  return [
    engine && argumentPart(verdict, manifest, engine),
    memoryPart(verdict, manifest, numberOf(facts, 'lasting.ram-limit')),
    isTight && start ? startupProbePart(manifest, start) : undefined,
    factors.includes('amplifier.node-mixing') ? tolerationPart(manifest) : undefined,
  ].filter((part) => part !== undefined);
}

function autoscalerFix({ facts, factors, hpas, scaledObjects }: FixInput): FixPatch | undefined {
  const engine = engineOf(facts);
  if (engine === undefined || !factors.includes('amplifier.cpu-autoscaling')) return undefined;
  const patch = autoscalingPatch(hpas, scaledObjects, engine);
  return patch && { object: patch.name, of: 'autoscaler', yaml: patch.yaml, values: [], needs: patch.needs };
}

const LEAKS: readonly Verdict['cause'][] = ['host.chronic.leak', 'gpu.chronic.leak'];

function restartFix(manifest: Manifest, { verdict, facts, series }: FixInput): FixPatch | undefined {
  const every = numberOf(facts, 'lasting.restart-every');
  const isProven = verdict.causeCertain && LEAKS.includes(verdict.cause);
  if (!isProven || every === undefined || manifest.kind === 'none') return undefined;
  const job = restartJob(manifest.ref, every, series);
  return (
    job && { object: `CronJob for ${nameOf(manifest.ref)}`, of: 'new', yaml: job.yaml, values: [], needs: job.needs }
  );
}

function wordsOf(values: readonly ChangedValue[]): string {
  return values.map(({ label, to }) => (to === null ? `remove ${label}` : `${label} ${to}`)).join(', ');
}

function engineOf(facts: Facts): { readonly name: string; readonly version: string | null } | undefined {
  const [name, version] = [textOf(facts, 'engine.name'), textOf(facts, 'engine.version')];
  return name === undefined ? undefined : { name, version: version ?? null };
}

function isServing(facts: Facts): boolean {
  return textOf(facts, 'failure.life') === 'serving';
}

function textOf(facts: Facts, id: string): string | undefined {
  const fact = facts.get(id);
  return fact?.kind === 'known' && typeof fact.value === 'string' ? fact.value : undefined;
}

function numberOf(facts: Facts, id: string): number | undefined {
  const fact = facts.get(id);
  return fact?.kind === 'known' && typeof fact.value === 'number' ? fact.value : undefined;
}
