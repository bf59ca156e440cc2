import type { Dispatcher } from 'undici';
import type { Clock, Metrics, MetricsTarget, ReadContext } from '../app/ports.ts';

export type ProxyAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'refused';
      readonly reason: 'forbidden' | 'gone' | 'unreachable' | 'failed';
      readonly detail: string;
    };

/** Reads `path` of a port of the pod through the API server; supplied by the Kubernetes edge where configuration allows it. Counts its own call. */
export type ViaProxy = (
  target: MetricsTarget,
  port: number,
  path: string,
  context: ReadContext,
) => Promise<ProxyAnswer>;

export type EngineScrapeOptions = {
  readonly clock: Clock;
  readonly podIP: boolean;
  readonly viaProxy?: ViaProxy | undefined;
  readonly timeoutMs?: number;
  readonly dispatcher?: Dispatcher;
};

/** The engine's own /metrics, by pod IP and then by the pod proxy. One moment only, so there is no series. Never throws. */
export function createEngineScrape(_options: EngineScrapeOptions): Metrics {
  throw new Error('not built yet');
}
