import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { formatValue } from '../../model/format-value.ts';
import { defineFacts } from '../evidence/define.ts';
import { citedNumber, fact } from '../log/draft.ts';
import { REVISIONS } from '../log/needs.ts';

/** The last rollout of the workload. */
export const ROLLOUT = defineFacts(
  {
    'revision.changed': {
      unit: 'text',
      says: 'changes between the last two revisions of the workload',
      needs: REVISIONS,
    },
    'revision.rollout': {
      unit: 'text',
      says: 'when the last rollout was, how long before the failure, and who made it',
      needs: REVISIONS,
    },
    'revision.lead': {
      unit: 'duration',
      says: 'time from the last rollout to the failure',
      needs: `${REVISIONS}, and the time of the failure`,
    },
    'revision.took-gpu': {
      unit: 'text',
      says: 'what the last rollout changed that leaves less GPU memory outside the KV pool, or may',
      needs: REVISIONS,
    },
    'revision.took-pool': {
      unit: 'text',
      says: 'what the last rollout changed that leaves less space in the KV pool, or may',
      needs: REVISIONS,
    },
    'revision.took-ram': {
      unit: 'text',
      says: 'what the last rollout changed that leaves less RAM, or may',
      needs: REVISIONS,
    },
  },
  ({ rollout }, told) => {
    const at = rollout?.at?.kind === 'known' ? rollout.at : undefined;
    const failed = citedNumber(told['gpu.oom-at']) ?? citedNumber(told['death.at']);
    const lead = at && failed && failed.value >= at.value ? (failed.value - at.value) / 1000 : undefined;
    const cited = at?.from[0] && { value: at.value, from: at.from[0] };
    return {
      'revision.changed': rollout?.change,
      'revision.rollout': cited && rolloutWords(cited, lead, rollout?.by),
      'revision.lead': cited && failed && fact(lead, [cited.from, failed.from]),
      'revision.took-gpu': rollout?.room.gpu,
      'revision.took-pool': rollout?.room.pool,
      'revision.took-ram': rollout?.room.ram,
    };
  },
);

const DAY_SEC = 86_400;

// `at 02:00 UTC (56 min earlier, by helm)`; with its date where it was on another day, or if the time of failure is unknown.
function rolloutWords({ value, from }: Cited<number>, lead: number | undefined, by: Fact | undefined): Fact {
  const iso = new Date(value).toISOString();
  const sinceMidnight = (value / 1000) % DAY_SEC;
  const isSameDay = lead !== undefined && sinceMidnight + lead < DAY_SEC;
  const who = by?.kind === 'known' ? by : undefined;
  const notes = [...(lead === undefined ? [] : [`${formatValue('duration', lead)} earlier`]), who?.value ?? ''];
  const told = notes.filter((one) => one !== '').join(', ');
  const at = isSameDay ? iso.slice(11, 16) : iso.slice(0, 16).replace('T', ' ');
  return {
    kind: 'known',
    value: `at ${at} UTC${told === '' ? '' : ` (${told})`}`,
    from: [from, ...(who?.from ?? [])],
  };
}
