import type { Command } from 'commander';
import type { BotOptions } from './bot-access.ts';
import type { CommandContext } from './context.ts';
import { withKubeOptions } from './kube-options.ts';
import { addFormatOptions, type FormatOptions } from './output-format.ts';
import { addPodOptions, type PodOptions } from './pod-words.ts';

const PLAN_EXAMPLES = `
Examples:
  oom plan inc_m1xy6vrkh45zn0tqqhlw                            what the finding offers
  oom plan llm/vllm-0 set-args --max-model-len=8192            with an action and values of your own
  oom plan llm/vllm-0 raise-ram --memory=96Gi                  a memory limit of your own, up to the cap
  oom plan inc_m1xy6vrkh45zn0tqqhlw scale-to-zero --to-zero    also where replicas serve`;

/** Commands that plan and act. `plan` needs no bot; the others ask the one that runs. */
export function addActCommands(program: Command, context: CommandContext): void {
  const { exit } = context;
  addFormatOptions(
    addPodOptions(
      program
        .command('plan')
        .description('print what a change would do, the rollback and the commands; changes nothing')
        .argument(
          '<words...>',
          '<incident|pod> [action] [--flag=value …] [--profile=NAME] [--memory=SIZE] [--replicas=N] [--to-zero]',
        ),
    ),
    'plan',
  )
    // Flags of engines are values of the plan.
    .allowUnknownOption()
    .addHelpText('after', PLAN_EXAMPLES)
    .action(async (words: string[], options: PodOptions & FormatOptions) => {
      const { runPlan } = await import('./plan.ts');
      exit(await runPlan(withKubeOptions(context, options), words, options));
    });
  for (const [verb, words, says] of BOT_VERBS) {
    program
      .command(verb)
      .description(`${says}; done by the running bot`)
      .argument('[words...]', words)
      .option('--bot [url]', 'where its port is reached (default: this machine, `acting.port`)')
      .option('--token-file [file]', 'file with the token that shows who you are (default: that of the kubeconfig)')
      .allowUnknownOption()
      .action(async (given: string[], options: BotOptions) => {
        const { runAskBot } = await import('./ask-bot.ts');
        exit(await runAskBot(context, verb, given, options));
      });
  }
}

const BOT_VERBS = [
  ['approve', '<plan> [--confirm=NAME] [--break-glass="REASON"]', 'approve a plan'],
  ['reject', '<plan> [--reason="WHY"]', 'reject a plan'],
  ['rollback', '<run|incident>', 'roll back a run'],
  ['abort', '<run|incident> [--without-rollback]', 'stop a run and roll it back'],
  ['go-on', '<run|incident>', 'let a run go on that asks whether requests may be cut'],
  ['pause', '[reason]', 'stop all acting at once, everywhere'],
  ['resume', '', 'let acting go on'],
] as const;
