import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import type { PlaybookTestOptions } from './playbook.ts';

/** `oom playbook …`: for those who write playbooks. `--dir` looks at a folder that is not configured yet. */
export function addPlaybookCommands(program: Command, context: CommandContext): void {
  const { exit } = context;
  const load = () => import('./run-playbook.ts');
  const playbook = program.command('playbook').description('List, check and test playbooks');
  const command = (name: string, says: string) =>
    playbook.command(name).description(says).option('--dir <dir>', 'Playbook folder that overrides the built-in files');
  type Dir = { readonly dir?: string };

  command('lint', 'List problems with file and line').action(async ({ dir }: Dir) =>
    exit(await (await load()).runLint(context, dir)),
  );
  command('test', 'Run the cases, list failures and what no case covers')
    .option('--strict', 'Also fail if a branch lacks one of its four kinds of case', false)
    .option('--verbose', 'Print the number of cases per branch and kind', false)
    .option('--own', 'Run only the cases of --dir and `playbooks.dirs`', false)
    .action(async ({ dir, ...options }: Dir & PlaybookTestOptions) => {
      const { runTest } = await load();
      exit(await runTest(context, dir, options));
    });
  command('explain', 'Show each condition and its value for an evidence folder')
    .argument('<dir>', 'Evidence folder')
    .action(async (folder: string, { dir }: Dir) => {
      const { runExplain } = await load();
      exit(await runExplain(context, dir, folder));
    });
  command('graph', 'Print the playbook as a Mermaid flowchart').action(async ({ dir }: Dir) =>
    exit(await (await load()).runGraph(context, dir)),
  );
  command('facts', 'List the facts that conditions can use')
    .argument('[word]', 'Only facts with this word in the name or text, else in the values')
    .option('--values', 'Search the values too, and print all of them', false)
    .action(async (word: string | undefined, { values }: { values: boolean }) =>
      exit((await load()).runList(context, { word, values })),
    );
  command('actions', 'List the actions that findings can offer').action(async () =>
    exit((await load()).runList(context, 'actions')),
  );
  command('schema', 'Print the JSON schema of a playbook, for editors').action(async () =>
    exit((await load()).runList(context, 'schema')),
  );
}
