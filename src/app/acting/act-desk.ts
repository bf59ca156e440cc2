import type { Incident, MessageRef } from '../../model/incident.ts';
import type { Message } from '../../model/message.ts';
import type { Run } from '../../model/plan.ts';
import { actingPaused, actingResumed, actRefused, commandTaken, planRefused } from '../../report/acting-words.ts';
import { planCard } from '../../report/plan-card.ts';
import type { ActingVerb } from '../command.ts';
import type { Store } from '../ports.ts';
import { tell } from '../tell.ts';
import { type DecideDeps, decide } from './decide.ts';
import { type MakePlanDeps, makePlan } from './make-plan.ts';
import { type ActRequest, may } from './permit.ts';
import { parsePlanRequest } from './plan-request.ts';
import { drawRun } from './run-view.ts';

export type { ActRequest } from './permit.ts';

export type ActDeskDeps = DecideDeps & {
  readonly plans: MakePlanDeps;
  readonly store: Pick<Store, 'incident' | 'messages' | 'saveMessage'>;
};

/** All acting that people ask for, typed or clicked. Every refusal is audited and answered to who asked. */
export type ActDesk = {
  ask(verb: ActingVerb, rest: string, request: ActRequest): Promise<void>;
  /** Draws a run anew on its card; where it has none yet, nothing happens. Never rejects. */
  draw(runId: string): Promise<void>;
};

export function createActDesk(deps: ActDeskDeps): ActDesk {
  const verbs: Readonly<Record<ActingVerb, (rest: string, request: ActRequest) => Promise<void>>> = {
    plan: (rest, request) => plan(deps, rest, request),
    approve: (rest, request) => decide(deps, 'approve', rest, request),
    reject: (rest, request) => decide(deps, 'reject', rest, request),
    rollback: (rest, request) => command(deps, 'roll-back', rest, request),
    abort: (rest, request) => command(deps, /--without-rollback\b/.test(rest) ? 'abandon' : 'abort', rest, request),
    pause: (rest, request) => pause(deps, rest, request),
    resume: (_, request) => resume(deps, request),
  };
  return {
    ask: (verb, rest, request) => verbs[verb](rest, request),
    draw: (runId) => drawRun(deps, runId).catch((error) => deps.log.warn('run not drawn', { run: runId, error })),
  };
}

async function plan(deps: ActDeskDeps, rest: string, request: ActRequest): Promise<void> {
  const parsed = parsePlanRequest(rest);
  if (parsed.kind === 'wrong')
    return tell(deps, request.asker, planRefused('I did not understand that.', parsed.says, null));
  const incident = await deps.store.incident(parsed.request.incidentId);
  if (incident === undefined) return unknownIncident(deps, request);
  if (!(await may(deps, request, 'plan', incident))) return;
  const made = await makePlan(deps.plans, incident, parsed.request, request.asker.user);
  if (made.kind === 'refused') return tell(deps, request.asker, planRefused(made.says, made.next, made.paste));
  await deps.acts.savePlan(made.plan);
  const ref = await show(deps, request, incident, planCard(made.plan, made.warnings));
  if (ref !== undefined) await deps.store.saveMessage(incident.id, `plan/${made.plan.id}`, ref);
}

// In the thread of the incident's card where that stands in this channel, else as a message of its own.
async function show(
  deps: ActDeskDeps,
  { asker }: ActRequest,
  incident: Incident,
  message: Message,
): Promise<MessageRef | undefined> {
  const cards = await deps.store.messages(incident.id, 'card');
  const here = cards.find(({ conversation }) => conversation === asker.conversation);
  const posted = await deps.chat.post(asker.conversation, message, here);
  if (posted.kind === 'posted') return posted.ref;
  await tell(deps, asker, message);
  return undefined;
}

async function command(
  deps: ActDeskDeps,
  wanted: 'abort' | 'abandon' | 'roll-back',
  rest: string,
  request: ActRequest,
): Promise<void> {
  const [id = ''] = rest.replaceAll('`', '').trim().split(/\s+/);
  const run = await findRun(deps, id);
  if (run === undefined) {
    const next = 'Name a run (`run_…`) or the incident of one; `status` lists the open incidents.';
    return tell(deps, request.asker, actRefused('There is no such run.', next));
  }
  const verb = wanted === 'roll-back' ? 'rollback' : 'abort';
  const target = { cluster: run.target.cluster, namespace: run.target.object.namespace };
  if (!(await may(deps, request, verb, target))) return;
  const at = deps.clock.now();
  const taken = await deps.acts.commandRun(run.id, { command: wanted, by: request.asker.user, at });
  if (!taken) {
    const next = 'Its card says how it ended. `plan <incident> roll-back` plans the way back as a change of its own.';
    return tell(deps, request.asker, actRefused('It is too late for that.', next));
  }
  await deps.runner.start(run.id).catch((error) => deps.log.warn('run not woken yet', { run: run.id, error }));
  return tell(deps, request.asker, commandTaken(TAKEN[wanted]));
}

const TAKEN = {
  abort: 'The run ends at its next look and goes back.',
  abandon: 'The run ends where it stands; nothing is taken back.',
  'roll-back': 'What the run has written is taken back.',
} as const;

async function findRun(deps: ActDeskDeps, id: string): Promise<Run | undefined> {
  if (id.startsWith('run_')) return deps.acts.run(id);
  return (await deps.acts.runsOf(id)).toSorted((a, b) => a.startedAt - b.startedAt).at(-1);
}

async function pause(deps: ActDeskDeps, rest: string, request: ActRequest): Promise<void> {
  if (!(await may(deps, request, 'pause', undefined))) return;
  await deps.acts.pause({ by: request.asker.user, at: deps.clock.now(), reason: rest.trim() });
  return announce(deps, request, actingPaused(request.asker.user, rest.trim()));
}

async function resume(deps: ActDeskDeps, request: ActRequest): Promise<void> {
  if (!(await may(deps, request, 'resume', undefined))) return;
  await deps.acts.resume(request.asker.user, deps.clock.now());
  return announce(deps, request, actingResumed(request.asker.user));
}

async function announce(deps: ActDeskDeps, { asker }: ActRequest, message: Message): Promise<void> {
  const posted = await deps.chat.post(asker.conversation, message);
  if (posted.kind === 'refused') await tell(deps, asker, message);
}

function unknownIncident(deps: ActDeskDeps, { asker }: ActRequest): Promise<void> {
  return tell(
    deps,
    asker,
    actRefused('There is no such incident.', 'Its id stands at the end of its card; `status` lists the open ones.'),
  );
}
