import { valueAt } from '../../../../src/model/json-patch.ts';
import type { KubeObject } from '../../../../src/standins/api-server/objects/world.ts';
import { ownerOf } from '../owners/owner-objects.ts';
import type { KillPlanAsk } from './make-kill-plan.ts';

/** One kind of change, by a plan of the real planner, and what has to come of it. */
export type KillKind = KillPlanAsk & {
  /** Of the namespace, the database and the stand-in. */
  readonly id: string;
  readonly says: string;
  /** Made in this order; the owner is the last. */
  readonly objects: readonly KubeObject[];
  /** Pods that serve before the plan is made. */
  readonly pods: number;
  /** Writes in order, by the number in their mark and the kind they are of; a count behind `/scale` bears no mark. */
  readonly forward: readonly string[];
  /** How many of them are made before a verification can fail. */
  readonly ahead: number;
  readonly back: readonly string[];
  /** Whose annotations are taken off after a rollback, in that order. */
  readonly cleared: readonly string[];
  /** What is another than before in the end, and after the way back. */
  readonly changed: readonly string[];
  readonly left: readonly string[];
  /** Effects that only this kind has, around which a bot is killed; the report stands behind the writes. */
  readonly points: { readonly forward: readonly number[]; readonly back: readonly number[] };
};

const REPLICAS = 2;

function objectsOf(name: string): readonly KubeObject[] {
  return ownerOf(name).objects({ replicas: REPLICAS });
}

const beside = (apiVersion: string, kind: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'vllm', namespace: 'llm', uid: '' },
  spec,
});
const TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'vllm' };
const SCALED = beside('keda.sh/v1alpha1', 'ScaledObject', {
  scaleTargetRef: TARGET,
  minReplicaCount: 2,
  maxReplicaCount: 4,
  triggers: [],
});
const HPA = beside('autoscaling/v2', 'HorizontalPodAutoscaler', {
  scaleTargetRef: TARGET,
  minReplicas: 2,
  maxReplicas: 4,
});

const BLEED = { action: 'stop-bleed', length: '8192', container: 'vllm' } as const;
const SHORTER = 'Deployment /spec/template/spec/containers/0/args: 32768 -> 8192';

function earlierTemplate(): unknown {
  const template = structuredClone(valueAt(objectsOf('Deployment').at(-1), '/spec/template'));
  Object.assign(valueAt(template, '/spec/containers/0') as object, { args: ['--max-model-len', '4096'] });
  return template;
}

const marks = (kind: string, ...numbers: readonly number[]): string[] => numbers.map((n) => `${n} ${kind}`);
const RESTARTED = '/metadata/annotations: none -> {"kubectl.kubernetes.io/restartedAt":"…"}';
const RESTARTED_WORKER = '/metadata: none -> {"annotations":{"kubectl.kubernetes.io/restartedAt":"…"}}';
const GROUP = 'LeaderWorkerSet /spec/leaderWorkerTemplate';
const RESTART = [`${GROUP}/leaderTemplate${RESTARTED}`, `${GROUP}/workerTemplate${RESTARTED_WORKER}`];

/** To zero, arguments, one, both, verified: the sequence that stops the bleeding. */
export const DEPLOYMENT: KillKind = {
  ...BLEED,
  id: 'deployment',
  says: 'Deployment',
  objects: objectsOf('Deployment'),
  pods: 2,
  forward: marks('Deployment', 1, 3, 4, 6),
  ahead: 4,
  back: marks('Deployment', 11, 13, 14, 16),
  cleared: ['Deployment'],
  changed: [SHORTER],
  left: [],
  points: { forward: [1, 2, 3, 4, 5], back: [5, 6, 7, 8, 9] },
};

/** The same with counts that are written by `/scale`, as no adapter does yet: a mark and the count, in two requests. */
export const SCALE: KillKind = {
  ...DEPLOYMENT,
  id: 'scale',
  says: 'count by /scale',
  viaScale: true,
  forward: ['1 Deployment', '/scale 0', '3 Deployment', '4 Deployment', '/scale 1', '6 Deployment', '/scale 2'],
  ahead: 7,
  back: ['11 Deployment', '/scale 1', '13 Deployment', '/scale 0', '14 Deployment', '16 Deployment', '/scale 2'],
  cleared: ['Deployment'],
  points: { forward: [1, 2, 6, 7], back: [8, 9, 13, 14] },
};

