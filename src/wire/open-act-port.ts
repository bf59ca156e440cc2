import type { ActStore } from '../app/acting-ports.ts';
import type { Clock, Groups, Log } from '../app/ports.ts';
import type { Config } from '../config.ts';
import { createTokenReviewer } from '../kubernetes/review-token.ts';
import { type ActPort, startActPort } from './act-port.ts';
import { type Acting, defaultCluster } from './acting.ts';
import { VERSION } from './version.ts';

export type OpenActPortParts = {
  readonly acting: Acting;
  readonly groupsOf: (user: string) => Promise<Groups>;
  readonly store: Pick<ActStore, 'recordRefusal'>;
  readonly clock: Clock;
  readonly log: Log;
};

/** The port for terminals, where the configuration wants one. Users are those of the default cluster. */
export async function openActPort(
  config: Config,
  { acting, groupsOf, store, clock, log }: OpenActPortParts,
): Promise<ActPort | undefined> {
  const { port, people } = config.acting;
  if (port === undefined) return undefined;
  const { inCluster = false, kubeconfig, context } = defaultCluster(config) ?? {};
  const reviewer = createTokenReviewer({ source: { inCluster, kubeconfig, context }, clock, version: VERSION });
  const opened = await startActPort({
    port,
    people,
    review: reviewer.review,
    answer: async (verb, rest, user) => acting.answer(verb, rest, { user, groups: await groupsOf(user) }),
    acts: store,
    clock,
    log,
  });
  return {
    port: opened.port,
    async stop() {
      await opened.stop();
      await reviewer.close();
    },
  };
}
