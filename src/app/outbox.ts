import type { MessageRef } from '../model/incident.ts';
import type { Message } from '../model/message.ts';
import {
  deliver,
  doubted,
  ELSEWHERE,
  type OutboxDeps,
  type Refused,
  refresh,
  supersede,
  type Tell,
} from './deliver-message.ts';
import { adoptCopy } from './message-copies.ts';
import type { UnsentMessage } from './outbox-ports.ts';
import type { MessageKind, PostOutcome } from './ports.ts';

/** A message to show: posted, or if `ref` is given, in place of that message. */
type Parcel = {
  /** Undefined where the finding could not be stored: then a restart loses the message. */
  readonly incidentId: string | undefined;
  readonly kind: MessageKind;
  readonly conversation: string;
  readonly thread?: MessageRef | undefined;
  readonly ref?: MessageRef | undefined;
  readonly message: Message;
  /** Not where the incident has such a message already. */
  readonly once?: boolean;
  /** Not where another process has taken this triage over. */
  readonly triage?: string | undefined;
};

export type Outbox = {
  /** Ends once the message is posted or refused for good, which `tell` answers before it is dropped. After `stop`, waiting messages stay for the next start. */
  send(parcel: Parcel, tell?: Tell): Promise<PostOutcome>;
  /** Ends once the message is stored; it is delivered meanwhile. Answers whether it was not stored before. */
  enqueue(parcel: Parcel & { readonly incidentId: string }, tell?: Tell): Promise<boolean>;
  /** A message that the caller's own transaction stores, with what it reports; `dispatch` delivers it after that. */
  prepare(parcel: Omit<Parcel, 'once' | 'triage'> & { readonly incidentId: string }): UnsentMessage;
  /** Delivers one that is stored, and ends as `send` does. */
  deliver(stored: UnsentMessage, tell?: Tell): Promise<PostOutcome>;
  /** Delivers what is stored. Ends at once. */
  dispatch(stored: readonly UnsentMessage[]): void;
  /** A clicked message is the current one; other copies of it point to it. Never rejects. */
  adopt(incidentId: string, kind: MessageKind, ref: MessageRef | undefined): Promise<void>;
  /** Sends what a stop left unconfirmed: all, or those of `only`. Answers how many there were. */
  resume(only?: ReadonlySet<string>): Promise<number>;
  /** Ends once what Slack is answering is stored; what waits stays for the next start. */
  stop(): Promise<void>;
};

export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, ids, log } = deps;
  const over = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    underWay.add(ended);
    void ended.then(() => underWay.delete(ended));
    return work;
  };
  const prepare: Outbox['prepare'] = ({ ref = null, thread = null, ...rest }) => ({
    ...{ ...rest, id: ids.next('msg'), thread, ref },
  });
  const dispatch = (unsent: UnsentMessage, tell: Tell = (why) => tellRefused(deps, unsent, why)): void => {
    void tracked(deliver(deps, unsent, over.signal, tell)).catch((error) =>
      log.error('message not sent', { error, id: unsent.id }),
    );
  };
  return {
    prepare,
    deliver: (stored, tell) => tracked(deliver(deps, stored, over.signal, tell)),
    dispatch: (stored) => {
      for (const one of stored) dispatch(one);
    },
    async send({ incidentId, once, triage, ref = null, thread = null, ...rest }, tell) {
      const unsent = { ...rest, id: ids.next('msg'), incidentId: incidentId ?? '', thread, ref: ref ?? null };
      if (incidentId === undefined) return tracked(deliver(deps, unsent, over.signal, tell));
      const isQueued = await store.queueMessage(unsent, once, triage).catch((error: unknown) => {
        // Who waits for it needs it more than the store does.
        log.error('message not stored before it is sent', { error, incident: incidentId });
        return true;
      });
      if (isQueued) return tracked(deliver(deps, unsent, over.signal, tell));
      return ELSEWHERE;
    },
    async enqueue({ once, triage, ...parcel }, tell) {
      const unsent = prepare(parcel);
      if (!(await store.queueMessage(unsent, once, triage))) return false;
      dispatch(unsent, tell);
      return true;
    },
    adopt: (incidentId, kind, ref) =>
      adoptCopy(deps, incidentId, kind, ref).catch((error) =>
        log.error('clicked copy not adopted', { error, incident: incidentId }),
      ),
    async resume(only) {
      const unsent = (await store.unsentMessages()).filter(({ id }) => only === undefined || only.has(id));
      for (const one of unsent) {
        // What Slack makes wait must not hold up the others.
        void tracked(resend(deps, one, over.signal)).catch((error) =>
          log.error('message not resent', { error, id: one.id }),
        );
      }
      if (unsent.length > 0) log.info('messages left unconfirmed by the last shutdown', { count: unsent.length });
      return unsent.length;
    },
    async stop() {
      over.abort();
      await Promise.all(underWay);
    },
  };
}

async function resend(deps: OutboxDeps, unsent: UnsentMessage, signal: AbortSignal): Promise<void> {
  const next = await supersede(deps, unsent);
  if (next === undefined) return;
  const outcome = await deliver(deps, doubted(next), signal, (why) => tellRefused(deps, next, why));
  if (outcome.kind === 'posted') return refresh(deps, unsent);
  deps.log.warn('message not resent', { id: unsent.id, code: outcome.code });
}

// No caller waits for it.
async function tellRefused({ log, onRefused }: OutboxDeps, unsent: UnsentMessage, { code, next }: Refused) {
  const { kind, conversation } = unsent;
  log.error('message refused by Slack', { kind, conversation, code, next });
  await onRefused?.(unsent, next);
}
