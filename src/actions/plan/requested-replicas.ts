import { highestCount } from '../owners/find-autoscaling.ts';
import { scaleCommand } from '../owners/kubectl.ts';
import { nameOf } from '../owners/read-object.ts';
import type { Laid, Work } from './plan-context.ts';
import { type Refused, refuse } from './plan-input.ts';
import { recordedCount } from './recorded-replicas.ts';

/** Why a typed count is not set: there is none to set, or it is more than a button may ask for. */
export function checkCount(work: Work): Refused | undefined {
  const { owner, input } = work;
  const { scale } = owner;
  const wanted = input.wantedReplicas ?? null;
  // Without a count to set each action says itself what to do instead.
  if (wanted === null || scale.kind === 'none') return undefined;
  const name = nameOf(owner.head.ref);
  if (scale.kind === 'stop') {
    if (wanted === scale.now) return undefined;
    const says = `${name} has no replica count to set: it starts with its configured minimum, ${scale.now}, and would ignore \`--replicas=${wanted}\`. Leave it out.`;
    return refuse('no-place', says);
  }
  const held = highestCount(work.managers);
  if (held !== undefined) {
    if (wanted <= held) return undefined;
    const says = `\`--replicas=${wanted}\` is above ${held}, the maximum of the autoscaler of ${name}, which would revert it. Ask for at most ${held}, or raise that maximum first.`;
    return refuse('above-cap', says);
  }
  const most = Math.max(input.limits.maxReplicas, scale.now, recordedCount(work, scale) ?? 0);
  if (wanted <= most) return undefined;
  const says = `\`--replicas=${wanted}\` is above ${most}, the maximum for ${name} (\`acting.maxReplicas\`, or what ran or was recorded). Ask for at most ${most}, or ask the platform team to raise it.`;
  return refuse('above-cap', says, scaleCommand(scale.ref, wanted));
}

/** Why a plan that was laid is not the one that was asked for: a typed count stands nowhere in it. */
export function checkCounted(work: Work, laid: Laid): Refused | undefined {
  const { owner, serving, input } = work;
  const { wantedReplicas: wanted = null, action } = input;
  if (wanted === null || laid.setsCount === true) return undefined;
  const { scale } = owner;
  const isAtRest = scale.kind === 'count' && scale.now === 0;
  const why = isAtRest
    ? 'no replicas run now; the change takes effect at the next scale-up'
    : serving.ready > 0
      ? `${serving.ready} of ${serving.total} replicas ready, replaced in place`
      : 'replicas are replaced in place';
  const says = `${action} keeps the replica count of ${nameOf(owner.head.ref)} (${why}) and would ignore \`--replicas=${wanted}\`. Leave it out, or plan \`scale-up --replicas=${wanted}\` separately.`;
  return refuse('no-place', says);
}
