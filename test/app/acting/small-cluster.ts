import type { ActingCluster, KubeObject, ObjectRead, Write, WriteOutcome } from '../../../src/app/acting-ports.ts';
import { applyPatch, valueAt } from '../../../src/model/json-patch.ts';
import { examplePlan } from '../../model/plan-examples.ts';
import { OLD_ARGS } from './plans.ts';
import { aPod } from './pod-builder.ts';

type Fault = {
  /** Given to the caller instead of the true answer. */
  readonly answer: WriteOutcome;
  /** The write is made all the same. */
  readonly written?: boolean;
};

export type SmallCluster = ActingCluster & {
  /** Writes that were made, as `path=value` of what they set, marks left out. */
  readonly log: readonly string[];
  object: KubeObject;
  /** How many of the pods are ready; all unless told. */
  ready: number | undefined;
  /** What keeps the others from it, and when all were made. */
  why: string;
  createdAt: number;
  /** Pods that die: name of the reason, and when. */
  death: { readonly reason: string; readonly exitCode: number; readonly at: number | null } | null;
  /** Faults of the next writes, in order; undefined is none. */
  readonly faults: (Fault | undefined)[];
  away: boolean;
  /** Whatever else is there, by kind/name. */
  readonly others: Map<string, KubeObject>;
  /** As another writer does it. */
  set(path: string, value: unknown): void;
};

const { target } = examplePlan;

/** One Deployment whose pods follow at once, with a log of the writes that were made. */
export function createSmallCluster(): SmallCluster {
  const log: string[] = [];
  const scaleOf = (): KubeObject => ({ kind: 'Scale', spec: { replicas: valueAt(cluster.object, '/spec/replicas') } });
  const cluster: SmallCluster = {
    name: target.cluster,
    log,
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'vllm-server', namespace: 'llm', uid: target.object.uid, generation: 1 },
      spec: { replicas: 2, template: { spec: { containers: [{ name: 'vllm', args: OLD_ARGS }] } } },
    },
    ready: undefined,
    why: 'Pending',
    createdAt: 0,
    death: null,
    faults: [],
    away: false,
    others: new Map(),
    set(path, value) {
      const changed = applyPatch(cluster.object, [{ op: 'replace', path, value: value as never }]);
      if (changed.kind === 'applied') cluster.object = changed.value as KubeObject;
    },
    async read({ kind, name }): Promise<ObjectRead> {
      if (cluster.away) return { kind: 'unavailable', why: 'ECONNREFUSED' };
      const object = kind === 'Deployment' ? cluster.object : cluster.others.get(`${kind}/${name}`);
      return object === undefined ? { kind: 'gone' } : { kind: 'found', object: structuredClone(object) };
    },
    mayWrite: async () => ({ kind: 'yes' }),
    async write(write) {
      if (cluster.away) return { kind: 'unavailable', why: 'ECONNREFUSED', retryAfterMs: null };
      if (write.dryRun) return make(write);
      const fault = cluster.faults.shift();
      if (fault !== undefined && fault.written !== true) return fault.answer;
      const outcome = make(write);
      return fault?.answer ?? outcome;
    },
    async pods() {
      if (cluster.away) return { kind: 'could-not-tell', why: 'ECONNREFUSED' };
      const count = Number(valueAt(cluster.object, '/spec/replicas'));
      const ready = cluster.ready ?? count;
      const { death: lastDeath } = cluster;
      const pod = (i: number) =>
        aPod(`vllm-server-${i}`, {
          ready: i < ready,
          why: i < ready ? null : cluster.why,
          createdAt: cluster.createdAt,
          restarts: lastDeath === null ? 0 : 1,
          lastDeath,
          ip: `10.0.0.${i + 1}`,
          ports: [8000],
        });
      return { kind: 'read', pods: Array.from({ length: count }, (_, i) => pod(i)) };
    },
    failedCreate: async () => undefined,
    surroundings: async () => ({ objects: [], notRead: [] }),
  };
  function make({ body, object, subresource, dryRun }: Write): WriteOutcome {
    if (body.kind === 'create') {
      const key = `${object.kind}/${object.name}`;
      if (cluster.others.has(key)) return { kind: 'stale', message: 'exists' };
      cluster.others.set(key, body.manifest as KubeObject);
      log.push(`create ${key}`);
      return { kind: 'written', object: body.manifest as KubeObject, warnings: [] };
    }
    const doc = subresource === 'scale' ? scaleOf() : cluster.object;
    const applied = applyPatch(doc, body.patch);
    if (applied.kind === 'failed') return { kind: 'stale', message: applied.why };
    const changed = applied.value as KubeObject;
    if (dryRun) return { kind: 'written', object: changed, warnings: [] };
    if (subresource === 'scale') cluster.set('/spec/replicas', valueAt(changed, '/spec/replicas'));
    else cluster.object = changed;
    for (const operation of body.patch) {
      if (operation.op === 'test' || operation.path.startsWith('/metadata/annotations')) continue;
      log.push(`${operation.path.split('/').at(-1)}=${'value' in operation ? JSON.stringify(operation.value) : ''}`);
    }
    return { kind: 'written', object: changed, warnings: [] };
  }
  return cluster;
}
