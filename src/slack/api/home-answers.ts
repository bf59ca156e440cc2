import type { Asker, Clock, PostOutcome } from '../../app/ports.ts';
import type { Message } from '../../model/message.ts';
import { createBoundedMap } from './bounded-map.ts';

/** Answers to what people click in their Home tab, where no message can be sent: shown there for a minute. */
export type HomeAnswers = {
  add(asker: Asker, message: Message): PostOutcome;
  /** The last answers to a person, newest first. The tab may be filled for a click whose answer comes after that of a later one. */
  recent(user: string): readonly Message[];
};

const SHOWN_MS = 60_000;
const MOST_SHOWN = 3;

export function createHomeAnswers(clock: Pick<Clock, 'monotonic'>): HomeAnswers {
  const kept = createBoundedMap<readonly { readonly message: Message; readonly until: number }[]>(1000);
  const recent = (user: string) => (kept.get(user) ?? []).filter(({ until }) => until > clock.monotonic());
  return {
    add({ user, conversation }, message) {
      kept.set(user, [{ message, until: clock.monotonic() + SHOWN_MS }, ...recent(user)].slice(0, MOST_SHOWN));
      return { kind: 'posted', ref: { conversation, ts: 'home' }, plain: false };
    },
    recent: (user) => recent(user).map(({ message }) => message),
  };
}

/** Whether somebody asked in the Home tab. */
export function isHome({ conversation, responseUrl }: Asker): boolean {
  return conversation === '' && responseUrl === undefined;
}
