import { z } from 'zod';
import { printJson } from '../model/json-file.ts';
import { type EvidenceFile, memoryFile } from './evidence-file.ts';
import type { KubernetesObject } from './kubernetes-objects.ts';

const State = z.looseObject({ terminated: z.looseObject({ exitCode: z.number().optional() }).optional() });
const Container = z.looseObject({
  restartCount: z.number().optional(),
  ready: z.boolean().optional(),
  state: State.optional(),
  lastState: State.optional(),
});
const PodShape = z.looseObject({
  metadata: z.looseObject({ ownerReferences: z.array(z.looseObject({ name: z.string() })).optional() }),
  spec: z.looseObject({ nodeName: z.string().optional() }).optional(),
  status: z.looseObject({
    phase: z.string().optional(),
    containerStatuses: z.array(Container).optional(),
    initContainerStatuses: z.array(Container).optional(),
  }),
});

/** Whether a pod of a whole cluster is worth a look: it has a GPU, or is in trouble. */
export function needsLook({ value }: KubernetesObject): boolean {
  if (/"[\w.]+\/(?:gpu|mig-[\w.]+)":/.test(JSON.stringify(value.spec ?? ''))) return true;
  const pod = PodShape.safeParse(value).data;
  if (pod === undefined) return true;
  const { phase, containerStatuses = [], initContainerStatuses = [] } = pod.status;
  const died = (state: z.infer<typeof State> | undefined) => (state?.terminated?.exitCode ?? 0) !== 0;
  const isTroubled = [...containerStatuses, ...initContainerStatuses].some(
    ({ restartCount = 0, state, lastState }) => restartCount > 0 || died(state) || died(lastState),
  );
  return isTroubled || !['Running', 'Succeeded'].includes(phase ?? '');
}

/** What lists of the whole cluster say of one pod, as files of its snapshot. */
export function filesAround(
  pod: KubernetesObject | undefined,
  objects: readonly KubernetesObject[],
): Map<string, EvidenceFile> {
  const files = new Map<string, EvidenceFile>();
  if (pod === undefined) return files;
  const put = (name: string, value: unknown) => {
    const json = printJson(value);
    if (json !== undefined) files.set(name, memoryFile(name, [new TextEncoder().encode(json)]));
  };
  const { metadata, spec } = PodShape.safeParse(pod.value).data ?? { metadata: {}, spec: {} };
  put('pod.json', pod.value);
  const events = objects.filter((one) => one.kind === 'Event' && isAbout(one, pod));
  if (events.length > 0) put('events.json', { kind: 'EventList', items: events.map(({ value }) => value) });
  const node = objects.find(({ kind, name }) => kind === 'Node' && name === spec?.nodeName);
  if (node !== undefined) put('node.json', node.value);
  const sets = objects.filter(({ kind }) => kind === 'ReplicaSet' || kind === 'ControllerRevision');
  const owner = ownerOf(sets.find(({ name }) => name === metadata.ownerReferences?.[0]?.name));
  const siblings = sets.filter((set) => owner !== undefined && ownerOf(set) === owner);
  if (siblings.length > 0) put('revisions.json', { kind: 'List', items: siblings.map(({ value }) => value) });
  return files;
}

function ownerOf(set: KubernetesObject | undefined): string | undefined {
  return set && PodShape.pick({ metadata: true }).safeParse(set.value).data?.metadata.ownerReferences?.[0]?.name;
}

const About = z.looseObject({ involvedObject: z.looseObject({ name: z.string(), namespace: z.string().nullish() }) });

function isAbout({ value }: KubernetesObject, pod: KubernetesObject): boolean {
  const about = About.safeParse(value).data?.involvedObject;
  return (
    about?.name === pod.name && (pod.namespace === undefined || (about.namespace ?? pod.namespace) === pod.namespace)
  );
}

const Containers = z.looseObject({ spec: z.looseObject({ containers: z.array(z.unknown()) }) });

/** How many containers a pod declares. */
export function containersOf({ value }: KubernetesObject): number {
  return Containers.safeParse(value).data?.spec.containers.length ?? 0;
}
