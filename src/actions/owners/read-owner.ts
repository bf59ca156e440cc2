import { z } from 'zod';
import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { kubectlName } from './kubectl.ts';
import { patchCommand } from './patch-command.ts';
import { type LiveRef, type ObjectHead, readHead } from './read-object.ts';

/** How the number of replicas of a workload is changed, at `ref`, which need not be the owner itself. */
export type ScaleWay =
  | {
      readonly kind: 'count';
      readonly ref: LiveRef;
      readonly object: unknown;
      readonly path: string;
      readonly now: number;
    }
  /** An annotation that stops the whole workload; there is no count to set. */
  | {
      readonly kind: 'stop';
      readonly ref: LiveRef;
      readonly object: unknown;
      readonly annotation: string;
      readonly stopped: boolean;
      readonly now: number;
    }
  | { readonly kind: 'none'; readonly why: string };

/** Where the engine's container stands in the owner. */
export type ContainerPlace = { readonly path: string; readonly value: unknown; readonly name: string | null };

/** A workload of a kind whose fields are known. */
export type Owner = {
  readonly kind: 'known';
  readonly head: ObjectHead;
  readonly object: unknown;
  readonly scale: ScaleWay;
  readonly container: ContainerPlace | undefined;
  /** Pointer of the pod template; undefined where the kind makes its own. */
  readonly template: string | undefined;
  /** The operator puts its own arguments before those of this container, so that some may be added where there are none. */
  readonly appendsArgs: boolean;
  /** How broken replicas are replaced while others serve. */
  readonly replaces: 'surge' | 'group' | 'none';
  readonly hazards: readonly Hazard[];
};

/** Of any other kind: nothing is written, a person gets what to type. */
export type OtherOwner = { readonly kind: 'paste'; readonly says: string; readonly command: string };

type Rule = {
  readonly group: string;
  readonly count: string | undefined;
  readonly templates: readonly string[];
  readonly replaces: Owner['replaces'];
  read?(object: unknown, head: ObjectHead, beside: readonly unknown[]): Partial<Owner>;
};

const TEMPLATE = ['/spec/template'];

// Fields by kind: facts on the Kubernetes API of each project, as of 2026.
const RULES: Readonly<Record<string, Rule>> = {
  Deployment: { group: 'apps', count: '/spec/replicas', templates: TEMPLATE, replaces: 'surge', read: readDeployment },
  StatefulSet: { group: 'apps', count: '/spec/replicas', templates: TEMPLATE, replaces: 'none', read: readStatefulSet },
  Rollout: { group: 'argoproj.io', count: '/spec/replicas', templates: TEMPLATE, replaces: 'none', read: readRollout },
  LeaderWorkerSet: {
    group: 'leaderworkerset.x-k8s.io',
    count: '/spec/replicas',
    // The leader runs the engine; where there is no template of its own it is made from the workers'.
    templates: ['/spec/leaderWorkerTemplate/leaderTemplate', '/spec/leaderWorkerTemplate/workerTemplate'],
    replaces: 'group',
    read: () => ({ hazards: [GROUP_RESTART] }),
  },
  InferenceService: {
    group: 'serving.kserve.io',
    count: undefined,
    templates: [],
    replaces: 'none',
    read: readInferenceService,
  },
  Workspace: { group: 'kaito.sh', count: undefined, templates: [], replaces: 'none', read: readWorkspace },
};

const GROUP_RESTART: Hazard = {
  id: 'group-restart',
  says: 'One container that restarts takes its whole group with it, and the logs of the group go.',
  done: 'the evidence of the incident is stored first',
  blocks: false,
};

/** The workload behind a top owner; `beside` are the other objects that were read around it. Never throws. */
export function readOwner(object: unknown, container: string | null, beside: readonly unknown[]): Owner | OtherOwner {
  const head = readHead(object);
  if (head === undefined)
    return { kind: 'paste', says: 'The owner could not be read.', command: 'kubectl get pods -o wide' };
  const rule = RULES[head.ref.kind];
  const group = head.ref.apiVersion.split('/')[0];
  if (rule === undefined || rule.group !== group) return otherOwner(head.ref);
  const template = rule.templates.find((path) => valueAt(object, path) !== undefined);
  const base: Owner = {
    kind: 'known',
    head,
    object,
    scale:
      rule.count === undefined
        ? { kind: 'none', why: 'this kind has no count' }
        : countAt(object, head.ref, rule.count),
    container: template === undefined ? undefined : containerIn(object, `${template}/spec`, container),
    template,
    appendsArgs: false,
    replaces: rule.replaces,
    hazards: [],
  };
  return { ...base, ...rule.read?.(object, head, beside) };
}

function countAt(object: unknown, ref: LiveRef, path: string): ScaleWay {
  const now = valueAt(object, path);
  // A field that is left out would be another write than `replace`, and a default that somebody else may own.
  if (typeof now !== 'number') return { kind: 'none', why: `${path} is not set, so something else decides the count` };
  return { kind: 'count', ref, object, path, now };
}

