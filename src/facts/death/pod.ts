import type { Fact } from '../../model/fact.ts';
import { parseJsonFile, SiblingsFile } from '../../model/json-file.ts';
import { deathTime } from '../../read/cluster/death.ts';
import { firstOf } from '../../read/cluster/gather.ts';
import { GROUP_ENDS, readFirstOfGroup, readSiblings } from '../../read/cluster/siblings.ts';
import { known } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { contentOf, textOf } from '../evidence/snapshot-files.ts';
import { citeHit, isOfEngine } from '../evidence/weigh.ts';
import { factOf } from '../log/draft.ts';
import { EVENTS, STATUS } from '../log/needs.ts';

/** The pod and what it waits for. */
export const POD = defineFacts(
  {
    'pod.name': { unit: 'text', says: 'namespace and name of the pod', needs: STATUS },
    'pod.node': { unit: 'text', says: 'node of the pod', needs: STATUS },
    'pod.pending': { unit: 'yes-no', says: 'the pod is not scheduled, or its container never started', needs: STATUS },
    'pod.pending-for': {
      unit: 'choice',
      values: [
        'insufficient-gpu',
        'insufficient-memory',
        'unschedulable',
        'scheduling-gated',
        'image-pull',
        'admission',
        'gpu-fault',
        'runtime',
        'config',
        'creating',
      ],
      says: 'what the pod waits for',
      needs: EVENTS,
    },
    'pod.restarting': {
      unit: 'yes-no',
      says: 'a container of the pod has restarted, and no reason is shown',
      saysNot: 'the container is ready and has never restarted',
      needs: STATUS,
    },
  },
  (evidence) => {
    const { pod, kubernetes } = evidence;
    const name = firstOf(pod, (view) => view.name);
    const namespace = firstOf(pod, (view) => view.namespace);
    const full = namespace === undefined ? name?.value : `${namespace.value}/${name?.value}`;
    return {
      'pod.name': name && full !== undefined ? known(full, name.from) : undefined,
      'pod.node': factOf(firstOf(pod, (view) => view.node)),
      'pod.pending': pending(evidence),
      'pod.pending-for': kubernetes.pendingFor,
      'pod.restarting': restarting(evidence),
    };
  },
);

// A log next to the status of a pod that waits is of another one: what is looked at is its end, be it the replica that waits
// that people asked for. A runtime that cannot start a container that ran before is the news.
function pending(evidence: Evidence): Fact {
  const { pending: told, pendingFor } = evidence.kubernetes;
  const isForRoom = pendingFor.kind === 'unknown' || !['runtime', 'config'].includes(pendingFor.value);
  if (told.kind === 'known' && !(told.value && isForRoom)) return told;
  return ran(evidence) ?? told;
}

// A line of an engine shows that a container ran.
function ran({ weighing, engine, log }: Evidence): Fact | undefined {
  const line = weighing.all.find(isOfEngine);
  if (line !== undefined) return known(false, citeHit(line));
  const milestone = engine.milestones.find(({ from }) => from.kind === 'line' && from.file === log.main?.file);
  return milestone && known(false, milestone.from);
}

// `kubectl get pods` shows restarts where describe and lastState are missing: something died, nothing says why.
function restarting({ pod, death }: Evidence): Fact | undefined {
  if (death.kind === 'death') return undefined;
  const restarts = firstOf(pod, (view) => view.containers.find(({ restarts: n }) => (n?.value ?? 0) > 0)?.restarts);
  if (restarts !== undefined) return known(true, restarts.from);
  return neverEnded(pod);
}

// The kubelet counts restarts and keeps readiness: with none and ready, the container that runs is the first one.
function neverEnded(pod: Evidence['pod']): Fact | undefined {
  const containers = firstOf(pod, (view) => (view.containers.length > 0 ? view.containers : undefined)) ?? [];
  const proof = containers
    .filter(({ kind }) => kind === 'container')
    .map(({ restarts, ready }) => (restarts?.value === 0 && ready?.value === true ? restarts.from : undefined));
  const [first] = proof;
  return first !== undefined && proof.every((from) => from !== undefined) ? known(false, first) : undefined;
}

const SIBLINGS = 'the sibling pods (siblings.json)';

/** The other pods of the workload, and whether one of them ended first. */
export const SIBLING_PODS = defineFacts(
  {
    'pod.siblings-dead-share': {
      unit: 'share',
      says: 'share of the other replicas whose container died in the 20 minutes before',
      needs: SIBLINGS,
    },
    'group.first-pod': {
      unit: 'text',
      says: 'pod of the same group (LeaderWorkerSet, Ray cluster) that ended first',
      onlyWhere: 'another one did',
      needs: SIBLINGS,
    },
    'group.first-end': { unit: 'choice', values: [...GROUP_ENDS], says: 'how that pod ended', needs: SIBLINGS },
  },
  ({ readings, pod, death, incident }) => {
    const siblings = contentOf(textOf(readings.texts, 'siblings.json', (text) => parseJsonFile(SiblingsFile, text)));
    const ended = deathTime(death);
    const until = ended ?? incident?.capture?.takenAt;
    if (siblings === undefined || until === undefined) return {};
    const name = firstOf(pod, (view) => view.name)?.value;
    const first = readFirstOfGroup(siblings, { name, labels: pod.views[0]?.labels ?? {}, ended });
    return {
      'pod.siblings-dead-share': readSiblings(siblings, until, name),
      'group.first-pod': factOf(first?.pod),
      'group.first-end': factOf(first?.how),
    };
  },
);
