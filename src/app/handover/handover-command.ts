import type { Actor } from '../../model/authorise.ts';
import { OomError } from '../../model/errors.ts';
import type { IncidentHandover } from '../../model/handover.ts';
import type { Message } from '../../model/message.ts';
import type { Run } from '../../model/plan.ts';
import { handoverMessage, handoverThread, wholeHandover } from '../../report/handover.ts';
import { cannotPost } from '../../report/notices.ts';
import { shiftMessage } from '../../report/shift.ts';
import { threadOf } from '../acting/run/run-view.ts';
import { answerAsker } from '../answer-asker.ts';
import { typedWords } from '../command.ts';
import { type FindDeps, findIncident } from '../lifecycle/find-incident.ts';
import type { Outbox } from '../outbox.ts';
import { shiftSubject, type UnsentMessage } from '../outbox-ports.ts';
import type { Asker, Chat, Ids, Log, Store } from '../ports.ts';
import { type HandoverDeps, readHandover } from './incident-handover.ts';
import { readShift, type ShiftDeps } from './shift-handover.ts';

export type HandoverReadDeps = HandoverDeps &
  ShiftDeps &
  FindDeps & { readonly store: HandoverDeps['store'] & ShiftDeps['store'] & FindDeps['store'] };

export type HandoverPostDeps = HandoverReadDeps & {
  readonly chat: Chat;
  readonly outbox: Pick<Outbox, 'send' | 'enqueue'>;
  readonly ids: Ids;
  readonly log: Log;
};

type HandoverRequest = {
  readonly asker: Asker;
  readonly actor: Actor;
  /** Under which it is stored until it is answered: what is posted for it is posted once. */
  readonly kept?: string | undefined;
};

type Made =
  | { readonly kind: 'shift'; readonly message: Message }
  | { readonly kind: 'incident'; readonly handover: IncidentHandover };

/** `handover`, `handover <incident>`: read now. Throws OomError. */
async function make(deps: HandoverReadDeps, actor: Actor, text: string): Promise<Made> {
  if (actor.place === 'slack' && actor.externallyShared) {
    throw new OomError(
      'forbidden',
      'This channel is shared with another organization, and a handover shows arguments.',
      {
        next: 'Ask in a channel of your organization.',
      },
    );
  }
  const [word] = typedWords(text);
  if (word === undefined)
    return { kind: 'shift', message: shiftMessage(await readShift(deps, actor), deps.commandName) };
  const { incident, rest } = await findIncident(deps, { actor, verb: 'handover' }, text);
  if (rest !== '') {
    throw new OomError('bad-input', `No incident ${rest.slice(0, 60)}.`, {
      next: `Type \`${deps.commandName} handover\` for the shift, or \`${deps.commandName} handover <incident>\`.`,
    });
  }
  return { kind: 'incident', handover: await readHandover(deps, incident) };
}

/** For a terminal, where nobody can decide. */
export async function readHandoverText(deps: HandoverReadDeps, actor: Actor, text: string): Promise<Message> {
  const made = await make(deps, actor, text);
  const message = made.kind === 'shift' ? made.message : wholeHandover(made.handover);
  return { ...message, choices: [] };
}

/** Posts it in the channel, for everybody who takes over; to the asker alone where the bot may not post. */
export async function postHandover(deps: HandoverPostDeps, text: string, request: HandoverRequest): Promise<void> {
  const { ids } = deps;
  const { asker, actor, kept = ids.next('hand') } = request;
  const conversation = asker.conversation;
  const made = await make(deps, actor, text);
  if (made.kind === 'shift') {
    const { message } = made;
    // Asked in the Home tab, where nobody else reads it.
    if (conversation === '') return answerAsker(deps, asker, message);
    const kind = `shift/${kept}/${asker.user}` as const;
    await postOrTell(deps, asker, { incidentId: shiftSubject(conversation), kind, conversation, message });
    return;
  }
  const { handover } = made;
  const kind = `handover/${kept}/${asker.user}` as const;
  const incidentId = handover.incident.id;
  await postOrTell(deps, asker, { incidentId, kind, conversation, message: handoverMessage(handover) });
  await addTimeline(deps, { incidentId, kind }, async () => handover);
}

/** Posts the timeline below a handover that was typed, once, if the handover is posted. Throws what `read` and the store throw. */
export async function addTimeline(
  { store, outbox }: Pick<HandoverPostDeps, 'outbox'> & { readonly store: Pick<Store, 'messages'> },
  { incidentId, kind }: Pick<UnsentMessage, 'incidentId' | 'kind'>,
  read: () => Promise<IncidentHandover>,
): Promise<void> {
  const [, kept = ''] = kind.split('/');
  const thread = (await store.messages(incidentId, kind)).at(-1);
  // The handover of a run is one message.
  if (thread === undefined || kept.startsWith('run_')) return;
  const { conversation } = thread;
  const message = handoverThread(await read());
  await outbox.enqueue({ incidentId, kind: `timeline/${kept}`, conversation, thread, message, once: true });
}

/** In the thread of the card of a run that has ended, once for each end. Throws what the store throws. */
export async function postEndOfRun(
  deps: HandoverDeps & Pick<HandoverPostDeps, 'outbox'> & { readonly store: Pick<Store, 'incident'> },
  run: Pick<Run, 'id' | 'incidentId' | 'planId' | 'state'>,
  signal: AbortSignal,
): Promise<void> {
  const { store, outbox } = deps;
  const { id, incidentId, planId, state } = run;
  const [incident, cards] = [await store.incident(incidentId), await store.messages(incidentId, `plan/${planId}`)];
  if (incident === undefined || cards.length === 0) return;
  const handover = await readHandover(deps, incident, signal);
  const message = wholeHandover(handover);
  for (const ref of cards) {
    const kind = `handover/${id}/${state}/${ref.conversation}` as const;
    const thread = await threadOf(store, incidentId, ref);
    await outbox.enqueue({ incidentId, kind, conversation: ref.conversation, thread, message, once: true });
  }
}

type Parcel = Parameters<Outbox['send']>[0];

async function postOrTell(deps: HandoverPostDeps, asker: Asker, parcel: Parcel): Promise<void> {
  const tell = ({ next }: { readonly next: string }) => answerAsker(deps, asker, cannotPost(parcel.message, next));
  // Else it waits for Slack, or the same request was carried out before and it is being sent.
  await deps.outbox.send({ ...parcel, once: true }, tell);
}
