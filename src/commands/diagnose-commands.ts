import type { Command } from 'commander';
import { readFolder } from '../folder/read-folder.ts';
import { loadKnowledge, playbookDirs } from '../wire/knowledge.ts';
import type { CommandContext } from './context.ts';
import { diagnoseCommand } from './diagnose.ts';
import { folderRemarks } from './folder-remarks.ts';
import { screenRedactor } from './screen-redactor.ts';

/** `oom diagnose`: needs no cluster, no Slack and no store. */
export function addDiagnoseCommands(program: Command, { terminal, config, exit }: CommandContext): void {
  program
    .command('diagnose')
    .description('verdicts from snapshot folders: any subset of previous.log, pod.json, describe.txt, metrics.txt …')
    .argument('<dir...>', 'folders')
    .option('--json', 'one verdict a line', false)
    .action(async (dirs: string[], options: { json: boolean }) => {
      const { playbooks } = config();
      const knowledge = await loadKnowledge(playbookDirs(playbooks.dirs), playbooks);
      exit(
        await diagnoseCommand(
          {
            terminal,
            readFolder,
            diagnose: knowledge.diagnose,
            remarks: folderRemarks,
            redact: screenRedactor(config()),
          },
          dirs,
          options,
        ),
      );
    });
}
