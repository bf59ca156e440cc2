import { parseProfileName, parseWanted, reckonBudget } from '../app/budget/budget.ts';
import type { SnapshotSource } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { budgetMessage, noBudgetMessage } from '../report/budget.ts';
import { snapshotSource, subjectOf } from '../snapshot/source.ts';
import { loadProfiles } from '../wire/profiles.ts';
import { type CommandContext, dirsOf } from './context.ts';
import { openFolder, redactScreen } from './folder.ts';
import { isPath, orNoFolder } from './folder-words.ts';
import { type FormatOptions, formatOf, sayData } from './output-format.ts';
import { type PodOptions, podWords } from './pod-words.ts';
import { EXIT, say } from './terminal.ts';

export type BudgetOptions = PodOptions &
  FormatOptions & {
    readonly set: readonly string[];
    readonly profile?: string;
  };

export async function runBudget(
  context: CommandContext,
  words: readonly string[],
  options: BudgetOptions,
): Promise<number> {
  const { terminal } = context;
  refuseApart(words, options.set);
  const wish = {
    wanted: options.set.map(parseWanted),
    profile: options.profile === undefined ? undefined : parseProfileName(options.profile),
  };
  const config = context.config();
  const found = await sourceOf(context, words, options);
  if (typeof found === 'number') return found;
  const knowledge = await context.knowledge();
  const deps = { book: await loadProfiles(dirsOf(context)), evidence: knowledge.engine };
  const outcome = await reckonBudget(found, deps, wish);
  const format = formatOf(options);
  if (format !== 'text')
    sayData(terminal, format, redactScreen(config, outcome.kind === 'budget' ? outcome.budget : outcome));
  else {
    const message =
      outcome.kind === 'budget' ? budgetMessage(outcome.budget) : noBudgetMessage(found.id, outcome.engine);
    say(terminal, [redactScreen(config, message)]);
  }
  return EXIT.ok;
}

// `--set --max-model-len 8192` is how engines take it: the shell splits the value off.
function refuseApart(words: readonly string[], set: readonly string[]): void {
  const flag = set.find((one) => !one.includes('='));
  const value = words.length > 1 ? words.find((word) => /^-?\d/.test(word)) : undefined;
  if (flag === undefined || value === undefined) return;
  throw new OomError('bad-input', `${flag} and its value ${value} need a \`=\`.`, {
    next: `Type \`--set ${flag}=${value}\`.`,
  });
}

// What exists or looks like a path is a folder, as for `oom explain`; `llm/vllm-0` is a pod unless there is such a folder.
async function sourceOf(
  context: CommandContext,
  words: readonly string[],
  options: BudgetOptions,
): Promise<SnapshotSource | number> {
  const { terminal, config, knowledge } = context;
  if (isPath(words)) return openFolder(terminal, 'budget', words.join(' '));
  const { collectPod, sayUnresolved, withClusters } = await import('./clusters.ts');
  const collected = await orNoFolder(words, async () =>
    withClusters(config(), await knowledge(), (clusters) => collectPod(context, clusters, podWords(words, options))),
  );
  if (collected.kind !== 'collected') return sayUnresolved(terminal, collected);
  return { ...snapshotSource(collected.snapshot), id: subjectOf(collected.snapshot) };
}