const Container = z.looseObject({
  name: z.string().optional(),
  resources: z.looseObject({ limits: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});

const GPU = /^(?:nvidia\.com\/|amd\.com\/gpu|habana\.ai\/|intel\.com\/|gpu\.intel\.com\/)/;

/** The engine's container: by the name that the evidence gave, else the only one, else the only one with a GPU. */
function containerIn(object: unknown, spec: string, wanted: string | null): ContainerPlace | undefined {
  const list = valueAt(object, `${spec}/containers`);
  const containers = Array.isArray(list) ? list.map((item) => Container.safeParse(item).data) : [];
  const place = (index: number): ContainerPlace | undefined =>
    index < 0
      ? undefined
      : {
          path: `${spec}/containers/${index}`,
          value: valueAt(object, `${spec}/containers/${index}`),
          name: containers[index]?.name ?? null,
        };
  if (wanted !== null) return place(containers.findIndex((one) => one?.name === wanted));
  if (containers.length === 1) return place(0);
  const withGpu = containers.flatMap((one, index) =>
    Object.keys(one?.resources?.limits ?? {}).some((name) => GPU.test(name)) ? [index] : [],
  );
  return withGpu.length === 1 ? place(withGpu[0] ?? -1) : undefined;
}

function readDeployment(object: unknown): Partial<Owner> {
  if (valueAt(object, '/spec/paused') !== true) return {};
  const says =
    'The rollout of this Deployment is paused (spec.paused): a change of its template does nothing until it goes on.';
  return { hazards: [{ id: 'rollout-paused', says, done: null, blocks: true }] };
}

function readStatefulSet(object: unknown): Partial<Owner> {
  if (valueAt(object, '/spec/persistentVolumeClaimRetentionPolicy/whenScaled') !== 'Delete') return {};
  return {
    scale: { kind: 'none', why: 'whenScaled: Delete would delete the volumes of the pods, the model cache with them' },
  };
}

function readRollout(object: unknown): Partial<Owner> {
  const says = 'A Rollout goes through its canary steps before all replicas are changed.';
  const canary: Hazard = { id: 'canary', says, done: null, blocks: false };
  if (valueAt(object, '/spec/workloadRef') === undefined) return { hazards: [canary] };
  return { template: undefined, container: undefined, hazards: [canary] };
}

const STOP = 'serving.kserve.io/stop';

function readInferenceService(object: unknown, head: ObjectHead): Partial<Owner> {
  const model = valueAt(object, '/spec/predictor/model');
  const minimum = valueAt(object, '/spec/predictor/minReplicas');
  const container: ContainerPlace | undefined =
    model === undefined
      ? containerIn(object, '/spec/predictor', null)
      : { path: '/spec/predictor/model', value: model, name: 'kserve-container' };
  return {
    scale: {
      kind: 'stop',
      ref: head.ref,
      object,
      annotation: STOP,
      stopped: head.annotations[STOP] === 'true',
      now: typeof minimum === 'number' ? minimum : 1,
    },
    container,
    appendsArgs: model !== undefined,
    hazards: [
      {
        id: 'stop-deletes',
        says: 'Stopping an InferenceService deletes its Deployment and Services, and the logs of the pods with them.',
        done: 'the evidence of the incident is stored first',
        blocks: false,
      },
    ],
  };
}

function readWorkspace(_: unknown, head: ObjectHead, beside: readonly unknown[]): Partial<Owner> {
  const set = beside.find((one) => {
    const other = readHead(one)?.ref;
    return other?.kind === 'StatefulSet' && other.name === head.ref.name;
  });
  const ref = readHead(set)?.ref;
  return {
    scale:
      ref === undefined
        ? { kind: 'none', why: 'the StatefulSet of the Workspace was not read' }
        : countAt(set, ref, '/spec/replicas'),
    hazards: [
      {
        id: 'nodes-released',
        says: 'Nodes that were provisioned for this Workspace may be released at zero; to come back can take tens of minutes.',
        done: null,
        blocks: false,
      },
    ],
  };
}

// What each kind that we do not write is changed with, by hand.
const BY_HAND: Readonly<Record<string, (ref: LiveRef) => string>> = {
  RayCluster: (ref) => patchCommand(ref, [{ op: 'add', path: '/spec/suspend', value: true }]),
  NIMService: (ref) => patchCommand(ref, [{ op: 'replace', path: '/spec/replicas', value: 0 }]),
  VLLMRuntime: (ref) => `kubectl -n ${ref.namespace} scale ${kubectlName(ref)} --replicas=0`,
  InferenceSet: (ref) => `kubectl -n ${ref.namespace} scale ${kubectlName(ref)} --replicas=0`,
  LLMInferenceService: (ref) => patchCommand(ref, [{ op: 'replace', path: '/spec/replicas', value: 0 }]),
  ReplicaSet: (ref) => `kubectl -n ${ref.namespace} scale ${kubectlName(ref)} --replicas=0`,
  Job: (ref) => patchCommand(ref, [{ op: 'add', path: '/spec/suspend', value: true }]),
};

function otherOwner(ref: LiveRef): OtherOwner {
  const known = BY_HAND[ref.kind];
  return {
    kind: 'paste',
    says: `oombot does not write ${ref.kind} objects. To stop it by hand:`,
    command:
      known?.(ref) ??
      `kubectl -n ${ref.namespace} get ${kubectlName(ref)} -o yaml   # find its replicas, then: kubectl -n ${ref.namespace} scale ${kubectlName(ref)} --replicas=0`,
  };
}
