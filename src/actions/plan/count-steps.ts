import type { Hazard } from '../../model/plan.ts';
import { note, obstacle } from '../owners/hazard.ts';
import { kubectl, kubectlName, quote, scaleCommand } from '../owners/kubectl.ts';
import { nameOf } from '../owners/read-object.ts';
import { readStamp } from '../run/stamp.ts';
import { rollbackRemarks } from './manual-commands.ts';
import { isUp, type Laid, laid, type Scalable, type Work } from './plan-context.ts';
import { type Refused, refuse } from './plan-input.ts';
import { recordedCount } from './recorded-replicas.ts';
import { areOnTop, noCount } from './replace-steps.ts';
import { awaitReady, countNow, setCount, start, stop } from './scaling.ts';
import { TO_ZERO } from './sentences.ts';

/** To zero. While replicas serve it is lowered to those that do, and goes to zero only for somebody who types the name. */
export function layToZero(work: Work): Laid | Refused {
  const { owner, serving, input } = work;
  const { scale } = owner;
  if (scale.kind === 'none') return noCount(work, scale);
  if (!isUp(scale)) return refuse('nothing-to-do', `${nameOf(owner.head.ref)} is already at zero.`);
  if (serving.ready > 0 && !input.toZero) return layDown(work, scale);
  stop(work, scale);
  const confirm = serving.ready > 0;
  return laid({ stopped: serving.ready, outage: 'until-scaled-up', gpus: 'freed', confirm });
}

// A ReplicaSet gives up pods that are not ready first; a StatefulSet and a group set the highest numbers.
function layDown(work: Work, scale: Scalable): Laid | Refused {
  const { owner, serving, managers } = work;
  const { ready, total, isKnown } = serving;
  const name = nameOf(owner.head.ref);
  const paste = stopCommand(scale);
  if (!isKnown) {
    return refuse('replicas-serve', `Unknown how many replicas of ${name} are ready. ${TO_ZERO}`, paste);
  }
  const isOneEngine = scale.kind === 'count' && scale.together === true;
  const picksBroken = !isOneEngine && (owner.roll.kind === 'broken-first' || areOnTop(work));
  if (ready >= total || scale.kind === 'stop' || !picksBroken) {
    const why = ready >= total ? '' : ', and the broken ones cannot be stopped alone';
    return refuse('replicas-serve', `${ready} of ${total} replicas of ${name} ready${why}. ${TO_ZERO}`, paste);
  }
  setCount(work, scale, ready);
  awaitReady(work, ready);
  const says = `${ready} of ${total} replicas ready and kept: only the broken ones are stopped.`;
  const hazards: Hazard[] = [note('lowered-only', says)];
  if (managers.hpa !== undefined) {
    const undone = 'The HorizontalPodAutoscaler would revert the replica count within seconds.';
    hazards.push(obstacle('hpa-raises', undone));
  }
  return laid({ freed: total - ready, gpus: 'freed', hazards });
}

function stopCommand(scale: Scalable): string {
  const { ref } = scale;
  if (scale.kind === 'count')
    return [scaleCommand(ref, 0), ...rollbackRemarks([scaleCommand(ref, scale.now)])].join('\n');
  const annotate = (word: string): string => kubectl(ref, `annotate ${kubectlName(ref)} ${quote(word)}`);
  return [annotate(`${scale.annotation}=true`), ...rollbackRemarks([annotate(`${scale.annotation}-`)])].join('\n');
}

/** Back to the count that was recorded, one replica first, so that a failure shows on one alone. */
export function layUp(work: Work): Laid | Refused {
  const { owner } = work;
  const { scale } = owner;
  if (scale.kind === 'none') return noCount(work, scale);
  if (scale.kind === 'stop') {
    if (!scale.isStopped) return refuse('nothing-to-do', `${nameOf(owner.head.ref)} is not stopped.`);
    return up([...start(work, scale, scale.now), ...sayRecorded(work, scale)]);
  }
  const wanted = work.input.wantedReplicas ?? recordedCount(work, scale);
  if (wanted === undefined && isPausedByUs(work)) {
    // KEDA knows the count: one replica shows whether it goes well, then KEDA has it back.
    const says = 'It starts at 1 replica; after verification KEDA sets the replica count again.';
    return up([...start(work, scale, 1), note('keda-takes-over', says)]);
  }
  if (wanted === undefined) {
    return refuse('no-record', 'No earlier replica count is recorded. Give the count: `scale-up --replicas=2`.', null);
  }
  const now = countNow(work, scale);
  if (now >= wanted) return refuse('nothing-to-do', `${nameOf(owner.head.ref)} already has ${now} replicas.`);
  return up(start(work, scale, wanted));
}

// What has no count to set comes back with its minimum; what ran beyond that is its autoscaler's to bring.
function sayRecorded(work: Work, scale: Extract<Scalable, { kind: 'stop' }>): Hazard[] {
  const before = recordedCount(work, scale);
  if (before === undefined || before === scale.now) return [];
  const says = `${before} ${before === 1 ? 'replica was' : 'replicas were'} recorded before it was stopped. It starts with ${scale.now}, its configured minimum; its autoscaler sets the count from there.`;
  return [note('recorded-count', says)];
}

function isPausedByUs({ managers: { keda } }: Work): boolean {
  return keda.length > 0 && keda.every(({ object }) => readStamp(object) !== undefined);
}

function up(hazards: readonly Hazard[]): Laid {
  return laid({ gpus: 'wanted', setsCount: true, hazards });
}
