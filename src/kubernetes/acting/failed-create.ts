import type { ActContext, FailedCreate } from '../../app/acting-ports.ts';
import { Event } from '../../model/kubernetes.ts';
import type { ObjectRef } from '../../model/plan.ts';
import { isObject, itemsOf } from '../api/objects.ts';
import { objectPath } from '../api/resource.ts';
import type { ActHttp } from './act-http.ts';

const EVENTS = { group: '', version: 'v1', plural: 'events' } as const;
const LIMIT = 500;

// Which objects create the pods of a kind that has no ReplicaFailure condition, by kind and what their name adds.
// A LeaderWorkerSet has a StatefulSet of leaders, and one of workers for each leader.
const CREATORS: Readonly<Record<string, RegExp>> = {
  StatefulSet: /^StatefulSet $/,
  LeaderWorkerSet: /^StatefulSet (?:-\d+)?$/,
  InferenceService: /^ReplicaSet -predictor(?:-\d{5}-deployment)?-[a-z\d]{5,10}$/,
  Workspace: /^(?:StatefulSet |ReplicaSet -[a-z\d]{5,10})$/,
};

/** The newest FailedCreate event of what creates the pods of this workload, one call; undefined if there is none or it is not readable. */
export async function readFailedCreate(
  http: ActHttp,
  { kind, namespace, name }: ObjectRef,
  context: ActContext,
): Promise<FailedCreate | undefined> {
  const creators = CREATORS[kind];
  if (creators === undefined) return undefined;
  const query = { fieldSelector: 'reason=FailedCreate', limit: LIMIT };
  const answer = await http.ask({ method: 'GET', path: objectPath(EVENTS, { namespace }), query }, context);
  if (answer.kind === 'lost' || answer.status !== 200 || !isObject(answer.body)) return undefined;
  return itemsOf(answer.body)
    .flatMap((item) => {
      const event = Event.safeParse(item).data;
      const { kind: of, name: by = '' } = event?.involvedObject ?? {};
      const isOurs = by.startsWith(name) && creators.test(`${of} ${by.slice(name.length)}`);
      return event !== undefined && isOurs ? (failureOf(event) ?? []) : [];
    })
    .reduce<FailedCreate | undefined>((last, one) => (last !== undefined && last.at > one.at ? last : one), undefined);
}

function failureOf({ message, lastTimestamp, eventTime, series }: Event): FailedCreate | undefined {
  const at = Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? '');
  if (message === undefined || Number.isNaN(at)) return undefined;
  return {
    at,
    why: message.replace(/^.*? failed error: |^(?:\(combined from similar events\): )?Error creating: /, ''),
  };
}
