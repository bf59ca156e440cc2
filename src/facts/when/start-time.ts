import type { Citation } from '../../model/citation.ts';
import { hasRole, type Role } from '../../model/signature-roles.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';
import { uniqueProof } from '../log/draft.ts';

/** How long a start takes, in seconds; where the log does not show its end, at least that. */
export type StartTime = { readonly seconds: number; readonly isWhole: boolean; readonly from: readonly Citation[] };

/** By the times of the log's own lines, by the seconds that the engine prints, or by the pace of the load, whichever is more. */
export function readStartTime(evidence: Evidence): StartTime | undefined {
  const isWhole = evidence.engine.milestones.some(({ milestone }) => milestone === 'ready');
  const found = [byTimes(evidence), byPrint(evidence), byPace(evidence)].filter((one) => one !== undefined);
  const most = found.toSorted((a, b) => b.seconds - a.seconds)[0];
  return most && { ...most, isWhole };
}

type Span = Omit<StartTime, 'isWhole'>;

function byTimes({ engine, weighing, log }: Evidence): Span | undefined {
  const starting = engine.milestones.filter(({ milestone }) => milestone !== 'served');
  const timed = starting.flatMap(({ from }) => {
    if (from.kind !== 'line' || from.file !== log.main?.file) return [];
    return weighing.all.find(({ hit }) => hit.line === from.line && hit.at !== undefined) ?? [];
  });
  const [first, last] = [timed[0], timed.at(-1)];
  if (first?.hit.at === undefined || last?.hit.at === undefined || last.hit.at <= first.hit.at) return undefined;
  return { seconds: (last.hit.at - first.hit.at) / 1000, from: [citeHit(first), citeHit(last)] };
}

// Loading comes before the profile run and the capture, so the two add up; ranks do each at the same time.
function byPrint({ weighing: { all } }: Evidence): Span | undefined {
  const parts = (['load-end', 'ready'] as const).flatMap((role) => longest(all, role) ?? []);
  if (parts.length === 0) return undefined;
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  return { seconds, from: uniqueProof(parts.map(({ from }) => from)) };
}

function longest(all: readonly Weighed[], role: Role): { seconds: number; from: Citation } | undefined {
  return all
    .filter(({ signature }) => hasRole(signature, role))
    .map((weighed) => ({
      seconds: Number(weighed.hit.captures.seconds ?? weighed.hit.captures.s),
      from: citeHit(weighed),
    }))
    .filter(({ seconds }) => seconds > 0)
    .toSorted((a, b) => b.seconds - a.seconds)[0];
}

// tqdm: `1/4 [00:30<01:30, 30.2s/it]`, what has passed and what is left at this pace.
const PACE = /\[((?:\d{1,3}:)?\d{1,2}:\d{2})<((?:\d{1,3}:)?\d{1,2}:\d{2})/;

function byPace({ weighing: { all } }: Evidence): Span | undefined {
  const bars = all.filter(({ signature }) => hasRole(signature, 'load-begin')).map(citeHit);
  return bars
    .flatMap((from): Span[] => {
      const [, passed, left] = PACE.exec(from.text) ?? [];
      return passed === undefined || left === undefined
        ? []
        : [{ seconds: ofClock(passed) + ofClock(left), from: [from] }];
    })
    .at(-1);
}

function ofClock(clock: string): number {
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}
