import type { MessageRef } from '../model/incident.ts';
import type { Message } from '../model/message.ts';
import { maybeTwice } from '../report/notices.ts';
import { adoptCopy, pointTo } from './message-copies.ts';
import type { OutboxStore, UnsentMessage } from './outbox-ports.ts';
import type { Chat, Clock, Ids, Log, MessageKind, PostOutcome } from './ports.ts';

type OutboxDeps = {
  readonly store: OutboxStore;
  readonly chat: Pick<Chat, 'post' | 'update' | 'permalink'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Draws what the message shows as it is now: a text that waited may be old. */
  readonly refresh?: ((sent: Pick<UnsentMessage, 'incidentId' | 'kind'>) => Promise<void>) | undefined;
  /** Whether a message that waited is still wanted; always where it is left out. */
  readonly isWanted?: ((waited: Pick<UnsentMessage, 'kind'>) => Promise<boolean>) | undefined;
  /** Tells somebody of a message that Slack refuses for good and that no caller waits for. */
  readonly onRefused?: ((refused: UnsentMessage, next: string) => Promise<void>) | undefined;
};

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

/** The code of a message that is not sent, because one like it is stored, or another process sends it. */
export const NOT_OURS = 'stored-already';

export type Outbox = {
  /** Ends once the message is posted or refused for good. After `stop`, waiting messages stay for the next start. */
  send(parcel: Parcel): Promise<PostOutcome>;
  /** Ends once the message is stored; it is delivered meanwhile. Answers whether it was not stored before. */
  enqueue(parcel: Parcel & { readonly incidentId: string }): Promise<boolean>;
  /** A message that the caller's own transaction stores, with what it reports; `dispatch` delivers it after that. */
  prepare(parcel: Omit<Parcel, 'once' | 'triage'> & { readonly incidentId: string }): UnsentMessage;
  /** Delivers one that is stored, and ends as `send` does. */
  deliver(stored: UnsentMessage): Promise<PostOutcome>;
  /** Delivers what is stored. Ends at once. */
  dispatch(stored: readonly UnsentMessage[]): void;
  /** A clicked message is the current one; other copies of it point to it. Never rejects. */
  adopt(incidentId: string, kind: MessageKind, ref: MessageRef | undefined): Promise<void>;
  /** Sends what a stop left unconfirmed: all, or those of `only`. Answers how many there were. */
  resume(only?: ReadonlySet<string>): Promise<number>;
  /** Ends once what Slack is answering is stored; what waits stays for the next start. */
  stop(): Promise<void>;
};

