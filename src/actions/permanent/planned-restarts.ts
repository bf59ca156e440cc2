import { stringify } from 'yaml';
import type { ObjectRef } from '../../model/plan.ts';
import type { Series, SeriesFile } from '../../model/snapshot.ts';

/** A CronJob that restarts a workload, with its own identity; `needs` is what to fill in. */
export type RestartJob = { readonly yaml: string; readonly needs: readonly string[]; readonly schedule: string };

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const RESOURCES: Readonly<Record<string, string>> = { Deployment: 'deployments', StatefulSet: 'statefulsets' };

/** Restarts before memory runs out: every `everySec`, and where a day fits into that, once a day in the hour with the least traffic. Undefined for a kind that `kubectl rollout restart` does not take. */
export function restartJob(
  { kind, name, namespace }: Pick<ObjectRef, 'kind' | 'name' | 'namespace'>,
  everySec: number,
  series: SeriesFile | undefined,
): RestartJob | undefined {
  const resource = RESOURCES[kind];
  if (resource === undefined) return undefined;
  const hours = Math.floor(everySec / 3600);
  if (hours < 1) return undefined;
  const quiet = series && quietHour(series);
  const schedule = hours < DAY_HOURS ? `0 */${divisorUpTo(hours)} * * *` : `0 ${quiet ?? 4} * * *`;
  const own = `${name.slice(0, 40)}-restart`;
  const metadata = { name: own, namespace };
  const docs = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata },
      rules: [{ apiGroups: ['apps'], resources: [resource], resourceNames: [name], verbs: ['get', 'patch'] }],
    },
    {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: own },
      subjects: [{ kind: 'ServiceAccount', name: own, namespace }],
    },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata,
      spec: cronSpec(schedule, own, `${kind.toLowerCase()}/${name}`),
    },
  ];
  const unknownHour = hours >= DAY_HOURS && quiet === undefined;
  return {
    yaml: docs.map((doc) => stringify(doc, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n'),
    schedule,
    needs: [
      'Replace KUBECTL_IMAGE by an image with kubectl that your cluster may pull.',
      ...(unknownHour
        ? ['04:00 UTC is a placeholder: no traffic over a whole day is known. Set a low-traffic hour.']
        : []),
    ],
  };
}

function cronSpec(schedule: string, serviceAccountName: string, target: string) {
  const container = { name: 'restart', image: 'KUBECTL_IMAGE', command: ['kubectl', 'rollout', 'restart', target] };
  const spec = { serviceAccountName, restartPolicy: 'Never', containers: [container] };
  return {
    ...{ schedule, timeZone: 'Etc/UTC', concurrencyPolicy: 'Forbid' },
    jobTemplate: { spec: { backoffLimit: 1, template: { spec } } },
  };
}

// Of `*/5` the last span of a day would be four hours, and of `*/7` three: a divisor keeps them equal.
function divisorUpTo(hours: number): number {
  return Array.from({ length: hours }, (_, i) => hours - i).find((n) => DAY_HOURS % n === 0) ?? 1;
}

/** The hour of the day (UTC) with the least requests running; undefined unless the series cover every hour. */
function quietHour({ series }: SeriesFile): number | undefined {
  const byHour = Map.groupBy(
    series.filter(({ id }) => id === 'requests.running').flatMap(({ points }) => points),
    ([at]) => Math.floor(at / HOUR_MS) % DAY_HOURS,
  );
  if (byHour.size < DAY_HOURS) return undefined;
  const mean = (points: Series['points']) => points.reduce((sum, [, value]) => sum + value, 0) / points.length;
  return [...byHour].toSorted(([, a], [, b]) => mean(a) - mean(b))[0]?.[0];
}
