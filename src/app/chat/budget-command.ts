import type { ProfileBook } from '../../budget/profiles.ts';
import type { Actor } from '../../model/authorise.ts';
import { OomError, toOomError } from '../../model/errors.ts';
import type { Capture, Snapshot } from '../../model/snapshot.ts';
import { budgetMessage, noBudgetMessage } from '../../report/budget.ts';
import { unexpectedWords, unresolved } from '../../report/notices.ts';
import { captureOf, subjectOf } from '../../snapshot/source.ts';
import { answerAsker } from '../answer-asker.ts';
import {
  type BudgetDeps,
  type EngineEvidence,
  parseProfileName,
  parseWanted,
  reckonEvidence,
  summedState,
} from '../budget/budget.ts';
import { measureStart } from '../budget/measure-start.ts';
import { undoTypography } from '../command.ts';
import type { StartStore } from '../incident-ports.ts';
import { explainIncident, type FindDeps } from '../lifecycle/find-incident.ts';
import { parsePodQuery } from '../pod-query.ts';
import type { Asker, Chat, Log, SnapshotSource, Store } from '../ports.ts';
import { createQueue } from '../queue-by-workload.ts';
import { collectSnapshot, type InvestigateDeps } from '../triage/investigate.ts';

type BudgetCommandDeps = {
  readonly investigate: InvestigateDeps;
  readonly store: FindDeps['store'] & Pick<Store, 'snapshot'> & StartStore;
  readonly chat: Chat;
  readonly log: Log;
  readonly commandName: string;
  readonly evidence: BudgetDeps['evidence'];
  /** The current profiles, read again for each answer. */
  readonly book: () => Promise<BudgetDeps['book']>;
};

type BudgetRequest = { readonly text: string; readonly asker: Asker; readonly actor: Actor };

export type BudgetCommand = {
  /** The memory of the engine in a pod or a stored incident, shown to the asker alone. Throws OomError. */
  ask(request: BudgetRequest): Promise<void>;
};

type Read = {
  readonly source: SnapshotSource;
  readonly subject: string;
  readonly evidence: 'full' | 'verdict-only';
  /** Where and of which pod it was collected; undefined for evidence that does not say. */
  readonly capture: Capture | undefined;
};

export function createBudgetCommand(deps: BudgetCommandDeps): BudgetCommand {
  // One reading at a time for each who asks: it costs as much as a triage and nobody joins it.
  const queue = createQueue();
  return { ask: (request) => queue(request.asker.user, () => answer(deps, request)) };
}

async function answer(deps: BudgetCommandDeps, request: BudgetRequest): Promise<void> {
  const { what, wanted, profile } = splitBudget(request.text);
  const found = /^inc_\w+$/.test(what) ? await ofIncident(deps, request, what) : await ofPod(deps, request, what);
  if (found === undefined) return;
  if (found.evidence === 'verdict-only') {
    throw new OomError(
      'forbidden',
      'This channel is shared with another organization, so oombot shows no figures here.',
      {
        next: 'Ask in a channel of your organization.',
      },
    );
  }
  const book = await deps.book();
  const evidence = await deps.evidence(found.source);
  const starts = await learnFrom(deps, { evidence, book, of: found });
  const outcome = reckonEvidence(
    evidence,
    { book, starts, id: found.subject },
    {
      wanted: wanted.map(parseWanted),
      profile: profile === undefined ? undefined : parseProfileName(profile),
    },
  );
  const message =
    outcome.kind === 'budget' ? budgetMessage(outcome.budget) : noBudgetMessage(found.subject, outcome.engine);
  await answerAsker(deps, request.asker, message);
}

type Learned = { readonly evidence: EngineEvidence; readonly book: ProfileBook; readonly of: Read };

// A start that printed its pool is kept, so that the next estimate in its cluster is closer. Without the store the answer stays.
async function learnFrom({ store, log, investigate }: BudgetCommandDeps, { evidence, book, of }: Learned) {
  const state = summedState(evidence, book);
  if (state === undefined || of.capture === undefined) return [];
  const { cluster, podUid: id } = of.capture;
  try {
    const start = measureStart(state);
    const before = await store.measuredStarts({ cluster, engine: state.engine });
    if (start !== undefined) await store.keepStart({ ...start, id, cluster, at: investigate.clock.now() });
    return before.filter((one) => one.id !== id);
  } catch (thrown) {
    const error = toOomError(thrown);
    log.warn('measured starts not read or kept', { error, code: error.code });
    return [];
  }
}

async function ofIncident(
  { store, investigate, commandName }: BudgetCommandDeps,
  { actor }: BudgetRequest,
  id: string,
): Promise<Read> {
  const { latest, evidence } = await explainIncident({ store, rights: investigate.rights, commandName }, actor, id);
  const snapshot = await store.snapshot(latest.snapshotId);
  if (snapshot !== undefined) return readOf(investigate, snapshot, evidence);
  throw new OomError('not-found', `The evidence of ${id} was deleted.`, {
    next: 'Name the pod instead.',
  });
}

async function ofPod(
  deps: BudgetCommandDeps,
  { asker, actor }: BudgetRequest,
  text: string,
): Promise<Read | undefined> {
  const parsed = parsePodQuery(text);
  if (parsed.kind !== 'query')
    throw notUnderstood(deps.commandName, parsed.kind === 'extra' ? unexpectedWords(parsed.words) : undefined);
  const collected = await collectSnapshot(deps.investigate, { query: parsed.query, actor, progress: () => undefined });
  if (collected.kind === 'collected') {
    return readOf(deps.investigate, collected.snapshot, collected.evidence);
  }
  // Its buttons would triage.
  const { choices: _, ...message } = unresolved(collected, deps.commandName);
  await answerAsker(deps, asker, message);
  return undefined;
}

function readOf({ source }: InvestigateDeps, snapshot: Snapshot, evidence: Read['evidence']): Read {
  return { source: source(snapshot), subject: subjectOf(snapshot), evidence, capture: captureOf(snapshot) };
}

function notUnderstood(commandName: string, why = 'Which pod or incident?'): OomError {
  return new OomError('bad-input', why, {
    next: `Type \`${commandName} budget llm/vllm-0\` or \`${commandName} budget inc_… --max-model-len=8192\`.`,
  });
}

const PROFILE = '--profile=';

/**
 * `vllm-0 -n llm --max-model-len=8192 --profile=emergency`: arguments to try are the words with a value; `--set` before them
 * is the terminal's way.
 */
export function splitBudget(text: string): {
  readonly what: string;
  readonly wanted: readonly string[];
  readonly profile: string | undefined;
} {
  const words = undoTypography(text)
    .replace(/(^|\s)--profile\s+/g, `$1${PROFILE}`)
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '--set')
    .map((word) => word.replace(/^--set=/, ''));
  const profiles = words.filter((word) => word.startsWith(PROFILE));
  const rest = words.filter((word) => !word.startsWith(PROFILE));
  const isWanted = (word: string): boolean =>
    /^-.*=/.test(word) && !/^--(namespace|container|context|cluster)=/.test(word);
  return {
    what: rest.filter((word) => !isWanted(word)).join(' '),
    wanted: rest.filter(isWanted),
    profile: profiles.at(-1)?.slice(PROFILE.length),
  };
}
