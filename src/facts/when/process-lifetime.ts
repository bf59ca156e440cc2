import type { Hit } from '../../model/log-reading.ts';
import { cleanLine, nearestTime, SOME_YEAR } from '../../read/log/clean-line.ts';
import { known, type Reading, unknown } from '../../read/reading.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { hasFailedAgain } from '../evidence/kill-or-own-error.ts';
import type { Life } from '../evidence/line-cause.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { citeHit } from '../evidence/weigh.ts';

/** How long the process had lived, roughly. */
export type Age = 'minutes' | 'hours' | 'days';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

/** Age of the process at the failure in seconds. */
export function readUptime(evidence: Evidence): Reading<number> {
  const { death } = evidence;
  const ofDeath = death.kind === 'death' && !hasFailedAgain(evidence) ? death.death.uptime : undefined;
  if (ofDeath?.kind === 'known') return ofDeath;
  return fromLogTimes(evidence) ?? ofDeath ?? unknown('not-in-snapshot', 'neither the pod status nor the log tells it');
}

// Only a log that shows its own start tells an age: a tail begins anywhere.
const BEGINS: ReadonlySet<string> = new Set(['started', 'load-begin']);

function fromLogTimes(evidence: Evidence): Reading<number> | undefined {
  const began = evidence.engine.milestones.find(({ milestone }) => BEGINS.has(milestone));
  const end = evidence.weighing.decisive;
  const start = evidence.weighing.all.find(({ hit }) => began?.from.kind === 'line' && hit.line === began.from.line);
  if (start === undefined || end === undefined) return undefined;
  const between = milliseconds(start.hit, end.hit);
  if (between === undefined || between < 0) return undefined;
  return known(Math.round(between / 1000), citeHit(start), citeHit(end));
}

// vLLM heads its lines with day and time: how long lies between two of them needs no year.
function milliseconds(start: Hit, end: Hit): number | undefined {
  if (start.at !== undefined && end.at !== undefined) return end.at - start.at;
  const [from, to] = [start, end].map(({ text }) => cleanLine(text).head);
  const anchor = from && nearestTime(from, SOME_YEAR);
  const until = to && anchor && nearestTime(to, anchor);
  return anchor === undefined || until === undefined ? undefined : until - anchor;
}

/** Minutes, hours or days: what parts a burst from a creeping failure. */
export function readAge(evidence: Evidence, uptime: Reading<number>): Reading<Age> {
  const noted = notedField(evidence.incident?.uptime, '/uptime');
  const age = noted && ageOfWord(noted.value);
  if (noted !== undefined && age !== undefined) return known(age, noted.from);
  if (uptime.kind === 'unknown') return uptime;
  return known(ageOf(uptime.value), ...uptime.from);
}

function ageOf(seconds: number): Age {
  if (seconds < HOUR_S) return 'minutes';
  return seconds < DAY_S ? 'hours' : 'days';
}

/** By incident.json: `startup`, or how long the process had run. */
export function fromNotedAge({ incident }: Pick<Evidence, 'incident'>): Reading<Life> | undefined {
  const noted = notedField(incident?.uptime, '/uptime');
  if (noted === undefined) return undefined;
  if (NOTED_START.test(noted.value)) return known('starting', noted.from);
  return ageOfWord(noted.value) === undefined ? undefined : known('serving', noted.from);
}

const NOTED_START =
  /start|^(?:while |during |at )?(?:the )?(?:model |weights? )?load(?:ing)?$|\bload(?:ing)? (?:of )?(?:the )?(?:model|weights?)\b|\b(?:model|weights?|checkpoint) load(?:ing)?\b|\binitiali[sz]ation\b/i;
/** `3 days`, `2h`, `90 sec`: which of the three it is. */
export function ageOfWord(word: string): Age | undefined {
  if (/day|week|month/i.test(word)) return 'days';
  if (/hour|\d\s*h\b/i.test(word)) return 'hours';
  return /min|sec/i.test(word) ? 'minutes' : undefined;
}
