import type { Asker, PostOutcome } from '../../app/ports.ts';
import type { Message } from '../../model/message.ts';
import { createBoundedMap } from './bounded-map.ts';

/** Answers to what people click in their Home tab, until the tab is filled again: no message can be sent there. */
export type HomeAnswers = {
  add(asker: Asker, message: Message): PostOutcome;
  /** The answers to a person, which are taken away. */
  take(user: string): readonly Message[];
};

export function createHomeAnswers(): HomeAnswers {
  const kept = createBoundedMap<readonly Message[]>(1000);
  return {
    add({ user, conversation }, message) {
      kept.set(user, [...(kept.get(user) ?? []), message]);
      return { kind: 'posted', ref: { conversation, ts: 'home' }, plain: false };
    },
    take(user) {
      const answers = kept.get(user) ?? [];
      kept.delete(user);
      return answers;
    },
  };
}

/** Whether somebody asked in the Home tab. */
export function isHome({ conversation, responseUrl }: Asker): boolean {
  return conversation === '' && responseUrl === undefined;
}
