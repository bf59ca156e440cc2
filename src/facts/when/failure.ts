import type { Fact } from '../../model/fact.ts';
import { known } from '../../read/cluster/reading.ts';
import { defineFacts } from '../define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isRunning } from '../evidence/running-instance.ts';
import { lastLine } from '../evidence/tail-lines.ts';
import { AGE, STATUS } from '../needs.ts';
import { readLife } from './life.ts';
import { readAge, readUptime } from './process-lifetime.ts';

/** When it failed, and which instance. */
export const FAILURE = defineFacts(
  {
    'failure.life': { unit: 'choice', values: ['starting', 'serving'], says: 'what the engine was doing', needs: AGE },
    'failure.age': { unit: 'choice', values: ['minutes', 'hours', 'days'], says: 'age of the process', needs: AGE },
    'instance.runs-on': {
      unit: 'yes-no',
      says: 'the log is from the running instance, and no termination is known',
      needs: `${STATUS}, or a log whose name tells whether it is the current or the previous one`,
    },
    'instance.came-up': { unit: 'yes-no', says: 'the container was started again and is ready', needs: STATUS },
  },
  (evidence) => {
    const last = lastLine(evidence.log.main);
    return {
      'failure.life': readLife(evidence),
      'failure.age': readAge(evidence, readUptime(evidence)),
      'instance.runs-on': last && known(isRunning(evidence), last),
      'instance.came-up': cameUp(evidence),
    };
  },
);

function cameUp({ death: reading }: Evidence): Fact | undefined {
  if (reading.kind === 'none' || reading.isOpen) return undefined;
  const { place, view } = reading.death;
  if (place !== 'lastState' || view.ready === undefined) return undefined;
  return known(view.state?.kind === 'running' && view.ready.value, view.ready.from);
}
