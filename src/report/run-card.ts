import { type Block, bold, type Choice, code, type Mark, type Message, plain, type Span } from '../model/message.ts';
import { isHalfway, isUnverified, openQuestion, type Plan, type Run, type StepRecord } from '../model/plan.ts';
import { nameAll } from './plan-card.ts';
import { clip, flatten, list, note, paragraph, user } from './words/sentence.ts';

const STATES: Readonly<Record<Run['state'], readonly [says: string, mark: Mark]>> = {
  queued: ['is about to start', 'info'],
  running: ['is under way', 'info'],
  compensating: ['goes back', 'warn'],
  done: ['is done', 'ok'],
  failed: ['has failed', 'bad'],
  'rolled-back': ['was taken back', 'warn'],
  aborted: ['was aborted', 'warn'],
};

// Slack takes up to 2,000 characters.
const MOST_OF_VALUE = 1900;

const NOT_VERIFIED = ['is done, not verified', 'warn'] as const;

const STATUS = {
  pending: 'pending',
  running: 'running',
  done: 'done',
  failed: 'failed',
  undone: 'skipped',
  'not-run': 'skipped',
} as const satisfies Record<StepRecord['phase'], string>;

export type Pause = { readonly by: string; readonly reason: string };

/** A run as it stands: each step, each check with its figure, how it ended, and what may be done about it. */
export function runCard(run: Run, plan: Plan, paused?: Pause, approvedBy: readonly string[] = []): Message {
  const name = `${run.target.object.namespace}/${run.target.object.kind}/${run.target.object.name}`;
  const isDoubted = run.state === 'done' && isUnverified(run.checks, plan);
  const [state, mark] = isDoubted ? NOT_VERIFIED : STATES[run.state];
  const ended = run.outcome !== null && run.state !== 'compensating';
  const records = new Map(run.steps.map((record) => [record.n, record]));
  return flatten({
    summary: clip(`${plan.action} on ${name} ${state}.`, 300),
    blocks: [
      {
        kind: 'headline',
        mark,
        spans: [plain(`${plan.action} ${state} · `), code(name), plain(` · ${run.target.cluster}`)],
      },
      ...(run.outcome === null ? [] : [paragraph(...withNames(clip(run.outcome, 1500), run))]),
      ...(ended ? [] : [...pauseBlock(paused), ...wishBlock(run), ...questionBlock(run, plan)]),
      { kind: 'progress', title: 'Steps', steps: plan.steps.map(({ n, says }) => stepOf(n, says, records.get(n))) },
      ...checkBlock(run),
      note(
        'run ',
        code(run.id),
        ' · plan ',
        code(plan.id),
        approvedBy.length === 0 ? ' · approved, started by ' : ' · approved by ',
        ...nameAll(approvedBy.length === 0 ? [run.startedBy] : approvedBy),
      ),
    ],
    choices: ended ? endedChoices(run, plan) : openChoices(run, plan),
  });
}

// An id in the middle of a sentence says nothing to who reads it. Only those who have acted on this run: the rest is foreign text.
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

function stepOf(n: number, says: string, record: StepRecord | undefined) {
  const detail = record?.message === '' ? undefined : record?.message;
  const undone = record?.phase === 'undone' ? 'taken back' : detail;
  return {
    id: String(n),
    title: clip(says, 200),
    status: STATUS[record?.phase ?? 'pending'],
    ...(undone === undefined ? {} : { detail: clip(undone, 300) }),
  };
}

const ANSWERS = { yes: 'yes', no: 'NO', 'could-not-tell': 'could not tell' } as const;

// Each so that a yes is good news.
const CHECKS: Readonly<Record<string, string>> = {
  rollout: 'Rolled out',
  restarts: 'No restarts',
  'oom-signature': 'No memory failure in the logs',
  ram: 'RAM under its mark',
  'gpu-memory': 'GPU memory free',
  'kv-cache': 'KV cache under its mark',
  preemptions: 'No preemptions',
  queue: 'Queue short',
  ttft: 'First token in time',
  latency: 'Requests in time',
  'short-requests': 'Short requests in time',
  probe: 'The engine answers',
  replay: 'Stands the load that killed it',
};

