import type { IncidentVerb } from '../app/command.ts';
import { type ReadDeps, readChanges } from '../app/handover/change-commands.ts';
import { readHistory } from '../app/lifecycle/history.ts';
import { acknowledgeIncident, judgeFinding, resolveIncident } from '../app/lifecycle/incident-commands.ts';
import { rightsOf } from '../config.ts';
import type { Message } from '../model/message.ts';
import { noStore } from '../report/status.ts';
import { createRedactor } from '../snapshot/redact.ts';
import { tools, userName } from './clusters.ts';
import type { CommandContext } from './context.ts';
import { EXIT, say } from './terminal.ts';
import { withStore } from './with-store.ts';

/** `oom ack`, `resolve`, `feedback`, `history` and `changes`, on the store of the configuration. A bot on the same store shows a closing within a quarter of an hour. */
export async function runLifecycle(context: CommandContext, verb: Verb, words: readonly string[]): Promise<number> {
  const { terminal } = context;
  const config = context.config();
  return withStore(
    config.store,
    async (store) => {
      const { findings } = await context.knowledge();
      const { redact } = createRedactor({ patterns: config.redaction.patterns });
      const kept = { store, ledger: store, acts: store };
      const deps = { ...kept, rights: rightsOf(config), clock: tools.clock, commandName: 'oom', findings, redact };
      say(terminal, [await answerTo(deps, verb, words.join(' '))]);
      return EXIT.ok;
    },
    (path) => {
      say(terminal, [noStore(path, verb)]);
      return LOOKS.has(verb) ? EXIT.ok : EXIT.notFound;
    },
  );
}

type Verb = IncidentVerb | 'changes';

// What only looks has nothing to miss.
const LOOKS: ReadonlySet<Verb> = new Set(['history', 'changes']);

type Deps = ReadDeps & Parameters<typeof resolveIncident>[0] & Parameters<typeof readHistory>[0];

async function answerTo(deps: Deps, verb: Verb, text: string): Promise<Message> {
  const actor = { place: 'terminal' as const, user: userName() };
  if (verb === 'changes') return readChanges(deps, actor, text);
  if (verb === 'history') return readHistory(deps, actor, text);
  const act = { ack: acknowledgeIncident, resolve: resolveIncident, feedback: judgeFinding }[verb];
  return (await act(deps, actor, text)).message;
}
