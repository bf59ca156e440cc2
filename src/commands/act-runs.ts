import { userInfo } from 'node:os';
import { contextOf, makeDraft } from '../app/acting/plan/make-plan.ts';
import { planTarget } from '../app/acting/plan/plan-target.ts';
import { wrongKindOfId } from '../app/id-kinds.ts';
import { collectSnapshot } from '../app/triage/investigate.ts';
import type { Config } from '../config.ts';
import { OomError } from '../model/errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { snapshotSource } from '../snapshot/source.ts';
import { createSystemClock } from '../system/clock.ts';
import { createSystemIds } from '../system/ids.ts';
import { planSettings } from '../wire/acting.ts';
import { wireFieldwork } from '../wire/fieldwork.ts';
import { loadKnowledge, playbookDirs } from '../wire/knowledge.ts';
import { type DurableStore, openStore } from '../wire/open-store.ts';
import { loadProfiles } from '../wire/profiles.ts';
import { VERSION } from '../wire/version.ts';
import { askBot } from './ask-bot.ts';
import { botAddress, botToken } from './bot-access.ts';
import { orTakesNoFolder } from './folder-words.ts';
import { type PlanCommandDeps, planCommand } from './plan.ts';
import { screenRedactor } from './screen-redactor.ts';
import type { Terminal } from './terminal.ts';
import { progressLine, queryOf } from './triage.ts';

export type PlanOptions = {
  readonly json: boolean;
  readonly namespace?: string;
  readonly container?: string;
};

type Run = { readonly terminal: Terminal; readonly config: Config };

const clock = createSystemClock();
const ids = createSystemIds();
const INCIDENT = /^inc_\w+$/;

/** `oom plan`: reads with the rights of this terminal, whoever may act by the bot. */
export async function runPlan(
  { terminal, config }: Run,
  words: readonly string[],
  options: PlanOptions,
): Promise<number> {
  const dirs = playbookDirs(config.playbooks.dirs);
  const knowledge = await loadKnowledge(dirs, config.playbooks);
  const field = wireFieldwork(readingEverywhere(config), { clock, ids, knowledge });
  const store = words.some((word) => INCIDENT.test(word))
    ? await openStore(config.store.url, { clock, ids })
    : undefined;
  const read = async (incidentId: string, snapshot: Snapshot) => {
    const target = planTarget(snapshot);
    if (target === undefined) throw noOwner();
    const finding = await knowledge.diagnose(snapshotSource(snapshot));
    return { kind: 'evidence' as const, incidentId, snapshot, target, finding };
  };
  const evidence: PlanCommandDeps['evidence'] = async (what) => {
    if (INCIDENT.test(what)) return read(what, await storedSnapshot(store, what));
    refuseOtherId(what);
    const collected = await orTakesNoFolder([what], planElsewhere, () => {
      const query = queryOf([what, ...placeWords(options)]);
      return collectSnapshot(field.deps, {
        query,
        actor: { place: 'terminal', user: userName() },
        progress: progressLine(terminal, query),
      });
    });
    terminal.progress(undefined);
    return collected.kind === 'collected' ? read('none', collected.snapshot) : collected;
  };
  const deps = {
    acts: store ?? { runsOf: async () => [], plan: async () => undefined },
    clusters: field.acting,
    settings: planSettings(config),
    clock,
    version: VERSION,
    sources: {
      engine: (snapshot: Snapshot) => knowledge.engine(snapshotSource(snapshot)),
      book: () => loadProfiles(dirs),
      history: field.history,
      supply: field.supply,
      gauges: field.gauges,
    },
  };
  try {
    return await planCommand(
      {
        terminal,
        evidence,
        redact: screenRedactor(config),
        draft: (found, request) => {
          const { incidentId } = found;
          return makeDraft(deps, found, { incidentId, request, context: contextOf(deps, incidentId, userName()) });
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

export type AskOptions = {
  readonly verb: string;
  readonly words: readonly string[];
  /** `true` for a flag without its value. */
  readonly bot?: string | true;
  readonly tokenFile?: string | true;
};

/** `oom approve` and the others that the running bot does. */
export async function runAskBot(
  { terminal, config }: Run,
  { verb, words, bot, tokenFile }: AskOptions,
): Promise<number> {
  const url = botAddress(bot, config.acting.port);
  return askBot({ terminal, url, token: () => botToken(config, tokenFile) }, verb, words.join(' '));
}

// No token, no kubeconfig to take one from, no bot: the store tells the same of what is open.
const STORE_TELLS_INSTEAD: ReadonlySet<string> = new Set(['not-allowed', 'bad-config', 'bot-unreachable']);

/** `oom status`: of the bot that is named or configured; of the store where none is, or where the configured one can not be asked. */
export async function runStatus(
  run: Run,
  { json, ...options }: Omit<AskOptions, 'verb' | 'words'> & { json: boolean },
): Promise<number> {
  const { runStoreStatus } = await import('./field-runs.ts');
  if (json || (options.bot ?? run.config.acting.port) === undefined) return runStoreStatus(run, { json });
  try {
    return await runAskBot(run, { verb: 'status', words: [], ...options });
  } catch (error) {
    if (options.bot !== undefined || !(error instanceof OomError) || !STORE_TELLS_INSTEAD.has(error.code)) throw error;
    run.terminal.err(`oom: ${error.message} What follows is by the store of the configuration.`);
    return runStoreStatus(run, { json });
  }
}

function placeWords({ namespace, container }: PlanOptions): string[] {
  const of = (flag: string, word: string | undefined): string[] => (word === undefined ? [] : [flag, word]);
  return [...of('-n', namespace), ...of('-c', container)];
}

// A plan that is only printed needs no permission to act, and no other identity than that of who prints it.
function readingEverywhere(config: Config): Config {
  return { ...config, clusters: config.clusters.map((cluster) => ({ ...cluster, acting: {} })) };
}

async function storedSnapshot(store: DurableStore | undefined, incidentId: string): Promise<Snapshot> {
  const latest = (await store?.findings(incidentId))?.at(-1);
  const snapshot = latest === undefined ? undefined : await store?.snapshot(latest.snapshotId);
  if (snapshot !== undefined) return snapshot;
  throw new OomError('not-found', `There is no evidence of an incident ${incidentId} in this store.`, {
    next: '`oom status` lists the open incidents; a pod may be named instead: `oom plan llm/vllm-0`.',
  });
}

function refuseOtherId(word: string): void {
  const other = wrongKindOfId(word, { wanted: 'incident', command: 'oom' });
  if (other !== undefined) throw new OomError('bad-input', other.says, { next: other.next });
}

// A plan is made of the workload as it stands now, which no folder holds.
function planElsewhere(folder: string) {
  return {
    takes: '`oom plan` takes a pod or a stored incident',
    next: `\`oom budget ${folder} --profile conservative\` shows what a profile would set there, \`oom explain ${folder}\` what to do next.`,
  };
}

function noOwner(): OomError {
  return new OomError('not-found', 'The evidence names no owner of the pod, so there is nothing to change.', {
    next: 'Look at the pod: one that nobody owns is changed by hand. `oom triage` says what it needs.',
  });
}

// A container may run under a number that has no name.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'terminal';
  }
}
