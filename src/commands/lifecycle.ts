import type { IncidentVerb } from '../app/command.ts';
import { readHistory } from '../app/lifecycle/history.ts';
import { acknowledgeIncident, judgeFinding, resolveIncident } from '../app/lifecycle/incident-commands.ts';
import { rightsOf } from '../config.ts';
import type { Message } from '../model/message.ts';
import { noStore } from '../report/status.ts';
import { createRedactor } from '../snapshot/redact.ts';
import { missingFile, openStore } from '../wire/open-store.ts';
import { tools, userName } from './clusters.ts';
import type { CommandContext } from './context.ts';
import { EXIT, say } from './terminal.ts';

/** `oom ack`, `resolve`, `feedback` and `history`, on the store of the configuration. A bot on the same store shows a closing within a quarter of an hour. */
export async function runLifecycle(
  context: CommandContext,
  verb: IncidentVerb,
  words: readonly string[],
): Promise<number> {
  const { terminal } = context;
  const config = context.config();
  // To look must not make the file.
  const missing = missingFile(config.store.url);
  if (missing !== undefined) {
    say(terminal, [noStore(missing)]);
    return verb === 'history' ? EXIT.ok : EXIT.notFound;
  }
  const { findings } = await context.knowledge();
  const { redact } = createRedactor({ patterns: config.redaction.patterns });
  const store = await openStore(config.store.url, { ...tools, mustExist: config.store.mustExist });
  try {
    const deps = { store, rights: rightsOf(config), clock: tools.clock, commandName: 'oom', findings, redact };
    say(terminal, [await answerTo(deps, verb, words.join(' '))]);
    return EXIT.ok;
  } finally {
    await store.close();
  }
}

type Deps = Parameters<typeof resolveIncident>[0] & Parameters<typeof readHistory>[0];

async function answerTo(deps: Deps, verb: IncidentVerb, text: string): Promise<Message> {
  const actor = { place: 'terminal' as const, user: userName() };
  if (verb === 'history') return readHistory(deps, actor, text);
  const act = { ack: acknowledgeIncident, resolve: resolveIncident, feedback: judgeFinding }[verb];
  return (await act(deps, actor, text)).message;
}
