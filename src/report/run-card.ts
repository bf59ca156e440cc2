import { type Block, bold, code, type Mark, type Message, plain, type Span } from '../model/message.ts';
import { isHalfway, isUnverified, openQuestion, type Plan, REVERT_WATCH_MS, type Run } from '../model/plan.ts';
import { nameAll } from './plan-card.ts';
import { canGoBack, endedChoices, openChoices } from './run-choices.ts';
import { checkLists, checksLine } from './words/check-words.ts';
import { doneTitle, leavesNone, planTitle } from './words/plan-words.ts';
import { clip, clipToThread, flatten, note, paragraph, user, type Words } from './words/sentence.ts';
import { stepsLine } from './words/step-words.ts';

const STATES: Readonly<Record<Run['state'], readonly [says: string, mark: Mark]>> = {
  queued: ['Starting', 'info'],
  running: ['Running', 'info'],
  compensating: ['Rolling back', 'warn'],
  done: ['Done', 'ok'],
  failed: ['Failed', 'bad'],
  'rolled-back': ['Rolled back', 'warn'],
  aborted: ['Aborted', 'warn'],
};

export type Pause = { readonly by: string; readonly reason: string };

/** A run as it is now: its steps in one line, its checks in groups, how it ended, and what to do next. */
export function runCard(run: Run, plan: Plan, paused?: Pause, approvedBy: readonly string[] = []): Message {
  const { title, mark } = headOf(run, plan);
  const blocks: Block[] = [
    { kind: 'headline', mark, spans: [plain(title)] },
    ...(isOver(run) ? endBlocks(run, plan) : openBlocks(run, plan, paused)),
    note(
      ...(approvedBy.length === 0 ? ['started by ', user(run.startedBy)] : ['approved by ', ...nameAll(approvedBy)]),
      ' · started ',
      { kind: 'time', at: run.startedAt },
      ' · ',
      code(run.id),
    ),
  ];
  const choices = isOver(run) ? endedChoices(run, plan) : openChoices(run, plan);
  return flatten({ summary: clip(`${title}.`, 300), dense: true, blocks, choices });
}

/** How a run has ended, for the thread: every check with its figure, unless they are those of before a rollback. */
export function runReport(run: Run, plan: Plan): Message {
  const { title, mark } = headOf(run, plan);
  const checks = run.state === 'rolled-back' ? [] : checkLists(run.checks);
  const outcome = run.outcome === null ? [] : [paragraph(...withNames(clip(run.outcome, 1500), run))];
  return flatten({
    summary: clip(`${title}.`, 300),
    blocks: [{ kind: 'headline', mark, spans: [plain(title)] }, ...outcome, ...checks],
  });
}

function isOver({ outcome, state }: Run): boolean {
  return outcome !== null && state !== 'compensating';
}

function headOf(run: Run, plan: Plan): { title: string; mark: Mark } {
  const isDoubted = run.state === 'done' && isUnverified(run.checks, plan);
  const [state, mark] = isDoubted ? (['Applied, not verified', 'warn'] as const) : STATES[run.state];
  return { title: `${state}: ${run.state === 'done' ? doneTitle(plan) : planTitle(plan)}`, mark };
}

const OUTCOME = 240;

function openBlocks(run: Run, plan: Plan, paused: Pause | undefined): Block[] {
  const watch = run.state === 'running' ? watchWords(run, plan) : [];
  return [
    ...(run.outcome === null ? [] : [paragraph(...withNames(clip(run.outcome, OUTCOME), run))]),
    ...pauseBlock(paused),
    ...wishBlock(run),
    ...questionBlock(run, plan),
    paragraph(stepsLine(run, plan)),
    ...(watch.length === 0 ? [] : [paragraph(...watch, ...checksLine(run.checks))]),
  ];
}

function watchStep(run: Run, plan: Plan): { readonly until: number; readonly ended: number | null } | undefined {
  const records = new Map(run.steps.map((record) => [record.n, record]));
  return plan.steps
    .flatMap((step) => {
      const { startedAt = null, endedAt = null } = records.get(step.n) ?? {};
      return step.kind === 'verify' && startedAt !== null ? [{ until: startedAt + step.forMs, ended: endedAt }] : [];
    })
    .at(-1);
}

function watchWords(run: Run, plan: Plan): Words {
  const step = watchStep(run, plan);
  if (step !== undefined && step.ended === null) return ['Watching until ', { kind: 'time', at: step.until }, '. '];
  const last = lastWriteAt(run, plan);
  return last === undefined
    ? []
    : ['All steps done. Watching until ', { kind: 'time', at: last + REVERT_WATCH_MS }, ' for reverts. '];
}

