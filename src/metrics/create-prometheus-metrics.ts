import type { Dispatcher } from 'undici';
import type { Clock, Metrics } from '../app/ports.ts';

export type PrometheusAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'bearer-file'; readonly file: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'basic-file'; readonly user: string; readonly file: string };

export type TlsOptions = {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly insecure?: boolean | undefined;
};

export type PrometheusOptions = {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly auth?: PrometheusAuth;
  readonly tls?: TlsOptions | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Extra matchers, where one Prometheus holds several clusters. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Longest wait for one answer, in ms; 5,000 unless told. */
  readonly timeoutMs?: number;
  readonly dispatcher?: Dispatcher;
};

/** Metrics of one cluster out of a Prometheus. Never throws: what could not be had stands in `notRead` with its reason. */
export function createPrometheusMetrics(_options: PrometheusOptions): Metrics {
  throw new Error('not built yet');
}
