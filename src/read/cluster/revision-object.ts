type Json = Readonly<Record<string, unknown>>;

const CAUSE = 'kubernetes.io/change-cause';
// The numbers that it had before a rollback made it the newest again.
const FORMER_NUMBERS = 'deployment.kubernetes.io/revision-history';
const NUMBERS = ['deployment.kubernetes.io/revision', 'rollout.argoproj.io/revision'];

/** A ReplicaSet or ControllerRevision as an entry of revisions.json, reduced to what can differ. `createdAt` is absent where its rollout was later. */
export function revisionOf(kind: string, item: unknown) {
  const [metadata, spec] = [partOf(item, 'metadata'), partOf(item, 'spec')];
  const annotations = partOf(metadata, 'annotations');
  const number =
    kind === 'ReplicaSet' ? NUMBERS.map((key) => annotations[key]).find(Boolean) : partOf({ item }, 'item').revision;
  return {
    kind,
    name: metadata.name,
    revision: Number(number) || 0,
    createdAt: annotations[FORMER_NUMBERS] === undefined ? metadata.creationTimestamp : undefined,
    changeCause: annotations[CAUSE],
    template: spec.template ?? templateIn(partOf(item, 'data')),
    leader: partOf(partOf(partOf(item, 'data'), 'spec'), 'leaderWorkerTemplate').leaderTemplate,
  };
}

// A ControllerRevision holds a patch of its owner; a LeaderWorkerSet has the template of its workers in it.
function templateIn(data: Json): unknown {
  const spec = partOf(data, 'spec');
  return spec.template ?? partOf(spec, 'leaderWorkerTemplate').workerTemplate;
}

function partOf(value: unknown, key: string): Json {
  const part = typeof value === 'object' && value !== null ? (value as Json)[key] : undefined;
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? (part as Json) : {};
}
