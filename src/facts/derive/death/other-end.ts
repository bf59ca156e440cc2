import type { Fact } from '../../../model/fact.ts';
import { isEnd } from '../../pod/death.ts';
import { known } from '../../pod/finding.ts';
import type { Evidence } from '../evidence.ts';

/** How the run before the one that ended last ended, where that was another way: `OOMKilled, exit code 137`. */
export function otherEnd({ death: reading }: Evidence): Fact | undefined {
  if (reading.kind === 'none' || reading.isOpen || reading.death.place !== 'state') return undefined;
  const { end, view } = reading.death;
  const { lastState: before } = view;
  if (!isEnd(before) || before.reason === undefined || before.reason.value === end.reason?.value) return undefined;
  const code = before.exitCode === undefined ? '' : `, exit code ${before.exitCode.value}`;
  return known(`${before.reason.value}${code}`, before.reason.from);
}
