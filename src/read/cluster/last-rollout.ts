import type { Placed } from '../../model/json-file.ts';
import type { Revision } from '../../model/kubernetes.ts';
import { known, type Reading } from '../reading.ts';
import { parseTime } from '../text/when.ts';
import { fieldOf } from './read-pod-json.ts';
import { type RevisionRoom, readLimitCut, readRevisionRoom } from './revision-room.ts';
import { pairOf, readRevisionChange } from './revisions.ts';
import { type LimitedPod, readVpaLimit } from './vpa-limit.ts';

/** The last rollout before the failure: what it changed, when, by whom, and what it left less of. Who lowered the memory limit. */
export type LastRollout = {
  readonly change: Reading<string>;
  /** Epoch ms. */
  readonly at: Reading<number> | undefined;
  /** `helm`, `Argo CD`, or the change-cause that somebody wrote. */
  readonly by: Reading<string> | undefined;
  readonly room: RevisionRoom;
  /** Who lowered the memory limit, from what and to what: a VPA when the pod was created, else the rollout. */
  readonly limitCut: Reading<string> | undefined;
  /** That VPA as kubectl takes it: `vpa chat -n llm`. */
  readonly vpa: Reading<string> | undefined;
};

const field = fieldOf('revisions.json');

/** Reads the revision of the pod and the one before it. */
export function readLastRollout(revisions: readonly Placed<Revision>[], of: LimitedPod): LastRollout {
  const now = pairOf(revisions, of.labels)?.now;
  const vpa = readVpaLimit(revisions, of);
  return {
    change: readRevisionChange(revisions, of.labels),
    at: now && timeOf(now),
    by: now && authorOf(now),
    room: readRevisionRoom(revisions, of),
    limitCut: vpa?.cut ?? readLimitCut(revisions, of),
    vpa: vpa?.object,
  };
}

function timeOf({ value, path }: Placed<Revision>): Reading<number> | undefined {
  const at = parseTime(value.createdAt);
  const from = field(value.createdAt, `${path}/createdAt`)?.from;
  return at === undefined || from === undefined ? undefined : known(at, from);
}

const LONGEST = 60;

function authorOf({ value, path }: Placed<Revision>): Reading<string> | undefined {
  const by = field(value.by, `${path}/by`);
  if (by !== undefined) return known(`by ${by.value}`, by.from);
  const cause = field(value.changeCause, `${path}/changeCause`);
  const text = cause?.value.replace(/\s+/g, ' ') ?? '';
  return cause && known(`"${text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text}"`, cause.from);
}
