import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import type { EventView } from '../../read/cluster/container-states.ts';
import { deathTime } from '../../read/cluster/death.ts';
import { lastBefore, type Point, type Sample } from '../../read/metrics/series.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citedNumber, computed, fact, factOf, ratio } from '../log/draft.ts';
import { NODE, STATUS } from '../log/needs.ts';
import { seriesOf, valueBefore } from '../when/series-figures.ts';

/** The memory limit of the container, and whether it was changed while the container ran. */
export const RAM_LIMIT = defineFacts(
  {
    'ram.limit': { unit: 'bytes', says: 'memory limit of the container', needs: STATUS },
    'ram.limit-of-node': {
      unit: 'ratio',
      says: 'memory limit of the container against the allocatable memory of its node',
      needs: NODE,
    },
    'ram.limited': { unit: 'yes-no', says: 'the container has a memory limit', needs: STATUS },
    'ram.limit-before': {
      unit: 'bytes',
      says: 'memory limit before it was lowered, while the container ran or by the last rollout',
      needs:
        'a series of the memory limit (Prometheus), and the times of the pod status, or the revisions of the workload',
    },
    'ram.lowered-onto': {
      unit: 'ratio',
      says: 'RAM in use when the limit was lowered, against the new limit',
      needs: 'series of the memory limit, or an event of the resize, and of the working set (Prometheus)',
    },
  },
  (evidence) => {
    const { spec, node } = evidence;
    const limit = readLimit(evidence);
    const fall = fallOf(evidence);
    return {
      'ram.limit': factOf(limit) ?? spec.memoryLimit,
      'ram.limit-of-node': computed([limit, citedNumber(node?.allocatableMemory)], ratio),
      'ram.limited': isLimited(evidence, limit),
      'ram.limit-before': fall
        ? fact(fall.before.value, [fall.before.from, fall.after.from])
        : evidence.rollout?.limitBefore,
      'ram.lowered-onto': fall === undefined ? usedAboveLimit(evidence) : onto(evidence, fall),
    };
  },
);

/** The limit by the spec, the metrics, or the kernel. */
export function readLimit(evidence: Evidence): Cited<number> | undefined {
  const { spec, kernel } = evidence;
  return citedNumber(spec.memoryLimit) ?? valueBefore(evidence, 'container.memory.limit') ?? kernel?.limit;
}

// No limit is a fact only where the spec is there to show it.
function isLimited({ spec: { memoryLimit, memoryRequest } }: Evidence, limit: Cited<number> | undefined) {
  if (limit !== undefined) return fact(true, [limit.from]);
  const isNone = memoryLimit.kind === 'unknown' && memoryLimit.reason === 'empty';
  return isNone && memoryRequest.kind === 'known' ? fact(false, memoryRequest.from) : undefined;
}

type Fall = { readonly before: Sample; readonly after: Sample };

// In the life that ended: another one may have had another limit.
function fallOf(evidence: Evidence): Fall | undefined {
  const life = lifeOf(evidence);
  if (life === undefined) return undefined;
  for (const series of seriesOf(evidence, 'container.memory.limit')) {
    const points = series.points.filter(([at]) => isWithin(at, life)).toSorted((a, b) => a[0] - b[0]);
    const at = points.findLastIndex((point, index) => isLower(point, points[index - 1]));
    const [before, after] = [points[at - 1], points[at]].map((one) => one && lastBefore(series, one[0]));
    if (before !== undefined && after !== undefined) return { before, after };
  }
  return undefined;
}

type Life = { readonly began: number; readonly ended: number };

function lifeOf({ death }: Evidence): Life | undefined {
  const began = death.kind === 'death' ? death.death.end.startedAt?.value : undefined;
  const ended = deathTime(death);
  return began === undefined || ended === undefined ? undefined : { began, ended };
}

function isWithin(at: number, { began, ended }: Life): boolean {
  return at >= began && at <= ended;
}

function isLower([, value]: Point, before: Point | undefined): boolean {
  return before !== undefined && value > 0 && value < before[1];
}

function onto(evidence: Evidence, { after }: Fall): Fact | undefined {
  return computed([usedAt(evidence, after.at), after], ratio);
}

// kubernetes/kubernetes pkg/kubelet/events/event.go; kubernetes/autoscaler vertical-pod-autoscaler, updater.
const RESIZED = /^(?:ResizeStarted|ResizeCompleted|InPlaceResizedByVPA)$/;

// No cgroup uses more than its limit: whoever did had a higher one, whatever series there is of it.
function usedAboveLimit(evidence: Evidence): Fact | undefined {
  const life = lifeOf(evidence);
  const isResize = ({ reason, lastAt }: EventView) =>
    life !== undefined && lastAt !== undefined && RESIZED.test(reason.value) && isWithin(lastAt, life);
  const event = evidence.pod.events.find(isResize);
  const used = event?.lastAt === undefined ? undefined : usedAt(evidence, event.lastAt);
  const limit = citedNumber(evidence.spec.memoryLimit);
  return used && limit && used.value > limit.value ? computed([used, limit], ratio) : undefined;
}

// Beyond this a sample tells of another hour.
const STALE_MS = 10 * 60_000;

function usedAt(evidence: Evidence, at: number): Sample | undefined {
  const samples = seriesOf(evidence, 'container.memory.working-set').flatMap(
    (series) => lastBefore(series, at, STALE_MS) ?? [],
  );
  return samples.toSorted((a, b) => b.value - a.value)[0];
}
