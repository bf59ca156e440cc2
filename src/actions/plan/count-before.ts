import type { Plan, WriteStep } from '../../model/plan.ts';

/**
 * The count of replicas from which writes took a workload to zero; null where they did not. A stop or a pause is no
 * count: there it is what the plan had counted.
 */
export function countBefore(writes: readonly WriteStep[], { total }: Pick<Plan['serving'], 'total'>): number | null {
  for (const { patch } of writes) {
    const counted = patch.find((one) => one.op === 'test' && one.path.endsWith('/replicas'));
    const sets = patch.filter((one) => one.op === 'replace' || one.op === 'add');
    if (sets.some(({ path, value }) => path.endsWith('/replicas') && value === 0)) {
      return counted?.op === 'test' && typeof counted.value === 'number' ? counted.value : null;
    }
    if (sets.some(stopsAll)) return total > 0 ? total : null;
  }
  return null;
}

const STOPS: Readonly<Record<string, string>> = {
  'serving.kserve.io/stop': 'true',
  'autoscaling.keda.sh/paused-replicas': '0',
};

const ANNOTATIONS = '/metadata/annotations';

// A map of annotations that was not there is added as a whole.
function stopsAll({ path, value }: { readonly path: string; readonly value: unknown }): boolean {
  if (path === ANNOTATIONS) {
    return Object.entries(STOPS).some(([name, stop]) =>
      Object.entries(value ?? {}).some(([n, v]) => n === name && v === stop),
    );
  }
  const name = path.startsWith(`${ANNOTATIONS}/`) ? path.slice(ANNOTATIONS.length + 1).replaceAll('~1', '/') : '';
  return STOPS[name] !== undefined && STOPS[name] === value;
}
