import { createBudgetCommand } from '../app/chat/budget-command.ts';
import { type ChatCommands, createChatCommands } from '../app/chat/chat-commands.ts';
import type { HandoverVerbs } from '../app/chat/handover-verbs.ts';
import type { IncidentVerbs } from '../app/chat/incident-verbs.ts';
import type { Chat, Clock, Groups, Log } from '../app/ports.ts';
import type { PublishDeps } from '../app/triage/publish-finding.ts';
import type { TriageStarter } from '../app/triage/triage.ts';
import { type Config, rightsOf } from '../config.ts';

import { snapshotSource } from '../snapshot/source.ts';
import type { Acting } from './acting.ts';
import type { Fieldwork } from './fieldwork.ts';
import type { Knowledge } from './knowledge.ts';
import type { DurableStore } from './open-store.ts';
import { loadProfiles } from './profiles.ts';

type Parts = {
  readonly store: DurableStore;
  readonly field: Pick<Fieldwork, 'deps'>;
  readonly knowledge: Knowledge;
  readonly triage: TriageStarter;
  readonly incidents: IncidentVerbs;
  readonly handover: HandoverVerbs;
  readonly acting: Acting | undefined;
  readonly groupsOf: (user: string) => Promise<Groups>;
  readonly mayPlan: PublishDeps['mayPlan'];
  /** Folders with playbooks, which hold the profiles too. */
  readonly dirs: readonly string[];
  readonly chat: Chat;
  readonly clock: Clock;
  readonly log: Log;
};

/** What people can type and click in the chat. */
export function wireChatCommands(config: Config, parts: Parts): ChatCommands {
  const { store, field, knowledge, acting, dirs, chat, log } = parts;
  const commandName = config.slack.command;
  return createChatCommands({
    ...parts,
    acts: store,
    rights: rightsOf(config),
    commandName,
    source: snapshotSource,
    diagnose: knowledge.diagnose,
    topic: (word) => knowledge.topic(word),
    topicNear: (word) => knowledge.topicNear(word),
    topics: () => knowledge.topics(),
    budget: createBudgetCommand({
      ...{ investigate: field.deps, store, chat, log, commandName },
      evidence: knowledge.engine,
      book: () => loadProfiles(dirs),
    }),
    act: acting?.commands,
    changes: acting?.changes,
  });
}
