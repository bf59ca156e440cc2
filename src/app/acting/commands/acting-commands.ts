import type { Message } from '../../../model/message.ts';
import { openQuestion, type Run } from '../../../model/plan.ts';
import { actingPaused, actingResumed, commandTaken, commandVain, wordsUnknown } from '../../../report/acting-words.ts';
import { answerAsker } from '../../answer-asker.ts';
import type { ActingVerb } from '../../command.ts';
import { typedWords, undoTypography } from '../../command.ts';
import { shiftSubject } from '../../outbox-ports.ts';
import type { EditedValue, EditForm } from '../plan/edit-form.ts';
import { findStray } from '../plan/plan-request.ts';
import { drawRun } from '../run/run-view.ts';
import { type DecideDeps, decide } from './decide.ts';
import { type ActRequest, audit, may } from './permit.ts';
import { openForm, type ProposeDeps, propose, proposeEdited } from './propose.ts';

export type { EditedValue, EditForm } from '../plan/edit-form.ts';
export type { ActRequest } from './permit.ts';

export type ActingCommandsDeps = DecideDeps & ProposeDeps;

/** All acting that people ask for, typed or clicked. Every refusal is audited and answered to who asked. */
export type ActingCommands = {
  ask(verb: ActingVerb, rest: string, request: ActRequest): Promise<void>;
  /** The values of a plan (`<plan> <hash>`) to be edited; undefined where the answer was a refusal, which has been told. */
  form(rest: string, request: ActRequest): Promise<EditForm | undefined>;
  /** Puts a plan with other values in the place of one that was edited. */
  edited(
    form: { readonly planId: string; readonly values: readonly EditedValue[] },
    request: ActRequest,
  ): Promise<void>;
};

export function createActingCommands(deps: ActingCommandsDeps): ActingCommands {
  const verbs: Readonly<Record<ActingVerb, (rest: string, request: ActRequest) => Promise<void>>> = {
    plan: (rest, request) => propose(deps, rest, request),
    approve: (rest, request) => decide(deps, 'approve', rest, request),
    reject: (rest, request) => decide(deps, 'reject', rest, request),
    rollback: (rest, request) => command(deps, 'roll-back', rest, request),
    abort: (rest, request) => {
      const words = rest.replace(WITHOUT, '');
      return command(deps, words === rest ? 'abort' : 'abandon', words, request);
    },
    'go-on': (rest, request) => command(deps, 'keep', rest, request),
    pause: (rest, request) => pause(deps, rest, request),
    resume: (rest, request) => resume(deps, rest, request),
  };
  return {
    ask: (verb, rest, request) => verbs[verb](rest, request),
    form: (rest, request) => openForm(deps, rest, request),
    edited: (form, request) => proposeEdited(deps, form, request),
  };
}

