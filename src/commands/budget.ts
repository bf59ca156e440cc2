import type { Command } from 'commander';
import { parseProfileName, parseWanted, reckonBudget } from '../app/budget/budget.ts';
import type { SnapshotSource } from '../app/ports.ts';
import { PROFILE_NAMES } from '../budget/profiles.ts';
import { readFolder } from '../folder/read-folder.ts';
import { OomError } from '../model/errors.ts';
import { budgetMessage, noBudgetMessage } from '../report/budget.ts';
import { drawTerminal } from '../report/terminal.ts';
import { loadKnowledge, playbookDirs } from '../wire/knowledge.ts';
import { loadProfiles } from '../wire/profiles.ts';
import type { CommandContext } from './context.ts';
import { folderRemarks } from './folder-remarks.ts';
import { isPath, orNoFolder } from './folder-words.ts';
import { screenRedactor } from './screen-redactor.ts';
import { EXIT } from './terminal.ts';

type Options = {
  readonly set: readonly string[];
  readonly profile?: string;
  readonly json: boolean;
  readonly namespace?: string;
  readonly container?: string;
};

/** `oom budget`: of a folder it needs no cluster. */
export function addBudgetCommand(program: Command, context: CommandContext): void {
  program
    .command('budget')
    .description('what of the GPU memory is static, what the KV cache holds, and what a change of arguments would do')
    .argument('<pod-or-dir...>', 'a snapshot folder, or a pod as for triage')
    .option('-n, --namespace <namespace>', 'namespace of the pod')
    .option('-c, --container <container>', 'container to look at')
    .option('--set <flag=value>', 'an argument to try, such as --max-model-len=8192; may be given again', gather, [])
    .option('--profile <name>', `the values of a profile to try: ${PROFILE_NAMES.join(', ')}`)
    .option('--json', 'the sums as one line of JSON', false)
    .showHelpAfterError(
      'Arguments to try go behind `--set`: `--set --max-model-len=8192`. `oom budget --help` lists the rest.',
    )
    .action(async (words: string[], options: Options) => context.exit(await runBudget(context, words, options)));
}

function gather(flag: string, before: readonly string[]): readonly string[] {
  return [...before, flag];
}

async function runBudget(context: CommandContext, words: readonly string[], options: Options): Promise<number> {
  const { terminal } = context;
  refuseApart(words, options.set);
  const wish = {
    wanted: options.set.map(parseWanted),
    profile: options.profile === undefined ? undefined : parseProfileName(options.profile),
  };
  const config = context.config();
  const dirs = playbookDirs(config.playbooks.dirs);
  const found = await sourceOf(context, words, options);
  if (typeof found === 'number') return found;
  if (isPath(words)) {
    for (const remark of await folderRemarks(found)) terminal.err(`oom budget: ${words.join(' ')}: ${remark}`);
  }
  const knowledge = await loadKnowledge(dirs, config.playbooks);
  const deps = { book: await loadProfiles(dirs), evidence: knowledge.engine };
  const outcome = await reckonBudget(found, deps, wish);
  const redact = screenRedactor(config);
  if (options.json) {
    terminal.out(JSON.stringify(redact(outcome.kind === 'budget' ? outcome.budget : outcome)));
    return EXIT.ok;
  }
  const message = outcome.kind === 'budget' ? budgetMessage(outcome.budget) : noBudgetMessage(found.id, outcome.engine);
  const { width, paint: colour, unicode } = terminal;
  terminal.out(drawTerminal(redact(message), { width, colour, unicode }));
  return EXIT.ok;
}

// `--set --max-model-len 8192` is how engines take it: the shell makes a word of its own of the value.
function refuseApart(words: readonly string[], set: readonly string[]): void {
  const flag = set.find((one) => !one.includes('='));
  const value = words.length > 1 ? words.find((word) => /^-?\d/.test(word)) : undefined;
  if (flag === undefined || value === undefined) return;
  throw new OomError('bad-input', `${flag} and its value “${value}” are two words here.`, {
    next: `Write them as one: \`--set ${flag}=${value}\`.`,
  });
}

// What exists or looks like a path is a folder, as for `oom explain`; `llm/vllm-0` is a pod unless there is such a folder.
async function sourceOf(
  context: CommandContext,
  words: readonly string[],
  options: Options,
): Promise<SnapshotSource | number> {
  if (isPath(words)) return readFolder(words.join(' '));
  const { collectForBudget } = await import('./field-runs.ts');
  const flags = [
    ...(options.namespace === undefined ? [] : ['-n', options.namespace]),
    ...(options.container === undefined ? [] : ['-c', options.container]),
  ];
  const run = { terminal: context.terminal, config: context.config() };
  return orNoFolder(words, () => collectForBudget(run, [...words, ...flags]));
}
