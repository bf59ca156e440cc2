import { formatValue } from '../../model/format-value.ts';
import type { Plan, PlanStep, Run, StepRecord } from '../../model/plan.ts';
import { clip, counted } from './sentence.ts';

const MARKS: Readonly<Record<StepRecord['phase'], string>> = {
  pending: '○',
  running: '●',
  done: '✓',
  failed: '✗',
  undone: '↩',
  'not-run': '–',
};

// More in one line are not read: those that are done are counted.
const MOST = 8;
const LABEL = 40;
const SAID = 80;

/** All steps of a run in one line, each with its state and how long it took. */
export function stepsLine(run: Run, plan: Plan): string {
  const records = new Map(run.steps.map((record) => [record.n, record]));
  const steps = plan.steps.map((step) => ({ step, record: records.get(step.n) }));
  const done = steps.filter(({ record }) => record?.phase === 'done').length;
  const isLong = steps.length > MOST;
  const shown = isLong ? steps.filter(({ record }) => record?.phase !== 'done') : steps;
  const most = shown.slice(0, MOST);
  return [
    ...(isLong && done > 0 ? [`✓ ${done} of ${steps.length} steps`] : []),
    ...most.map(({ step, record }) => stepWords(step, record, { run, plan })),
    ...(shown.length > MOST ? [`○ ${shown.length - MOST} more`] : []),
  ].join(' · ');
}

type Drawn = { readonly run: Run; readonly plan: Plan };

function stepWords(step: PlanStep, record: StepRecord | undefined, drawn: Drawn): string {
  const times = record === undefined ? '' : timeWords(step, record, drawn);
  return `${MARKS[record?.phase ?? 'pending']} ${clip(labelOf(step), LABEL)}${times}`;
}

function timeWords(step: PlanStep, { phase, startedAt, endedAt, message }: StepRecord, { run, plan }: Drawn): string {
  if (startedAt === null || step.kind === 'write' || step.kind === 'create') return '';
  if (phase === 'done') return step.kind === 'verify' ? '' : ` (${durationWords((endedAt ?? startedAt) - startedAt)})`;
  if (phase !== 'running') return '';
  if (step.kind === 'verify') return '';
  const usual = step.until === 'ready' && plan.outage.ms !== null && plan.outage.ms > 0;
  const parts = [
    durationWords(run.updatedAt - startedAt),
    ...(usual ? [`usually ${durationWords(plan.outage.ms ?? 0)}`] : []),
    ...(message === '' ? [] : [clip(message, SAID)]),
  ];
  return ` (${parts.join(', ')})`;
}

function durationWords(ms: number): string {
  return formatValue('duration', Math.max(0, Math.round(ms / 1000)));
}

function labelOf(step: PlanStep): string {
  switch (step.kind) {
    case 'create':
      return `create ${step.object.kind}`;
    case 'verify':
      return `watch ${durationWords(step.forMs)}`;
    case 'wait':
      if (step.until === 'no-pods') return 'pods gone';
      if (step.until === 'drained') return 'drained';
      return `${counted(step.replicas, 'replica')} ready`;
    case 'write':
      return writeLabel(step);
  }
}

const WRITES: readonly (readonly [RegExp, string])[] = [
  [/\/(?:args|command)(?:\/|$)/, 'set args'],
  [/\/limits(?:\/|$)|\/resources$/, 'set memory limit'],
  [/\/env(?:\/|$)/, 'set variables'],
  [/[sS]trategy|maxSurge|maxUnavailable|\/partition$/, 'set rollout settings'],
  [/restartedAt$/, 'restart pods'],
  [/keda\.sh/, 'set KEDA pause'],
];

function writeLabel({ patch, says }: Extract<PlanStep, { kind: 'write' }>): string {
  const set = patch.filter(({ op }) => op !== 'test');
  const count = set.find(({ path }) => path.endsWith('/replicas'));
  if (count !== undefined && 'value' in count) return `scale to ${count.value}`;
  const label = WRITES.find(([paths]) => set.some(({ path }) => paths.test(path)))?.[1];
  // A run that sets a thing and restores it later has two steps on the same field.
  return label === undefined ? says : label.replace(/^set/, says.startsWith('restore ') ? 'restore' : 'set');
}
