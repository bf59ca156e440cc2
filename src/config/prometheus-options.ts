import type { PrometheusAuth, PrometheusOptions } from '../metrics/prometheus-metrics.ts';
import type { PrometheusConfig } from './schema.ts';

/** What the metrics edge wants of a cluster's Prometheus, but the clock. */
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
