import type { WebhookAuth } from '../alertmanager/credentials.ts';
import { createWebhook } from '../alertmanager/webhook.ts';
import { createAlertIntake } from '../app/automatic/take-alerts.ts';
import { tellResolved } from '../app/automatic/tell-resolved.ts';
import type { Meters } from '../app/meter-ports.ts';
import type { Outbox } from '../app/outbox.ts';
import type { Clock, Ids, Log } from '../app/ports.ts';
import { createQueue } from '../app/queue-by-workload.ts';
import type { TriageStarter } from '../app/triage/triage.ts';
import { type Config, rightsOf } from '../config.ts';
import type { Alert } from '../model/alert.ts';
import { type HttpLimits, openHttpPort } from '../system/http-port.ts';
import type { DurableStore } from './open-store.ts';
import { repeat } from './repeat.ts';

const TELL_MS = 15_000;
const LIMITS: HttpLimits = {
  // A thousand alerts with their annotations have about one MB.
  bytes: 2_097_152,
  perMinute: 600,
  connections: 64,
  headersMs: 5_000,
  requestMs: 10_000,
};

type Parts = {
  readonly store: DurableStore;
  readonly triage: TriageStarter;
  readonly outbox: Outbox;
  readonly isShared: (channel: string) => Promise<boolean>;
  readonly meters: Meters;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

export type Alerts = { readonly port: number; stop(): Promise<void> };

/** The Alertmanager webhook with what becomes of its alerts, where the configuration wants one. */
export async function openAlerts(config: Config, parts: Parts): Promise<Alerts | undefined> {
  if (config.alerts === undefined) return undefined;
  const { port, channel } = config.alerts;
  const clusters = config.clusters.map(({ name }) => name);
  const defaultCluster = config.defaultCluster ?? (clusters.length === 1 ? clusters[0] : undefined);
  const intake = createAlertIntake({ ...parts, rights: rightsOf(config), clusters, defaultCluster, channel });
  // One request after the other: of two about one workload the second must see the triage of the first.
  const inOrder = createQueue();
  const take = (alerts: readonly Alert[]): Promise<void> => inOrder('alerts', () => intake.take(alerts));
  const answer = createWebhook({ ...parts, auth: authOf(config.alerts), take });
  const webhook = await openHttpPort({ ...parts, name: 'alert webhook', port, limits: LIMITS, answer });
  const telling = repeat(TELL_MS, parts.clock, () => tellResolved(parts));
  parts.log.info('alert webhook listens', { port: webhook.port });
  return {
    port: webhook.port,
    async stop() {
      await webhook.stop();
      await Promise.all([intake.stop(), telling.stop()]);
    },
  };
}

function authOf({ bearerToken, bearerTokenFile, basic }: NonNullable<Config['alerts']>): WebhookAuth {
  if (bearerToken !== undefined) return { kind: 'bearer', token: bearerToken };
  if (bearerTokenFile !== undefined) return { kind: 'bearer-file', file: bearerTokenFile };
  const { user, password = '', passwordFile } = basic ?? { user: '' };
  if (passwordFile !== undefined) return { kind: 'basic-file', user, file: passwordFile };
  return { kind: 'basic', user, password };
}
