import type { Investigation } from '../app/triage/investigate.ts';
import { investigate } from '../app/triage/investigate.ts';
import { recordFinding } from '../app/triage/record-finding.ts';
import { OomError } from '../model/errors.ts';
import type { Incident } from '../model/incident.ts';
import { card } from '../report/card.ts';
import { drawTerminal } from '../report/terminal.ts';
import { verdictJson } from '../report/verdict-json.ts';
import { openStore } from '../wire/open-store.ts';
import { podRequest, sayUnresolved, tools, userName, withClusters } from './clusters.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './terminal.ts';

type Found = Extract<Investigation, { kind: 'done' }>;

/** `oom triage POD`: the whole way against the cluster, drawn like the card in Slack. */
export async function runTriage(
  context: CommandContext,
  words: readonly string[],
  options: { json: boolean; store: boolean },
): Promise<number> {
  const { terminal } = context;
  const found = await withClusters(context.config(), await context.knowledge(), ({ deps }) =>
    investigate(deps, podRequest(terminal, words)),
  );
  terminal.progress(undefined);
  if (found.kind !== 'done') return sayUnresolved(terminal, found);
  const incident = options.store ? await record(context, found) : undefined;
  const { finding, snapshot, evidence } = found;
  terminal.out(
    options.json
      ? JSON.stringify(verdictJson(finding))
      : drawTerminal(card({ ...finding, incident, snapshot, evidence }), terminal),
  );
  return EXIT.ok;
}

// A finding that cannot be stored is shown all the same.
async function record({ terminal, config }: CommandContext, found: Found): Promise<Incident | undefined> {
  const { store: kept, incidents } = config();
  try {
    const store = await openStore(kept.url, tools);
    try {
      const windowMs = incidents.windowMinutes * 60_000;
      return (await recordFinding({ store, clock: tools.clock, windowMs }, { ...found, actor: userName() })).incident;
    } finally {
      await store.close();
    }
  } catch (thrown) {
    const why = thrown instanceof OomError ? `${thrown.message} ${thrown.next}` : 'the store failed.';
    terminal.err(terminal.paint.yellow(`The finding is not stored: ${why}`));
    return undefined;
  }
}
