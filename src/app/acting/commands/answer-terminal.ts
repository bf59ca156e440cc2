import { ACT_VERBS, type Actor } from '../../../model/authorise.ts';
import type { Message } from '../../../model/message.ts';
import { statusMessage } from '../../../report/status.ts';
import type { ActingVerb } from '../../command.ts';
import type { Chat, Groups } from '../../ports.ts';
import { readStatus, type StatusDeps } from '../../status.ts';
import { type ActingCommandsDeps, createActingCommands } from './acting-commands.ts';

export type AnswerDeps = ActingCommandsDeps & { readonly store: StatusDeps['store'] };

export type TerminalAsk = {
  readonly verb: ActingVerb | 'status';
  readonly rest: string;
  readonly who: { readonly user: string; readonly groups: Groups };
};

/** Answers for a person at a terminal: cards in the chat change as usual, and the answer comes back here. */
export async function answerTerminal(deps: AnswerDeps, { verb, rest, who }: TerminalAsk): Promise<readonly Message[]> {
  // The person of the chat whom the user of the cluster was mapped to, with the groups that the chat knows.
  const groups = [...who.groups.in];
  const actor: Actor = { place: 'slack', user: who.user, groups, channel: '', externallyShared: false };
  // It comes from no channel: what they may change they may also see.
  if (verb === 'status') {
    const now = await readStatus(deps, actor, { by: ['status', ...ACT_VERBS], rest });
    return [statusMessage(now, deps.clock.now(), 'oom')];
  }
  const messages: Message[] = [];
  const whisper: Chat['whisper'] = async (_, message) => {
    messages.push(message);
    return { kind: 'posted', ref: { conversation: 'terminal', ts: '0' }, plain: false };
  };
  await createActingCommands({ ...deps, chat: { ...deps.chat, whisper } }).ask(verb, rest, {
    asker: { user: who.user, conversation: '', responseUrl: undefined },
    actor,
    groupsUnknown: who.groups.unknown,
    atTerminal: true,
  });
  return messages;
}
