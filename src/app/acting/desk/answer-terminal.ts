import type { Message } from '../../../model/message.ts';
import type { ActingVerb } from '../../command.ts';
import type { Chat, Groups } from '../../ports.ts';
import { type ActDeskDeps, createActDesk } from './act-desk.ts';

export type TerminalAsk = {
  readonly verb: ActingVerb;
  readonly rest: string;
  readonly who: { readonly user: string; readonly groups: Groups };
};

/** What the desk answers to somebody who is at no chat: cards change there as ever, and what concerns the asker comes back. */
export async function answerTerminal(deps: ActDeskDeps, { verb, rest, who }: TerminalAsk): Promise<readonly Message[]> {
  const messages: Message[] = [];
  const whisper: Chat['whisper'] = async (_, message) => {
    messages.push(message);
    return { kind: 'posted', ref: { conversation: 'terminal', ts: '0' }, plain: false };
  };
  const { user, groups } = who;
  await createActDesk({ ...deps, chat: { ...deps.chat, whisper } }).ask(verb, rest, {
    asker: { user, conversation: '', responseUrl: undefined },
    // The person of the chat whom the user of the cluster was mapped to, with the groups that the chat knows.
    actor: { place: 'slack', user, groups: [...groups.in], channel: '', externallyShared: false },
    groupsUnknown: groups.unknown,
    atTerminal: true,
  });
  return messages;
}
