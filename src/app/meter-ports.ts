import type { BotMetricName } from '../monitoring/bot-metrics.ts';

export type MeterLabels = Readonly<Record<string, string>>;

/** Figures of the bot itself; `labels` are those of the table of metrics. Never throws. */
export interface Meters {
  count(name: BotMetricName, labels?: MeterLabels, by?: number): void;
  /** `seconds` go into the buckets of a histogram. */
  observe(name: BotMetricName, seconds: number): void;
  /** Undefined takes the series away. */
  set(name: BotMetricName, labels: MeterLabels, value: number | undefined): void;
}