/** When the last write was made, of a run that has all its steps done. */
function lastWriteAt({ steps }: Run, plan: Plan): number | undefined {
  const ended = new Map(steps.flatMap(({ n, phase, endedAt }) => (phase === 'done' ? [[n, endedAt ?? 0]] : [])));
  if (!plan.steps.every(({ n }) => ended.has(n))) return undefined;
  const writes = plan.steps.flatMap((step) =>
    step.kind === 'write' && step.subresource === 'none' ? [ended.get(step.n) ?? 0] : [],
  );
  return writes.length === 0 ? undefined : Math.max(...writes);
}

function watchedWords(run: Run, plan: Plan): Words {
  const ended = watchStep(run, plan)?.ended ?? null;
  return ended === null ? [] : ['Watched until ', { kind: 'time', at: ended }, '. '];
}

// After a rollback the checks are those of before it: what counts is the state now.
function endBlocks(run: Run, plan: Plan): Block[] {
  const isGone = run.state === 'rolled-back';
  const isDone = run.state === 'done';
  const checks = isGone ? [] : checksLine(run.checks, isDone ? '' : (run.outcome ?? ''));
  const outcome =
    isDone || run.outcome === null ? [] : [paragraph(...withNames(clipToThread(run.outcome, OUTCOME), run))];
  const next = nextWords(run, plan);
  return [
    ...outcome,
    ...(isDone || isGone ? [] : [paragraph(stepsLine(run, plan))]),
    ...(checks.length === 0 ? [] : [paragraph(...(isDone ? watchedWords(run, plan) : []), ...checks)]),
    ...(next === undefined ? [] : [paragraph(bold('Next: '), next)]),
  ];
}

function nextWords(run: Run, plan: Plan): string | undefined {
  switch (run.state) {
    case 'rolled-back':
      return 'the old settings are active and the failure may recur. Plan another mitigation, or triage again.';
    case 'failed':
    case 'aborted':
      if (isHalfway(run, plan)) return 'plan the rest, or roll back.';
      return canGoBack(run) ? 'check the pods, then roll back or triage again.' : 'plan again, or triage again.';
    case 'done':
      if (leavesNone(plan)) return 'fix the cause, then plan the scale-up.';
      return isUnverified(run.checks, plan) ? 'check the pods: too little data to verify the run.' : undefined;
    default:
      return undefined;
  }
}

// Only the ids of people who acted on this run become mentions: the rest is foreign text.
function withNames(text: string, { commandBy, startedBy }: Run): Span[] {
  const known = new Set([commandBy, startedBy]);
  return text
    .split(/(?<!\w)(\w+)(?!\w)/)
    .filter((part) => part !== '')
    .map((part): Span => (known.has(part) ? user(part) : plain(part)))
    .reduce<Span[]>(joinPlain, []);
}

function joinPlain(spans: Span[], span: Span): Span[] {
  const last = spans.at(-1);
  if (last?.kind !== 'plain' || span.kind !== 'plain') return [...spans, span];
  return [...spans.slice(0, -1), plain(last.text + span.text)];
}

const WISHES = {
  none: undefined,
  keep: 'Continues without waiting longer, requested by ',
  abort: 'Stops at its next step and rolls back, requested by ',
  abandon: 'Stops without rollback, requested by ',
  'roll-back': 'Rolls back, requested by ',
} as const satisfies Record<Run['command'], string | undefined>;

function wishBlock({ command, commandBy }: Run): Block[] {
  const says = WISHES[command];
  if (says === undefined || commandBy === null) return [];
  return [paragraph(says, user(commandBy), '.')];
}

function pauseBlock(paused: Pause | undefined): Block[] {
  if (paused === undefined) return [];
  const why = paused.reason === '' ? '' : `: ${clip(paused.reason, 120)}`;
  const says = `${why}. Nothing changes until someone resumes acting; the run stops for good after about an hour.`;
  return [paragraph(bold('On hold: all acting is paused'), ' by ', user(paused.by), says)];
}

function questionBlock(run: Run, plan: Plan): Block[] {
  const asked = run.command === 'none' ? openQuestion(run, plan) : undefined;
  if (asked === undefined) return [];
  return [paragraph(bold('Decision needed: '), `${clip(asked.message, 150)}. Cut these requests, or abort?`)];
}
