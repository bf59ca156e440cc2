import type { KubeObject } from './world.ts';

/** Whether the client asks for the table that `kubectl get` prints. */
export function wantsTable(accept: string): boolean {
  return accept.split(',').some((type) => type.includes('as=Table') && type.includes('g=meta.k8s.io'));
}

/** meta/v1 Table with the columns of pods, each row with the metadata of its object. */
export function tableOf(objects: readonly KubeObject[], metadata: object, includeObject?: string): unknown {
  const columnDefinitions = ['Name', 'Ready', 'Status', 'Restarts', 'Age'].map((name) => ({
    name,
    type: 'string',
    format: '',
    description: '',
    priority: 0,
  }));
  const rows = objects.map((object) => ({
    cells: cellsOf(object),
    object:
      includeObject === 'None'
        ? null
        : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
  }));
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows };
}

type State = {
  readonly waiting?: { readonly reason?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
};
type Status = {
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: State;
  readonly lastState?: { readonly terminated?: { readonly finishedAt?: string } };
};

function cellsOf(pod: KubeObject): readonly string[] {
  const status = (pod.status ?? {}) as {
    phase?: string;
    reason?: string;
    containerStatuses?: readonly Status[];
    initContainerStatuses?: readonly Status[];
  };
  const main = status.containerStatuses ?? [];
  const restarts = main.reduce((sum, one) => sum + (one.restartCount ?? 0), 0);
  const ready = `${main.filter((one) => one.ready).length}/${main.length}`;
  const word =
    pod.metadata.deletionTimestamp === undefined
      ? (initWord(status.initContainerStatuses) ?? mainWord(main) ?? status.reason ?? status.phase ?? 'Unknown')
      : 'Terminating';
  return [pod.metadata.name, ready, word, restarts === 0 ? '0' : `${restarts}${lastRestart(main)}`, '5m'];
}

function lastRestart(main: readonly Status[]): string {
  const ends = main.map(({ lastState }) => Date.parse(lastState?.terminated?.finishedAt ?? '')).filter(Number.isFinite);
  if (ends.length === 0) return '';
  return ` (${Math.max(0, Math.round((Date.now() - Math.max(...ends)) / 1000))}s ago)`;
}

// As printPod of the API server: the last container that waits or has ended gives the word.
function mainWord(statuses: readonly Status[]): string | undefined {
  for (const { state } of statuses) {
    if (state?.waiting?.reason !== undefined) return state.waiting.reason;
    if (state?.terminated !== undefined) return state.terminated.reason ?? `ExitCode:${state.terminated.exitCode}`;
  }
  return undefined;
}

function initWord(statuses: readonly Status[] = []): string | undefined {
  const stuck = statuses.find(({ state }) => state?.waiting !== undefined || (state?.terminated?.exitCode ?? 0) !== 0);
  const reason = stuck?.state?.waiting?.reason ?? stuck?.state?.terminated?.reason;
  return reason === undefined ? undefined : `Init:${reason}`;
}
