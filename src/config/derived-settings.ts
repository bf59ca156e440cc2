import type { PrometheusAuth, PrometheusOptions } from '../metrics/prometheus-metrics.ts';
import type { Rights, Scope } from '../model/authorise.ts';
import type { ClusterConfig, Config, PrometheusConfig } from './schema.ts';

const EVERYTHING: Scope = { clusters: ['*'], namespaces: ['*'] };

/**
 * Who may do what, by configuration. Where no channel is mapped at all, every channel may read what the bot may; as
 * soon as one is mapped, the others read nothing unless `defaultChannel` says otherwise.
 */
export function rightsOf(config: Config): Rights {
  const open = Object.keys(config.channels).length === 0 ? EVERYTHING : null;
  return {
    channels: config.channels,
    defaultChannel: config.defaultChannel === undefined ? open : config.defaultChannel,
    act: config.act,
  };
}

/** What `serve` needs of Slack and does not have, as names of variables; the terminal needs none of it. */
export function missingForSlack({ slack }: Config): readonly string[] {
  const other = slack.mode === 'socket' ? 'appToken' : 'signingSecret';
  const needed = {
    botToken: 'SLACK_BOT_TOKEN',
    appToken: 'SLACK_APP_TOKEN',
    signingSecret: 'SLACK_SIGNING_SECRET',
  } as const;
  return (['botToken', other] as const).filter((key) => slack[key] === undefined).map((key) => needed[key]);
}

/** What the metrics edge needs from a cluster's Prometheus, but the clock. */
export function prometheusOptions(prometheus: PrometheusConfig): Omit<PrometheusOptions, 'clock' | 'dispatcher'> {
  const { url, tls, headers, labels, timeoutSeconds } = prometheus;
  return { baseUrl: url, auth: authOf(prometheus), tls, headers, labels, timeoutMs: timeoutSeconds * 1000 };
}

function authOf({ bearerToken, bearerTokenFile, basic }: PrometheusConfig): PrometheusAuth {
  if (bearerToken !== undefined) return { kind: 'bearer', token: bearerToken };
  if (bearerTokenFile !== undefined) return { kind: 'bearer-file', file: bearerTokenFile };
  if (basic?.password !== undefined) return { kind: 'basic', user: basic.user, password: basic.password };
  if (basic?.passwordFile !== undefined) return { kind: 'basic-file', user: basic.user, file: basic.passwordFile };
  return { kind: 'none' };
}

/** The cluster that is meant where none is named: its users are those of `acting.people`. */
export function defaultCluster({ clusters, defaultCluster: name }: Config): ClusterConfig | undefined {
  return clusters.find((cluster) => cluster.name === name) ?? clusters[0];
}
