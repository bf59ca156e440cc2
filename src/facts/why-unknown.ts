import type { FactEntry, UnknownFact } from '../model/fact.ts';
import { type NotRead, parseLogName } from '../model/snapshot.ts';
import { LOG } from './log/needs.ts';

// Words of a fact's need, and the items of evidence that would have met it.
const EVIDENCE: readonly { readonly need: RegExp; readonly item: RegExp }[] = [
  { need: /\blog\b|OOM line|dump/, item: /log/i },
  { need: /pod status|pod\.json/, item: /pod\.json|pod status|status/i },
  { need: /events/, item: /event/i },
  // metrics.k8s.io fills in for the RAM of containers; where it is not served, the reason is that of the metrics.
  { need: /Prometheus|metrics/, item: /metric(?!s\.k8s\.io)|prometheus|series/i },
  { need: /\bnode\b/, item: /node/i },
  { need: /kernel/, item: /kernel/i },
  { need: /sibling/, item: /sibling/i },
  { need: /revisions/, item: /revision/i },
  { need: /nvidia-smi/, item: /nvidia|smi/i },
  { need: /autoscalers of/, item: /autoscaler/i },
  { need: /disruption/, item: /disruption/i },
];

/** What could not be read of a snapshot, and the files that were, as far as something stands in them; `log` is that of the run that decides. */
export type WasRead = {
  readonly notRead: readonly NotRead[];
  readonly files: readonly string[];
  readonly log: string | undefined;
};

/** The reason why a fact is not known: what could not be read of what it needs, else that the snapshot does not hold it, and which of the files that it needs are there. */
export function whyUnknown(entry: FactEntry, { notRead, files, log }: WasRead, found?: UnknownFact): UnknownFact {
  const missed = findMissed(entry, notRead);
  if (missed !== undefined) {
    // `metrics: a, b` lists the metrics of other facts too.
    const [what] = missed.item.split(': ', 1);
    return { kind: 'unknown', reason: missed.reason, detail: `${what}: ${missed.detail}` };
  }
  const held = files.filter((file) => entry.needs.includes(file) || (file === log && isTheLog(file, entry)));
  const detail = found?.detail ?? `needs ${entry.needs}`;
  return { kind: 'unknown', reason: 'not-in-snapshot', detail, ...(held.length === 0 ? {} : { held }) };
}

// The previous container's log is still available in addition to the current one.
function isTheLog(file: string, { needs }: FactEntry): boolean {
  return needs.includes(LOG) && parseLogName(file)?.instance === 'previous';
}

function findMissed({ needs }: FactEntry, notRead: readonly NotRead[]): NotRead | undefined {
  if (notRead.length === 0) return undefined;
  const wanted = EVIDENCE.filter(({ need }) => need.test(needs));
  return notRead.find(({ item }) => wanted.some((evidence) => evidence.item.test(item)));
}
