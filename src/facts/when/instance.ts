import type { Fact } from '../../model/fact.ts';
import { known } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import { type Evidence, isRunning } from '../evidence/evidence.ts';
import { STATUS } from '../log/needs.ts';
import { lastLine } from '../log/tail-lines.ts';
import { readDeadEngine } from './dead-engine.ts';

/** Whether the container runs again. */
export const INSTANCE_FACTS = defineFacts(
  {
    'instance.runs-on': {
      unit: 'yes-no',
      says: 'the log is that of the instance that runs now, and no termination is known',
      needs: `${STATUS}, or a log whose name tells whether it is the current or the previous one`,
    },
    'instance.state': {
      unit: 'choice',
      values: ['came-up', 'down', 'engine-dead'],
      says: 'state of the container now',
      needs: STATUS,
    },
  },
  (evidence) => {
    // The log of an instance that ended is kept as the previous one.
    const last = lastLine(evidence.log.main);
    return {
      'instance.runs-on': last && known(isRunning(evidence), last),
      'instance.state': readDeadEngine(evidence) ?? cameUp(evidence),
    };
  },
);

function cameUp({ death: reading }: Evidence): Fact | undefined {
  if (reading.kind === 'none' || reading.isOpen) return undefined;
  const { place, view } = reading.death;
  if (place !== 'lastState' || view.ready === undefined) return undefined;
  return known(view.state?.kind === 'running' && view.ready.value ? 'came-up' : 'down', view.ready.from);
}
