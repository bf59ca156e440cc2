import type { SnapshotSource } from '../app/ports.ts';
import type { Diagnosed } from '../app/triage/investigate.ts';
import { toOomError } from '../model/errors.ts';
import type { Message } from '../model/message.ts';
import { card } from '../report/card.ts';
import { drawTerminal } from '../report/terminal.ts';
import { verdictJson } from '../report/verdict-json.ts';
import { EXIT, type Terminal } from './terminal.ts';

export type DiagnoseCommandDeps = {
  readonly terminal: Terminal;
  readonly readFolder: (path: string) => Promise<SnapshotSource>;
  readonly diagnose: (source: SnapshotSource) => Promise<Diagnosed>;
  /** What of a folder could not be judged. */
  readonly remarks: (source: SnapshotSource) => Promise<readonly string[]>;
  /** A folder made by hand may hold secrets, which must not reach a screen that is shared or pasted. */
  readonly redact: <T>(value: T) => T;
};

/** `oom diagnose DIR…`: one verdict per folder. What is no folder gets one line on stderr and exit code 2; the rest is still printed. */
export async function diagnoseCommand(
  deps: DiagnoseCommandDeps,
  folders: readonly string[],
  options: { json: boolean },
): Promise<number> {
  let exit: number = EXIT.ok;
  let drawn = 0;
  for (const [i, folder] of folders.entries()) {
    deps.terminal.progress(
      folders.length > 1 ? `reading ${folder} (${i + 1} of ${folders.length})` : `reading ${folder}`,
    );
    try {
      const source = await deps.readFolder(folder);
      const finding = await deps.diagnose(source);
      const remarks = await deps.remarks(source);
      deps.terminal.progress(undefined);
      for (const remark of remarks) deps.terminal.err(`oom diagnose: ${folder}: ${remark}`);
      deps.terminal.out(
        options.json
          ? JSON.stringify(deps.redact(verdictJson(finding)))
          : drawFinding(deps.redact(card({ ...finding, evidence: 'full' })), deps.terminal, drawn > 0),
      );
      drawn += 1;
    } catch (thrown) {
      deps.terminal.progress(undefined);
      const error = toOomError(thrown);
      deps.terminal.err(`oom diagnose: ${folder}: ${error.message} ${error.next} (${error.code})`);
      exit = Math.max(exit, error.code === 'no-folder' ? EXIT.usage : EXIT.failed);
    }
  }
  return exit;
}

function drawFinding(message: Message, terminal: Terminal, apart: boolean): string {
  const text = drawTerminal(message, { width: terminal.width, colour: terminal.paint, unicode: terminal.unicode });
  return apart ? `\n${text}` : text;
}
