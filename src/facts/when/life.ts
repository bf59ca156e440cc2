import type { Citation } from '../../model/citation.ts';
import { MILESTONES, type Milestone } from '../../model/engine-reader.ts';
import { hasRole } from '../../model/signature-roles.ts';
import type { Cause } from '../../model/taxonomy.ts';
import { known, type Reading, unknown } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isOfLife, type Life } from '../evidence/line-cause.ts';
import { readStage } from '../evidence/stage.ts';
import { citeHit, isSameReport, lineOfFailure, type Weighed } from '../evidence/weigh.ts';
import { AGE } from '../log/needs.ts';
import { oncePer } from '../log/once-per.ts';
import { isStarting } from '../log/traceback.ts';
import { handsOverByName } from './hands-over.ts';
import {
  failedLoad,
  fromLongLife,
  fromRestartsInSeconds,
  fromRunningRequests,
  fromShortLife,
  loadsOnDemand,
} from './lifetime.ts';
import { fromNotedAge, readAge, readUptime } from './process-lifetime.ts';

/** When in its life the engine failed. */
export const FAILURE_FACTS = defineFacts(
  {
    'failure.life': {
      unit: 'choice',
      values: ['starting', 'serving'],
      says: 'what the engine was doing',
      needs: AGE,
    },
    'failure.age': {
      unit: 'choice',
      values: ['minutes', 'hours', 'days'],
      says: 'age of the process, roughly',
      needs: AGE,
    },
  },
  (evidence) => ({ 'failure.life': readLife(evidence), 'failure.age': readAge(evidence, readUptime(evidence)) }),
);

/** The milestones that the log shows before its failure, with the line of each. */
export function milestonesBefore(evidence: Evidence) {
  const failed = lineOfFailure(evidence.weighing, evidence.log.main) ?? Number.POSITIVE_INFINITY;
  const file = evidence.log.main?.file;
  return evidence.engine.milestones.filter(
    ({ from }) => from.kind === 'line' && from.file === file && from.line <= failed,
  );
}

export function lastMilestone(evidence: Evidence): { milestone: Milestone; from: Citation } | undefined {
  return milestonesBefore(evidence).toSorted((a, b) => rank(b.milestone) - rank(a.milestone))[0];
}

function rank(milestone: Milestone): number {
  return MILESTONES.indexOf(milestone);
}

/** Whether the engine was starting or serving, by the best source that tells. */
export const readLife = oncePer((evidence: Evidence): Reading<Life> => {
  const sources = [
    fromStartError,
    fromDecisiveLine,
    fromLoadOnDemand,
    fromNotedAge,
    fromStage,
    fromReport,
    fromDeathNotice,
    fromLongLife,
    fromMilestones,
    fromReadiness,
    fromRestartsInSeconds,
    fromCauses,
    fromHints,
    fromRunningRequests,
    fromShortLife,
  ];
  for (const source of sources) {
    const found = source(evidence);
    if (found !== undefined) return found;
  }
  return unknown('not-in-snapshot', 'nothing tells whether the engine had become ready');
});

// The runtime could not start the process at all.
function fromStartError({ death }: Evidence): Reading<Life> | undefined {
  const reason = death.kind === 'death' && !death.isOpen ? death.death.end.reason : undefined;
  return reason?.value === 'StartError' ? known<Life>('starting', reason.from) : undefined;
}

function fromDecisiveLine(evidence: Evidence): Reading<Life> | undefined {
  const { decisive } = evidence.weighing;
  if (decisive === undefined) return undefined;
  // The allocator of the sleep mode is asked at the start and at a waking, which are told apart by the age of the process.
  const isEither = hasRole(decisive.signature, 'start-or-waking');
  const reading = isEither ? readStage(evidence) : undefined;
  // Who is woken had been ready.
  if (reading?.stage === 'wake') return known('serving', reading.from);
  const wakes = isEither && reading?.stage !== 'load';
  return (wakes ? fromNotedAge(evidence) : undefined) ?? lifeOfSignature(decisive);
}

function lifeOfSignature(weighed: Weighed): Reading<Life> | undefined {
  if (weighed.signature.phase === 'startup') return known('starting', citeHit(weighed));
  return weighed.signature.phase === 'burst' ? known('serving', citeHit(weighed)) : undefined;
}

