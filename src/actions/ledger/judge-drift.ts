import { parseJson } from '../../model/json-file.ts';
import { valueAt } from '../../model/json-patch.ts';
import { fieldManager, fieldOwners } from '../run/field-manager.ts';
import { type Altered, isSameValue } from '../run/same-value.ts';
import { readMarks } from '../run/stamp.ts';
import type { WrittenValue } from './written-values.ts';

/** What has become of the values that a run has set. `by` is a field manager, null where the API server's books name none. */
export type Drift =
  | { readonly kind: 'temporary' }
  | { readonly kind: 'permanent'; readonly by: string }
  | { readonly kind: 'reverted'; readonly by: string | null }
  | { readonly kind: 'changed'; readonly by: string | null; readonly value: Altered };

const OURS = 'oombot';

// Managers that write what stands in Git or in a release. Who edits by hand makes nothing permanent.
const DEPLOYERS = /^(?:helm|argocd|kustomize|flux|kubectl-client-side-apply|terraform|hashicorp|pulumi|fleet|kapp)/i;

const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * `live` holds the objects as they are, by uid; what was written behind `/scale` is not looked at. Owners from before `since`
 * (epoch ms), when the run began, make nothing permanent.
 */
export function judgeDrift(values: readonly WrittenValue[], live: ReadonlyMap<string, unknown>, since: number): Drift {
  const seen = values.flatMap((value) => {
    const object = live.get(value.object.uid);
    return object === undefined || value.subresource === 'scale' ? [] : [{ ...value, live: object }];
  });
  const altered = seen.filter((value) => !holdsOurs(value));
  if (altered.length === 0) return judgeOwners(seen, since);
  const [first] = altered;
  if (seen.every(holdsOld)) return { kind: 'reverted', by: newestManager(altered) };
  const changed = altered.find((value) => !holdsOld(value)) ?? first;
  if (changed === undefined) return { kind: 'temporary' };
  const { path, to: expected, live: object } = changed;
  const value = { path, expected, found: valueAt(object, path) };
  return { kind: 'changed', by: newestManager([changed]), value };
}

/** Whether a value was set by a run of ours. */
export function isOwnManager(by: string | null): boolean {
  return by === OURS;
}

type Seen = WrittenValue & { readonly live: unknown };

function holdsOurs({ path, to, live }: Seen): boolean {
  const found = valueAt(live, path);
  return isSameValue(path, to ?? null, found) || isScaling(path, to, found);
}

// A count that moves above zero is an autoscaler at its work.
function isScaling(path: string, to: unknown, found: unknown): boolean {
  return path.endsWith('/replicas') && Number(to) > 0 && Number(found) > 0;
}

function holdsOld({ path, from, live }: Seen): boolean {
  return isSameValue(path, from ?? null, valueAt(live, path));
}

function newestManager(values: readonly Seen[]): string | null {
  return values.map(({ live, path }) => fieldManager(live, path)).find((by) => by !== undefined) ?? null;
}

// Of several values all have to be owned: one that Git does not hold is lost with the next deployment.
function judgeOwners(seen: readonly Seen[], since: number): Drift {
  const owners = seen.map((value) => deployerOf(value, since));
  const [first] = owners;
  return first === undefined || owners.includes(undefined) ? { kind: 'temporary' } : { kind: 'permanent', by: first };
}

function deployerOf({ live, path, to }: Seen, since: number): string | undefined {
  const owner = fieldOwners(live, path).find(
    ({ manager, operation, time = '' }) =>
      manager !== OURS && Date.parse(time) >= since && (operation === 'Apply' || DEPLOYERS.test(manager)),
  );
  if (owner !== undefined) return owner.manager;
  // `kubectl apply` of a value that is already set writes no field, but this.
  const applied = parseJson(readMarks(live).annotations?.[APPLIED] ?? 'null');
  return applied !== undefined &&
    to !== undefined &&
    valueAt(applied, path) !== undefined &&
    isSameValue(path, to, valueAt(applied, path))
    ? 'kubectl apply'
    : undefined;
}