const WITHOUT = /\s[-–—]+without-rollback(?=\s|`|$)/;

async function command(
  deps: ActingCommandsDeps,
  wanted: keyof typeof COMMANDS,
  rest: string,
  request: ActRequest,
): Promise<void> {
  const { right, word, tooLate, taken } = COMMANDS[wanted];
  const text = undoTypography(rest);
  const [id = ''] = typedWords(text);
  const unknown = findStray(text);
  if (unknown !== undefined) return answerAsker(deps, request.asker, wordsUnknown(unknown, word));
  const run = await findRun(deps, id);
  if (run === undefined) {
    const next = 'Name a run or its incident. `status` lists both.';
    await audit(deps, request, { verb: right, subject: id, why: 'no-such-run' });
    return answerAsker(deps, request.asker, commandVain('No such run.', next));
  }
  const { action } = (await deps.acts.plan(run.planId)) ?? {};
  const target = { cluster: run.target.cluster, namespace: run.target.object.namespace, action };
  if (!(await may(deps, request, right, target))) return;
  await deps.outbox.adopt(run.incidentId, `plan/${run.planId}`, request.clicked);
  const at = deps.clock.now();
  const isTaken =
    (wanted !== 'keep' || (await asksNow(deps, run))) &&
    (await deps.acts.commandRun(run.id, { command: wanted, by: request.asker.user, at }));
  if (!isTaken) {
    const next = wanted === 'keep' ? 'Its message and `status` show its progress.' : WAY_BACK;
    await drawRun(deps, run.id);
    return answerAsker(deps, request.asker, commandVain(tooLate, next));
  }
  await drawRun(deps, run.id);
  await deps.runner.start(run.id).catch((error) => deps.log.warn('run not woken yet', { run: run.id, error }));
  return answerAsker(deps, request.asker, commandTaken(taken));
}

async function asksNow({ acts }: ActingCommandsDeps, run: Run): Promise<boolean> {
  const plan = await acts.plan(run.planId);
  return plan !== undefined && openQuestion(run, plan) !== undefined;
}

type Command = {
  readonly right: 'abort' | 'rollback' | 'approve';
  readonly word: string;
  readonly tooLate: string;
  readonly taken: string;
};

const COMMANDS: Readonly<Record<'abort' | 'abandon' | 'roll-back' | 'keep', Command>> = {
  abort: {
    right: 'abort',
    word: 'abort',
    tooLate: 'Nothing to abort: the run is done or already rolling back.',
    taken: 'The run stops before its next step and rolls back.',
  },
  abandon: {
    right: 'abort',
    word: 'abort',
    tooLate: 'Nothing to abort: the run is done.',
    taken: 'The run stops before its next step. Its changes stay.',
  },
  'roll-back': {
    right: 'rollback',
    word: 'rollback',
    tooLate: 'Cannot roll back: this run is already rolled back, or another run is active on the workload.',
    taken: 'The run is rolling back.',
  },
  keep: {
    // Who may approve a change may say that it cuts requests.
    right: 'approve',
    word: 'go-on',
    tooLate: 'This run is not waiting for a decision.',
    taken: 'The run continues and cuts off the requests in flight.',
  },
};

const WAY_BACK = 'See its message for the result. To roll back anyway, type `plan <incident> roll-back`.';

async function findRun(deps: ActingCommandsDeps, id: string): Promise<Run | undefined> {
  if (id.startsWith('run_')) return deps.acts.run(id);
  return (await deps.acts.runsOf(id)).toSorted((a, b) => a.startedAt - b.startedAt).at(-1);
}

async function pause(deps: ActingCommandsDeps, rest: string, request: ActRequest): Promise<void> {
  if (!(await may(deps, request, 'pause', undefined))) return;
  await deps.acts.pause({ by: request.asker.user, at: deps.clock.now(), reason: rest.trim() });
  await drawOpenRuns(deps);
  return announce(deps, request, 'pause', actingPaused(request.asker.user, rest.trim()));
}

async function resume(deps: ActingCommandsDeps, rest: string, request: ActRequest): Promise<void> {
  // It concerns everything: who names a run or a plan means less than that.
  if (rest.trim() !== '') return answerAsker(deps, request.asker, wordsUnknown(rest.trim(), 'resume'));
  if (!(await may(deps, request, 'resume', undefined))) return;
  await deps.acts.resume(request.asker.user, deps.clock.now());
  await drawOpenRuns(deps);
  return announce(deps, request, 'resume', actingResumed(request.asker.user));
}

// Each card says whether its run is held. The pause is already in force: a card that cannot be drawn changes nothing about it.
async function drawOpenRuns(deps: ActingCommandsDeps): Promise<void> {
  for (const { id } of await deps.acts.openRuns()) {
    await drawRun(deps, id).catch((error) => deps.log.warn('run card not updated', { run: id, error }));
  }
}

async function announce(
  deps: ActingCommandsDeps,
  { asker, atTerminal = false }: ActRequest,
  topic: 'pause' | 'resume',
  message: Message,
): Promise<void> {
  const { conversation, user, kept = deps.plans.ids.next(topic) } = asker;
  const tell = () => answerAsker(deps, asker, message);
  if (atTerminal || conversation === '') return tell();
  const kind = `${topic}/${kept}/${user}` as const;
  await deps.outbox.enqueue({ incidentId: shiftSubject(conversation), kind, conversation, message, once: true }, tell);
}
