import type { Command } from 'commander';
import type { BotOptions } from './bot-access.ts';
import type { CommandContext } from './context.ts';
import { orTakesNoFolder } from './folder-words.ts';
import { withKubeOptions } from './kube-options.ts';
import { addFormatOptions, type FormatOptions } from './output-format.ts';
import { addPodOptions, type PodOptions, podWords } from './pod-words.ts';

/** Commands that need a cluster or the store. Their parts are loaded when they run. */
export function addIncidentCommands(program: Command, context: CommandContext): void {
  const { exit } = context;
  addFormatOptions(
    addPodOptions(
      program
        .command('triage')
        .description('find out which memory of a pod failed, when and why')
        .argument(
          '<pod...>',
          '[cluster/][namespace/]pod [container], a workload, or a pasted line of `kubectl get pods`',
        ),
    ),
    'verdict',
  )
    .option('--no-store', 'do not keep the finding')
    .action(async (words: string[], options: PodOptions & FormatOptions & { store: boolean }) => {
      const { runTriage } = await import('./triage.ts');
      const run = () => runTriage(withKubeOptions(context, options), podWords(words, options), options);
      exit(await orTakesNoFolder(words, (folder) => readElsewhere('triage', folder), run));
    });
  addPodOptions(
    program
      .command('collect')
      .description('take the redacted evidence of a pod into a folder')
      .argument('<pod...>', 'as for triage'),
  )
    .requiredOption('-o, --output <path>', 'folder to write, or a new .tar or .tar.gz')
    .action(async (words: string[], options: PodOptions & { output: string }) => {
      const { runCollect } = await import('./triage.ts');
      const run = () => runCollect(withKubeOptions(context, options), podWords(words, options), options);
      exit(await orTakesNoFolder(words, (folder) => readElsewhere('collect', folder), run));
    });
  program
    .command('explain')
    .description('explain a verdict with its reasons, or a setting or fix such as quantization')
    .argument('[incident|path|topic...]', 'an incident, evidence as for diagnose, or a topic; without one: all topics')
    .option('--all', 'all that is not ruled out, and not the likeliest three alone', false)
    .action(async (words: string[], options: { all: boolean }) => {
      const { runExplain } = await import('./explain.ts');
      exit(await runExplain(context, words, options));
    });
  addFormatOptions(
    program
      .command('status')
      .description('open incidents, runs under way, and whether acting is paused: of the bot, or of the store')
      .argument('[page]', 'which page of the incidents, where there are more than 20'),
    'open incident of the store',
  )
    .option('--bot [url]', 'where the port of a running bot is reached (default: this machine, `acting.port`)')
    .option('--token-file [file]', 'file with the token that shows who you are (default: that of the kubeconfig)')
    .action(async (page: string | undefined, options: BotOptions & FormatOptions) => {
      const { runStatus } = await import('./status.ts');
      exit(await runStatus(context, page, options));
    });
  program
    .command('serve')
    .description('run the Slack bot')
    .action(async () => {
      const { serve } = await import('../main.ts');
      exit(await serve(context.config(), context.terminal));
    });
}

function readElsewhere(verb: string, folder: string) {
  return {
    takes: `\`oom ${verb}\` takes a pod`,
    next: `\`oom diagnose ${folder}\` gives the verdict on a folder, without a cluster.`,
  };
}
