import type { Plan, Run } from '../../model/plan.ts';
import { isOpenChange, type TemporaryChange } from '../../model/temporary-change.ts';
import { planTitle } from '../words/plan-words.ts';
import { timeOf } from '../words/span-words.ts';
import { bullets, codeSpan, inline, section, table } from './markdown.ts';

/** A run with what it was made from, and who said yes or no. */
export type ExportedRun = {
  readonly run: Run;
  readonly plan: Plan;
  readonly approvals: readonly { readonly who: string; readonly decision: 'approve' | 'reject'; readonly at: number }[];
  readonly change: TemporaryChange | undefined;
};

/** What each run changed, with old and new values, and who asked and approved. */
export function changesSection(runs: readonly ExportedRun[]): string[] {
  return section('What was changed', runs.length === 0 ? ['oombot changed nothing.'] : runs.flatMap(runParts));
}

function runParts({ run, plan, approvals, change }: ExportedRun): string[] {
  const yes = approvals.filter(({ decision }) => decision === 'approve').map(({ who, at }) => `${who} at ${time(at)}`);
  const values = change?.values ?? plan.edits.map(({ flag, from, to }) => ({ label: flag, from, to }));
  const facts = [
    `Target: ${codeSpan(`${plan.target.object.kind}/${plan.target.object.name}`)}`,
    `Requested by ${inline(plan.proposedBy)} at ${time(plan.proposedAt)}`,
    yes.length === 0 ? 'Approved by nobody' : `Approved by ${inline(yes.join(', '))}`,
    `Run ${codeSpan(run.id)}: ${run.state}${run.outcome === null ? '' : `. ${inline(run.outcome)}`}`,
  ];
  return [`### ${inline(planTitle(plan))}`, bullets(facts), valueTable(values)];
}

function valueTable(values: readonly { label: string; from: string | null; to: string | null }[]): string {
  if (values.length === 0) return 'No values are recorded for this run.';
  const shown = (value: string | null) => (value === null ? 'unset' : codeSpan(value));
  return table(
    ['setting', 'before', 'after'],
    values.map(({ label, from, to }) => [codeSpan(label), shown(from), shown(to)]),
  );
}

const STATES: Readonly<Record<TemporaryChange['state'], string>> = {
  temporary: 'still temporary',
  reverted: 'reverted by someone else',
  changed: 'changed again by someone else',
  gone: 'workload deleted',
  permanent: 'made permanent',
  'rolled-back': 'rolled back',
  closed: 'closed',
};

/** Each change of the ledger with its state when it was exported. */
export function temporarySection(changes: readonly TemporaryChange[]): string[] {
  const lines = changes.map((change) => {
    const { id, values, state, stateBy, stateAt, why, expiresAt } = change;
    const what = values.map(({ label, from, to }) => `${label} ${from ?? 'unset'} → ${to ?? 'unset'}`).join(', ');
    const by = `${stateBy === null ? '' : ` by ${stateBy}`}${stateAt === change.appliedAt ? '' : ` at ${time(stateAt)}`}`;
    const because = why === null ? '' : `: ${why}`;
    const expiry = isOpenChange(change) ? `, expires ${time(expiresAt)}` : '';
    return `${codeSpan(id)} ${codeSpan(what)}: ${inline(`${STATES[state]}${by}${because}${expiry}`)}`;
  });
  return section('Temporary changes', [lines.length === 0 ? 'None.' : bullets(lines)]);
}

/** `2026-01-15 03:00:00 UTC`. */
export function time(at: number | null): string {
  return (at === null ? undefined : timeOf(at)?.words) ?? 'an unknown time';
}
