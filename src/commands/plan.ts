import { contextOf, type Evidence, type MadeDraft, makeDraft } from '../app/acting/plan/make-plan.ts';
import { type PlanRequest, parsePlanRequest } from '../app/acting/plan/plan-request.ts';
import { planTarget } from '../app/acting/plan/plan-target.ts';
import { wrongKindOfId } from '../app/id-kinds.ts';
import type { Config } from '../config.ts';
import { OomError } from '../model/errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Unresolved } from '../model/unresolved.ts';
import { planRefused } from '../report/acting-words.ts';
import { planCommands, planDetails, planPage } from '../report/plan-page.ts';
import { visible } from '../report/terminal/text-width.ts';
import { drawTerminal } from '../report/terminal.ts';
import { snapshotSource } from '../snapshot/source.ts';
import { planSettings } from '../wire/acting-settings.ts';
import type { DurableStore } from '../wire/open-store.ts';
import { loadProfiles } from '../wire/profiles.ts';
import { VERSION } from '../wire/version.ts';
import { collectPod, sayUnresolved, tools, userName, withClusters } from './clusters.ts';
import { type CommandContext, dirsOf } from './context.ts';
import { redactScreen } from './folder.ts';
import { orTakesNoFolder } from './folder-words.ts';
import { type FormatOptions, formatOf, sayData } from './output-format.ts';
import { type PodOptions, podWords } from './pod-words.ts';
import { EXIT, type Terminal } from './terminal.ts';
import { withStore } from './with-store.ts';

type Options = PodOptions & FormatOptions;

const INCIDENT = /^inc_\w+$/;

/** `oom plan INCIDENT|POD [action] [--flag=value]`: prints the change, its rollback and the commands; changes nothing. It reads with the rights of this terminal, not those of the bot. */
export async function runPlan(context: CommandContext, words: readonly string[], options: Options): Promise<number> {
  const parsed = parsePlanRequest(words.join(' '));
  if (parsed.kind === 'wrong')
    throw new OomError('bad-input', parsed.says, { next: 'For examples, type `oom plan --help`.' });
  const { request } = parsed;
  const plan = (store?: DurableStore) => planFrom(context, { request, options, store });
  if (!INCIDENT.test(request.incidentId)) return plan();
  return withStore(context.config().store, plan, () => {
    throw notStored(request.incidentId);
  });
}

type Asked = {
  readonly request: PlanRequest;
  readonly options: Options;
  /** The store of an incident; undefined for a pod. */
  readonly store: DurableStore | undefined;
};

async function planFrom(context: CommandContext, { request, options, store }: Asked): Promise<number> {
  const { terminal } = context;
  const config = context.config();
  const knowledge = await context.knowledge();
  return await withClusters(readingEverywhere(config), knowledge, async (clusters) => {
    const read = async (incidentId: string, snapshot: Snapshot) => {
      const target = planTarget(snapshot);
      if (target === undefined) throw noOwner();
      const finding = await knowledge.diagnose(snapshotSource(snapshot));
      return { kind: 'evidence' as const, incidentId, snapshot, target, finding };
    };
    const evidence = async (
      what: string,
    ): Promise<(Evidence & { kind: 'evidence'; incidentId: string }) | Unresolved> => {
      if (store !== undefined) return read(what, await storedSnapshot(store, what));
      refuseOtherId(what);
      const collected = await orTakesNoFolder([what], planElsewhere, () =>
        collectPod(context, clusters, podWords([what], options)),
      );
      return collected.kind === 'collected' ? read('none', collected.snapshot) : collected;
    };
    const found = await evidence(request.incidentId);
    if (found.kind !== 'evidence') return sayUnresolved(terminal, found);
    const deps = {
      acts: store ?? { runsOf: async () => [], plan: async () => undefined },
      clusters: clusters.acting,
      settings: planSettings(config),
      clock: tools.clock,
      version: VERSION,
      sources: {
        engine: (snapshot: Snapshot) => knowledge.engine(snapshotSource(snapshot)),
        book: () => loadProfiles(dirsOf(context)),
        history: clusters.history,
        supply: clusters.supply,
        gauges: clusters.gauges,
      },
    };
    const { incidentId } = found;
    const asked = { incidentId, request, context: contextOf(deps, incidentId, userName()) };
    return show(terminal, config, await makeDraft(deps, found, asked), options);
  });
}

