import { parseJsonFile, SiblingsFile } from '../../model/json-file.ts';
import { deathTime } from '../../read/cluster/death.ts';
import { firstOf } from '../../read/cluster/gather.ts';
import { readFirstOfGroup } from '../../read/cluster/group.ts';
import { known } from '../../read/cluster/reading.ts';
import { readSiblings } from '../../read/cluster/siblings.ts';
import type { Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { contentOf, textOf } from '../evidence/snapshot-files.ts';

/** What ended in the other pods of the workload, and whether that came before the end that is looked at. */
export function deriveSiblings({ readings, pod, death, incident }: Evidence): Group {
  const siblings = contentOf(textOf(readings.texts, 'siblings.json', (text) => parseJsonFile(SiblingsFile, text)));
  const ended = deathTime(death);
  const until = ended ?? incident?.capture?.takenAt;
  if (siblings === undefined || until === undefined) return {};
  const name = firstOf(pod, (view) => view.name)?.value;
  const { deadShare } = readSiblings(siblings, until, name);
  const first = readFirstOfGroup(siblings, { name, labels: pod.views[0]?.labels ?? {}, ended });
  return {
    'pod.siblings-dead-share': deadShare,
    'group.first-pod': first && known(first.pod.value, first.pod.from),
    'group.first-end': first && known(first.how.value, first.how.from),
  };
}
