import type { Cited } from '../../model/engine-reader.ts';
import { formatValue } from '../../model/format-value.ts';
import type { Placed } from '../../model/json-file.ts';
import type { Revision } from '../../model/kubernetes.ts';
import { parseQuantity } from '../../model/quantity.ts';
import { known, type Reading } from '../reading.ts';
import type { PodView } from './container-states.ts';
import { fieldOf } from './read-pod-json.ts';
import type { OfPod } from './revision-room.ts';
import { fromPodOn } from './revisions.ts';

/** The pod, and the memory limit in force in the container that failed, bytes. */
export type LimitedPod = OfPod & {
  readonly pod?: PodView | undefined;
  readonly limit?: Reading<number> | undefined;
};

/** A memory limit that a VPA set below that of the pod template, in words, and the VPA as kubectl takes it. */
type VpaLimit = { readonly cut: Reading<string>; readonly object: Reading<string> };

// The webhook of the Vertical Pod Autoscaler changes a pod while it is created, never its workload, and leaves
// `vpaUpdates: Pod resources updated by NAME: container 0: cpu request, memory limit; container 1: …` on it, with the names
// of the containers as it saw them in `vpaObservedContainers` (kubernetes/autoscaler, vertical-pod-autoscaler/pkg:
// admission-controller/resource/pod/patch/resource_updates.go, utils/annotations/vpa_observed_containers.go).
const UPDATES = /^Pod resources updated by ([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?): (.+)$/s;
const CONTAINER = /^container (\d{1,4}): (.*)$/s;
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const LONGEST = 60;

/** Undefined unless the annotation says that a VPA set the memory limit of this container, and the template has a higher one. */
export function readVpaLimit(revisions: readonly Placed<Revision>[], of: LimitedPod): VpaLimit | undefined {
  const name = readVpaName(of);
  const template = readTemplateLimit(revisions, of);
  if (name === undefined || template === undefined || of.limit?.kind !== 'known') return undefined;
  const [now, before] = [of.limit.value, template.value].map((value) => formatValue('bytes', value));
  // A difference that rounding hides has no consequence.
  if (of.limit.value >= template.value || now === before) return undefined;
  const shown = name.value.length > LONGEST ? `${name.value.slice(0, LONGEST - 1)}…` : name.value;
  const namespace = of.pod?.namespace?.value ?? '';
  return {
    cut: known(
      `VPA ${shown} set the memory limit to ${now} (the template says ${before})`,
      name.from,
      template.from,
      ...of.limit.from,
    ),
    object: known(`vpa ${name.value}${NAMESPACE.test(namespace) ? ` -n ${namespace}` : ''}`, name.from),
  };
}

function readVpaName({ pod, container }: LimitedPod): Cited<string> | undefined {
  const { vpaUpdates, vpaObservedContainers } = pod?.annotations ?? {};
  const [, name, updates = ''] = UPDATES.exec(vpaUpdates ?? '') ?? [];
  // A sidecar that was injected later may stand first in the pod.
  const seen = vpaObservedContainers?.split(', ') ?? namesOf(pod);
  const isSet = updates.split('; ').some((one) => {
    const [, index, resources = ''] = CONTAINER.exec(one) ?? [];
    return index !== undefined && seen[Number(index)] === container && resources.split(', ').includes('memory limit');
  });
  const from = fieldOf('pod.json')(vpaUpdates, '/metadata/annotations/vpaUpdates')?.from;
  return name === undefined || container === undefined || !isSet || from === undefined
    ? undefined
    : { value: name, from };
}

function namesOf(pod: PodView | undefined): readonly (string | undefined)[] {
  return (pod?.containers ?? []).filter(({ kind }) => kind === 'container').map(({ name }) => name?.value);
}

function readTemplateLimit(
  revisions: readonly Placed<Revision>[],
  { labels, container }: LimitedPod,
): Cited<number> | undefined {
  const [now] = fromPodOn(revisions, labels);
  const containers = now?.value.template?.spec?.containers ?? [];
  const index = containers.findIndex(({ name }) => name === container);
  const memory = containers[index]?.resources?.limits?.memory;
  const path = `${now?.path}/template/spec/containers/${index}/resources/limits/memory`;
  const from = fieldOf('revisions.json')(memory, path)?.from;
  const value = parseQuantity(memory);
  return from === undefined || value === undefined ? undefined : { value, from };
}