// Secrets are taken out: screens are shared, and what is printed here is pasted into chats.
function show(terminal: Terminal, config: Config, drafted: MadeDraft, options: Options): number {
  const format = formatOf(options);
  const made = redactScreen(config, drafted);
  if (made.kind === 'refused') {
    const { says, next, paste } = made;
    if (format !== 'text') sayData(terminal, format, { kind: 'refused', says, next, paste });
    else terminal.err(drawTerminal(planRefused(says, next, null), terminal));
    if (format === 'text' && paste !== null) terminal.out(visible(paste));
    return EXIT.failed;
  }
  if (format !== 'text') sayData(terminal, format, { kind: 'plan', plan: made.draft });
  else print(terminal, made.draft, JSON.stringify(made) !== JSON.stringify(drafted));
  return EXIT.ok;
}

const LEFT_OUT = 'Secrets are hidden: replace [redacted:…] before you run a command.';

function print(terminal: Terminal, plan: Extract<MadeDraft, { kind: 'draft' }>['draft'], isRedacted: boolean): void {
  const { bold, dim, yellow } = terminal.paint;
  const { forward, back } = planCommands(plan);
  const lines = [
    drawTerminal(planPage(plan), terminal),
    '',
    bold('Diff'),
    ...paintDiff(terminal, plan.diff),
    '',
    drawTerminal(planDetails(plan), terminal),
    '',
    bold('Commands, in this order'),
    ...forward.map(visible),
    '',
    bold('Rollback commands'),
    ...(back.length === 0 ? ['# nothing to roll back'] : back.map(visible)),
    '',
    ...(isRedacted ? [yellow(LEFT_OUT)] : []),
    dim('Not tested against the API server; the bot does that before it proposes a plan.'),
    dim('To get a plan to approve, type /oom plan INCIDENT in Slack.'),
  ];
  terminal.out(lines.join('\n'));
}

function paintDiff({ paint }: Terminal, diff: string): string[] {
  const lines = visible(diff)
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length === 0) return ['no workload field changes'];
  return lines.map((line) =>
    line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line,
  );
}

// A printed plan needs no permission to act, and only the identity of the user.
function readingEverywhere(config: Config): Config {
  return { ...config, clusters: config.clusters.map((cluster) => ({ ...cluster, acting: {} })) };
}

async function storedSnapshot(store: DurableStore, incidentId: string): Promise<Snapshot> {
  const latest = (await store.findings(incidentId)).at(-1);
  const snapshot = latest === undefined ? undefined : await store.snapshot(latest.snapshotId);
  if (snapshot !== undefined) return snapshot;
  throw notStored(incidentId);
}

function notStored(incidentId: string): OomError {
  return new OomError('not-found', `No evidence of incident ${incidentId} in the store.`, {
    next: 'List open incidents with `oom status`, or name a pod: `oom plan llm/vllm-0`.',
  });
}

function refuseOtherId(word: string): void {
  const other = wrongKindOfId(word, { wanted: 'incident', command: 'oom' });
  if (other !== undefined) throw new OomError('bad-input', other.says, { next: other.next });
}

// A plan needs the current workload, which no folder has.
function planElsewhere(folder: string) {
  return {
    takes: '`oom plan` takes a pod or a stored incident',
    next: `\`oom explain ${folder}\` shows what to do, \`oom budget ${folder} --profile conservative\` what a profile would set.`,
  };
}

function noOwner(): OomError {
  return new OomError('not-found', 'The pod has no owner in the evidence, so there is no workload to change.', {
    next: 'Change a bare pod by hand: `oom triage` shows what it needs.',
  });
}
