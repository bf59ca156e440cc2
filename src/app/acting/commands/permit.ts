import { type Actor, authorise, covers, type Rights, type Target, wordOf } from '../../../model/authorise.ts';
import type { MessageRef } from '../../../model/incident.ts';
import type { Plan } from '../../../model/plan.ts';
import { actRefused, clickRefused } from '../../../report/acting-words.ts';
import type { ActStore } from '../../acting-ports.ts';
import { answerAsker } from '../../answer-asker.ts';
import type { Asker, Chat, Clock, Log } from '../../ports.ts';
import type { PlanSettings } from '../settings.ts';

/** Who asks, where to answer, and as whom. */
export type ActRequest = {
  readonly asker: Asker;
  readonly actor: Actor;
  /** Why it is not known in which groups the actor is: who is refused then may be one who may. */
  readonly groupsUnknown?: string | undefined;
  /** Asked from a terminal: no card that changes is an answer there. */
  readonly atTerminal?: boolean;
  /** By a button: what it carries was not typed. */
  readonly isClick?: boolean;
  /** The message that bears the button. */
  readonly clicked?: MessageRef | undefined;
};

export type PermitDeps = {
  readonly acts: Pick<ActStore, 'recordRefusal'>;
  readonly chat: Chat;
  readonly clock: Clock;
  readonly log: Log;
  readonly rights: Rights;
  readonly settings: PlanSettings;
};

type Asked = 'plan' | 'approve' | 'rollback' | 'abort' | 'pause' | 'resume';
type No = { readonly why: string; readonly next: string };

/** The one question before everything else; a no is audited and answered. */
export async function may(
  deps: PermitDeps,
  request: ActRequest,
  verb: Asked,
  target: Target | undefined,
): Promise<boolean> {
  const no = objection(deps, request, verb, target);
  if (no === undefined) return true;
  const subject = target === undefined ? 'all' : `${target.cluster}/${target.namespace}`;
  await audit(deps, request, { verb, subject, why: no.why });
  await answerAsker(deps, request.asker, actRefused(no.why, no.next));
  return false;
}

function objection(
  { rights, settings }: PermitDeps,
  { actor, groupsUnknown }: ActRequest,
  verb: Asked,
  target: Target | undefined,
): No | undefined {
  const permission = authorise(rights, actor, verb, target);
  if (permission.kind === 'refused') return groupsUnknown === undefined ? permission : notTold(verb, groupsUnknown);
  if (target === undefined) return undefined;
  // What runs can be stopped wherever it runs, also where nothing may be begun any more.
  if (verb !== 'abort' && isProtected(settings, target)) {
    const next = 'Ask the platform team to remove it from `acting.protectedNamespaces`.';
    return { why: `oombot changes nothing in ${target.namespace}: the namespace is protected.`, next };
  }
  return verb === 'plan' ? unreadable(rights, actor, target) : undefined;
}

function notTold(verb: Asked, why: string): No {
  return {
    why: `oombot cannot check whether you may ${wordOf(verb)}: Slack did not return the members of the permitted groups (${why}).`,
    next: 'Nothing was changed. Try again in a minute, or ask a user named under `act` in the config.',
  };
}

// A plan shows arguments and evidence to all who read the channel.
function unreadable(rights: Rights, actor: Actor, target: Target): No | undefined {
  const reading = authorise(rights, actor, 'explain', target);
  if (reading.kind === 'refused') return reading;
  if (reading.evidence === 'full') return undefined;
  return {
    why: 'This channel is shared with another organization, and a plan shows the workload arguments.',
    next: 'Ask in a channel of your organization.',
  };
}

function isProtected({ protectedNamespaces }: PlanSettings, target: Target): boolean {
  return covers({ clusters: ['*'], namespaces: [...protectedNamespaces] }, target);
}

type Refusal = { readonly verb: string; readonly subject: string; readonly why: string };

/** A refusal of the store or of a plan, audited and answered. */
export async function refuse(deps: PermitDeps, request: ActRequest, refusal: Refusal): Promise<void> {
  await audit(deps, request, refusal);
  return answerAsker(deps, request.asker, clickRefused(refusal.why));
}

/** Keeps a refused attempt to act. */
export function audit(
  { acts, clock }: PermitDeps,
  { asker }: ActRequest,
  { verb, subject, why }: Refusal,
): Promise<void> {
  return acts.recordRefusal({ who: asker.user, verb, subject: subject.slice(0, 200), why, at: clock.now() });
}

/** What a plan acts on, and by which action. */
export function targetOf({ target, action }: Pick<Plan, 'target' | 'action'>): Target {
  return { cluster: target.cluster, namespace: target.object.namespace, action };
}
