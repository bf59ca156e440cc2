import type { DomainEvent } from '../../model/events.ts';
import type { Plan } from '../../model/plan.ts';
import { planTitle } from './plan-words.ts';
import { clip, sentencesOf, user, type Words } from './sentence.ts';
import { headlineOf } from './verdict-words.ts';

/** What happened to an incident, for its timeline; `isDecision` where a person made it. */
type EventLine = { readonly at: number; readonly words: Words; readonly isDecision: boolean };

const REASON = 120;
const ENDED: Readonly<Record<string, string>> = {
  done: 'run done',
  failed: 'run failed',
  'rolled-back': 'rolled back',
  aborted: 'run aborted',
};
const CHANGE: Readonly<Record<string, string>> = {
  temporary: 'change applied again',
  reverted: 'change reverted',
  changed: 'value changed again',
  gone: 'workload deleted',
  permanent: 'change made permanent',
  'rolled-back': 'change rolled back',
  closed: 'change closed',
};

/** Events as lines, in their order; those that say nothing a reader needs are left out. */
export function eventLines(events: readonly DomainEvent[], plans: readonly Plan[]): readonly EventLine[] {
  let cause: string | undefined;
  return events.flatMap((event): EventLine[] => {
    if (event.kind === 'verdict-given') {
      const { plane, phase, cause: found } = event.verdict;
      if (found === cause) return [];
      const opens = cause === undefined ? 'opened: ' : 'now: ';
      cause = found;
      return [{ at: event.at, words: [`${opens}${headlineOf({ plane, phase, cause: found })}`], isDecision: false }];
    }
    const words = wordsOf(event, plans);
    return words === undefined ? [] : [{ at: event.at, words, isDecision: isDecision(event) }];
  });
}

type Other = Exclude<DomainEvent, { kind: 'verdict-given' }>;

function wordsOf(event: Other, plans: readonly Plan[]): Words | undefined {
  switch (event.kind) {
    case 'incident-seen-again':
      return [`failed again (seen ${event.seen} times)`];
    case 'incident-reopened':
      return ['reopened'];
    case 'plan-made':
      return [`plan: ${clip(titleOf(event.planId, plans), 100)}, by `, user(event.actor)];
    case 'approval-given':
      return [`${APPROVAL[event.decision]} by `, user(event.actor), because(event.breakGlass ?? event.reason)];
    case 'run-commanded':
      return [`${event.command.replace('-', ' ')} by `, user(event.actor)];
    case 'run-changed':
      return ENDED[event.state] === undefined ? undefined : [ENDED[event.state] ?? '', because(firstOf(event.outcome))];
    case 'change-moved':
      return [CHANGE[event.state] ?? event.state, ...by(event.actor), because(event.why)];
    case 'change-extended':
      return ['change extended to ', { kind: 'time', at: event.expiresAt }, ' by ', user(event.actor)];
    case 'incident-closed':
      return ['resolved', ...by(event.actor), because(event.why)];
    case 'incident-acknowledged':
      return [user(event.actor), ' took it'];
    case 'feedback-given':
      return [`finding called ${event.right ? 'right' : 'wrong'} by `, user(event.actor)];
    default:
      return undefined;
  }
}

// The checks stand in the report of the run.
function firstOf(outcome: string | null): string {
  return sentencesOf(outcome ?? '')[0] ?? '';
}

const APPROVAL = { approve: 'approved', reject: 'rejected' };

function isDecision({ kind, actor }: Other): boolean {
  return isPerson(actor) && DECISIONS.has(kind);
}

const DECISIONS: ReadonlySet<string> = new Set([
  ...['approval-given', 'run-commanded', 'change-moved', 'change-extended'],
  ...['incident-closed', 'incident-acknowledged', 'feedback-given'],
]);

// A field manager of the cluster is foreign text, and must mention nobody.
function by(actor: string): Words {
  if (actor === 'oombot') return [];
  return [' by ', isPerson(actor) ? user(actor) : clip(actor, 60)];
}

function isPerson(actor: string): boolean {
  return /^[UW][A-Z0-9_]{2,}$/.test(actor);
}

function because(why: string | null | undefined): string {
  return why == null || why === '' ? '' : `: ${clip(why.replace(/\s+/g, ' ').replace(/\.$/, ''), REASON)}`;
}

function titleOf(id: string, plans: readonly Plan[]): string {
  const plan = plans.find((one) => one.id === id);
  return plan === undefined ? id : (planTitle(plan).split(' · ')[0] ?? id);
}
