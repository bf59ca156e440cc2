import type { WebhookAuth } from '../alertmanager/credentials.ts';
import { createWebhook } from '../alertmanager/webhook.ts';
import type { Intake } from '../app/automatic/intake.ts';
import { takeAlerts } from '../app/automatic/take-alerts.ts';
import { tellResolved } from '../app/automatic/tell-resolved.ts';
import type { Meters } from '../app/meter-ports.ts';
import type { Outbox } from '../app/outbox.ts';
import type { Clock, Log } from '../app/ports.ts';
import type { Config } from '../config.ts';
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
  readonly intake: Intake;
  readonly outbox: Outbox;
  readonly meters: Meters;
  readonly clock: Clock;
  readonly log: Log;
};

export type Alerts = { readonly port: number; stop(): Promise<void> };

/** The Alertmanager webhook with what becomes of its alerts, where the configuration wants one. */
export async function openAlerts(config: Config, parts: Parts): Promise<Alerts | undefined> {
  if (config.alerts === undefined) return undefined;
  const { port, channel } = config.alerts;
  const clusters = config.clusters.map(({ name }) => name);
  const defaultCluster = config.defaultCluster ?? (clusters.length === 1 ? clusters[0] : undefined);
  const deps = { ...parts, clusters, defaultCluster, channel };
  const answer = createWebhook({ ...parts, auth: authOf(config.alerts), take: (all) => takeAlerts(deps, all) });
  const webhook = await openHttpPort({ ...parts, name: 'alert webhook', port, limits: LIMITS, answer });
  const telling = repeat(TELL_MS, parts.clock, () => tellResolved(parts));
  parts.log.info('alert webhook listens', { port: webhook.port });
  return {
    port: webhook.port,
    async stop() {
      await webhook.stop();
      await telling.stop();
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
