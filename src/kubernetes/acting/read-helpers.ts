import type { ActContext, KubeObject } from '../../app/acting-ports.ts';
import { valueAt } from '../../model/json-patch.ts';
import type { ObjectRef } from '../../model/plan.ts';
import { type ActingReads, sayUnread } from './acting-reads.ts';

type Ref = Omit<ObjectRef, 'uid'>;

export type HelperReads = {
  readonly reads: ActingReads;
  readonly context: ActContext;
  readonly note: (what: string) => void;
};

/** Objects in which an owner keeps what is read or written of it: the StatefulSet and ConfigMap of a Workspace, the Deployment that a Rollout refers to, the runtime of an InferenceService. */
export async function readHelpers({ reads, context, note }: HelperReads, owner: KubeObject): Promise<KubeObject[]> {
  const found = await Promise.all(
    helpersOf(owner).map(async (ref) => {
      const read = await reads.object(ref, context);
      if (read.kind === 'found') return [{ apiVersion: ref.apiVersion, kind: ref.kind, ...read.object }];
      // What a runtime's command is only matters where an argument is to be added; then that is refused for itself.
      if (!RUNTIMES.includes(ref.kind)) note(`${ref.kind}/${ref.name}: ${sayUnread(read)}`);
      return [];
    }),
  );
  return found.flat();
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
  const beside = within(at('/metadata/namespace'));
  switch (owner.kind) {
    case 'Workspace':
      return [
        ...beside('apps/v1', 'StatefulSet', at('/metadata/name')),
        ...beside('v1', 'ConfigMap', at('/inference/config')),
      ];
    case 'Rollout':
      return at('/spec/workloadRef/kind') === 'Deployment'
        ? beside('apps/v1', 'Deployment', at('/spec/workloadRef/name'))
        : [];
    case 'InferenceService':
      // One of the namespace goes before one of the whole cluster: it stands first.
      return [
        ...beside(KSERVE, 'ServingRuntime', at('/spec/predictor/model/runtime')),
        ...within('')(KSERVE, 'ClusterServingRuntime', at('/spec/predictor/model/runtime')),
      ];
    default:
      return [];
  }
}
