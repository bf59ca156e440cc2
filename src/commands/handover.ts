import type { HandoverVerb } from '../app/command.ts';
import { readHandoverText } from '../app/handover/handover-command.ts';
import { askSilence } from '../app/handover/silence-command.ts';
import { noStore } from '../report/status.ts';
import { createRedactor } from '../snapshot/redact.ts';
import { handoverReads } from '../wire/handover.ts';
import { tools, userName, withClusters } from './clusters.ts';
import type { CommandContext } from './context.ts';
import { EXIT, say } from './terminal.ts';
import { withStore } from './with-store.ts';

/** `oom handover [incident]` and `oom silence`, on the store of the configuration and its clusters. */
export async function runHandover(
  context: CommandContext,
  verb: HandoverVerb,
  words: readonly string[],
): Promise<number> {
  const { terminal } = context;
  const config = context.config();
  return withStore(
    config.store,
    async (store) => {
      const knowledge = await context.knowledge();
      const redactor = createRedactor({ patterns: config.redaction.patterns });
      return withClusters(config, knowledge, async (field) => {
        const deps = handoverReads(config, 'oom', { store, field, knowledge, redactor, ids: tools.ids });
        const actor = { place: 'terminal' as const, user: userName() };
        const text = words.join(' ');
        say(terminal, [await (verb === 'silence' ? askSilence : readHandoverText)(deps, actor, text)]);
        return EXIT.ok;
      });
    },
    (path) => {
      say(terminal, [noStore(path, verb)]);
      return words.length === 0 ? EXIT.ok : EXIT.notFound;
    },
  );
}
