import type { ActContext, KubeObject } from '../../app/acting-ports.ts';
import { valueAt } from '../../model/json-patch.ts';
import { OwnerObject } from '../../model/kubernetes.ts';
import type { ObjectRef } from '../../model/plan.ts';
import { knownResource } from '../api/resource.ts';
import { namedSelector, ownSelector, selects } from '../api/selector.ts';
import { controllerOf } from '../collect/owners.ts';
import { type ActingReads, sayUnread } from './acting-reads.ts';

export type Surroundings = { readonly objects: readonly KubeObject[]; readonly notRead: readonly string[] };

type Ref = Omit<ObjectRef, 'uid'>;

type Around = {
  readonly reads: ActingReads;
  readonly context: ActContext;
  readonly namespace: string;
  /** The target and its owners. */
  readonly chain: readonly KubeObject[];
  readonly note: (what: string) => void;
};

const MAX_HOPS = 8;
const LIMIT = 250;

/** Reads the target, its owners, its helpers, and what points at it: HPAs, KEDA, VPAs, budgets, Argo CD, Flux, and of a pod the Services. */
export async function readSurroundings(reads: ActingReads, target: Ref, context: ActContext): Promise<Surroundings> {
  const notRead: string[] = [];
  const note = (what: string): void => {
    notRead.push(what);
  };
  const { namespace } = target;
  const chain = await readChain(reads, target, { context, note });
  const [owner] = chain;
  if (owner === undefined) return { objects: [], notRead };
  const around: Around = { reads, context, namespace, chain, note };
  const related = await Promise.all([
    readHelpers(around, owner),
    ...AIMED.map((one) => readAimed(around, one)),
    readBudgets(around, target),
    readApplication(around),
    ...FLUX.map((one) => readFlux(around, one)),
    // What sends requests to a pod matters only where that pod is changed.
    target.kind === 'Pod' ? listAll(around, 'v1', 'Service') : [],
  ]);
  return { objects: [...chain, ...related.flat()], notRead };
}

async function readChain(
  reads: ActingReads,
  target: Ref,
  { context, note }: Pick<Around, 'context' | 'note'>,
): Promise<KubeObject[]> {
  const chain: KubeObject[] = [];
  let next: Ref | undefined = target;
  while (next !== undefined && chain.length < MAX_HOPS) {
    const read = await reads.object(next, context);
    if (read.kind !== 'found') {
      note(`${next.kind}/${next.name}: ${sayUnread(read)}`);
      return chain;
    }
    chain.push({ apiVersion: next.apiVersion, kind: next.kind, ...read.object });
    const owner = controllerOf(OwnerObject.safeParse(read.object).data?.metadata?.ownerReferences);
    const { apiVersion = '', kind = '', name = '' } = owner ?? {};
    next = owner === undefined ? undefined : { apiVersion, kind, name, namespace: target.namespace };
  }
  return chain;
}

