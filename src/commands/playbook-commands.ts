import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import type { PlaybookTestOptions } from './playbook.ts';

/** `oom playbook …`: for those who write playbooks. `--dir` looks at a folder that is not configured yet. */
export function addPlaybookCommands(program: Command, context: CommandContext): void {
  const { exit } = context;
  const load = () => import('./run-playbook.ts');
  const playbook = program.command('playbook').description('read, check and test playbooks');
  const command = (name: string, says: string) =>
    playbook.command(name).description(says).option('--dir <dir>', 'a playbook folder to lay over the shipped one');
  type Dir = { readonly dir?: string };

  command('lint', 'what is wrong, with file and line').action(async ({ dir }: Dir) =>
    exit(await (await load()).runLint(context, dir)),
  );
  command('test', 'run the cases; print those that fail, and what no case covers')
    .option('--strict', 'also fail where a branch lacks one of its four kinds of case', false)
    .option('--verbose', 'print for each branch how many cases of each kind it has', false)
    .option('--own', 'leave the shipped cases out: only those of --dir and `playbooks.dirs`', false)
    .action(async ({ dir, ...options }: Dir & PlaybookTestOptions) => {
      const { runTest } = await load();
      exit(await runTest(context, dir, options));
    });
  command('explain', 'walk a snapshot folder and print each condition with the value seen')
    .argument('<dir>', 'snapshot folder')
    .action(async (folder: string, { dir }: Dir) => {
      const { runExplain } = await load();
      exit(await runExplain(context, dir, folder));
    });
  command('graph', 'the playbook as a Mermaid flow chart').action(async ({ dir }: Dir) =>
    exit(await (await load()).runGraph(context, dir)),
  );
  command('facts', 'the facts a playbook may ask for')
    .argument('[word]', 'only those with it in name or sentence; where none has it, those that take it as a value')
    .option('--values', 'look for it among values too, and print all of them', false)
    .action(async (word: string | undefined, { values }: { values: boolean }) =>
      exit((await load()).runList(context, { word, values })),
    );
  command('actions', 'the actions a finding may offer').action(async () =>
    exit((await load()).runList(context, 'actions')),
  );
  command('schema', 'the JSON schema of a playbook, for editors').action(async () =>
    exit((await load()).runList(context, 'schema')),
  );
}
