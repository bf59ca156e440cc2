import { writeFolder } from '../folder/write-folder.ts';
import { parseJsonFile } from '../model/json-file.ts';
import { IncidentFile } from '../model/snapshot.ts';
import { collectPod, sayUnresolved, withClusters } from './clusters.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './terminal.ts';

/** `oom collect POD -o DIR`: the redacted evidence as a folder, which `oom diagnose` reads. */
export async function runCollect(
  { terminal, config, knowledge }: CommandContext,
  words: readonly string[],
  { output }: { output: string },
): Promise<number> {
  const collected = await withClusters(config(), await knowledge(), (clusters) =>
    collectPod(terminal, clusters, words),
  );
  if (collected.kind !== 'collected') return sayUnresolved(terminal, collected);
  const { files } = collected.snapshot;
  await writeFolder(output, collected.snapshot);
  terminal.out(`${Object.keys(files).length} files in ${output}. Next: oom diagnose ${output}`);
  const incident = parseJsonFile(IncidentFile, files['incident.json'] ?? '');
  for (const item of (incident.kind === 'value' ? incident.value.capture?.notRead : undefined) ?? []) {
    terminal.err(terminal.paint.yellow(`not read: ${item.item} (${item.reason}) ${item.detail}`));
  }
  return EXIT.ok;
}
