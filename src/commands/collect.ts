import type { Collected, InvestigateRequest } from '../app/triage/investigate.ts';
import type { Capture, Snapshot } from '../model/snapshot.ts';
import type { Unresolved } from '../model/unresolved.ts';
import { EXIT, type Terminal } from './terminal.ts';
import { progressLine, queryOf, sayUnresolved } from './triage.ts';

export type CollectCommandDeps = {
  readonly terminal: Terminal;
  readonly user: string;
  readonly collect: (request: InvestigateRequest) => Promise<Collected | Unresolved>;
  readonly writeFolder: (path: string, snapshot: Snapshot) => Promise<void>;
  readonly captureOf: (snapshot: Snapshot) => Capture | undefined;
};

/** `oom collect POD -o DIR`: the redacted evidence as a folder, which `oom diagnose` reads. */
export async function collectCommand(
  deps: CollectCommandDeps,
  words: readonly string[],
  options: { output: string },
): Promise<number> {
  const { terminal } = deps;
  const query = queryOf(words);
  const collected = await deps.collect({
    query,
    actor: { place: 'terminal', user: deps.user },
    progress: progressLine(terminal, query),
  });
  terminal.progress(undefined);
  if (collected.kind !== 'collected') return sayUnresolved(terminal, collected);
  await deps.writeFolder(options.output, collected.snapshot);
  terminal.out(
    `${Object.keys(collected.snapshot.files).length} files in ${options.output}. Next: oom diagnose ${options.output}`,
  );
  for (const item of deps.captureOf(collected.snapshot)?.notRead ?? []) {
    terminal.err(terminal.paint.yellow(`not read: ${item.item} (${item.reason}) ${item.detail}`));
  }
  return EXIT.ok;
}
