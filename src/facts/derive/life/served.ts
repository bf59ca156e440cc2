import type { Citation } from '../../../model/citation.ts';
import { deathTime } from '../../pod/death.ts';
import { type Finding, known, unknown } from '../../pod/finding.ts';
import { CRASH_BYTES, HEAD_BYTES } from '../../scan/ends.ts';
import { metricValue } from '../../text/metrics-text.ts';
import { CLOCK_SKEW_MS } from '../../text/when.ts';
import type { Evidence } from '../evidence.ts';
import { seriesOf } from '../figures.ts';
import { tailLines } from '../weigh/tail-lines.ts';
import { citeHit, lineOfFailure } from '../weigh/weigh.ts';
import { milestonesBefore, readLife } from './life.ts';

type Served = 'none' | 'one' | 'more';

/** How many requests it had answered before it failed: by its counters, else by the access lines of its last run. */
export function readServed(evidence: Evidence): Finding<Served> {
  return byStart(evidence) ?? byCounter(evidence) ?? byAccessLines(evidence);
}

// What the next instance counts, after a restart, tells nothing of this one.
function byCounter(evidence: Evidence): Finding<Served> | undefined {
  const until = (deathTime(evidence.death) ?? Number.POSITIVE_INFINITY) + CLOCK_SKEW_MS;
  for (const { id, points } of seriesOf(evidence, 'requests.success')) {
    const highest = points.filter(([at]) => at <= until).toSorted((a, b) => b[1] - a[1])[0];
    if (highest === undefined || highest[1] <= 0) continue;
    return known(highest[1] > 1 ? 'more' : 'one', {
      kind: 'sample',
      file: 'series.json',
      series: id,
      at: highest[0],
      value: highest[1],
    });
  }
  const pasted = evidence.metrics && metricValue(evidence.metrics, 'requests.success');
  if (pasted === undefined || pasted.value <= 0) return undefined;
  return known(pasted.value > 1 ? 'more' : 'one', pasted.from);
}

// What never came up has answered nobody.
function byStart(evidence: Evidence): Finding<Served> | undefined {
  const life = readLife(evidence);
  if (life.kind !== 'known' || life.value !== 'starting') return undefined;
  return known('none', ...life.from);
}

function byAccessLines(evidence: Evidence): Finding<Served> {
  const { main } = evidence.log;
  if (main === undefined) return unknown('not-in-snapshot', 'no log of the instance that failed is in the snapshot');
  const failed = lineOfFailure(evidence.weighing, main) ?? Number.POSITIVE_INFINITY;
  const answered = evidence.weighing.all.filter(({ phrase, hit }) => phrase.id === ANSWERED && hit.line < failed);
  const [first, second] = answered;
  if (first !== undefined && second !== undefined) return known('more', citeHit(first), citeHit(second));
  if (!isWhole(evidence))
    return unknown('not-in-snapshot', 'the log is cut: what was answered before its first line is not known');
  if (first !== undefined) return known('one', citeHit(first));
  const access = accessLine(evidence);
  return access === undefined ? unknown('not-exposed', 'the log has no access lines') : known('none', access);
}

const ANSWERED = 'phase.http-served';
// Access lines are looked for at both ends of a log.
const SEEN_BYTES = HEAD_BYTES + CRASH_BYTES;

// Only a log that shows the start of the run, and was looked through as a whole, tells of what is not there.
function isWhole(evidence: Evidence): boolean {
  const { main } = evidence.log;
  const first = milestonesBefore(evidence)[0];
  return main !== undefined && main.bytes <= SEEN_BYTES && first?.milestone === 'started';
}

// A probe or a scrape that was answered shows that this server writes down what it answers.
const ACCESS = /"(?:GET|POST|HEAD) \/\S{0,200} HTTP\/1\.[01]"? \d{3}\b/;

function accessLine({ log }: Evidence): Citation | undefined {
  return log.main && tailLines(log.main).find(({ text }) => ACCESS.test(text));
}
