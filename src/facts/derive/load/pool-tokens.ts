import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import type { Evidence } from '../evidence.ts';
import { citeHit, lineOfFailure } from '../weigh/weigh.ts';

const USAGE = /token usage: (\d[\d.]{0,6})/;
// Usage is printed with two digits: of less than this the sum is off by a tenth and more.
const LEAST_USAGE = 0.05;

/** The size of the KV pool, in tokens, by what SGLang says of it in use: their number and their share. */
export function readPoolTokens({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Fact | undefined {
  const failed = lineOfFailure(weighing, log.main) ?? Number.POSITIVE_INFINITY;
  const last = weighing.all.findLast(
    ({ phrase, hit }) =>
      phrase.id === 'sglang.num.decode-batch' && hit.captures.tokens !== undefined && hit.line <= failed,
  );
  const [tokens, usage] = [Number(last?.hit.captures.tokens), Number(USAGE.exec(last?.hit.text ?? '')?.[1])];
  return last !== undefined && usage >= LEAST_USAGE && tokens > 0
    ? known(Math.round(tokens / usage), citeHit(last))
    : undefined;
}
