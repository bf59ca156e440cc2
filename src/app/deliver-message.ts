import { backoffMs } from '../model/backoff.ts';
import type { Message } from '../model/message.ts';
import { maybeTwice } from '../report/notices.ts';
import { pointTo } from './message-copies.ts';
import type { OutboxStore, UnsentMessage } from './outbox-ports.ts';
import type { Chat, Clock, Ids, Log, PostOutcome } from './ports.ts';

export type OutboxDeps = {
  readonly store: OutboxStore;
  readonly chat: Pick<Chat, 'post' | 'update' | 'permalink'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Draws what the message shows as it is now: a text that waited may be old. */
  readonly refresh?: ((sent: Pick<UnsentMessage, 'incidentId' | 'kind'>) => Promise<void>) | undefined;
  /** A message that waited as it is sent now: as it was where this is left out or fails, and not at all if undefined. */
  readonly renew?: ((waited: UnsentMessage) => Promise<Message | undefined>) | undefined;
  /** Tells somebody of a message that Slack refuses for good and that no caller waits for. */
  readonly onRefused?: ((refused: UnsentMessage, next: string) => Promise<void>) | undefined;
};

/** The code of a message that is not sent, because one like it is stored, or another process sends it. */
export const NOT_OURS = 'stored-already';

export type Refused = Extract<PostOutcome, { kind: 'refused' }>;

/** Tells who waits for a message that Slack refuses it for good. */
export type Tell = (refused: Refused) => Promise<void>;

export const ELSEWHERE: PostOutcome = { kind: 'refused', code: NOT_OURS, next: 'It is being sent.' };
const FIRST_AGAIN_MS = 5_000;
const LONGEST_AGAIN_MS = 300_000;

/** Sends a stored message until Slack takes it or refuses it for good, another process has it, or it is not wanted any more. */
export async function deliver(
  deps: OutboxDeps,
  first: UnsentMessage,
  signal: AbortSignal,
  tell?: Tell,
): Promise<PostOutcome> {
  let unsent = first;
  for (let i = 0; ; i += 1) {
    if (!(await isHeld(deps, unsent))) return ELSEWHERE;
    const outcome = await sendOnce(deps, unsent);
    if (outcome.kind === 'posted') return place(deps, unsent, outcome, i > 0 || unsent.id !== first.id);
    if (outcome.retryMs === undefined) return conclude(deps, unsent, { outcome, signal, tell });
    const waitMs = Math.max(outcome.retryMs, backoffMs(i, FIRST_AGAIN_MS, LONGEST_AGAIN_MS));
    deps.log.warn('message waits for Slack', { id: unsent.id, code: outcome.code, waitMs });
    const next = (await isOver(deps, waitMs, signal)) ? undefined : await supersede(deps, unsent);
    if (next === undefined) return outcome;
    unsent = mayHaveArrived(outcome) ? doubted(next) : next;
  }
}

// Whether a stop ends the wait.
function isOver({ clock }: OutboxDeps, waitMs: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(waitMs, signal).then(
    () => false,
    () => true,
  );
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

type Conclusion = { readonly outcome: Refused; readonly signal: AbortSignal; readonly tell: Tell | undefined };

// Dropped once that is told. Where it is not, or a stop may have cut that off, the next process tells it.
async function conclude(deps: OutboxDeps, unsent: UnsentMessage, { outcome, signal, tell }: Conclusion) {
  try {
    await tell?.(outcome);
    if (tell === undefined || !signal.aborted) await forget(deps, unsent);
  } catch (error) {
    deps.log.error('refused message not told', { error, id: unsent.id });
  }
  return outcome;
}

// Slack says so where it has not taken a message; of anything else nobody knows.
function mayHaveArrived(outcome: Refused): boolean {
  return outcome.code !== 'ratelimited';
}

export function doubted(unsent: UnsentMessage): UnsentMessage {
  return unsent.ref === null ? { ...unsent, message: maybeTwice(unsent.message) } : unsent;
}

function sendOnce({ chat }: OutboxDeps, { ref, conversation, thread, message }: UnsentMessage): Promise<PostOutcome> {
  return ref === null ? chat.post(conversation, message, thread ?? undefined) : chat.update(ref, message);
}

/** The same message, to be tried again. Undefined where a copy was clicked or a newer text took its place meanwhile, or it is not wanted any more. */
export async function supersede(deps: OutboxDeps, unsent: UnsentMessage): Promise<UnsentMessage | undefined> {
  const { store, ids, log, renew = async (one) => one.message } = deps;
  const message = await renew(unsent).catch(() => unsent.message);
  if (message === undefined) {
    await forget(deps, unsent);
    return undefined;
  }
  if (unsent.incidentId === '') return { ...unsent, message };
  const id = ids.next('msg');
  try {
    return (await store.repostMessage(unsent.id, id)) ? { ...unsent, id, message } : undefined;
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

export async function refresh({ refresh: draw, log }: OutboxDeps, unsent: UnsentMessage): Promise<void> {
  await draw?.(unsent).catch((error) => log.warn('message not redrawn', { error, id: unsent.id }));
}
