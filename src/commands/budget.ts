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
        .description(
          'what of the GPU memory is static, what the KV cache holds, and what a change of arguments would do',
        )
        .argument('<pod-or-path...>', 'evidence as for diagnose, or a pod as for triage'),
    ),
    'budget',
  )
    .option('--set <flag=value>', 'an argument to try, such as --max-model-len=8192; may be given again', gather, [])
    .option('--profile <name>', `the values of a profile to try: ${PROFILE_NAMES.join(', ')}`)
    .showHelpAfterError(
      'Flags to try follow `--set`: `--set --max-model-len=8192`. `oom budget --help` lists the options.',
    )
    .action(async (words: string[], options: BudgetOptions) => {
      const { runBudget } = await import('./run-budget.ts');
      context.exit(await runBudget(withKubeOptions(context, options), words, options));
    });
}

function gather(flag: string, before: readonly string[]): readonly string[] {
  return [...before, flag];
}
