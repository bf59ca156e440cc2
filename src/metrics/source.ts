import type { Metrics, MetricsTarget, ReadContext } from '../app/ports.ts';
import type { Reading } from './reading.ts';

/** A source of metrics that can be put together with others. Never throws. */
export type MetricsSource = Metrics & {
  read(target: MetricsTarget, context: ReadContext): Promise<Reading>;
};
