import type { Actor } from '../../model/authorise.ts';
import { OomError } from '../../model/errors.ts';
import { exported, exportFiles, exportHead } from '../../report/export.ts';
import { answerAsker } from '../answer-asker.ts';
import { type ExportDeps, type ExportedIncident, exportIncident } from '../lifecycle/export-incident.ts';
import type { Asker, Chat, Log, PostOutcome, Store } from '../ports.ts';
import { cardIn } from '../triage/triage-place.ts';

export type SendExportDeps = ExportDeps & {
  readonly store: ExportDeps['store'] & Pick<Store, 'messages'>;
  readonly chat: Chat;
  readonly log: Log;
};

/** `export <incident>`: the files in the thread of its card here, else in a thread of their own. Throws OomError. */
export async function sendExport(
  deps: SendExportDeps,
  { asker, actor }: { readonly asker: Asker; readonly actor: Actor },
  rest: string,
): Promise<void> {
  const { chat, store } = deps;
  const made = await exportIncident(deps, actor, rest);
  const card = cardIn(await store.messages(made.incident.id, 'card'), asker.conversation);
  const thread = card ?? refOf(await chat.post(asker.conversation, exportHead(made)), made);
  refOf(await chat.attach(thread, exportFiles(made)), made);
  const link = await chat.permalink(thread);
  const where =
    link === undefined ? ['in the thread'] : ['in ', { kind: 'link' as const, text: 'the thread', url: link }];
  await answerAsker(deps, asker, exported(made, where));
}

function refOf(outcome: PostOutcome, { incident }: ExportedIncident) {
  if (outcome.kind === 'posted') return outcome.ref;
  throw new OomError('chat-refused', `Not exported: Slack answered ${outcome.code}.`, {
    next: `${outcome.next} In a terminal: \`oom export ${incident.id} -o DIR\`.`,
  });
}
