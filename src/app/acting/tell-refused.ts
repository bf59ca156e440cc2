import { notPosted } from '../../report/notices.ts';
import type { ActStore } from '../acting-ports.ts';
import type { Outbox } from '../outbox.ts';
import type { UnsentMessage } from '../outbox-ports.ts';
import type { MessageKind } from '../ports.ts';

export type TellRefusedDeps = {
  readonly acts: Pick<ActStore, 'plan' | 'approvals' | 'run' | 'temporaryChange'>;
  readonly outbox: Pick<Outbox, 'enqueue'>;
};

/** Sends what a channel refused for good to the people whose plan, decision, run or change it is about. `next` says why. */
export async function tellRefused(deps: TellRefusedDeps, refused: UnsentMessage, next: string): Promise<void> {
  const { incidentId, kind, conversation } = refused;
  const message = notPosted(refused.message, conversation, next);
  for (const person of new Set(await peopleOf(deps, kind))) {
    if (person === conversation) continue;
    const own = `refused/${kind}/${person}` as const;
    await deps.outbox.enqueue({ incidentId, kind: own, conversation: person, message, once: true });
  }
}

async function peopleOf({ acts }: TellRefusedDeps, kind: MessageKind): Promise<readonly string[]> {
  const [topic, id = ''] = kind.split('/');
  const proposer = async () => (await acts.plan(id))?.proposedBy;
  switch (topic) {
    case 'decided':
      // Who decides last is the one whose words were refused.
      return known((await acts.approvals(id)).at(-1)?.who, await proposer());
    case 'remind':
      return known(await proposer());
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
