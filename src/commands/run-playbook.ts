import { changeSource } from '../app/triage/changed-snapshot.ts';
import { readPlaybookFiles } from '../folder/playbook-files.ts';
import { readFolder } from '../folder/read-folder.ts';
import { OomError } from '../model/errors.ts';
import { CATALOGUES } from '../wire/knowledge.ts';
import { withValues } from '../wire/parsed-files.ts';
import { type CommandContext, dirsOf } from './context.ts';
import {
  type PlaybookTestDeps,
  type PlaybookTestOptions,
  playbookExplain,
  playbookGraph,
  playbookLint,
  playbookTest,
} from './playbook.ts';
import { playbookActions, playbookFacts, playbookSchema } from './playbook-lists.ts';

function depsOf(context: CommandContext, dir?: string) {
  return {
    terminal: context.terminal,
    catalogues: { ...CATALOGUES, thresholds: context.config().playbooks.thresholds },
    readFiles: async () => withValues(await readPlaybookFiles(dirsOf(context, dir))),
  };
}

export function runLint(context: CommandContext, dir?: string): Promise<number> {
  return playbookLint(depsOf(context, dir));
}

export function runGraph(context: CommandContext, dir?: string): Promise<number> {
  return playbookGraph(depsOf(context, dir));
}

export async function runTest(context: CommandContext, dir: string | undefined, options: PlaybookTestOptions) {
  const knowledge = await context.knowledge(dirsOf(context, dir));
  const readIncident: PlaybookTestDeps['readIncident'] = async (folders, change) =>
    knowledge.facts(await changeSource(await firstFolder(folders), change));
  const diagnose: PlaybookTestDeps['diagnose'] = async (source) => (await knowledge.diagnose(source)).diagnosis;
  return playbookTest({ ...depsOf(context, dir), readIncident, diagnose }, options);
}

export async function runExplain(context: CommandContext, dir: string | undefined, folder: string): Promise<number> {
  const inForce = await context.knowledge(dirsOf(context, dir));
  return playbookExplain(context.terminal, (await inForce.diagnose(await readFolder(folder))).diagnosis);
}

type Asked = { readonly word: string | undefined; readonly values: boolean };

export function runList({ terminal }: CommandContext, what: 'actions' | 'schema' | Asked): number {
  const lists = { terminal, catalogues: CATALOGUES };
  if (what === 'actions') return playbookActions(lists);
  return what === 'schema' ? playbookSchema(lists) : playbookFacts(lists, what);
}

async function firstFolder(folders: readonly string[]) {
  for (const folder of folders) {
    const source = await readFolder(folder).catch(() => undefined);
    if (source !== undefined) return source;
  }
  throw new OomError('no-folder', `No incident folder ${folders.join(' or ')}.`, {
    next: 'Name a folder under `incidents/`.',
  });
}
