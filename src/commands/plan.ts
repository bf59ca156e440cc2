import type { Evidence, MadeDraft } from '../app/acting/plan/make-plan.ts';
import { type PlanRequest, parsePlanRequest } from '../app/acting/plan/plan-request.ts';
import { OomError } from '../model/errors.ts';
import type { Unresolved } from '../model/unresolved.ts';
import { planRefused } from '../report/acting-words.ts';
import { planCommands, planPage } from '../report/plan-page.ts';
import { visible } from '../report/terminal/text-width.ts';
import { drawTerminal } from '../report/terminal.ts';
import { EXIT, type Terminal } from './terminal.ts';
import { sayUnresolved } from './triage.ts';

export type PlanCommandDeps = {
  readonly terminal: Terminal;
  /** What a triage has found: by the id of an incident out of the store, else by a pod, which is read now. */
  readonly evidence: (
    what: string,
  ) => Promise<(Evidence & { readonly incidentId: string; readonly kind: 'evidence' }) | Unresolved>;
  readonly draft: (evidence: Evidence & { readonly incidentId: string }, request: PlanRequest) => Promise<MadeDraft>;
  /** Takes secrets out: screens are shared, and what is printed here is pasted into chats. */
  readonly redact: <T>(value: T) => T;
};

/** `oom plan INCIDENT|POD [action] [--flag=value]`: prints the change, the way back, and the commands; writes nothing. */
export async function planCommand(
  { terminal, evidence, draft, redact }: PlanCommandDeps,
  words: readonly string[],
  options: { readonly json: boolean },
): Promise<number> {
  const parsed = parsePlanRequest(words.join(' '));
  if (parsed.kind === 'wrong') {
    throw new OomError('bad-input', parsed.says, { next: '`oom plan --help` shows examples.' });
  }
  const { request } = parsed;
  const found = await evidence(request.incidentId);
  if (found.kind !== 'evidence') {
    return sayUnresolved(terminal, found);
  }
  const drafted = await draft(found, request);
  const made = redact(drafted);
  if (made.kind === 'refused') {
    const { says, next, paste } = made;
    if (options.json) terminal.out(JSON.stringify({ kind: 'refused', says, next, paste }));
    else terminal.err(draw(terminal, planRefused(says, next, null)));
    if (!options.json && paste !== null) terminal.out(visible(paste));
    return EXIT.failed;
  }
  if (options.json) terminal.out(JSON.stringify({ kind: 'plan', plan: made.draft }));
  else print(terminal, made.draft, JSON.stringify(made) !== JSON.stringify(drafted));
  return EXIT.ok;
}

const LEFT_OUT = 'Secrets are left out: where it says [redacted:…], put the value back before you run a command.';

function print(terminal: Terminal, plan: Extract<MadeDraft, { kind: 'draft' }>['draft'], isRedacted: boolean): void {
  const { bold } = terminal.paint;
  const { forward, back } = planCommands(plan);
  const lines = [
    draw(terminal, planPage(plan)),
    '',
    bold('Difference'),
    ...paintDiff(terminal, plan.diff),
    '',
    bold('By hand, in this order'),
    ...forward.map(visible),
    '',
    bold('The way back'),
    ...(back.length === 0 ? ['# nothing is written'] : back.map(visible)),
    '',
    ...(isRedacted ? [terminal.paint.yellow(LEFT_OUT)] : []),
    terminal.paint.dim('Not tried against the API server; the bot does that before it shows a button.'),
    terminal.paint.dim('`plan <incident>` in Slack makes one that can be approved: by its button, or by its id here.'),
  ];
  terminal.out(lines.join('\n'));
}

function paintDiff({ paint }: Terminal, diff: string): string[] {
  const lines = visible(diff)
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length === 0) return ['no field of the workload changes'];
  return lines.map((line) =>
    line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line,
  );
}

function draw({ width, paint: colour, unicode }: Terminal, message: Parameters<typeof drawTerminal>[0]): string {
  return drawTerminal(message, { width, colour, unicode });
}
