import type { Command } from 'commander';
import { PROFILE_NAMES } from '../budget/profiles.ts';
import type { CommandContext } from './context.ts';
import { withKubeOptions } from './kube-options.ts';
import { addFormatOptions } from './output-format.ts';
import { addPodOptions } from './pod-words.ts';
import type { BudgetOptions } from './run-budget.ts';

/** `oom budget`: of a folder it needs no cluster. */
export function addBudgetCommand(program: Command, context: CommandContext): void {
  addFormatOptions(
    addPodOptions(
      program
        .command('budget')
        .description('Show how GPU memory is used, and what a flag change would do')
        .argument('<pod-or-path...>', 'Evidence as for diagnose, or a pod as for triage'),
    ),
    'budget',
  )
    .option('--set <flag=value>', 'Flag to try, such as --max-model-len=8192; repeatable', gather, [])
    .option('--profile <name>', `Profile to try: ${PROFILE_NAMES.join(', ')}`)
    .showHelpAfterError(
      'Put `--set` before a flag to try: `--set --max-model-len=8192`. For options, type `oom budget --help`.',
    )
    .action(async (words: string[], options: BudgetOptions) => {
      const { runBudget } = await import('./run-budget.ts');
      context.exit(await runBudget(withKubeOptions(context, options), words, options));
    });
}

function gather(flag: string, before: readonly string[]): readonly string[] {
  return [...before, flag];
}