// Where each kind says what it is aimed at.
const AIMED = [
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', at: '/spec/scaleTargetRef' },
  { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', at: '/spec/scaleTargetRef' },
  { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler', at: '/spec/targetRef' },
] as const;

async function readAimed(around: Around, { apiVersion, kind, at }: (typeof AIMED)[number]): Promise<KubeObject[]> {
  const items = await listAll(around, apiVersion, kind);
  return items.filter((item) => isAimedAt(item, at, around.chain));
}

// KServe and KEDA make autoscalers of their own, aimed at what they own: those count by their owner.
function isAimedAt(item: KubeObject, at: string, chain: readonly KubeObject[]): boolean {
  const refs = valueAt(item, '/metadata/ownerReferences');
  const owners = Array.isArray(refs) ? refs.map((ref) => valueAt(ref, '/uid')) : [];
  return chain.some((object) => {
    const same = (key: string, or?: string): boolean =>
      (valueAt(item, `${at}/${key}`) ?? or) === valueAt(object, key === 'name' ? '/metadata/name' : `/${key}`);
    // KEDA takes a Deployment where no kind is given.
    return (same('name') && same('kind', 'Deployment')) || owners.includes(valueAt(object, '/metadata/uid'));
  });
}

async function readBudgets(around: Around, target: Ref): Promise<KubeObject[]> {
  const items = await listAll(around, 'policy/v1', 'PodDisruptionBudget');
  if (items.length === 0) return [];
  const labels = await podLabels(around, target);
  if (labels === undefined) {
    around.note('pod disruption budgets: pod labels unknown');
    return [];
  }
  return items.filter((item) => selects(valueAt(item, '/spec/selector'), labels));
}

const TEMPLATES = ['/spec/template', '/spec/leaderWorkerTemplate/workerTemplate'];

// From the template, else from any pod there is: operators add labels of their own.
async function podLabels(
  { reads, context, namespace, chain }: Around,
  target: Ref,
): Promise<Record<string, string> | undefined> {
  const [object] = chain;
  const template = TEMPLATES.map((path) => valueAt(object, `${path}/metadata/labels`)).find((one) => one !== undefined);
  const labelSelector = namedSelector(target) ?? ownSelector(object);
  if (target.kind !== 'LeaderWorkerSet' && template !== undefined) return template as Record<string, string>;
  if (labelSelector === undefined) return undefined;
  const pods = await reads.list(PODS, { namespace, labelSelector, limit: 1 }, context);
  const labels = pods.kind === 'found' ? valueAt(pods.items[0], '/metadata/labels') : undefined;
  return (labels ?? template) as Record<string, string> | undefined;
}

export const PODS = { group: '', version: 'v1', plural: 'pods', kind: 'Pod' } as const;

async function listAll(
  { reads, context, namespace, note }: Around,
  apiVersion: string,
  kind: string,
): Promise<readonly KubeObject[]> {
  const resource = knownResource(apiVersion, kind);
  if (resource === undefined) return [];
  const read = await reads.list({ ...resource, kind }, { namespace, limit: LIMIT }, context);
  if (read.kind === 'found') {
    if (read.cut) note(`${resource.plural}: more than ${LIMIT} in the namespace`);
    return read.items;
  }
  // A kind that is not installed aims at nothing.
  if (read.kind !== 'gone') note(`${resource.plural}: ${sayUnread(read)}`);
  return [];
}

const TRACKING = '/metadata/annotations/argocd.argoproj.io~1tracking-id';

// `<app>:...`, or `<namespace of the app>_<app>:...` for applications elsewhere.
async function readApplication(around: Around): Promise<KubeObject[]> {
  const id = around.chain.map((object) => valueAt(object, TRACKING)).find((one) => typeof one === 'string');
  const app = typeof id === 'string' ? (id.split(':')[0] ?? '') : '';
  if (app === '') return [];
  const [first = '', second] = app.split('_');
  const [namespace, name] = second === undefined ? ['argocd', first] : [first, second];
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace, name };
  return readOne(around, ref, `Argo CD application ${namespace}/${name}`);
}

// Flux marks what it applies with the name and namespace of what it applies it from.
const FLUX = [
  { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', mark: 'kustomize.toolkit.fluxcd.io' },
  { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', mark: 'helm.toolkit.fluxcd.io' },
] as const;

async function readFlux(around: Around, { apiVersion, kind, mark }: (typeof FLUX)[number]): Promise<KubeObject[]> {
  const label = (object: KubeObject, key: string) => valueAt(object, `/metadata/labels/${mark}~1${key}`);
  const marked = around.chain.find((object) => typeof label(object, 'name') === 'string');
  if (marked === undefined) return [];
  const [name, namespace] = [String(label(marked, 'name')), String(label(marked, 'namespace') ?? around.namespace)];
  return readOne(around, { apiVersion, kind, namespace, name }, `Flux ${kind} ${namespace}/${name}`);
}

/** Objects in which an owner keeps what is read or written of it: the StatefulSet and ConfigMap of a Workspace, the Deployment that a Rollout refers to, the runtime of an InferenceService. */
async function readHelpers(around: Around, owner: KubeObject): Promise<readonly KubeObject[]> {
  const found = await Promise.all(
    helpersOf(owner).map((ref) =>
      // What a runtime's command is only matters where an argument is to be added; then that is refused for itself.
      readOne(around, ref, RUNTIMES.includes(ref.kind) ? undefined : `${ref.kind}/${ref.name}`),
    ),
  );
  return found.flat();
}

// One object related to the target; `what` is noted if it could not be read.
async function readOne({ reads, context, note }: Around, ref: Ref, what: string | undefined): Promise<KubeObject[]> {
  const read = await reads.object(ref, context);
  if (read.kind === 'found') return [{ apiVersion: ref.apiVersion, kind: ref.kind, ...read.object }];
  if (what !== undefined) note(`${what}: ${sayUnread(read)}`);
  return [];
}

const RUNTIMES = ['ServingRuntime', 'ClusterServingRuntime'];
const KSERVE = 'serving.kserve.io/v1alpha1';

function helpersOf(owner: KubeObject): Ref[] {
  const at = (path: string): string => {
    const value = valueAt(owner, path);
    return typeof value === 'string' ? value : '';
  };
  const within = (namespace: string) => (apiVersion: string, kind: string, name: string) =>
    name === '' ? [] : [{ apiVersion, kind, namespace, name }];
  const sibling = within(at('/metadata/namespace'));
  switch (owner.kind) {
    case 'Workspace':
      return [
        ...sibling('apps/v1', 'StatefulSet', at('/metadata/name')),
        ...sibling('v1', 'ConfigMap', at('/inference/config')),
      ];
    case 'Rollout':
      return at('/spec/workloadRef/kind') === 'Deployment'
        ? sibling('apps/v1', 'Deployment', at('/spec/workloadRef/name'))
        : [];
    case 'InferenceService':
      // One of the namespace goes before one of the whole cluster: it stands first.
      return [
        ...sibling(KSERVE, 'ServingRuntime', at('/spec/predictor/model/runtime')),
        ...within('')(KSERVE, 'ClusterServingRuntime', at('/spec/predictor/model/runtime')),
      ];
    default:
      return [];
  }
}
