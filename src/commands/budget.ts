import type { Command } from 'commander';
import { PROFILE_NAMES } from '../budget/profiles.ts';
import type { CommandContext } from './context.ts';
import { addPodOptions } from './pod-words.ts';
import type { BudgetOptions } from './run-budget.ts';

/** `oom budget`: of a folder it needs no cluster. */
export function addBudgetCommand(program: Command, context: CommandContext): void {
  addPodOptions(
    program
      .command('budget')
      .description('what of the GPU memory is static, what the KV cache holds, and what a change of arguments would do')
      .argument('<pod-or-dir...>', 'a snapshot folder, or a pod as for triage'),
  )
    .option('--set <flag=value>', 'an argument to try, such as --max-model-len=8192; may be given again', gather, [])
    .option('--profile <name>', `the values of a profile to try: ${PROFILE_NAMES.join(', ')}`)
    .option('--json', 'the sums as one line of JSON', false)
    .showHelpAfterError(
      'Arguments to try go behind `--set`: `--set --max-model-len=8192`. `oom budget --help` lists the rest.',
    )
    .action(async (words: string[], options: BudgetOptions) => {
      const { runBudget } = await import('./run-budget.ts');
      context.exit(await runBudget(context, words, options));
    });
}

function gather(flag: string, before: readonly string[]): readonly string[] {
  return [...before, flag];
}