const ELSEWHERE: PostOutcome = { kind: 'refused', code: NOT_OURS, next: 'It is being sent.' };
const FIRST_AGAIN_MS = 5_000;
const LONGEST_AGAIN_MS = 300_000;

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
  const dispatch = (unsent: UnsentMessage): void => {
    void tracked(deliver(deps, unsent, over.signal)).then(
      (outcome) => {
        if (outcome.kind === 'posted' || outcome.retryMs !== undefined || outcome.code === NOT_OURS) return;
        return tellRefused(deps, unsent, outcome);
      },
      (error) => log.error('message not sent', { error, id: unsent.id }),
    );
  };
  return {
    prepare,
    deliver: (stored) => tracked(deliver(deps, stored, over.signal)),
    dispatch: (stored) => stored.forEach(dispatch),
    async send({ incidentId, once, triage, ref = null, thread = null, ...rest }) {
      const unsent = { ...rest, id: ids.next('msg'), incidentId: incidentId ?? '', thread, ref: ref ?? null };
      if (incidentId === undefined) return tracked(deliver(deps, unsent, over.signal));
      const isQueued = await store.queueMessage(unsent, once, triage).catch((error: unknown) => {
        // Who waits for it needs it more than the store does.
        log.error('message not stored before it is sent', { error, incident: incidentId });
        return true;
      });
      if (isQueued) return tracked(deliver(deps, unsent, over.signal));
      return ELSEWHERE;
    },
    async enqueue({ once, triage, ...parcel }) {
      const unsent = prepare(parcel);
      if (!(await store.queueMessage(unsent, once, triage))) return false;
      dispatch(unsent);
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

async function deliver(deps: OutboxDeps, first: UnsentMessage, signal: AbortSignal): Promise<PostOutcome> {
  let unsent = first;
  for (let i = 0; ; i += 1) {
    if (!(await isHeld(deps, unsent))) return ELSEWHERE;
    const outcome = await sendOnce(deps, unsent);
    if (outcome.kind === 'posted') return place(deps, unsent, outcome, i > 0 || unsent.id !== first.id);
    if (outcome.retryMs === undefined) {
      await forget(deps, unsent);
      return outcome;
    }
    const waitMs = Math.max(outcome.retryMs, Math.min(LONGEST_AGAIN_MS, FIRST_AGAIN_MS * 2 ** Math.min(i, 10)));
    deps.log.warn('message waits for Slack', { id: unsent.id, code: outcome.code, waitMs });
    const goesOn = await deps.clock.sleep(waitMs, signal).then(
      () => true,
      () => false,
    );
    if (!goesOn) return outcome;
    const next = await supersede(deps, unsent);
    if (next === undefined) return outcome;
    unsent = mayHaveArrived(outcome) ? doubted(next) : next;
  }
}

// A process that froze may find that another has sent it meanwhile. Where the store is away, who waits needs it more.
async function isHeld({ store, log }: OutboxDeps, { id, incidentId, kind }: UnsentMessage): Promise<boolean> {
  if (incidentId === '') return true;
  const isHeld = await store.holdsMessage(id).catch((error: unknown) => {
    log.error('holder of a message not looked up', { error, id });
    return true;
  });
  if (isHeld) return true;
  log.info('message not sent: another replica has taken it over', { id, kind });
  return false;
}

// Slack says so where it has not taken a message; of anything else nobody knows.
function mayHaveArrived(outcome: Refused): boolean {
  return outcome.code !== 'ratelimited';
}

function doubted(unsent: UnsentMessage): UnsentMessage {
  return unsent.ref === null ? { ...unsent, message: maybeTwice(unsent.message) } : unsent;
}

function sendOnce({ chat }: OutboxDeps, { ref, conversation, thread, message }: UnsentMessage): Promise<PostOutcome> {
  return ref === null ? chat.post(conversation, message, thread ?? undefined) : chat.update(ref, message);
}

// Undefined where a copy was clicked or a newer text took its place meanwhile, or it is not wanted any more.
async function supersede(deps: OutboxDeps, unsent: UnsentMessage): Promise<UnsentMessage | undefined> {
  const { store, ids, log, isWanted } = deps;
  if ((await isWanted?.(unsent).catch(() => true)) === false) {
    await forget(deps, unsent);
    return undefined;
  }
  if (unsent.incidentId === '') return unsent;
  const id = ids.next('msg');
  try {
    return (await store.repostMessage(unsent.id, id)) ? { ...unsent, id } : undefined;
  } catch (error) {
    log.error('copy of a message not stored', { error, incident: unsent.incidentId });
    return unsent;
  }
}

type Posted = Extract<PostOutcome, { kind: 'posted' }>;

async function place(deps: OutboxDeps, unsent: UnsentMessage, posted: Posted, isLate: boolean): Promise<Posted> {
  if (unsent.incidentId === '') return posted;
  try {
    const current = await deps.store.placeMessage(unsent.id, posted.ref);
    if (current !== undefined) {
      await pointTo(deps, posted.ref, current);
      return { ...posted, ref: current };
    }
  } catch (error) {
    deps.log.error('place of a message not stored', { error, incident: unsent.incidentId });
  }
  if (isLate) await refresh(deps, unsent);
  return posted;
}

async function forget({ store, log }: OutboxDeps, { id, incidentId }: UnsentMessage): Promise<void> {
  if (incidentId === '') return;
  await store.dropMessage(id).catch((error) => log.error('refused message not dropped', { error, id }));
}

async function resend(deps: OutboxDeps, unsent: UnsentMessage, signal: AbortSignal): Promise<void> {
  const next = await supersede(deps, unsent);
  if (next === undefined) return;
  const outcome = await deliver(deps, doubted(next), signal);
  if (outcome.kind === 'posted') return refresh(deps, unsent);
  deps.log.warn('message not resent', { id: unsent.id, code: outcome.code });
  if (outcome.retryMs === undefined && outcome.code !== NOT_OURS) await tellRefused(deps, unsent, outcome);
}

type Refused = Extract<PostOutcome, { kind: 'refused' }>;

// No caller waits for it.
async function tellRefused({ log, onRefused }: OutboxDeps, unsent: UnsentMessage, { code, next }: Refused) {
  const { kind, conversation } = unsent;
  log.error('message refused by Slack', { kind, conversation, code, next });
  await onRefused?.(unsent, next).catch((error) => log.error('refused message not told', { error, kind }));
}

async function refresh({ refresh: draw, log }: OutboxDeps, unsent: UnsentMessage): Promise<void> {
  await draw?.(unsent).catch((error) => log.warn('message not redrawn', { error, id: unsent.id }));
}
