import type { Placed } from '../../model/json-file.ts';
import type { Event, Pod } from '../../model/kubernetes.ts';
import type { DescribeReading } from './describe.ts';
import type { EventView, PodView } from './view.ts';

export type PodInput = {
  readonly pod?: Pod;
  readonly describe?: DescribeReading;
  readonly events?: readonly Placed<Event>[];
};

/** What is known of the pod, best source first (pod.json before describe.txt). `hasEvents`: whether an events file or table was there at all. */
export type PodEvidence = {
  readonly views: readonly PodView[];
  readonly events: readonly EventView[];
  readonly hasEvents: boolean;
};

/** The one form of pod.json, events.json and describe.txt from which deaths and container specs are read. */
export function gatherPod(_input: PodInput): PodEvidence {
  return { views: [], events: [], hasEvents: false };
}
