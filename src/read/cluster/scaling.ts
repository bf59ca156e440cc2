import type { Autoscalers } from '../../model/autoscalers.ts';
import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { fieldOf } from './read-pod-json.ts';

export type ScalingReading = {
  /** All that scales the workload looks at CPU or RAM alone. */
  readonly cpuOnly: Reading<boolean>;
  /** A PodDisruptionBudget allows no eviction. */
  readonly evictionBlocked: Reading<boolean>;
};

const field = fieldOf('autoscalers.json');

type Scaled = { readonly name?: string | undefined; readonly labels?: Readonly<Record<string, string>> | undefined };

/** autoscalers.json: by what the workload is scaled, and whether its pods may be moved. What is of another workload than the pod's counts for nothing. */
export function readScaling(autoscalers: Autoscalers, pod: Scaled = {}): ScalingReading {
  return { cpuOnly: readCpuOnly(autoscalers, pod), evictionBlocked: readBudgets(autoscalers, pod) };
}

function scales({ spec }: Hpa, { name }: Scaled): boolean {
  const target = spec?.scaleTargetRef?.name;
  return target === undefined || name === undefined || name === target || name.startsWith(`${target}-`);
}

function covers({ spec }: Pdb, { labels }: Scaled): boolean {
  const wanted = Object.entries(spec?.selector?.matchLabels ?? {});
  return labels === undefined || wanted.every(([key, value]) => labels[key] === value);
}

// Resource metrics are those of the container: the load of a GPU cannot be told from them.
const OF_CONTAINER = new Set(['cpu', 'memory']);

function readCpuOnly({ hpas, scaledObjects = [] }: Autoscalers, pod: Scaled): Reading<boolean> {
  if (hpas === undefined) return unknown('not-in-snapshot', 'the autoscalers of the workload are not in the snapshot');
  const metrics = [
    ...hpas.flatMap((hpa, i) => (scales(hpa, pod) ? metricsOf(hpa, i) : [])),
    ...scaledObjects.flatMap(({ spec }, i) =>
      (spec?.triggers ?? []).flatMap(({ type }, k) => field(type, `/scaledObjects/${i}/spec/triggers/${k}/type`) ?? []),
    ),
  ];
  const other = metrics.find(({ value }) => !OF_CONTAINER.has(value));
  if (other !== undefined) return known(false, other.from);
  if (metrics.length > 0) return known(true, ...metrics.map(({ from }) => from));
  if (hpas.filter((hpa) => scales(hpa, pod)).length + scaledObjects.length > 0) {
    return unknown('not-in-snapshot', 'the autoscaler does not say what it looks at');
  }
  return known(false, none('/hpas'));
}

type Hpa = NonNullable<Autoscalers['hpas']>[number];
type Metric = NonNullable<NonNullable<Hpa['spec']>['metrics']>[number];

function metricsOf({ spec }: Hpa, i: number): Cited<string>[] {
  const metrics = (spec?.metrics ?? []).flatMap((metric, k) => metricOf(metric, i, k));
  return [...metrics, ...oldMetricOf(spec?.targetCPUUtilizationPercentage, i)];
}

function metricOf({ type, resource, containerResource }: Metric, i: number, k: number): Cited<string>[] {
  const path = `/hpas/${i}/spec/metrics/${k}`;
  const cited =
    field(resource?.name, `${path}/resource/name`) ??
    field(containerResource?.name, `${path}/containerResource/name`) ??
    field(type, `${path}/type`);
  return cited === undefined ? [] : [cited];
}

// autoscaling/v1 knows CPU alone.
function oldMetricOf(percent: number | undefined, i: number): Cited<string>[] {
  const cited = field(percent, `/hpas/${i}/spec/targetCPUUtilizationPercentage`);
  return cited === undefined ? [] : [{ value: 'cpu', from: cited.from }];
}

function none(path: string): Citation {
  return { kind: 'field', file: 'autoscalers.json', path, text: '[]' };
}

function readBudgets({ pdbs }: Autoscalers, pod: Scaled): Reading<boolean> {
  if (pdbs === undefined)
    return unknown('not-in-snapshot', 'the disruption budgets of the pod are not in the snapshot');
  const readings = pdbs.flatMap((pdb, i) => (covers(pdb, pod) ? blocks(pdb, i) : []));
  if (readings.length === 0) return known(false, none('/pdbs'));
  return (
    readings.find((one) => one.kind === 'known' && one.value) ??
    readings.find((one) => one.kind === 'unknown') ??
    readings[0] ??
    unknown('empty', 'no disruption budget can be read')
  );
}

type Pdb = NonNullable<Autoscalers['pdbs']>[number];

// The controller's own count first; what is written says it where the status is missing.
function blocks({ spec, status }: Pdb, i: number): Reading<boolean> {
  const allowed = field(status?.disruptionsAllowed, `/pdbs/${i}/status/disruptionsAllowed`);
  // The budget may let pods go that are not ready, and one that has failed is not.
  const always = field(spec?.unhealthyPodEvictionPolicy, `/pdbs/${i}/spec/unhealthyPodEvictionPolicy`);
  if (always?.value === 'AlwaysAllow') return known(false, always.from);
  if (allowed !== undefined) return known(allowed.value <= 0, allowed.from);
  const most = field(spec?.maxUnavailable, `/pdbs/${i}/spec/maxUnavailable`);
  if (most !== undefined) return known(/^0%?$/.test(String(most.value)), most.from);
  const least = field(spec?.minAvailable, `/pdbs/${i}/spec/minAvailable`);
  if (least !== undefined && /%$/.test(String(least.value))) return known(least.value === '100%', least.from);
  const expected = field(status?.expectedPods, `/pdbs/${i}/status/expectedPods`);
  if (least === undefined || expected === undefined) {
    return unknown('not-in-snapshot', 'the disruption budget does not say how many pods may be missing');
  }
  return known(Number(least.value) >= expected.value, least.from, expected.from);
}