/** A ConfigMap that is made, and the patch that names it. */
export const WORKSPACE: KillKind = {
  action: 'set-args',
  length: '8192',
  container: 'vllm',
  id: 'workspace',
  says: 'KAITO Workspace',
  objects: objectsOf('Workspace'),
  pods: 2,
  forward: ['1 StatefulSet', '3 ConfigMap', '4 Workspace', '5 StatefulSet'],
  ahead: 4,
  back: ['10 StatefulSet', '11 Workspace', '14 StatefulSet'],
  cleared: ['StatefulSet', 'Workspace'],
  changed: [
    'ConfigMap made',
    'StatefulSet /spec/template/metadata/annotations/kaito.sh/config: qwen-config -> qwen-config-oom-…',
    'Workspace /inference/config: qwen-config -> qwen-config-oom-…',
  ],
  left: ['ConfigMap made'],
  points: { forward: [2, 3, 4], back: [5, 6] },
};

/** An autoscaler that is paused at each count and let go in the end: annotations of an object beside the owner. */
const KEDA: KillKind = {
  ...DEPLOYMENT,
  id: 'keda',
  says: 'Deployment under KEDA',
  objects: [SCALED, ...objectsOf('Deployment')],
  forward: ['1 ScaledObject', '3 Deployment', '4 ScaledObject', '6 ScaledObject', '9 ScaledObject'],
  back: ['13 ScaledObject', '15 ScaledObject', '16 Deployment', '18 ScaledObject'],
  cleared: ['ScaledObject', 'Deployment'],
  points: { forward: [1, 3, 5], back: [5, 8] },
};

/** An autoscaler that rests at zero and takes over from its minimum on. */
const AUTOSCALED: KillKind = {
  ...DEPLOYMENT,
  id: 'hpa',
  says: 'Deployment under an HPA',
  objects: [HPA, ...objectsOf('Deployment')],
  forward: marks('Deployment', 1, 3, 4),
  ahead: 3,
  back: marks('Deployment', 9, 10, 12),
  cleared: ['Deployment'],
  points: { forward: [3], back: [4] },
};

/** Stopped by an annotation, started by taking it away together with a narrower range. */
const SERVICE: KillKind = {
  ...BLEED,
  container: 'kserve-container',
  id: 'kserve',
  says: 'KServe InferenceService',
  objects: objectsOf('InferenceService (RawDeployment)'),
  pods: 2,
  forward: marks('InferenceService', 1, 3, 4, 6),
  ahead: 4,
  back: marks('InferenceService', 11, 13, 14, 16),
  cleared: ['InferenceService'],
  changed: ['InferenceService /spec/predictor/model/args: --max-model-len=32768 -> --max-model-len=8192'],
  left: [],
  points: { forward: [1, 3, 4], back: [5, 6, 8] },
};

/** Replaced in place: settings of the roll-out, the template of the revision before, the settings back. */
const REVISION: KillKind = {
  ...DEPLOYMENT,
  action: 'roll-back',
  length: undefined,
  earlier: earlierTemplate(),
  id: 'revision',
  says: 'Deployment back to its revision',
  forward: marks('Deployment', 1, 2, 5),
  ahead: 2,
  back: marks('Deployment', 9, 10),
  cleared: ['Deployment'],
  changed: [
    'Deployment /spec/template/spec/containers/0/args: 32768 --gpu-memory-utilization=0.95 --enable-prefix-caching -> 4096',
  ],
  points: { forward: [1, 2, 3], back: [3, 4] },
};

/** A restart, which nothing can take back. */
const RESTARTED_GROUPS: KillKind = {
  action: 'restart-drained',
  container: 'vllm-leader',
  id: 'restart',
  says: 'restart of a LeaderWorkerSet',
  objects: objectsOf('LeaderWorkerSet'),
  pods: 4,
  forward: ['2 LeaderWorkerSet'],
  ahead: 1,
  back: [],
  cleared: [],
  changed: RESTART,
  left: RESTART,
  points: { forward: [1], back: [2] },
};

export const KINDS: readonly KillKind[] = [
  DEPLOYMENT,
  SCALE,
  WORKSPACE,
  KEDA,
  AUTOSCALED,
  SERVICE,
  REVISION,
  RESTARTED_GROUPS,
];
