import { userInfo } from 'node:os';
import { explainIncident, readStatus } from '../app/incidents.ts';
import type { SnapshotSource, Store } from '../app/ports.ts';
import { collectSnapshot, type Diagnosed, investigate } from '../app/triage/investigate.ts';
import { recordFinding } from '../app/triage/record-finding.ts';
import { type Config, rightsOf } from '../config.ts';
import { readFolder } from '../folder/read-folder.ts';
import { writeFolder } from '../folder/write-folder.ts';
import { parseJsonFile } from '../model/json-file.ts';
import type { Message } from '../model/message.ts';
import { IncidentFile } from '../model/snapshot.ts';
import { explainMessages } from '../report/explain.ts';
import { mythMessage } from '../report/myth.ts';
import { noStore, statusMessage } from '../report/status.ts';
import { drawTerminal } from '../report/terminal.ts';
import { snapshotSource } from '../snapshot/source.ts';
import { createSystemClock } from '../system/clock.ts';
import { createSystemIds } from '../system/ids.ts';
import { wireFieldwork } from '../wire/fieldwork.ts';
import { loadKnowledge, playbookDirs } from '../wire/knowledge.ts';
import { missingFile, openStore } from '../wire/open-store.ts';
import { collectCommand } from './collect.ts';
import { folderRemarks } from './folder-remarks.ts';
import { isPath, orNoFolder, refuseStray } from './folder-words.ts';
import { screenRedactor } from './screen-redactor.ts';
import { EXIT, type Terminal } from './terminal.ts';
import { progressLine, queryOf, sayUnresolved, triageCommand } from './triage.ts';

const NOTHING_KEPT = { incident: async () => undefined, findings: async () => [] };

type Run = { readonly terminal: Terminal; readonly config: Config };

const clock = createSystemClock();
const ids = createSystemIds();

/** `oom triage`. */
export async function runTriage(
  { terminal, config }: Run,
  words: readonly string[],
  options: { json: boolean; store: boolean },
): Promise<number> {
  const knowledge = await loadKnowledge(playbookDirs(config.playbooks.dirs), config.playbooks);
  const field = wireFieldwork(config, { clock, ids, knowledge });
  let store: Store | undefined;
  try {
    return await triageCommand(
      {
        terminal,
        user: userName(),
        investigate: (request) => investigate(field.deps, request),
        record: !options.store
          ? undefined
          : async (found) => {
              store = await openStore(config.store.url, { clock, ids });
              const windowMs = config.incidents.windowMinutes * 60_000;
              return recordFinding({ store, clock, windowMs }, { ...found, actor: userName() });
            },
      },
      words,
      options,
    );
  } finally {
    await store?.close();
    await field.close();
  }
}

/** `oom collect`. */
export async function runCollect(
  { terminal, config }: Run,
  words: readonly string[],
  options: { output: string },
): Promise<number> {
  const knowledge = await loadKnowledge(playbookDirs(config.playbooks.dirs), config.playbooks);
  const field = wireFieldwork(config, { clock, ids, knowledge });
  try {
    return await collectCommand(
      {
        terminal,
        user: userName(),
        collect: (request) => collectSnapshot(field.deps, request),
        writeFolder,
        captureOf: (snapshot) => {
          const parsed = parseJsonFile(IncidentFile, snapshot.files['incident.json'] ?? '');
          return parsed.kind === 'value' ? parsed.value.capture : undefined;
        },
      },
      words,
      options,
    );
  } finally {
    await field.close();
  }
}

/** The evidence of a pod for `oom budget`, or the exit code where there is none. */
export async function collectForBudget(
  { terminal, config }: Run,
  words: readonly string[],
): Promise<SnapshotSource | number> {
  const query = queryOf(words);
  const knowledge = await loadKnowledge(playbookDirs(config.playbooks.dirs), config.playbooks);
  const field = wireFieldwork(config, { clock, ids, knowledge });
  try {
    const actor = { place: 'terminal' as const, user: userName() };
    const collected = await collectSnapshot(field.deps, { query, actor, progress: progressLine(terminal, query) });
    terminal.progress(undefined);
    return collected.kind === 'collected' ? snapshotSource(collected.snapshot) : sayUnresolved(terminal, collected);
  } finally {
    await field.close();
  }
}

type ToExplain = { readonly words: readonly string[]; readonly all: boolean };

/** `oom explain`: what exists or looks like a path is a folder, a word of the playbook's myths one of these, everything else an incident's id. */
export async function runExplain({ terminal, config }: Run, { words, all }: ToExplain): Promise<number> {
  const what = words.join(' ');
  refuseStray(words);
  const knowledge = await loadKnowledge(playbookDirs(config.playbooks.dirs), config.playbooks);
  if (isPath(words) || /[/\\]/.test(what)) {
    const source = await readFolder(what);
    const finding = await knowledge.diagnose(source);
    for (const remark of await folderRemarks(source)) terminal.err(`oom explain: ${what}: ${remark}`);
    say(terminal, screenRedactor(config)(explainMessages({ ...finding, evidence: 'full', all })));
    return EXIT.ok;
  }
  const myth = knowledge.myth(what);
  if (myth !== undefined) {
    say(terminal, [mythMessage(myth)]);
    return EXIT.ok;
  }
  const missing = missingFile(config.store.url);
  const { mythNear } = knowledge;
  const rights = rightsOf(config);
  const actor = { place: 'terminal' as const, user: userName() };
  // To look must not make the file.
  if (missing !== undefined)
    await orNoFolder([what], () => explainIncident({ store: NOTHING_KEPT, rights, mythNear }, actor, what));
  const store = await openStore(config.store.url, { clock, ids });
  try {
    const { latest, evidence } = await orNoFolder([what], () =>
      explainIncident({ store, rights, mythNear }, actor, what),
    );
    const snapshot = await store.snapshot(latest.snapshotId);
    const facts: Diagnosed['facts'] =
      snapshot === undefined ? new Map() : await knowledge.facts(snapshotSource(snapshot));
    say(terminal, explainMessages({ diagnosis: latest.diagnosis, facts, evidence, all }));
    return EXIT.ok;
  } finally {
    await store.close();
  }
}

/** `oom status` by the store that the configuration names. */
export async function runStoreStatus({ terminal, config }: Run, options: { json: boolean }): Promise<number> {
  const missing = missingFile(config.store.url);
  if (missing !== undefined) {
    if (!options.json) say(terminal, [noStore(missing)]);
    return EXIT.ok;
  }
  const store = await openStore(config.store.url, { clock, ids });
  try {
    const actor = { place: 'terminal', user: userName() } as const;
    const now = await readStatus({ store, acts: store, rights: rightsOf(config) }, actor);
    if (options.json) for (const incident of now.incidents) terminal.out(JSON.stringify(incident));
    else say(terminal, [statusMessage(now, clock.now(), 'oom')]);
    return EXIT.ok;
  } finally {
    await store.close();
  }
}

function say(terminal: Terminal, messages: readonly Message[]): void {
  const { width, paint: colour, unicode } = terminal;
  terminal.out(messages.map((message) => drawTerminal(message, { width, colour, unicode })).join('\n\n'));
}

// A container may run under a number that has no name.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'terminal';
  }
}
