import type { DomainEvent } from '../../model/events.ts';
import type { Facts } from '../../model/fact.ts';
import type { Plan } from '../../model/plan.ts';
import { timeOf } from '../words/span-words.ts';
import { timeline } from '../words/timeline.ts';
import { headlineOf } from '../words/verdict-words.ts';

/** One moment: `2026-01-15 03:00:00`, who, and what in plain words. */
export type TimelineRow = { readonly at: string; readonly who: string; readonly what: string };

/** What the evidence and the stored events say, in order of time. */
export function timelineRows(
  events: readonly DomainEvent[],
  facts: Facts,
  plans: ReadonlyMap<string, Plan>,
): readonly TimelineRow[] {
  const seen = timeline(facts).map((line) => ({ at: line.slice(0, 19), who: 'evidence', what: line.slice(19).trim() }));
  const told = joinFindings(events, plans).flatMap(({ event, count }) => {
    const what = wordsOf(event, plans);
    const at = timeOf(event.at)?.words.slice(0, 19);
    const same = count === 1 ? '' : ` (same in ${count} triages)`;
    return what === undefined || at === undefined ? [] : [{ at, who: event.actor, what: `${what}${same}` }];
  });
  // Sorting is stable: events of one second keep the order in which they were stored.
  return [...seen, ...told].toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
}

type Joined = { readonly event: DomainEvent; count: number };

// A death that is triaged again is no new moment, if its finding stays the same.
function joinFindings(events: readonly DomainEvent[], plans: ReadonlyMap<string, Plan>): readonly Joined[] {
  let last: Joined | undefined;
  return events.flatMap((event) => {
    const isFinding = event.kind === 'verdict-given';
    if (isFinding && last !== undefined && wordsOf(last.event, plans) === wordsOf(event, plans)) {
      last.count += 1;
      return [];
    }
    const joined = { event, count: 1 };
    if (isFinding) last = joined;
    else if (event.kind === 'incident-seen-again' || event.kind === 'incident-reopened') last = undefined;
    return [joined];
  });
}

type Say<Kind extends DomainEvent['kind']> = (
  event: Extract<DomainEvent, { kind: Kind }>,
  plans: ReadonlyMap<string, Plan>,
) => string | undefined;

const SAYS: { readonly [Kind in DomainEvent['kind']]: Say<Kind> } = {
  'incident-opened': ({ workload }) => `Incident opened for ${workload}`,
  'incident-seen-again': ({ seen }) => `Failed again, seen ${seen} times`,
  'verdict-given': ({ verdict }) => `Finding: ${headlineOf(verdict)}`,
  'plan-made': ({ planId }, plans) => `Plan ${planId}${planWords(plans.get(planId))}`,
  'approval-given': ({ planId, decision, breakGlass, reason }) => {
    if (breakGlass !== undefined) return `Break-glass approval of ${planId}: ${breakGlass}`;
    const why = reason === undefined ? '' : `: ${reason}`;
    return `${decision === 'approve' ? 'Approved' : 'Rejected'} ${planId}${why}`;
  },
  'approval-lapsed': ({ planId, why }) => `Approval of ${planId} no longer counts: ${why}`,
  'plan-ended': ({ planId, state }) => `Plan ${planId} ${state}`,
  'run-queued': ({ runId, planId }) => `Run ${runId} of ${planId} queued`,
  'run-changed': ({ runId, state, outcome }) => `Run ${runId}: ${state}${outcome === null ? '' : `. ${outcome}`}`,
  'run-commanded': ({ runId, command }) => `Run ${runId}: ${command} requested`,
  'step-done': ({ runId, step, outcome }) => `Run ${runId}, step ${step}: ${outcome}`,
  verified: ({ runId, answer }) => `Run ${runId} ${VERIFIED[answer]}`,
  'change-entered': ({ changeId }) => `Temporary change ${changeId} recorded`,
  'change-moved': ({ changeId, state, why }) =>
    `Temporary change ${changeId}: ${state.replaceAll('-', ' ')}${why === null ? '' : `. ${why}`}`,
  'change-extended': ({ changeId, expiresAt }) =>
    `Temporary change ${changeId} extended until ${timeOf(expiresAt)?.words ?? 'an unknown time'}`,
  'incident-closed': ({ why }) => `Incident resolved${why === '' ? '' : `: ${why}`}`,
  'incident-reopened': () => 'Incident reopened',
  'incident-acknowledged': () => 'Acknowledged the incident',
  'feedback-given': ({ right, actual }) =>
    right
      ? 'Feedback: the finding was right'
      : `Feedback: the finding was wrong${actual === null ? '' : ` (${actual})`}`,
};

const VERIFIED = { yes: 'verified', no: 'failed verification', 'could-not-tell': 'not verified: no data' } as const;

function wordsOf(event: DomainEvent, plans: ReadonlyMap<string, Plan>): string | undefined {
  return (SAYS[event.kind] as Say<DomainEvent['kind']>)(event, plans);
}

function planWords(plan: Plan | undefined): string {
  if (plan === undefined) return '';
  const edits = plan.edits.map(({ flag, from, to }) => `${flag} ${from ?? 'unset'} → ${to ?? 'unset'}`).join(', ');
  return `: ${plan.action}${edits === '' ? '' : ` (${edits})`}`;
}
