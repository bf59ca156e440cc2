import { type Actor, authorise, covers, type Rights } from '../../model/authorise.ts';
import { actRefused, clickRefused } from '../../report/acting-words.ts';
import type { ActStore } from '../acting-ports.ts';
import type { Asker, Chat, Clock, Log } from '../ports.ts';
import { tell } from '../tell.ts';
import type { PlanSettings } from './settings.ts';

/** Who asks, where, and as whom. */
export type ActRequest = { readonly asker: Asker; readonly actor: Actor; readonly channel: string };

export type PermitDeps = {
  readonly acts: Pick<ActStore, 'recordRefusal'>;
  readonly chat: Chat;
  readonly clock: Clock;
  readonly log: Log;
  readonly rights: Rights;
  readonly settings: PlanSettings;
};

export type Place = { readonly cluster: string; readonly namespace: string };

/** The one question before everything else; a no is audited and answered. */
export async function may(
  deps: PermitDeps,
  request: ActRequest,
  verb: 'plan' | 'approve' | 'rollback' | 'abort' | 'pause' | 'resume',
  target: Place | undefined,
): Promise<boolean> {
  const permission = authorise(deps.rights, request.actor, verb, target);
  const guarded = target !== undefined && isProtected(deps.settings, target);
  if (permission.kind === 'allowed' && !guarded) return true;
  const why =
    permission.kind === 'refused' ? permission.why : `Nothing is changed in ${target?.namespace}: it is protected.`;
  const next =
    permission.kind === 'refused'
      ? permission.next
      : 'The platform team lists such namespaces under `acting.protectedNamespaces`.';
  await audit(deps, request, {
    verb,
    subject: target === undefined ? 'all' : `${target.cluster}/${target.namespace}`,
    why,
  });
  await tell(deps, request.asker, actRefused(why, next));
  return false;
}

function isProtected({ protectedNamespaces }: PlanSettings, target: Place): boolean {
  return covers({ clusters: ['*'], namespaces: [...protectedNamespaces] }, target);
}

export type Refusal = { readonly verb: string; readonly subject: string; readonly why: string };

/** A refusal of the store or of a plan, audited and answered. */
export async function refuse(deps: PermitDeps, request: ActRequest, refusal: Refusal): Promise<void> {
  await audit(deps, request, refusal);
  return tell(deps, request.asker, clickRefused(refusal.why));
}

/** Keeps a refused attempt to act. */
export function audit(
  { acts, clock }: PermitDeps,
  { asker }: ActRequest,
  { verb, subject, why }: Refusal,
): Promise<void> {
  return acts.recordRefusal({ who: asker.user, verb, subject: subject.slice(0, 200), why, at: clock.now() });
}
