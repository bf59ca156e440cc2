import { startedBy } from '../../model/started-by.ts';
import { notPosted } from '../../report/notices.ts';
import type { ActStore } from '../acting-ports.ts';
import type { Outbox } from '../outbox.ts';
import type { UnsentMessage } from '../outbox-ports.ts';
import type { Store } from '../ports.ts';

export type TellRefusedDeps = {
  readonly acts: Pick<ActStore, 'plan' | 'approvals' | 'run' | 'temporaryChange'>;
  readonly store: Pick<Store, 'events'>;
  readonly outbox: Pick<Outbox, 'enqueue'>;
};

/** Sends what a channel refused for good to the people who wait for it: whose finding, plan, decision, run, change, handover or pause it is. `next` says why. */
export async function tellRefused(deps: TellRefusedDeps, refused: UnsentMessage, next: string): Promise<void> {
  const { incidentId, kind, conversation } = refused;
  const message = notPosted(refused.message, conversation, next);
  for (const person of new Set(await peopleOf(deps, refused))) {
    if (person === conversation || startedBy(person) !== 'person') continue;
    const own = `refused/${kind}/${person}` as const;
    await deps.outbox.enqueue({ incidentId, kind: own, conversation: person, message, once: true });
  }
}

async function peopleOf(
  { acts, store }: TellRefusedDeps,
  { kind, incidentId }: Pick<UnsentMessage, 'kind' | 'incidentId'>,
): Promise<readonly string[]> {
  const [topic, id = '', asker] = kind.split('/');
  const proposer = async () => (await acts.plan(id))?.proposedBy;
  switch (topic) {
    case 'decided':
      // Who decides last is the one whose words were refused.
      return known((await acts.approvals(id)).at(-1)?.who, await proposer());
    case 'card':
      return known((await store.events(incidentId)).findLast((one) => one.kind === 'verdict-given')?.actor);
    case 'plan':
    case 'remind':
      return known(await proposer());
    case 'shift':
    case 'pause':
    case 'resume':
      return known(asker);
    case 'handover':
      return known(id.startsWith('run_') ? (await acts.run(id))?.startedBy : asker);
    case 'report':
      return known((await acts.run(id))?.startedBy);
    case 'change':
      return known((await acts.temporaryChange(id))?.requestedBy);
    default:
      return [];
  }
}

function known(...people: readonly (string | undefined)[]): readonly string[] {
  return people.filter((one) => one !== undefined);
}
