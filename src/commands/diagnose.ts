import type { Command } from 'commander';
import { toOomError } from '../model/errors.ts';
import { card } from '../report/card.ts';
import { drawTerminal } from '../report/terminal.ts';
import { verdictJson } from '../report/verdict-json.ts';
import type { CommandContext } from './context.ts';
import { openFolder, redactScreen } from './folder.ts';
import { EXIT } from './terminal.ts';

/** `oom diagnose`: needs no cluster, no Slack and no store. */
export function addDiagnoseCommand(program: Command, context: CommandContext): void {
  program
    .command('diagnose')
    .description('verdicts from snapshot folders: any subset of previous.log, pod.json, describe.txt, metrics.txt …')
    .argument('<dir...>', 'folders')
    .option('--json', 'one verdict a line', false)
    .action(async (dirs: string[], options: { json: boolean }) => context.exit(await diagnose(context, dirs, options)));
}

// What is no folder gets one line on stderr and exit code 2; the rest is still printed.
async function diagnose(
  { terminal, config, knowledge }: CommandContext,
  folders: readonly string[],
  options: { json: boolean },
): Promise<number> {
  const inForce = await knowledge();
  const settings = config();
  let exit: number = EXIT.ok;
  let drawn = 0;
  for (const [i, folder] of folders.entries()) {
    terminal.progress(folders.length > 1 ? `reading ${folder} (${i + 1} of ${folders.length})` : `reading ${folder}`);
    try {
      const finding = await inForce.diagnose(await openFolder(terminal, 'diagnose', folder));
      terminal.progress(undefined);
      const text = options.json
        ? JSON.stringify(redactScreen(settings, verdictJson(finding)))
        : drawTerminal(redactScreen(settings, card({ ...finding, evidence: 'full', folder })), terminal);
      terminal.out(drawn > 0 && !options.json ? `\n${text}` : text);
      drawn += 1;
    } catch (thrown) {
      terminal.progress(undefined);
      const error = toOomError(thrown);
      terminal.err(`oom diagnose: ${folder}: ${error.message} ${error.next} (${error.code})`);
      exit = Math.max(exit, error.code === 'no-folder' ? EXIT.usage : EXIT.failed);
    }
  }
  return exit;
}
