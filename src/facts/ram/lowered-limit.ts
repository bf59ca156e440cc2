import type { EventView } from '../../read/cluster/container-states.ts';
import { deathTime } from '../../read/cluster/death.ts';
import { lastBefore, type Point, type Sample } from '../../read/metrics/series.ts';
import { citedNumber, computed, fact, type Group, ratio } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { seriesOf } from '../when/series-figures.ts';

// kubernetes/kubernetes pkg/kubelet/events/event.go; kubernetes/autoscaler vertical-pod-autoscaler, updater.
const RESIZED = /^(?:ResizeStarted|ResizeCompleted|InPlaceResizedByVPA)$/;
// Beyond this a sample tells of another hour.
const STALE_MS = 10 * 60_000;

/** Whether the limit of RAM was changed while the container ran, from what, and how full that made the new one at once. */
export function deriveLoweredLimit(evidence: Evidence): Group {
  const event = evidence.pod.events.find((one) => isResizeInLife(evidence, one));
  const fall = fallOf(evidence);
  return {
    'ram.limit-before': fall && fact(fall.before.value, [fall.before.from, fall.after.from]),
    'ram.lowered-onto': fall === undefined ? aboveLimit(evidence, event) : onto(evidence, fall),
  };
}

function isResizeInLife({ death }: Evidence, { reason, lastAt }: EventView): boolean {
  if (death.kind === 'none' || lastAt === undefined || !RESIZED.test(reason.value)) return false;
  const began = death.death.end.startedAt?.value;
  const ended = deathTime(death);
  return began !== undefined && ended !== undefined && lastAt >= began && lastAt <= ended;
}

type Fall = { readonly before: Sample; readonly after: Sample };

// In the life that ended: another one may have had another limit.
function fallOf(evidence: Evidence): Fall | undefined {
  const { death } = evidence;
  const began = death.kind === 'death' ? death.death.end.startedAt?.value : undefined;
  const ended = deathTime(death);
  if (began === undefined || ended === undefined) return undefined;
  for (const series of seriesOf(evidence, 'container.memory.limit')) {
    const points = series.points.filter(([at]) => at >= began && at <= ended).toSorted((a, b) => a[0] - b[0]);
    const at = points.findLastIndex((point, index) => isLower(point, points[index - 1]));
    const [before, after] = [points[at - 1], points[at]].map((one) => one && lastBefore(series, one[0]));
    if (before !== undefined && after !== undefined) return { before, after };
  }
  return undefined;
}

function isLower([, value]: Point, before: Point | undefined): boolean {
  return before !== undefined && value > 0 && value < before[1];
}

function onto(evidence: Evidence, { after }: Fall) {
  return computed([usedAt(evidence, after.at), after], ratio);
}

// No cgroup uses more than its limit: whoever did had a higher one, whatever series there is of it.
function aboveLimit(evidence: Evidence, event: EventView | undefined) {
  const used = event?.lastAt === undefined ? undefined : usedAt(evidence, event.lastAt);
  const limit = citedNumber(evidence.spec.memoryLimit);
  return used !== undefined && limit !== undefined && used.value > limit.value
    ? computed([used, limit], ratio)
    : undefined;
}

function usedAt(evidence: Evidence, at: number): Sample | undefined {
  const samples = seriesOf(evidence, 'container.memory.working-set').flatMap(
    (series) => lastBefore(series, at, STALE_MS) ?? [],
  );
  return samples.toSorted((a, b) => b.value - a.value)[0];
}
