import type { Facts } from '../../model/fact.ts';
import { knownNumber, knownValue } from './report-input.ts';
import { timeOf } from './span-words.ts';

const LIVES: Readonly<Record<string, string>> = { starting: ' at start-up', serving: ' while serving' };
const HOUR_MS = 3_600_000;

/**
 * Two memories that failed in turn, each with its own time of life and its own hour, where they are known: `GPU memory ran out
 * while serving (…), then container RAM while it loaded the weights again (…)`. Undefined where the order is not known.
 */
export function twoEnds(facts: Facts, ram: string): string | undefined {
  const order = knownValue(facts, 'sequence.order');
  if (order !== 'gpu-then-host' && order !== 'host-then-gpu') return undefined;
  const memories = ['GPU memory', ram];
  const [first, second] = order === 'gpu-then-host' ? memories : memories.toReversed();
  const when = knownValue(facts, 'sequence.second-when');
  const [firstAt, secondAt] = timesOf(facts, order);
  const life = LIVES[String(knownValue(facts, 'sequence.first-life'))] ?? '';
  return `${first} ran out${life}${firstAt}, then ${second}${when === undefined ? '' : ` ${when}`}${secondAt}`;
}

// A time without its zone, which stands hours off or the wrong way round, tells nobody anything.
function timesOf(facts: Facts, order: 'gpu-then-host' | 'host-then-gpu'): readonly [string, string] {
  const ats = ['sequence.gpu-at', 'sequence.host-at'].map((id) => knownNumber(facts, id));
  const [first, second] = order === 'gpu-then-host' ? ats : ats.toReversed();
  if (first === undefined || second === undefined) return [shown(first), shown(second)];
  const between = second - first;
  return between < 0 || between > HOUR_MS ? ['', ''] : [shown(first), shown(second)];
}

function shown(at: number | undefined): string {
  const words = at === undefined ? undefined : timeOf(at)?.words;
  return words === undefined ? '' : ` (${words})`;
}
