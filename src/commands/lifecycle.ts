import type { IncidentVerb } from '../app/command.ts';
import { type ReadDeps, readChanges } from '../app/handover/change-commands.ts';
import { type ExportDeps, exportIncident } from '../app/lifecycle/export-incident.ts';
import { readHistory } from '../app/lifecycle/history.ts';
import { acknowledgeIncident, judgeFinding, resolveIncident } from '../app/lifecycle/incident-commands.ts';
import type { FixDeps } from '../app/lifecycle/permanent-fix.ts';
import { rightsOf } from '../config.ts';
import { writeExport } from '../folder/write-export.ts';
import { code, type Message } from '../model/message.ts';
import { exported, postMortemName } from '../report/export.ts';
import { noStore } from '../report/status.ts';
import { EVIDENCE_ARCHIVE } from '../report/thread.ts';
import { createRedactor } from '../snapshot/redact.ts';
import { snapshotSource } from '../snapshot/source.ts';
import { tools, userName } from './clusters.ts';
import type { CommandContext } from './context.ts';
import { EXIT, say } from './terminal.ts';
import { withStore } from './with-store.ts';

/** `oom ack`, `resolve`, `feedback`, `history` and `changes`, on the store of the configuration. A bot on the same store shows a closing within a quarter of an hour. */
export function runLifecycle(context: CommandContext, verb: Verb, words: readonly string[]): Promise<number> {
  const { terminal } = context;
  return onStore(context, { verb, withoutStore: LOOKS.has(verb) ? EXIT.ok : EXIT.notFound }, async (deps) => {
    say(terminal, [await answerTo(deps, verb, words.join(' '))]);
  });
}

/** `oom export INCIDENT -o DIR`: the post-mortem draft and the evidence as files. */
export function runExport(
  context: CommandContext,
  words: readonly string[],
  { output }: { readonly output: string },
): Promise<number> {
  return onStore(context, { verb: 'export', withoutStore: EXIT.notFound }, async (deps) => {
    const made = await exportIncident(deps, actorHere(), words.join(' '));
    const { incident, postMortem, snapshot } = made;
    await writeExport(output, {
      text: { name: postMortemName(incident), body: postMortem },
      archive: { name: EVIDENCE_ARCHIVE, snapshot },
    });
    say(context.terminal, [exported(made, ['in ', code(output)])]);
  });
}

/** One command on the store of the configuration; answers `withoutStore` where there is none yet. */
export function onStore(
  context: CommandContext,
  { verb, withoutStore }: { readonly verb: string; readonly withoutStore: number },
  use: (deps: Deps) => Promise<void>,
): Promise<number> {
  const config = context.config();
  return withStore(
    config.store,
    async (store) => {
      const { findings, engine } = await context.knowledge();
      const { redact } = createRedactor({ patterns: config.redaction.patterns });
      const kept = { store, ledger: store, acts: store };
      const read = { findings, engine, source: snapshotSource, redact };
      await use({ ...kept, ...read, rights: rightsOf(config), clock: tools.clock, commandName: 'oom' });
      return EXIT.ok;
    },
    (path) => {
      say(context.terminal, [noStore(path, verb)]);
      return withoutStore;
    },
  );
}

type Verb = Exclude<IncidentVerb, 'export' | 'fix'> | 'changes';

// What only looks has nothing to miss.
const LOOKS: ReadonlySet<Verb> = new Set(['history', 'changes']);

type Deps = ReadDeps & ExportDeps & FixDeps & Parameters<typeof resolveIncident>[0] & Parameters<typeof readHistory>[0];

export const actorHere = () => ({ place: 'terminal' as const, user: userName() });

async function answerTo(deps: Deps, verb: Verb, text: string): Promise<Message> {
  const actor = actorHere();
  if (verb === 'changes') return readChanges(deps, actor, text);
  if (verb === 'history') return readHistory(deps, actor, text);
  const act = { ack: acknowledgeIncident, resolve: resolveIncident, feedback: judgeFinding }[verb];
  return (await act(deps, actor, text)).message;
}
