import type { Command } from 'commander';
import type { BotOptions } from './bot-access.ts';
import type { CommandContext } from './context.ts';
import { addFreeWords } from './free-words.ts';
import { withKubeOptions } from './kube-options.ts';
import { addFormatOptions, type FormatOptions } from './output-format.ts';
import { addPodOptions, type PodOptions } from './pod-words.ts';

const PLAN_EXAMPLES = `
Values: --flag=value …, --profile=NAME, --memory=SIZE, --replicas=N, --to-zero

Examples:
  oom plan inc_m1xy6vrkh45zn0tqqhlw                            the action of the finding
  oom plan llm/vllm-0 set-args --max-model-len=8192            another action and value
  oom plan llm/vllm-0 raise-ram --memory=96Gi                  another memory limit, up to the cap
  oom plan inc_m1xy6vrkh45zn0tqqhlw scale-to-zero --to-zero    stop ready replicas too`;

/** Commands that plan and act. `plan` needs no bot; the others ask the one that runs. */
export function addActCommands(program: Command, context: CommandContext): void {
  const { exit } = context;
  addFormatOptions(
    addPodOptions(
      addFreeWords(
        program.command('plan').description('Show a change with diff, impact and rollback; applies nothing'),
        '<incident|pod> [action] [value …]',
        'incident-or-pod',
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
    addFreeWords(program.command(verb).description(`${says} (needs the running bot)`), words)
      .option('--bot [url]', 'URL of the bot (default: this machine, `acting.port`)')
      .option('--token-file [file]', 'File with your token (default: from the kubeconfig)')
      .allowUnknownOption()
      .action(async (given: string[], options: BotOptions) => {
        const { runAskBot } = await import('./ask-bot.ts');
        exit(await runAskBot(context, verb, given, options));
      });
  }
}

const BOT_VERBS = [
  ['approve', '<plan> [--confirm=NAME] [--break-glass="REASON"]', 'Approve a plan'],
  ['reject', '<plan> [--reason="WHY"]', 'Reject a plan'],
  ['rollback', '<run|incident>', 'Roll back a run'],
  ['abort', '<run|incident> [--without-rollback]', 'Stop a run and roll it back'],
  ['go-on', '<run|incident>', 'Continue a run that waits to cut off requests'],
  ['pause', '[reason]', 'Pause all changes in all clusters'],
  ['resume', '', 'Resume changes after a pause'],
] as const;
