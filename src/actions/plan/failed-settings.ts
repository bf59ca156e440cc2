import { isSameJson, valueAt } from '../../model/json-patch.ts';
import { FAILED_BEFORE, type Hazard } from '../../model/plan.ts';
import { createRedactor } from '../../snapshot/redact.ts';
import { redactJson } from '../../snapshot/redact-json.ts';
import { isMap } from '../change.ts';
import { note } from '../owners/hazard.ts';
import type { Work } from './plan-context.ts';
import type { FailedSettings } from './plan-input.ts';

const SETTINGS = ['image', 'command', 'args', 'env', 'resources'];
const redactor = createRedactor();

/** A warning if the plan starts a stopped workload with the settings that ran out of memory. Laid after its steps. */
export function sayFailedBefore(work: Work): Hazard[] {
  const { owner, input } = work;
  const { failed } = input;
  if (failed === undefined || !startsStopped(work) || valueAt(failed.owner, '/metadata/uid') !== owner.head.ref.uid)
    return [];
  const own = owner.containers.filter(({ ref }) => ref.uid === owner.head.ref.uid);
  const isSame = own.every((place) =>
    isSameJson(settingsOf(valueAt(work.steps.now(place), place.path)), settingsOf(valueAt(failed.owner, place.path))),
  );
  // During a rollout the pod that failed may be one of the template before.
  const ran = owner.templates.length === 0 || own.some(({ path }) => runs(failed, valueAt(failed.owner, path)));
  if (own.length === 0 || !isSame || !ran) return [];
  const says = `These arguments failed at ${timeOf(failed.at, input.at)} and are unchanged: expect the same failure.`;
  return [note(FAILED_BEFORE, says)];
}

function startsStopped({ owner: { scale }, steps }: Work): boolean {
  if (scale.kind === 'none') return false;
  const isDown = scale.kind === 'count' ? scale.now === 0 : scale.isStopped;
  return isDown && steps.steps.some((step) => step.kind === 'wait' && step.until === 'ready' && step.replicas > 0);
}

function settingsOf(container: unknown): unknown {
  const own = isMap(container) ? container : {};
  return redactJson(Object.fromEntries(SETTINGS.map((name) => [name, own[name] ?? null])), redactor);
}

function runs({ container }: FailedSettings, own: unknown): boolean {
  const words = (of: unknown) => redactJson([valueAt(of, '/command') ?? [], valueAt(of, '/args') ?? []], redactor);
  return isSameJson(words(container), words(own));
}

// `10:47 UTC`, with the day unless that is the day of the plan.
function timeOf(at: number, now: string): string {
  const text = new Date(at).toISOString();
  const day = text.slice(0, 10);
  return `${day === now.slice(0, 10) ? '' : `${day} `}${text.slice(11, 16)} UTC`;
}
