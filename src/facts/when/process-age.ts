import { known, type Reading } from '../../read/reading.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { notedField } from '../evidence/incident-field.ts';
import type { Age, Life } from './time-of-life.ts';

/** By incident.json of a folder made by hand: `startup`, or how long the process had run. */
export function fromNotedAge({ incident }: Pick<Evidence, 'incident'>): Reading<Life> | undefined {
  const noted = notedField(incident?.uptime, '/uptime');
  if (noted === undefined) return undefined;
  if (NOTED_START.test(noted.value)) return known('starting', noted.from);
  return ageOfWord(noted.value) === undefined ? undefined : known('serving', noted.from);
}

const NOTED_START =
  /start|^(?:while |during |at )?(?:the )?(?:model |weights? )?load(?:ing)?$|\bload(?:ing)? (?:of )?(?:the )?(?:model|weights?)\b|\b(?:model|weights?|checkpoint) load(?:ing)?\b|\binitiali[sz]ation\b/i;
const NOTED_WORK =
  /\b(?:serv\w+|traffic|load|requests?|prompts?|questions?|generat\w+|batch\w*|documents?|pages?|images?|videos?|audio|files?|pdf|steps?|evaluation|inference|benchmark\w*|steady|running)\b/i;

/** `first request`, `under load`: what it was doing, which a file that shows the time outweighs. */
export function fromNotedWork({ incident }: Pick<Evidence, 'incident'>): Reading<Life> | undefined {
  const noted = notedField(incident?.uptime, '/uptime');
  return noted !== undefined && NOTED_WORK.test(noted.value) ? known('serving', noted.from) : undefined;
}

/** `3 days`, `2h`, `90 sec`: which of the three it is. */
export function ageOfWord(word: string): Age | undefined {
  if (/day|week|month/i.test(word)) return 'days';
  if (/hour|\d\s*h\b/i.test(word)) return 'hours';
  return /min|sec/i.test(word) ? 'minutes' : undefined;
}
