import { alertsResolved } from '../../report/alert-notice.ts';
import type { AlertStore, UntoldAlert } from '../alert-ports.ts';
import type { Outbox } from '../outbox.ts';
import type { Clock, Log, Store } from '../ports.ts';
import { cardIn } from '../triage/triage-place.ts';

export type ResolvedDeps = {
  readonly store: AlertStore & Pick<Store, 'messages'>;
  readonly outbox: Pick<Outbox, 'enqueue'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
};

/**
 * Notes in the threads of incidents which of their alerts were resolved since the last look, one note for each thread. All
 * it goes by is in the store, so a restart loses none and repeats none. Never rejects.
 */
export async function tellResolved(deps: ResolvedDeps): Promise<void> {
  try {
    const untold = (await deps.store.untoldAlerts()).filter(({ triage }) => triage !== 'running');
    if (untold.length === 0) return;
    const firing = Map.groupBy(await deps.store.incidentAlerts(), ({ incidentId }) => incidentId);
    const threads = Map.groupBy(untold, ({ incidentId, alert }) => `${incidentId ?? ''}\n${alert.conversation}`);
    for (const own of threads.values()) {
      const { incidentId } = own[0] as UntoldAlert;
      const left = incidentId === null ? [] : (firing.get(incidentId) ?? []).filter((one) => one.resolvedAt === null);
      if (incidentId !== null) await note(deps, incidentId, own, left.length);
      const keys = own.map(({ alert }) => alert.key);
      await deps.store.tellAlerts(keys, deps.clock.now());
    }
  } catch (error) {
    deps.log.error('resolved alerts not noted', { error });
  }
}

async function note(
  { store, outbox }: ResolvedDeps,
  incidentId: string,
  own: readonly UntoldAlert[],
  firing: number,
): Promise<void> {
  const { conversation, key } = (own[0] as UntoldAlert).alert;
  const thread = cardIn(await store.messages(incidentId, 'card'), conversation);
  if (thread === undefined) return;
  const message = alertsResolved(
    own.map(({ alert }) => alert.name),
    firing,
  );
  await outbox.enqueue({ incidentId, kind: `alert/${key}`, conversation, thread, message, once: true });
}
