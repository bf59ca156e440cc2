import { cleanLine } from '../../read/log/clean-line.ts';
import { known, type Reading } from '../../read/reading.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { tailLines } from '../evidence/tail-lines.ts';
import type { Life } from './time-of-life.ts';

// What an actor is at stands in its title, and the list of processes that Ray adds to a kill of its monitor shows it
// (ray-project/ray python/ray/_raylet.pyx, execute_task; src/ray/common/memory_monitor.cc, TopNMemoryDebugString).
const TITLE = /^\s{0,8}\d{1,10}\s{1,8}\d{1,6}\.\d{1,4}\s{1,8}ray::\w{1,60}\.(?<method>\w{1,80})/;
const AT_START = /^(?:__init__|(?:init|load|setup|build|create)(?:ialize)?(?:_\w{1,60})?)$|from_pretrained$/;
const AT_WORK = /generate|rollout|update|train|step|compute|forward|infer|sampl|valid|score/;

/** When in their lives the processes were that Ray lists where it ended one, by the methods that they were in. */
export function fromRayTitles({ log }: Pick<Evidence, 'log'>): Reading<Life> | undefined {
  const lines = log.main === undefined ? [] : tailLines(log.main);
  const titled = lines.flatMap((from) => {
    const method = TITLE.exec(cleanLine(from.text).clean)?.groups?.method;
    return method === undefined ? [] : [{ method, from }];
  });
  const works = titled.find(({ method }) => AT_WORK.test(method) && !AT_START.test(method));
  if (works !== undefined) return known<Life>('serving', works.from);
  const starts = titled.find(({ method }) => AT_START.test(method));
  return starts && known<Life>('starting', starts.from);
}
