import type { Actor } from '../../model/authorise.ts';
import { fixMessages } from '../../report/permanent-fix.ts';
import { answerAsker } from '../answer-asker.ts';
import type { IncidentVerb } from '../command.ts';
import { incidentById } from '../lifecycle/find-incident.ts';
import { type HistoryDeps, readHistory } from '../lifecycle/history.ts';
import {
  acknowledgeIncident,
  type FeedbackForm,
  type IncidentDeps,
  judgeFinding,
  openFeedback,
  resolveIncident,
} from '../lifecycle/incident-commands.ts';
import { type FixDeps, fixIncident } from '../lifecycle/permanent-fix.ts';
import { redrawCards, type ShowDeps, showClosed } from '../lifecycle/show-state.ts';
import type { Asker, Chat } from '../ports.ts';
import { type SendExportDeps, sendExport } from './send-export.ts';

type IncidentVerbsDeps = IncidentDeps &
  HistoryDeps &
  SendExportDeps &
  FixDeps &
  ShowDeps & {
    readonly store: IncidentDeps['store'] & HistoryDeps['store'] & SendExportDeps['store'] & ShowDeps['store'];
    readonly chat: Chat;
  };

type IncidentRequest = { readonly asker: Asker; readonly actor: Actor };

/** A dialog that a button opens. */
export type IncidentForm =
  | { readonly kind: 'resolve'; readonly incident: FeedbackForm['incident'] }
  | ({ readonly kind: 'wrong' } & FeedbackForm);

/** What people say of an incident, typed or clicked, and its history. Throws OomError. */
export type IncidentVerbs = {
  ask(verb: IncidentVerb, rest: string, request: IncidentRequest): Promise<void>;
  form(kind: IncidentForm['kind'], id: string, actor: Actor): Promise<IncidentForm>;
};

export function createIncidentVerbs(deps: IncidentVerbsDeps): IncidentVerbs {
  return {
    async ask(verb, rest, { asker, actor }) {
      if (verb === 'history') return answerAsker(deps, asker, await readHistory(deps, actor, rest));
      if (verb === 'fix') return tellFix(deps, { asker, actor }, rest);
      if (verb === 'export') return sendExport(deps, { asker, actor }, rest);
      const act = { ack: acknowledgeIncident, resolve: resolveIncident, feedback: judgeFinding }[verb];
      const { message, incident, changed } = await act(deps, actor, rest);
      await answerAsker(deps, asker, message);
      if (!changed) return;
      if (verb === 'resolve') await showClosed(deps, incident.id);
      else await redrawCards(deps, incident.id);
    },
    async form(kind, id, actor) {
      if (kind === 'wrong') return { kind, ...(await openFeedback(deps, actor, id)) };
      return { kind, incident: await incidentById(deps, { actor, verb: 'resolve' }, id) };
    },
  };
}

async function tellFix(deps: IncidentVerbsDeps, { asker, actor }: IncidentRequest, rest: string): Promise<void> {
  for (const message of fixMessages(await fixIncident(deps, actor, rest))) await answerAsker(deps, asker, message);
}
