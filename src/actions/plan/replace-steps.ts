import type { Hazard } from '../../model/plan.ts';
import type { Change } from '../change.ts';
import { note } from '../owners/hazard.ts';
import { kubectl, quote } from '../owners/kubectl.ts';
import type { RollWay } from '../owners/owner.ts';
import { gpusOf } from '../owners/pod-template.ts';
import { nameOf, type Place } from '../owners/read-object.ts';
import { type ChangeSet, layChange, splitSettings } from './change-set.ts';
import { sayByHand } from './manual-commands.ts';
import { isUp, type Laid, laid, type Work } from './plan-context.ts';
import { type Refused, refuse } from './plan-input.ts';
import { recordedCount } from './recorded-replicas.ts';
import { awaitDrained, awaitReady, release, setCount, start, stop, verify } from './scaling.ts';
import { TO_ZERO } from './sentences.ts';

type ReplaceOptions = {
  /** Wait until nothing is in flight before the first replica goes. */
  readonly drain: boolean;
};

/** Changes the template of a workload that stays up as far as it is up: no path stops what serves without being asked to. */
export function replaceSteps(work: Work, set: ChangeSet, options: ReplaceOptions = { drain: false }): Laid | Refused {
  const { owner, serving, input } = work;
  const { roll, scale } = owner;
  if (scale.kind !== 'none' && !isUp(scale)) return layAtRest(work, set);
  const { ready, total } = serving;
  if (ready === 0 && roll.kind !== 'broken-first') return layThroughZero(work, set);
  if (roll.kind === 'none') return input.toZero ? layThroughZero(work, set, options) : heldBack(work, set, roll.why);
  const isOnly = ready > 0 && total <= 1;
  const spare = isOnly ? spareOf(work, roll) : null;
  if (isOnly && spare === null && !input.toZero) {
    return heldBack(work, set, 'it has only one replica, and no GPU is known to be free for a second one');
  }
  if (roll.kind === 'from-the-top' && ready < total) return layBrokenOnTop(work, set, { ...options, roll });
  return layRoll(work, set, {
    ...options,
    roll: spare ?? roll.calm,
    isGap: isOnly && spare === null,
    surges: spare !== null,
  });
}

// Nothing runs: what is changed takes effect with the next start.
function layAtRest({ steps }: Work, set: ChangeSet): Laid {
  layChange(steps, set);
  const hazards = [note('takes-effect-later', 'Nothing runs now: the change applies at the next scale-up.')];
  return laid({ edits: set.edits, hazards });
}

type Roll = ReplaceOptions & { readonly roll: Change | null; readonly isGap: boolean; readonly surges: boolean };

function layRoll(work: Work, set: ChangeSet, { roll, drain, isGap, surges }: Roll): Laid {
  const { owner, serving, steps } = work;
  const place = { ref: owner.head.ref, object: owner.object };
  const total = Math.max(1, serving.total);
  if (drain && serving.ready > 0) awaitDrained(work);
  // A separate step: undone in one patch with the change, it would be gone before the rollback is rolled out.
  if (roll !== null) steps.write(place, rollWords(work, surges), roll, { on: 'back', replicas: total });
  const { change, settings } = splitSettings(set);
  layChange(steps, change);
  awaitReady(work, total, total);
  verify(work, total);
  const there = { on: 'there', replicas: total } as const;
  const back = roll === null ? null : { patch: roll.inverse, inverse: roll.patch };
  if (back !== null) steps.write(place, 'restore the rollout settings', back, there);
  for (const one of settings) steps.write(one, 'restore the rollout settings', one.change, there);
  const isBroken = serving.ready < serving.total;
  const stopped = serving.ready === 0 || isBroken || surges ? 0 : 1;
  return laid({
    edits: set.edits,
    stopped,
    replaced: serving.total,
    outage: serving.ready > stopped ? 'none' : 'one-start',
    gpus: surges ? 'wanted' : 'in-place',
    confirm: isGap,
    hazards: rollHazards(work, { drain, surges }),
  });
}

function rollWords({ owner }: Work, surges: boolean): string {
  const name = nameOf(owner.head.ref);
  return surges
    ? `set rolling update of ${name} to maxSurge=1, maxUnavailable=0`
    : `set rolling update of ${name} to replace one replica at a time, without surge`;
}

const KEEP_COMING =
  'Pods still in their endpoints keep getting requests, so draining may not finish. At the deadline the run asks before it cuts them.';

function rollHazards({ serving: { ready, total } }: Work, { drain, surges }: Pick<Roll, 'drain' | 'surges'>): Hazard[] {
  const broken = total - ready;
  const order =
    broken > 0
      ? `The ${broken} broken ${broken === 1 ? 'replica is' : 'replicas are'} replaced first. The ${ready} ready ${ready === 1 ? 'one follows' : 'ones follow'} one at a time; ${ready} always stay ready.`
      : 'Replicas are replaced one at a time: each needs the GPU of the one before.';
  return [
    ...(ready > 0 && !surges ? [note('one-at-a-time', order)] : []),
    ...(drain && ready > 0 ? [note('requests-keep-coming', KEEP_COMING)] : []),
  ];
}

// One pod more for a while, where a GPU for it is known to be free: then even the only replica need not stop.
function spareOf({ owner, input }: Work, roll: RollWay): Change | null {
  const wanted = gpusOf(owner.containers[0]?.value);
  const free = input.known.freeGpus ?? 0;
  return roll.kind === 'broken-first' && wanted > 0 && free >= wanted ? roll.surge : null;
}

