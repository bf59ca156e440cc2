import type { Actor } from '../../model/authorise.ts';
import { answerAsker } from '../answer-asker.ts';
import type { HandoverVerb } from '../command.ts';
import { type HandoverPostDeps, postHandover } from '../handover/handover-command.ts';
import { askSilence, type SilenceDeps } from '../handover/silence-command.ts';
import type { Asker } from '../ports.ts';

type HandoverVerbsDeps = HandoverPostDeps &
  SilenceDeps & { readonly store: HandoverPostDeps['store'] & SilenceDeps['store'] };

type HandoverRequest = { readonly asker: Asker; readonly actor: Actor; readonly kept?: string | undefined };

/** What is handed to the next shift, and what it need not hear of. Throws OomError. */
export type HandoverVerbs = { ask(verb: HandoverVerb, rest: string, request: HandoverRequest): Promise<void> };

export function createHandoverVerbs(deps: HandoverVerbsDeps): HandoverVerbs {
  return {
    async ask(verb, rest, request) {
      if (verb === 'handover') return postHandover(deps, rest, request);
      await answerAsker(deps, request.asker, await askSilence(deps, request.actor, rest));
    },
  };
}
