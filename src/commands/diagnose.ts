import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { SnapshotSource } from '../app/ports.ts';
import type { Diagnosed } from '../app/triage/investigate.ts';
import { type OpenedInput, openInputs, STDIN } from '../folder/open-evidence.ts';
import { OomError, toOomError } from '../model/errors.ts';
import { card } from '../report/card.ts';
import { type SummaryRow, summaryTable } from '../report/summary-table.ts';
import { drawTerminal } from '../report/terminal.ts';
import { verdictJson } from '../report/verdict-json.ts';
import type { CommandContext } from './context.ts';
import { exitOf } from './fault.ts';
import { citeAsGiven, redactScreen, sayRemarks } from './folder.ts';
import { addFormatOptions, type Format, type FormatOptions, formatOf, sayData } from './output-format.ts';
import { EXIT } from './terminal.ts';

const EXAMPLES = `
Examples:
  kubectl logs --previous vllm-0 | oom diagnose -    one log, no cluster needed
  oom diagnose vllm-0.log describe.txt               several files of one incident
  oom diagnose incident/ support-bundle.tar.gz       several incidents, with a summary at the end`;

/** `oom diagnose`: needs no cluster, no Slack and no store. */
export function addDiagnoseCommand(program: Command, context: CommandContext): void {
  addFormatOptions(
    program
      .command('diagnose')
      .description('Show which memory failed and why, from logs, folders or tars')
      .argument('<path...>', 'Files, folders or tars, or - for stdin'),
    'finding',
  )
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: FormatOptions) =>
      context.exit(await diagnose(context, paths, formatOf(options))),
    );
}

type Run = {
  readonly context: CommandContext;
  readonly format: Format;
  readonly rows: SummaryRow[];
  exit: number;
};

// What cannot be read gets one line on stderr and its exit code; the rest is still printed.
async function diagnose(context: CommandContext, paths: readonly string[], format: Format): Promise<number> {
  const { terminal } = context;
  const run: Run = { context, format, rows: [], exit: EXIT.ok };
  terminal.progress(`reading ${paths.join(' ')}`);
  for (const input of await openInputs(paths, terminal.stdin)) {
    if (input.kind === 'fault') refuse(run, input.path, input.fault);
    else await diagnoseTree(run, input);
  }
  terminal.progress(undefined);
  if (format === 'text' && run.rows.length > 1 && run.rows.some(isFinding)) {
    terminal.out(`\n${redactScreen(context.config(), summaryTable(run.rows, terminal.tableWidth))}`);
  }
  return run.exit;
}

async function diagnoseTree(run: Run, { path, sources, leftOut, isGuessed }: Extract<OpenedInput, { kind: 'tree' }>) {
  const { terminal } = run.context;
  const before = run.rows.length;
  for (const [i, source] of sources.entries()) {
    terminal.progress(`reading ${path} (${i + 1} of ${sources.length})`);
    const named = sources.length === 1 ? path : `${path}: ${source.id}`;
    try {
      await sayRemarks(terminal, `oom diagnose: ${named}`, source);
      const finding = citeAsGiven(await (await run.context.knowledge()).diagnose(source), source);
      // A path that can be read again is one for `oom explain`.
      if (!isGuessed || isRecognized(finding) || (await isStatus(source)))
        show(run, finding, named === path && existsSync(path) ? path : undefined);
    } catch (thrown) {
      refuse(run, named, toOomError(thrown));
    }
  }
  if (run.rows.length === before) refuse(run, path, nothingRecognized(sources));
  if (leftOut > 0) terminal.err(`oom diagnose: ${path}: skipped pods (healthy, no GPU): ${leftOut}.`);
}

function show({ context, format, rows }: Run, finding: Diagnosed, folder: string | undefined): void {
  const { terminal, config } = context;
  const settings = config();
  terminal.progress(undefined);
  if (format === 'text') {
    const text = drawTerminal(redactScreen(settings, card({ ...finding, evidence: 'full', folder })), terminal);
    terminal.out(rows.some(isFinding) ? `\n${text}` : text);
  } else sayData(terminal, format, redactScreen(settings, verdictJson(finding)));
  rows.push({ kind: 'finding', ...finding });
}

const isFinding = ({ kind }: SummaryRow) => kind === 'finding';

function refuse(run: Run, path: string, fault: OomError): void {
  const { terminal } = run.context;
  terminal.progress(undefined);
  const about = path === STDIN || fault.message.includes(path) ? '' : `${path}: `;
  terminal.err(`oom diagnose: ${about}${fault.message} ${fault.next} (${fault.code})`);
  run.rows.push({ kind: 'fault', id: path, says: fault.message });
  run.exit = Math.max(run.exit, exitOf(fault.code));
}

// What any text gives: guesses by its words, and that something is not in it.
const OF_ANY_TEXT = /^(?:guess|lasting|failure)\./;
const NOT_THERE: ReadonlySet<unknown> = new Set([false, 'none', 'nothing', 'nothing-seen']);

// Any text could be a log, so at least one line has to be known.
function isRecognized({ facts }: Diagnosed): boolean {
  return [...facts].some(([id, fact]) => fact.kind === 'known' && !OF_ANY_TEXT.test(id) && !NOT_THERE.has(fact.value));
}

// Text that only kubectl prints, with a failure in it or without.
async function isStatus(source: SnapshotSource): Promise<boolean> {
  return (await source.list()).some((name) => name === 'describe.txt' || name === 'events.json');
}

function nothingRecognized(sources: readonly SnapshotSource[]): OomError {
  const what = sources.length === 1 ? 'No line is' : `No line of its ${sources.length} logs is`;
  return new OomError('no-folder', `${what} from an engine, Kubernetes, the kernel or a GPU tool that oombot knows.`, {
    next: 'Get the log of the engine: `kubectl logs --previous POD`.',
  });
}
