import type { Command } from 'commander';
import { changeSource } from '../app/triage/changed-snapshot.ts';
import { readPlaybookFiles } from '../folder/playbook-files.ts';
import { readFolder } from '../folder/read-folder.ts';
import { OomError } from '../model/errors.ts';
import { CATALOGUES } from '../wire/knowledge.ts';
import { withValues } from '../wire/parsed-files.ts';
import type { CommandContext } from './context.ts';
import { dirsOf } from './context.ts';
import {
  type PlaybookTestDeps,
  type PlaybookTestOptions,
  playbookExplain,
  playbookGraph,
  playbookLint,
  playbookTest,
} from './playbook.ts';
import { playbookActions, playbookFacts, playbookSchema } from './playbook-lists.ts';

/** `oom playbook …`: for those who write playbooks. `--dir` looks at a folder that is not configured yet. */
export function addPlaybookCommands(program: Command, context: CommandContext): void {
  const { terminal, knowledge, exit } = context;
  const playbook = program.command('playbook').description('read, check and test playbooks');
  const lists = { terminal, catalogues: CATALOGUES };
  const depsOf = (dir?: string) => ({
    terminal,
    catalogues: { ...CATALOGUES, thresholds: context.config().playbooks.thresholds },
    readFiles: async () => withValues(await readPlaybookFiles(dirsOf(context, dir))),
  });
  const command = (name: string, says: string) =>
    playbook.command(name).description(says).option('--dir <dir>', 'a playbook folder to lay over the shipped one');
  type Dir = { readonly dir?: string };

  command('lint', 'what is wrong, with file and line').action(async ({ dir }: Dir) =>
    exit(await playbookLint(depsOf(dir))),
  );
  command('test', 'run the cases; print those that fail, and what no case covers')
    .option('--strict', 'also fail where a branch lacks one of its four kinds of case', false)
    .option('--verbose', 'print for each branch how many cases of each kind it has', false)
    .option('--own', 'leave the shipped cases out: only those of --dir and `playbooks.dirs`', false)
    .action(async ({ dir, ...options }: Dir & PlaybookTestOptions) => {
      const knowledge = await context.knowledge(dirsOf(context, dir));
      const readIncident: PlaybookTestDeps['readIncident'] = async (folders, change) =>
        knowledge.facts(await changeSource(await firstFolder(folders), change));
      const diagnose: PlaybookTestDeps['diagnose'] = async (source) => (await knowledge.diagnose(source)).diagnosis;
      exit(await playbookTest({ ...depsOf(dir), readIncident, diagnose }, options));
    });
  command('explain', 'walk a snapshot folder and print each condition with the value seen')
    .argument('<dir>', 'snapshot folder')
    .action(async (folder: string, { dir }: Dir) => {
      const inForce = await knowledge(dirsOf(context, dir));
      exit(playbookExplain(terminal, (await inForce.diagnose(await readFolder(folder))).diagnosis));
    });
  command('graph', 'the playbook as a Mermaid flow chart').action(async ({ dir }: Dir) =>
    exit(await playbookGraph(depsOf(dir))),
  );
  command('facts', 'the facts a playbook may ask for')
    .argument('[word]', 'only those with it in name or sentence; where none has it, those that take it as a value')
    .option('--values', 'look for it among values too, and print all of them', false)
    .action((word: string | undefined, { values }: { values: boolean }) =>
      exit(playbookFacts(lists, { word, values })),
    );
  command('actions', 'the actions a finding may offer').action(() => exit(playbookActions(lists)));
  command('schema', 'the JSON schema of a playbook, for editors').action(() => exit(playbookSchema(lists)));
}

async function firstFolder(folders: readonly string[]) {
  for (const folder of folders) {
    const source = await readFolder(folder).catch(() => undefined);
    if (source !== undefined) return source;
  }
  throw new OomError('no-folder', `There is no incident folder ${folders.join(' or ')}.`, {
    next: 'Name one below `incidents/`.',
  });
}
