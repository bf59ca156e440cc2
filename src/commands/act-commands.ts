import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

const PLAN_EXAMPLES = `
Examples:
  oom plan inc_m1xy6vrkh45zn0tqqhlw                            what the finding offers
  oom plan llm/vllm-0 set-args --max-model-len=8192            with an action and values of your own
  oom plan inc_m1xy6vrkh45zn0tqqhlw scale-to-zero --to-zero    also where replicas serve`;

/** Commands that plan and act. \`plan\` needs no bot; the others ask the one that runs. */
export function addActCommands(program: Command, { terminal, config, exit }: CommandContext): void {
  program
    .command('plan')
    .description('print what a change would do, the way back and the commands; changes nothing')
    .argument('<words...>', '<incident|pod> [action] [--flag=value …] [--replicas=N] [--to-zero]')
    .option('-n, --namespace <namespace>', 'namespace of the pod')
    .option('-c, --container <container>', 'container to look at')
    .option('--json', 'the plan as one line of JSON', false)
    // Flags of engines are values of the plan.
    .allowUnknownOption()
    .addHelpText('after', PLAN_EXAMPLES)
    .action(async (words: string[], options: { json: boolean; namespace?: string; container?: string }) => {
      const { runPlan } = await import('./act-runs.ts');
      exit(await runPlan({ terminal, config: config() }, words, options));
    });
}
