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
        .description('Show which memory failed and why, from the cluster')
        .argument('<pod...>', '[cluster/][namespace/]pod [container], a workload, or a line of `kubectl get pods`'),
    ),
    'finding',
  )
    .option('--no-store', 'Do not store the finding')
    .action(async (words: string[], options: PodOptions & FormatOptions & { store: boolean }) => {
      const { runTriage } = await import('./triage.ts');
      const run = () => runTriage(withKubeOptions(context, options), podWords(words, options), options);
      exit(await orTakesNoFolder(words, (folder) => readElsewhere('triage', folder), run));
    });
  addPodOptions(
    program
      .command('collect')
      .description('Save the redacted evidence of a pod as a folder or tar')
      .argument('<pod...>', 'As for triage'),
  )
    .requiredOption('-o, --output <path>', 'Folder, or a new .tar or .tar.gz')
    .action(async (words: string[], options: PodOptions & { output: string }) => {
      const { runCollect } = await import('./triage.ts');
      const run = () => runCollect(withKubeOptions(context, options), podWords(words, options), options);
      exit(await orTakesNoFolder(words, (folder) => readElsewhere('collect', folder), run));
    });
  program
    .command('explain')
    .description('Explain a finding, a fix such as quantization, an engine or a flag')
    .argument(
      '[incident|path|topic|engine|flag...]',
      'Evidence as for diagnose; vllm; --max-num-seqs (default: list topics)',
    )
    // Flags of engines are words here.
    .allowUnknownOption()
    .option('--all', 'Show all alternatives not ruled out, not only the top three', false)
    .action(async (words: string[], options: { all: boolean }) => {
      const { runExplain } = await import('./explain.ts');
      exit(await runExplain(context, words, options));
    });
  program
    .command('fix')
    .description('Show the permanent fix of a finding, with patches for Git')
    .argument('[incident|path...]', 'Incident, or evidence as for diagnose (default: the only open incident)')
    .option('--patch', 'Print only the patches, as YAML', false)
    .action(async (words: string[], options: { patch: boolean }) => {
      const { runFix } = await import('./fix.ts');
      exit(await runFix(context, words, options));
    });
  addFormatOptions(
    program
      .command('status')
      .helpGroup('Incidents:')
      .description('List open incidents, plans and active runs')
      .argument('[page]', 'Page, if there are more than 20 incidents'),
    'open incident in the store',
  )
    .option('--bot [url]', 'URL of the bot (default: this machine, `acting.port`)')
    .option('--token-file [file]', 'File with your token (default: from the kubeconfig)')
    .action(async (page: string | undefined, options: BotOptions & FormatOptions) => {
      const { runStatus } = await import('./status.ts');
      exit(await runStatus(context, page, options));
    });
}

/** `oom serve`. */
export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('Run the Slack bot')
    .action(async () => {
      const { serve } = await import('../main.ts');
      context.exit(await serve(context.config(), context.terminal));
    });
}

function readElsewhere(verb: string, folder: string) {
  return {
    takes: `\`oom ${verb}\` takes a pod`,
    next: `\`oom diagnose ${folder}\` reads a folder, no cluster needed.`,
  };
}
