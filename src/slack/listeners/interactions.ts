import type { Chat, Clock, Log } from '../../app/ports.ts';
import type { Asked } from '../../model/kept-request.ts';
import type { Message } from '../../model/message.ts';
import { isHome } from '../api/home-answers.ts';
import { faultMessage } from './fault.ts';
import type { Identity } from './payloads.ts';
import type { PayloadRequest, SlackRequest, SlackUseCases } from './use-cases.ts';

/** What every listener is given. */
export type Interactions = {
  readonly useCases: SlackUseCases;
  readonly identity: () => Identity;
  /** Stores a request, acknowledges it, settles whether the channel is shared, and does the work: it is waited for at the end, and a fault is answered to the asker. */
  take(taken: Taken, work: (request: SlackRequest) => Promise<void>): Promise<void>;
  /** Answers the asker alone. */
  tell(request: SlackRequest, message: Message): Promise<void>;
  /** Background work without a message in a channel. */
  track(work: Promise<void>): Promise<void>;
  receipt(request: PayloadRequest): string | undefined;
  /** Ends when all work under way has ended. */
  settle(): Promise<void>;
};

/** Draws the Home tab of a person, with the answers that wait for it; `page` is a page of the list. Never rejects. */
export type FillHome = (user: string, page?: string) => Promise<void>;

type Taken = {
  readonly asked: Asked;
  readonly request: PayloadRequest;
  readonly ack: () => Promise<void>;
};

export function createInteractions(deps: {
  useCases: SlackUseCases;
  chat: Chat;
  log: Log;
  clock: Clock;
  identity: () => Identity;
  fillHome: FillHome;
  isShared: (channel: string) => Promise<boolean>;
}): Interactions {
  const { useCases } = deps;
  const underWay = new Set<Promise<void>>();

  const track = async (work: Promise<void>): Promise<void> => {
    const guarded = work.catch((error) => deps.log.error('slack listener failed', { error }));
    underWay.add(guarded);
    await guarded;
    underWay.delete(guarded);
  };

  // The Home tab is in no channel, and one person's alone.
  const settle = async ({ channel, externallyShared }: PayloadRequest): Promise<boolean> =>
    externallyShared ?? (channel !== '' && (await deps.isShared(channel)));

  return {
    useCases: deps.useCases,
    identity: deps.identity,
    track,
    async tell(request, message) {
      await deps.chat.whisper(request.asker, message);
    },
    async take({ asked, request, ack }, work) {
      // A request that is acknowledged and then lost would never be answered.
      const kept = await useCases.keep?.(asked, request);
      const asker = { ...request.asker, kept };
      await ack();
      await track(
        // Of many requests that come at once each is acknowledged before the work of the first one begins.
        deps.clock
          .breathe()
          .then(async () => work({ ...request, asker, kept, externallyShared: await settle(request) }))
          .catch(async (error: unknown) => {
            deps.log.error('request failed', { error, user: request.asker.user, channel: request.channel });
            await deps.chat.whisper(asker, faultMessage(error));
          })
          .then(() => (isHome(request.asker) ? deps.fillHome(request.asker.user) : undefined))
          .then(() => (kept === undefined ? undefined : useCases.release?.(kept))),
      );
    },
    receipt(request) {
      try {
        return deps.useCases.receipt({ ...request, externallyShared: request.externallyShared ?? true });
      } catch (error) {
        // The work itself will meet the same fault and answer it; the ack must not wait for that.
        deps.log.error('receipt failed', { error });
        return undefined;
      }
    },
    async settle() {
      await Promise.all(underWay);
    },
  };
}
