import type { Cited } from '../../model/engine-reader.ts';
import { type EventView, NO_POD, type PodView } from './view.ts';

/** A line of `kubectl get pods`. `restartedAgoSec` from `3 (118s ago)`. */
export type PodRow = {
  readonly name: Cited<string>;
  readonly namespace: string | undefined;
  readonly ready: string | undefined;
  readonly status: Cited<string> | undefined;
  readonly restarts: Cited<number> | undefined;
  readonly restartedAgoSec: number | undefined;
  readonly ageSec: number | undefined;
};

/** describe.txt. `hasEvents`: an events table, or a fragment of one, was there. */
export type DescribeReading = {
  readonly pod: PodView;
  readonly events: readonly EventView[];
  readonly hasEvents: boolean;
  readonly rows: readonly PodRow[];
};

/** `kubectl describe pod` and fragments of it, `kubectl get pods`, loose status lines. Never throws. */
export function readDescribe(_text: string): DescribeReading {
  return { pod: NO_POD, events: [], hasEvents: false, rows: [] };
}
