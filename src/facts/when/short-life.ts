import type { Citation } from '../../model/citation.ts';
import type { ContainerDeath } from '../../read/cluster/death.ts';
import { known, type Reading } from '../../read/reading.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Life } from '../evidence/line-cause.ts';
import { loadsOnDemand } from './on-demand.ts';
import { isProved } from './proved-life.ts';

// Imports, a CUDA context, weights and a first graph mostly take longer than this; a small model of llama.cpp does not. Nobody
// measured it over engines, so that it dates no proved failure.
const SHORTER_THAN_A_START_S = 60;
// Who came up and was killed by requests lives longer from time to time, and is ready in between.
const SHORT_S = 180;
const MANY_RESTARTS = 3;
const SEVERAL_RESTARTS = 2;

/**
 * By how long the container lived at all: less than most starts take, or little and again and again without having become
 * ready. Of a server that loads when it is asked a life tells nothing. For a guess.
 */
export function fromShortLife(evidence: Evidence): Reading<Life> | undefined {
  if (evidence.death.kind !== 'death' || loadsOnDemand(evidence) || isProved(evidence)) return undefined;
  const { death, isOpen } = evidence.death;
  if (death.role !== 'engine' || isOpen) return undefined;
  const from = death.uptime.kind === 'known' ? byUptime(evidence, death) : byAge(evidence, death);
  return from && known<Life>('starting', ...from);
}

function byUptime(evidence: Evidence, { uptime, restarts }: ContainerDeath): readonly Citation[] | undefined {
  if (uptime.kind === 'unknown') return undefined;
  if (uptime.value < SHORTER_THAN_A_START_S) return uptime.from;
  const isAgain = restarts !== undefined && restarts.value >= MANY_RESTARTS && !isReady(evidence);
  return isAgain && uptime.value < SHORT_S ? [...uptime.from, restarts.from] : undefined;
}

// What it waited between its lives is part of its age.
function byAge(evidence: Evidence, { restarts }: ContainerDeath): readonly Citation[] | undefined {
  const age = ageOf(evidence);
  if (age === undefined || restarts === undefined || restarts.value < SEVERAL_RESTARTS) return undefined;
  const most = restarts.value >= MANY_RESTARTS ? SHORT_S : SHORTER_THAN_A_START_S;
  return age.value / (restarts.value + 1) < most && !isReady(evidence) ? [age.from] : undefined;
}

function ageOf({ pod }: Evidence) {
  return pod.views.find(({ age }) => age !== undefined)?.age;
}

function isReady({ pod, death }: Evidence): boolean {
  const own = death.kind === 'death' ? death.death.view : undefined;
  const condition = pod.views.flatMap(({ conditions }) => conditions).find(({ type }) => type === 'Ready');
  return own?.ready?.value === true || condition?.status?.value === 'True' || own?.state?.kind === 'running';
}
