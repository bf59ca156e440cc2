import type { Fact } from '../../model/fact.ts';
import { fact, factOf } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { tailLines } from '../log/tail-lines.ts';
import { seriesOf } from '../when/series-figures.ts';

/** How often a sequence was taken out of the batch: by the counter, as the engine prints it, as somebody noted it, or by its warnings. */
export function readPreemptions(evidence: Evidence): Fact | undefined {
  return ofCounter(evidence) ?? printed(evidence) ?? noted(evidence) ?? warned(evidence);
}

function ofCounter(evidence: Evidence): Fact | undefined {
  const rises = seriesOf(evidence, 'preemptions').map(({ id, points }) => {
    const [first, last] = [points[0], points.at(-1)];
    const from = last && ({ kind: 'sample', file: 'series.json', series: id, at: last[0], value: last[1] } as const);
    return first && last && from ? { value: Math.max(0, last[1] - first[1]), from } : undefined;
  });
  const rise = rises.find((one) => one !== undefined);
  return rise && factOf(rise);
}

// vLLM's line of figures names them only where there were any (vllm/v1/metrics/loggers.py).
function printed({ weighing }: Evidence): Fact | undefined {
  const last = weighing.all.findLast(({ hit }) => Number(hit.captures.preemptions) > 0);
  return last && fact(Number(last.hit.captures.preemptions), [citeHit(last)]);
}

const COUNTED = /\b(?:\w{0,30}_)?(?:preempt(?:ions?|ed)|retract(?:ions?|ed))(?:_\w{1,30})?\b/i;
const RISE = /(?<![\d:.,-])(\d[\d,]{0,12})\s{0,4}(?:->|=>|→|to|up to)\s{0,4}(\d[\d,]{0,12})(?![\d:.,-]*[\d:])/;

// `vllm:num_preemptions_total 4 -> 139`, `preemptions went from 12 to 40`.
function noted({ log }: Evidence): Fact | undefined {
  const rows = log.notes.filter(({ file }) => file === 'metrics.txt').flatMap(tailLines);
  for (const row of rows) {
    const [, before, after] = (COUNTED.test(row.text) ? RISE.exec(row.text) : null) ?? [];
    const rise = countOf(after) - countOf(before);
    if (rise > 0) return fact(rise, [row]);
  }
  return undefined;
}

function countOf(digits: string | undefined): number {
  return Number(digits?.replaceAll(',', '') ?? Number.NaN);
}

function warned({ weighing }: Evidence): Fact | undefined {
  const lines = weighing.all.filter(({ phrase }) => phrase.id === 'vllm.run.preempt-v0');
  return fact(lines.length > 0 ? lines.length : undefined, lines.map(citeHit));
}
