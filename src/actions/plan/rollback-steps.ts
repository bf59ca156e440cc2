import { note } from '../owners/hazard.ts';
import { nameOf } from '../owners/read-object.ts';
import { changeRevision } from './change-revision.ts';
import { changeUndo, type Undo } from './change-undo.ts';
import { isUp, type Laid, laid, type Work } from './plan-context.ts';
import { type Refused, refuse } from './plan-input.ts';
import { replaceSteps } from './replace-steps.ts';
import { awaitReady, setCount, start, stop, verify } from './scaling.ts';
import { TO_ZERO } from './sentences.ts';

/** Back: what a run has written, as a whole; without a run, the template of the revision before. */
export function rollbackSteps(work: Work): Laid | Refused {
  const { owner, input } = work;
  if (input.done.length === 0) {
    const set = changeRevision(owner, input);
    return set.kind === 'refused' ? set : replaceSteps(work, set);
  }
  const undo = changeUndo(owner, input);
  if (undo.kind === 'refused') return undo;
  if (undo.set.writes.length === 0 && undo.count === null && undo.others.length === 0) {
    return refuse('nothing-to-do', `${nameOf(owner.head.ref)} is already as it was before the run.`);
  }
  return layUndo(work, undo);
}

function layUndo(work: Work, undo: Undo): Laid | Refused {
  const { scale } = work.owner;
  const hasChange = undo.set.writes.length > 0;
  const replaced = hasChange ? replaceSteps(work, undo.set) : undefined;
  if (replaced?.kind === 'refused') return replaced;
  const scaled = undo.count === null || scale.kind === 'none' ? undefined : countSteps(work, undo.count);
  if (scaled?.kind === 'refused') return scaled;
  for (const { ref, object, change } of undo.others)
    work.steps.write({ ref, object }, `restore ${nameOf(ref)}`, change);
  if (undo.others.length > 0 && replaced === undefined && scaled === undefined) awaitReady(work, 1);
  return [replaced, scaled].reduce<Laid>((sum, part) => (part === undefined ? sum : worse(sum, part)), laid({}));
}

function countSteps(work: Work, count: number): Laid | Refused {
  const { owner, serving, input } = work;
  const { scale } = owner;
  if (scale.kind === 'none') return refuse('no-count', scale.why);
  if (!isUp(scale)) return laid({ gpus: 'wanted', hazards: start(work, scale, count) });
  const stopped = Math.max(0, serving.ready - count);
  if (count === 0) {
    if (serving.ready > 0 && !input.toZero) {
      return refuse(
        'replicas-serve',
        `${serving.ready} replicas ready, and there were none before the run. ${TO_ZERO}`,
      );
    }
    stop(work, scale);
    return laid({ stopped, outage: 'until-scaled-up', gpus: 'freed', confirm: serving.ready > 0 });
  }
  setCount(work, scale, count);
  awaitReady(work, count);
  verify(work, count);
  const hazards =
    stopped > 0
      ? [
          note(
            'fewer',
            `Before the run there were ${count} replicas: ${stopped} ready ${stopped === 1 ? 'one is' : 'ones are'} stopped.`,
          ),
        ]
      : [];
  const freed = serving.total - count;
  return laid({ stopped, freed, gpus: stopped > 0 ? 'freed' : 'wanted', hazards });
}

function worse(a: Laid, b: Laid): Laid {
  const rank = { none: 0, 'one-start': 1, 'until-scaled-up': 2 } as const;
  return {
    ...b,
    edits: [...a.edits, ...b.edits],
    stopped: Math.max(a.stopped, b.stopped),
    replaced: Math.max(a.replaced ?? 0, b.replaced ?? 0),
    freed: b.gpus === 'kept' ? a.freed : b.freed,
    outage: rank[a.outage] > rank[b.outage] ? a.outage : b.outage,
    gpus: b.gpus === 'kept' ? a.gpus : b.gpus,
    confirm: a.confirm || b.confirm,
    hazards: [...a.hazards, ...b.hazards],
  };
}
