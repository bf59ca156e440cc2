import { valueAt } from '../../../model/json-patch.ts';
import { type ContainerState, containersOf, podWord } from './pod-word.ts';
import type { KubeObject } from './world.ts';

/** Whether the client asks for the table that `kubectl get` prints. */
export function wantsTable(accept: string): boolean {
  return accept.split(',').some((type) => type.includes('as=Table') && type.includes('g=meta.k8s.io'));
}

type TableOptions = {
  readonly kind: string;
  readonly metadata: object;
  readonly includeObject?: string | undefined;
  /** Ages are told at this time, epoch ms. */
  readonly now: number;
};

/** A column: its name, what stands in it, and 1 where only `-o wide` shows it. */
type Column = readonly [name: string, cell: (object: KubeObject, now: number) => string, priority?: 0 | 1];

/** meta/v1 Table, each row with the metadata of its object. */
export function tableOf(objects: readonly KubeObject[], options: TableOptions): unknown {
  const columns = COLUMNS[options.kind] ?? [NAME, AGE];
  const columnDefinitions = columns.map(([name, , priority = 0]) => ({
    name,
    type: 'string',
    format: name === 'Name' ? 'name' : '',
    description: '',
    priority,
  }));
  const rows = objects.map((object) => ({
    cells: columns.map(([, cell]) => cell(object, options.now)),
    object:
      options.includeObject === 'None'
        ? null
        : options.includeObject === 'Object'
          ? object
          : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
  }));
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: options.metadata, columnDefinitions, rows };
}

const text =
  (path: string, otherwise = '<none>') =>
  (object: KubeObject) =>
    String(valueAt(object, path) ?? otherwise);
const share = (ready: string, wanted: string) => (object: KubeObject) =>
  `${valueAt(object, ready) ?? 0}/${valueAt(object, wanted) ?? 0}`;
const list = (path: string, of: string) => (object: KubeObject) => {
  const found = valueAt(object, path);
  return (Array.isArray(found) ? found : []).map((one) => String(one[of] ?? '')).join(',');
};

const NAME: Column = ['Name', ({ metadata }) => metadata.name];
const AGE: Column = ['Age', ({ metadata }, now) => ageOf(metadata.creationTimestamp, now)];
const CONTAINERS: Column = ['Containers', list('/spec/template/spec/containers', 'name'), 1];
const IMAGES: Column = ['Images', list('/spec/template/spec/containers', 'image'), 1];
const SELECTOR: Column = ['Selector', selectorOf, 1];

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Pod: [
    NAME,
    ['Ready', (pod) => `${containersOf(pod).filter(({ ready }) => ready).length}/${sizeOf(pod)}`],
    ['Status', podWord],
    ['Restarts', restartsOf],
    AGE,
    ['IP', text('/status/podIP'), 1],
    ['Node', text('/spec/nodeName'), 1],
    ['Nominated Node', text('/status/nominatedNodeName'), 1],
    ['Readiness Gates', () => '<none>', 1],
  ],
  Deployment: [
    NAME,
    ['Ready', share('/status/readyReplicas', '/spec/replicas')],
    ['Up-to-date', text('/status/updatedReplicas', '0')],
    ['Available', text('/status/availableReplicas', '0')],
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  StatefulSet: [NAME, ['Ready', share('/status/readyReplicas', '/spec/replicas')], AGE, CONTAINERS, IMAGES],
  ReplicaSet: [
    NAME,
    ['Desired', text('/spec/replicas', '0')],
    ['Current', text('/spec/replicas', '0')],
    ['Ready', text('/status/readyReplicas', '0')],
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  Event: [
    ['Last Seen', (event, now) => ageOf(event.lastTimestamp, now)],
    ['Type', text('/type')],
    ['Reason', text('/reason')],
    [
      'Object',
      (event) => `${valueAt(event, '/involvedObject/kind')}/${valueAt(event, '/involvedObject/name')}`.toLowerCase(),
    ],
    ['Message', text('/message', '')],
  ],
  Node: [
    NAME,
    ['Status', () => 'Ready'],
    ['Roles', () => '<none>'],
    AGE,
    ['Version', text('/status/nodeInfo/kubeletVersion', 'v1.34.1')],
  ],
  Service: [
    NAME,
    ['Type', text('/spec/type', 'ClusterIP')],
    ['Cluster-IP', text('/spec/clusterIP')],
    ['External-IP', () => '<none>'],
    ['Port(s)', (service) => `${list('/spec/ports', 'port')(service)}/TCP`],
    AGE,
    ['Selector', ({ spec }) => pairsOf(valueAt(spec, '/selector')), 1],
  ],
  HorizontalPodAutoscaler: [
    NAME,
    ['Reference', (hpa) => `${text('/spec/scaleTargetRef/kind')(hpa)}/${text('/spec/scaleTargetRef/name')(hpa)}`],
    ['Targets', () => '<unknown>'],
    ['MinPods', text('/spec/minReplicas', '1')],
    ['MaxPods', text('/spec/maxReplicas')],
    ['Replicas', text('/status/currentReplicas', '0')],
    AGE,
  ],
};

function sizeOf({ spec }: KubeObject): number {
  const containers = valueAt(spec, '/containers');
  return Array.isArray(containers) ? containers.length : 0;
}

function restartsOf(pod: KubeObject, now: number): string {
  const main = containersOf(pod);
  const restarts = main.reduce((sum, one) => sum + (one.restartCount ?? 0), 0);
  return restarts === 0 ? '0' : `${restarts}${lastRestart(main, now)}`;
}

function lastRestart(main: readonly ContainerState[], now: number): string {
  const ends = main.map(({ lastState }) => Date.parse(lastState?.terminated?.finishedAt ?? '')).filter(Number.isFinite);
  return ends.length === 0 ? '' : ` (${span(now - Math.max(...ends))} ago)`;
}

function selectorOf({ spec }: KubeObject): string {
  return pairsOf(valueAt(spec, '/selector/matchLabels'));
}

function pairsOf(labels: unknown): string {
  const pairs = Object.entries((labels ?? {}) as Readonly<Record<string, string>>);
  return pairs.length === 0 ? '<none>' : pairs.map(([key, value]) => `${key}=${value}`).join(',');
}

function ageOf(timestamp: unknown, now: number): string {
  const at = Date.parse(String(timestamp));
  return Number.isNaN(at) ? '<unknown>' : span(now - at);
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000] as const;

// As `HumanDuration` of apimachinery: two units while the first is small.
function span(ms: number): string {
  const count = (unit: number): number => Math.floor(Math.max(0, ms) / unit);
  if (ms < 2 * MINUTE) return `${count(SECOND)}s`;
  const rest = (large: number, small: number): number => Math.floor((ms % large) / small);
  const two = (large: number, small: number, names: string): string => {
    const left = rest(large, small);
    return `${count(large)}${names[0]}${left === 0 ? '' : `${left}${names[1]}`}`;
  };
  if (ms < 10 * MINUTE) return two(MINUTE, SECOND, 'ms');
  if (ms < 3 * HOUR) return `${count(MINUTE)}m`;
  if (ms < 8 * HOUR) return two(HOUR, MINUTE, 'hm');
  return ms < 2 * DAY ? `${count(HOUR)}h` : `${count(DAY)}d`;
}