function checkBlock({ checks }: Run): Block[] {
  const items = checks
    .slice(0, 12)
    .map(({ check, answer, says }) => [bold(`${CHECKS[check] ?? check}: ${ANSWERS[answer]}`), ` · ${clip(says, 300)}`]);
  return list('Verification', items);
}

const WISHES = {
  none: undefined,
  keep: 'It goes on and does not wait longer, as asked by ',
  abort: 'It stops at its next step and goes back, as asked by ',
  abandon: 'It stops where it stands and takes nothing back, as asked by ',
  'roll-back': 'It goes back, as asked by ',
} as const satisfies Record<Run['command'], string | undefined>;

function wishBlock({ command, commandBy }: Run): Block[] {
  const says = WISHES[command];
  if (says === undefined || commandBy === null) return [];
  return [paragraph(says, user(commandBy), '.')];
}

function pauseBlock(paused: Pause | undefined): Block[] {
  if (paused === undefined) return [];
  const why = paused.reason === '' ? '' : `: ${clip(paused.reason, 300)}`;
  const says = `${why}. It writes nothing until somebody resumes it; after about an hour it ends where it stands.`;
  return [paragraph(bold('Held: all acting is paused'), ' by ', user(paused.by), says)];
}

function questionBlock(run: Run, plan: Plan): Block[] {
  const asked = run.command === 'none' ? openQuestion(run, plan) : undefined;
  if (asked === undefined) return [];
  const says = ` ${clip(asked.message, 300)}. They end here unless the pods leave their endpoints first. Go on, or abort?`;
  return [paragraph(bold('It asks:'), says)];
}

// What goes back already cannot be aborted once more.
function openChoices(run: Run, plan: Plan): Choice[] {
  const { state, command, id } = run;
  const goesOn = state !== 'compensating' && (command === 'none' || command === 'keep');
  const asks = command === 'none' && openQuestion(run, plan) !== undefined;
  return [
    ...(asks ? [{ asks: 'go-on' as const, label: 'Cut them and go on', value: id }] : []),
    ...(goesOn ? [{ asks: 'abort' as const, label: 'Abort and go back', value: id }] : []),
  ];
}

function endedChoices(run: Run, plan: Plan): Choice[] {
  const { state, steps, id } = run;
  const hasWritten = steps.some(({ phase }) => phase === 'done' || phase === 'failed');
  const canGoBack = state === 'done' || state === 'failed' || (state === 'aborted' && hasWritten);
  return [
    // What is asked for is a plan, with an approval of its own: nothing starts at this click.
    ...(state === 'done' && leavesNone(plan)
      ? [{ asks: 'plan' as const, label: 'Scale back up', value: `${plan.incidentId} scale-up` }]
      : []),
    ...(isHalfway(run, plan) ? [{ asks: 'plan' as const, label: 'Plan the rest', value: restOf(plan) }] : []),
    ...(canGoBack ? [{ asks: 'roll-back' as const, label: 'Roll back', value: id }] : []),
  ];
}

// The same once more, with its values: what is done already is no step of it.
function restOf({ incidentId, action, edits }: Plan): string {
  const values = edits.flatMap(({ flag, to }) => (flag.startsWith('--') && to !== null ? [`${flag}=${to}`] : []));
  const whole = [incidentId, action, ...values].join(' ');
  return whole.length <= MOST_OF_VALUE ? whole : `${incidentId} ${action}`;
}

// Where some serve the action takes the broken ones away alone, and waits for no pod to be the last.
function leavesNone({ action, steps }: Plan): boolean {
  return action === 'scale-to-zero' && steps.some((step) => step.kind === 'wait' && step.until === 'no-pods');
}
