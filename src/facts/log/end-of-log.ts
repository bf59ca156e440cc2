import type { LogReading } from '../../model/log-reading.ts';
import type { DeathReading } from '../../read/cluster/death.ts';
import { readFrames } from './frame-stages.ts';
import { tailLines, unsaid } from './tail-lines.ts';
import { isStarting } from './traceback.ts';

const DESCRIBE = 'describe.txt';
// The last words of a container in its status (kubernetes terminationMessagePolicy: the end of its log), as `kubectl describe`
// and `kubectl get -o yaml` print them.
const BEGINS = /^\s*(?:- )?(?:Message:\s{1,16}\S|message: ["'|>]|"message": ")/;
const ENDS =
  /^\s*"?(?:Exit Code|Started|Finished|Ready|Restart Count|exitCode|reason|Reason|signal|startedAt|finishedAt|containerID|name|ready|restartCount|Limits|Requests|Environment|Mounts|State|Last State|Args|Image)"?:(?:\s|$)/;
// Only a program that fails writes these; what Kubernetes itself puts there are sentences.
const OF_PROGRAM = /^\s*File "[^"\n]{1,300}", line \d|\b\w{0,60}(?:Error|Exception)\b:\s/m;

/** A description without the last words in it, and these as the log that they are the end of; undefined where it holds none. */
export function lastWords(
  notes: readonly LogReading[],
  death: DeathReading,
): { readonly log: LogReading; readonly note: LogReading } | undefined {
  const note = notes.find(({ file }) => file === DESCRIBE);
  const lines = note === undefined ? [] : tailLines(note);
  const begin = lines.findIndex(({ text }) => BEGINS.test(text));
  const again = lines.findLastIndex(({ text }) => BEGINS.test(text));
  if (note === undefined || begin < 0 || again !== begin) return undefined;
  const length = lines.slice(begin + 1).findIndex(({ text }) => ENDS.test(text));
  const words = lines.slice(begin, length < 0 ? lines.length : begin + 1 + length);
  if (!OF_PROGRAM.test(words.map(({ text }) => text).join('\n'))) return undefined;
  const own = new Set(words.map(({ line }) => line));
  const others = new Set(lines.map(({ line }) => line).filter((line) => !own.has(line)));
  const part = (left: ReadonlySet<number>) => ({
    ...unsaid(note, left),
    hits: note.hits.filter(({ line }) => !left.has(line)),
  });
  const log = part(others);
  return isOpen(log, death) ? undefined : { log, note: part(own) };
}

const WHOLE = /^\s*(?:[^\n]{0,40}message: *["'|>-]{0,2} *)?Traceback \(most recent call last\)/im;
// No start takes an hour to its first pass.
const AT_WORK_S = 3600;

// A trial run of the start makes the same calls as a request: where the first frames are cut away, the last ones tell nothing
// of a young process.
function isOpen(log: LogReading, death: DeathReading): boolean {
  const frames = readFrames(log);
  const uptime = death.kind === 'death' ? death.death.uptime : undefined;
  const isOld = uptime?.kind === 'known' && uptime.value >= AT_WORK_S;
  const isCut = frames.length > 0 && !WHOLE.test(log.tail);
  return isCut && !isOld && !frames.some(({ stage }) => isStarting(stage));
}