type FromTheTop = Extract<RollWay, { kind: 'from-the-top' }>;

// A broken pod blocks the rollout of those below it. If the broken ones are the highest, they are stopped, created
// again with the change, and only once they are ready do the others follow.
function layBrokenOnTop(
  work: Work,
  set: ChangeSet,
  { roll: { partition }, drain }: ReplaceOptions & { readonly roll: FromTheTop },
): Laid | Refused {
  const { owner, serving, steps, managers } = work;
  const { scale } = owner;
  const { ready, total } = serving;
  const onTop = areOnTop(work);
  if (scale.kind !== 'count' || partition === null || !onTop || managers.hpa !== undefined) {
    return heldBack(
      work,
      set,
      'a broken replica stops the rollout of the others, and the broken ones cannot be replaced alone',
    );
  }
  const place: Place = { ref: owner.head.ref, object: owner.object };
  const hold = partition(ready);
  setCount(work, scale, ready);
  awaitReady(work, ready);
  const held = `those below number ${ready} keep the old template for now (partition ${ready})`;
  layChange(steps, { ...set, says: `${set.says}; ${held}` }, { ...place, change: hold });
  setCount(work, scale, total);
  awaitReady(work, total);
  verify(work, total);
  if (drain) awaitDrained(work);
  steps.write(place, 'let the others follow, one at a time (partition restored)', {
    patch: hold.inverse,
    inverse: hold.patch,
  });
  awaitReady(work, total, ready);
  verify(work, total);
  release(work, total);
  const lost = total - ready;
  const says = `The ${lost === 1 ? 'broken replica is' : `${lost} broken replicas are`} replaced first; once ready, the ${ready} others follow one at a time.`;
  const hazards = [note('one-at-a-time', says), ...(drain ? [note('requests-keep-coming', KEEP_COMING)] : [])];
  return laid({ edits: set.edits, replaced: total, gpus: 'in-place', hazards });
}

/** Whether the broken replicas are exactly those with the highest numbers: a scale-down takes these. */
export function areOnTop({ owner, serving, input }: Work): boolean {
  const { broken } = input.pods ?? {};
  if (broken === undefined) return false;
  const prefix = `${owner.scale.kind === 'none' ? owner.head.ref.name : owner.scale.ref.name}-`;
  const numbers = broken.map((name) =>
    name.startsWith(prefix) ? /^\d+/.exec(name.slice(prefix.length))?.[0] : undefined,
  );
  const isAll = numbers.every((one) => one !== undefined && Number(one) >= serving.ready);
  return isAll && new Set(numbers).size === serving.total - serving.ready;
}

/** All down: pause autoscalers, to zero, the change, one up, then the rest. */
export function layThroughZero(
  work: Work,
  set: ChangeSet,
  { drain }: ReplaceOptions = { drain: false },
): Laid | Refused {
  const { owner, serving, steps, input } = work;
  const { scale } = owner;
  if (scale.kind === 'none') return noCount(work, scale);
  const before =
    input.wantedReplicas ?? (isUp(scale) || scale.kind === 'stop' ? scale.now : recordedCount(work, scale));
  if (before === undefined || before < 1) {
    return refuse(
      'no-record',
      `${nameOf(owner.head.ref)} is at zero and no earlier replica count is recorded. Give the count: \`--replicas=2\`.`,
    );
  }
  const { ready } = serving;
  const isDrained = drain && ready > 0;
  if (isDrained) awaitDrained(work);
  stop(work, scale);
  layChange(steps, set);
  const hazards = [...(isDrained ? [note('requests-keep-coming', KEEP_COMING)] : []), ...start(work, scale, before)];
  return laid({
    edits: set.edits,
    stopped: ready,
    outage: 'one-start',
    gpus: 'freed',
    confirm: ready > 0,
    setsCount: true,
    hazards,
  });
}

export function noCount({ owner }: Work, { why, paste }: { readonly why: string; readonly paste?: string }): Refused {
  return refuse('no-count', `oombot does not scale ${nameOf(owner.head.ref)}: ${why}.`, paste ?? null);
}

/** Refused because something is ready: with the commands for a person who knows better. */
function heldBack({ owner, serving, steps, input }: Work, set: ChangeSet, why: string): Refused {
  const { ready, total, isKnown } = serving;
  const { roll, head, object } = owner;
  const byHand = roll.kind === 'none' ? roll.byHand : undefined;
  const who = isKnown ? `${ready} of ${total} replicas ready` : 'Unknown how many replicas are ready';
  const extra = byHand?.extra ?? null;
  layChange(
    steps,
    set,
    extra === null || set.writes.length === 0 ? undefined : { ref: head.ref, object, change: extra },
  );
  const lines = sayByHand(steps.steps);
  const paste = [...(byHand === undefined || lines.length === 0 ? [] : [`# ${byHand.says}`]), ...lines].join('\n');
  const says = `${who}, and ${nameOf(owner.head.ref)} cannot be changed without stopping them: ${why}. ${TO_ZERO}`;
  return refuse('replicas-serve', says, paste === '' ? deletePods(owner, input.pods?.broken) : paste);
}

// A restart without a template to mark: the pods that are broken, else one at a time.
function deletePods({ head }: Work['owner'], broken: readonly string[] = []): string {
  return kubectl(head.ref, `delete pod ${broken.length === 0 ? 'NAME' : broken.map(quote).join(' ')}`);
}
