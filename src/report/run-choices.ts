import type { Choice, Confirm } from '../model/message.ts';
import { isHalfway, openQuestion, type Plan, type Run } from '../model/plan.ts';
import { leavesNone, subjectOf } from './words/plan-words.ts';
import { clip } from './words/sentence.ts';

// Slack takes up to 2,000 characters.
const MOST_OF_VALUE = 1900;

/** What can be asked of an open run; one that rolls back already cannot be aborted. */
export function openChoices(run: Run, plan: Plan): Choice[] {
  const { state, command, id } = run;
  const goesOn = state !== 'compensating' && (command === 'none' || command === 'keep');
  const asks = command === 'none' && openQuestion(run, plan) !== undefined;
  const cut = `Stops waiting for ${nameOf(run)}: requests in flight are cut.`;
  const stop = `Stops "${what(plan)}" in ${placeOf(run)} at its next step and undoes its changes.`;
  return [
    ...(asks
      ? [
          {
            asks: 'go-on' as const,
            label: 'Cut and continue…',
            value: id,
            confirm: confirm('Cut requests?', cut, 'Cut'),
          },
        ]
      : []),
    ...(goesOn
      ? [
          {
            asks: 'abort' as const,
            label: 'Abort and roll back…',
            value: id,
            confirm: confirm('Abort and roll back?', stop, 'Abort and roll back'),
          },
        ]
      : []),
  ];
}

const confirm = (title: string, text: string, yes: string): Confirm => ({ title, text: clip(text, 300), yes });
const what = (plan: Plan): string => clip(subjectOf(plan), 120);
const placeOf = ({ target }: Run): string => `${clip(target.object.namespace, 40)} (${clip(target.cluster, 30)})`;
const nameOf = (run: Run): string => `${run.target.object.name} in ${placeOf(run)}`;

/** Whether a rollback would change anything. */
export function canGoBack({ state, steps }: Run): boolean {
  const hasWritten = steps.some(({ phase }) => phase === 'done' || phase === 'failed');
  // All was rolled back, and somebody has changed it since.
  const isBack = !hasWritten && steps.some(({ phase }) => phase === 'undone');
  return state === 'done' || (state === 'failed' && !isBack) || (state === 'aborted' && hasWritten);
}

/** What can be asked of an ended run. The buttons that plan start nothing: their plan has an approval of its own. */
export function endedChoices(run: Run, plan: Plan): Choice[] {
  const text = `Undoes "${what(plan)}" in ${placeOf(run)}: restores the settings from before the run. Pods may restart.`;
  const planned = (label: string, value: string): Choice[] => [{ asks: 'plan', label, value }];
  return [
    ...(run.state === 'done' && leavesNone(plan) ? planned('Plan scale-up…', `${plan.incidentId} scale-up`) : []),
    ...(isHalfway(run, plan) ? planned('Plan the rest…', restOf(plan)) : []),
    ...(run.state === 'rolled-back' ? planned('Plan mitigation…', plan.incidentId) : []),
    ...(canGoBack(run)
      ? [
          {
            asks: 'roll-back' as const,
            label: 'Roll back…',
            value: run.id,
            confirm: confirm('Roll back?', text, 'Roll back'),
          },
        ]
      : []),
  ];
}

// The same plan with its values: steps that are done already are left out.
function restOf({ incidentId, action, edits }: Plan): string {
  const values = edits.flatMap(({ flag, to }) => (flag.startsWith('--') && to !== null ? [`${flag}=${to}`] : []));
  const whole = [incidentId, action, ...values].join(' ');
  return whole.length <= MOST_OF_VALUE ? whole : `${incidentId} ${action}`;
}
