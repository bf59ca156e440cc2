import { type ContainerState, containersOf, podWord } from './pod-word.ts';
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

function cellsOf(pod: KubeObject): readonly string[] {
  const main = containersOf(pod);
  const restarts = main.reduce((sum, one) => sum + (one.restartCount ?? 0), 0);
  const ready = `${main.filter((one) => one.ready).length}/${main.length}`;
  return [pod.metadata.name, ready, podWord(pod), restarts === 0 ? '0' : `${restarts}${lastRestart(main)}`, '5m'];
}

function lastRestart(main: readonly ContainerState[]): string {
  const ends = main.map(({ lastState }) => Date.parse(lastState?.terminated?.finishedAt ?? '')).filter(Number.isFinite);
  if (ends.length === 0) return '';
  return ` (${Math.max(0, Math.round((Date.now() - Math.max(...ends)) / 1000))}s ago)`;
}