// Such programs load another model when they are asked for it: frames of a load are its start, whatever their own age.
function fromLoadOnDemand(evidence: Evidence): Reading<Life> | undefined {
  const reading = handsOverByName(evidence) ? readStage(evidence) : undefined;
  if (reading?.stage === 'load') return known('starting', reading.from);
  if (!loadsOnDemand(evidence)) return undefined;
  const failed = failedLoad(evidence);
  if (failed !== undefined) return known('starting', citeHit(failed));
  const last = lastMilestone(evidence);
  return last !== undefined && rank(last.milestone) < rank('ready') ? known('starting', last.from) : undefined;
}

// A profile run calls the forward pass and the encoder as well, and most of them that try an encoder print nothing else: where its own frames are cut off, the notice of a failed start decides.
function fromStage(evidence: Evidence): Reading<Life> | undefined {
  const reading = readStage(evidence);
  if (reading === undefined) return undefined;
  if (isStarting(reading.stage)) return known('starting', reading.from);
  const notice = reading.serves === false ? fromDeathNotice(evidence) : undefined;
  if (notice?.kind === 'known' && notice.value === 'starting') return notice;
  return reading.stage === 'encoder' && reading.serves !== true ? undefined : known('serving', reading.from);
}

// The allocator's line has no time; what the engine makes of it in the next ones often has: "failed to allocate buffer for kv cache".
function fromReport({ weighing }: Evidence): Reading<Life> | undefined {
  const { decisive } = weighing;
  if (decisive === undefined) return undefined;
  const dated = weighing.all
    .filter(
      ({ signature }) => signature.plane === decisive.signature.plane && /^(?:proof|strong)$/.test(signature.weight),
    )
    .filter((weighed) => isSameReport(weighed, decisive))
    .map(lifeOfSignature);
  return dated.find((life) => life !== undefined);
}

// "EngineCore failed to start", "encountered a fatal error": no evidence of memory, but of when. The nearest counts, and a
// step of the start that is above its end says nothing of what failed below it.
function fromDeathNotice(evidence: Evidence): Reading<Life> | undefined {
  const failed = lineOfFailure(evidence.weighing, evidence.log.main);
  const readyAt = lineOfReady(evidence);
  const notices = evidence.weighing.all.filter(
    ({ signature, hit, file }) =>
      signature.plane === 'unknown' &&
      (signature.phase === 'startup' || signature.phase === 'burst') &&
      !(file === evidence.log.main?.file && hit.line < (readyAt ?? 0)),
  );
  const away = ({ hit }: Weighed) => (failed === undefined ? 0 : Math.abs(hit.line - failed));
  const nearest = notices.toSorted((a, b) => away(a) - away(b))[0];
  return nearest === undefined ? undefined : lifeOfSignature(nearest);
}

function lineOfReady(evidence: Evidence): number | undefined {
  const lines = milestonesBefore(evidence).flatMap(({ milestone, from }) =>
    from.kind === 'line' && rank(milestone) >= rank('ready') ? [from.line] : [],
  );
  return lines.length === 0 ? undefined : Math.max(...lines);
}

function fromMilestones(evidence: Evidence): Reading<Life> | undefined {
  const last = lastMilestone(evidence);
  if (last === undefined) return undefined;
  return known(rank(last.milestone) >= rank('ready') ? 'serving' : 'starting', last.from);
}

function fromReadiness({ kubernetes }: Evidence): Reading<Life> | undefined {
  const { readiness } = kubernetes;
  if (readiness.kind === 'unknown') return undefined;
  return known(readiness.value === 'before-ready' ? 'starting' : 'serving', ...readiness.from);
}

// A line whose every cause belongs to one time of life tells it: NumPy allocates payloads, the CPU allocator stages weights.
function fromCauses({ weighing, engine }: Evidence): Reading<Life> | undefined {
  const { decisive } = weighing;
  // A script of somebody's own neither starts nor serves as an engine does.
  if (engine.engine === 'unknown' || decisive === undefined || decisive.signature.causes.length === 0) return undefined;
  const { causes } = decisive.signature;
  const life = (['starting', 'serving'] as const).find((one) =>
    causes.every((cause) => cause !== OF_ANY_TIME && isOfLife(cause, one)),
  );
  return life === undefined ? undefined : known(life, citeHit(decisive));
}

function fromHints({ weighing }: Evidence): Reading<Life> | undefined {
  for (const hint of weighing.hints) {
    const life = lifeOfSignature(hint);
    if (life !== undefined) return life;
  }
  return undefined;
}

// A kernel, a batch system or a runtime says of a kill which limit was met, and not when in the life of the process.
const OF_ANY_TIME: Cause = 'host.startup.limit';
