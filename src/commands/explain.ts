import { explainWord } from '../app/lifecycle/explain-word.ts';
import { explainIncident, type FindDeps } from '../app/lifecycle/find-incident.ts';
import type { Diagnosed } from '../app/triage/investigate.ts';
import { rightsOf } from '../config.ts';
import { OomError } from '../model/errors.ts';
import { explainMessages } from '../report/explain.ts';
import { snapshotSource } from '../snapshot/source.ts';
import type { DurableStore } from '../wire/open-store.ts';
import { userName } from './clusters.ts';
import type { CommandContext } from './context.ts';
import { citeAsGiven, openFolder, redactScreen } from './folder.ts';
import { isFolderName, isPath, orNoFolder, refuseStray } from './folder-words.ts';
import { EXIT, say } from './terminal.ts';
import { withStore } from './with-store.ts';

// Columns that a quote leaves for its bar.
const BAR = 4;
const NOTHING_KEPT: Kept = {
  incident: async () => undefined,
  findings: async () => [],
  incidentPlaces: async () => [],
  openPlaces: async () => [],
  snapshot: async () => undefined,
};

type Kept = FindDeps['store'] & Pick<DurableStore, 'snapshot'>;

/** `oom explain`: what exists or looks like a path is a folder, a topic, engine or flag is explained, everything else is an incident's id. */
export async function runExplain(
  context: CommandContext,
  words: readonly string[],
  { all }: { all: boolean },
): Promise<number> {
  const { terminal } = context;
  const config = context.config();
  const what = words.join(' ');
  refuseStray(words);
  const knowledge = await context.knowledge();
  const view = { command: 'oom', columns: terminal.tableWidth - BAR };
  const word = isPath(words) ? undefined : explainWord(knowledge, what === '' ? 'topics' : what, view);
  if (word !== undefined) {
    say(terminal, [word]);
    return EXIT.ok;
  }
  if (isFolderName(words)) {
    const source = await openFolder(terminal, 'explain', what);
    const finding = citeAsGiven(await knowledge.diagnose(source), source);
    say(terminal, redactScreen(config, explainMessages({ ...finding, evidence: 'full', all })));
    return EXIT.ok;
  }
  const option = words.find((one) => one.startsWith('-'));
  if (option !== undefined) {
    throw new OomError('bad-input', `Unknown option ${option}.`, { next: 'For usage, type `oom explain --help`.' });
  }
  const actor = { place: 'terminal' as const, user: userName() };
  const deps = { rights: rightsOf(config), commandName: 'oom', topicNear: knowledge.topicNear };
  const explainFrom = async (store: Kept): Promise<number> => {
    const { latest, place, evidence } = await orNoFolder([what], () =>
      explainIncident({ store, ...deps }, actor, what),
    );
    const snapshot = await store.snapshot(latest.snapshotId);
    const facts: Diagnosed['facts'] =
      snapshot === undefined ? new Map() : await knowledge.facts(snapshotSource(snapshot));
    say(terminal, explainMessages({ diagnosis: latest.diagnosis, facts, place, evidence, all }));
    return EXIT.ok;
  };
  return withStore(config.store, explainFrom, () => explainFrom(NOTHING_KEPT));
}
