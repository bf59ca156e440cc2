import { type Investigation, investigate } from '../app/triage/investigate.ts';
import { recordFinding } from '../app/triage/record-finding.ts';
import { isArchive, writeArchive } from '../folder/write-archive.ts';
import { writeFolder } from '../folder/write-folder.ts';
import { OomError } from '../model/errors.ts';
import type { Incident } from '../model/incident.ts';
import { card } from '../report/card.ts';
import { drawTerminal } from '../report/terminal.ts';
import { verdictJson } from '../report/verdict-json.ts';
import { captureOf } from '../snapshot/source.ts';
import { askOfContext, collectPod, sayUnresolved, tools, userName, withClusters } from './clusters.ts';
import type { CommandContext } from './context.ts';
import { type FormatOptions, formatOf, sayData } from './output-format.ts';
import { EXIT } from './terminal.ts';
import { withStore } from './with-store.ts';

type Found = Extract<Investigation, { kind: 'done' }>;

/** `oom triage POD`: the whole way against the cluster, drawn like the card in Slack. */
export async function runTriage(
  context: CommandContext,
  words: readonly string[],
  options: FormatOptions & { store: boolean },
): Promise<number> {
  const { terminal } = context;
  const found = await withClusters(context.config(), await context.knowledge(), ({ deps }) =>
    askOfContext(context, words, (request) => investigate(deps, request)),
  );
  terminal.progress(undefined);
  if (found.kind !== 'done') return sayUnresolved(terminal, found);
  const incident = options.store ? await record(context, found) : undefined;
  const { finding, snapshot, evidence } = found;
  const format = formatOf(options);
  if (format !== 'text') sayData(terminal, format, verdictJson(finding));
  else terminal.out(drawTerminal(card({ ...finding, incident, snapshot, evidence }), terminal));
  return EXIT.ok;
}

// A finding that cannot be stored is shown all the same.
async function record({ terminal, config }: CommandContext, found: Found): Promise<Incident | undefined> {
  const { store: kept, incidents } = config();
  try {
    return await withStore(kept, async (store) => {
      const windowMs = incidents.windowMinutes * 60_000;
      return (await recordFinding({ store, clock: tools.clock, windowMs }, { ...found, actor: userName() })).incident;
    });
  } catch (thrown) {
    const why = thrown instanceof OomError ? `${thrown.message} ${thrown.next}` : 'the database failed.';
    terminal.err(terminal.paint.yellow(`Finding not stored: ${why}`));
    return undefined;
  }
}

/** `oom collect POD -o DIR`: the redacted evidence as a folder, which `oom diagnose` reads. */
export async function runCollect(
  context: CommandContext,
  words: readonly string[],
  { output }: { output: string },
): Promise<number> {
  const { terminal, config, knowledge } = context;
  const collected = await withClusters(config(), await knowledge(), (clusters) => collectPod(context, clusters, words));
  if (collected.kind !== 'collected') return sayUnresolved(terminal, collected);
  const { files } = collected.snapshot;
  await (isArchive(output) ? writeArchive : writeFolder)(output, collected.snapshot);
  terminal.out(`${Object.keys(files).length} files in ${output}. Next: ${terminal.command} diagnose ${output}`);
  for (const item of captureOf(collected.snapshot)?.notRead ?? []) {
    terminal.err(
      terminal.paint.yellow(`no data: ${item.item.replace(/^metrics: /, '')}: ${item.detail || item.reason}`),
    );
  }
  return EXIT.ok;
}
