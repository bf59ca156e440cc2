import { known } from '../../read/cluster/reading.ts';
import { defineFacts } from '../define.ts';
import { linesOfTwoEnds } from '../evidence/plane.ts';
import { STATUS } from '../needs.ts';

/** A kill and an error of the engine, of which nothing tells which was the end. */
export const TWO_ENDS_FACTS = defineFacts(
  {
    'death.two-ends': {
      unit: 'yes-no',
      says: 'a process was OOM-killed, the engine ended on its own error, and nothing tells which came last',
      needs: `${STATUS}, and the log of the run that ended`,
    },
  },
  (evidence) => {
    const from = linesOfTwoEnds(evidence);
    return { 'death.two-ends': from && known(true, ...from) };
  },
);
