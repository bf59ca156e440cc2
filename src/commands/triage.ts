import { wrongKindOfId } from '../app/id-kinds.ts';
import { formatPodQuery, parsePodQuery } from '../app/pod-query.ts';
import type { PodQuery, Progress, ProgressStep } from '../app/ports.ts';
import type { InvestigateRequest, Investigation } from '../app/triage/investigate.ts';
import type { RecordedFinding } from '../app/triage/record-finding.ts';
import { OomError } from '../model/errors.ts';
import type { Unresolved } from '../model/unresolved.ts';
import { card } from '../report/card.ts';
import { unresolved } from '../report/notices.ts';
import { drawTerminal } from '../report/terminal.ts';
import { verdictJson } from '../report/verdict-json.ts';
import { EXIT, type Terminal } from './terminal.ts';

export type TriageCommandDeps = {
  readonly terminal: Terminal;
  readonly user: string;
  readonly investigate: (request: InvestigateRequest) => Promise<Investigation>;
  /** Stores the finding with its incident; undefined where there is no store. Its faults are warnings here. */
  readonly record: ((found: Extract<Investigation, { kind: 'done' }>) => Promise<RecordedFinding>) | undefined;
};

/** `oom triage POD`: the whole way against the cluster, drawn like the card in Slack. */
export async function triageCommand(
  deps: TriageCommandDeps,
  words: readonly string[],
  options: { json: boolean },
): Promise<number> {
  const { terminal } = deps;
  const query = queryOf(words);
  const found = await deps.investigate({
    query,
    actor: { place: 'terminal', user: deps.user },
    progress: progressLine(terminal, query),
  });
  terminal.progress(undefined);
  if (found.kind !== 'done') return sayUnresolved(terminal, found);
  const recorded = await record(deps, found);
  if (options.json) {
    terminal.out(JSON.stringify(verdictJson(found.finding)));
    return EXIT.ok;
  }
  const message = card({
    ...found.finding,
    incident: recorded?.incident,
    snapshot: found.snapshot,
    evidence: found.evidence,
  });
  terminal.out(drawTerminal(message, { width: terminal.width, colour: terminal.paint, unicode: terminal.unicode }));
  return EXIT.ok;
}

async function record(
  deps: TriageCommandDeps,
  found: Extract<Investigation, { kind: 'done' }>,
): Promise<RecordedFinding | undefined> {
  try {
    return await deps.record?.(found);
  } catch (thrown) {
    const why = thrown instanceof OomError ? `${thrown.message} ${thrown.next}` : 'the store failed.';
    deps.terminal.err(deps.terminal.paint.yellow(`The finding is not stored: ${why}`));
    return undefined;
  }
}

/** Words of the command line as one query. Throws OomError `bad-input` where they name no pod. */
export function queryOf(words: readonly string[]): PodQuery {
  const parsed = parsePodQuery(words.join(' '));
  if (parsed.kind === 'query') return parsed.query;
  const other = parsed.kind === 'unclear' ? wrongKindOfId(parsed.word, { wanted: 'pod', command: 'oom' }) : undefined;
  if (other !== undefined) throw new OomError('bad-input', other.says, { next: other.next });
  throw new OomError(
    'bad-input',
    parsed.kind === 'empty' ? 'Which pod?' : `\u201c${parsed.word}\u201d is no name that Kubernetes knows.`,
    {
      next: 'A pod is written `[cluster/][namespace/]pod [container]`; a line of `kubectl get pods` will do too.',
    },
  );
}

const WORDS: Readonly<Record<ProgressStep, string>> = {
  'find-pod': 'looking for the pod',
  'read-status': 'reading status and events',
  'read-logs': 'reading logs',
  'read-metrics': 'reading metrics',
  judge: 'walking the playbook',
};

/** One line on a terminal that says what is being read. */
export function progressLine(terminal: Terminal, query: PodQuery): Progress {
  return (step, status, detail) => {
    if (status === 'running')
      terminal.progress(`${formatPodQuery(query)}: ${WORDS[step]}${detail === undefined ? '' : ` (${detail})`} …`);
  };
}

/** What could not be resolved, in words on stderr, with the exit code for scripts. */
export function sayUnresolved(terminal: Terminal, found: Unresolved): number {
  const message = unresolved(found, 'oom');
  terminal.err(drawTerminal(message, { width: terminal.width, colour: terminal.paint, unicode: terminal.unicode }));
  return found.kind === 'forbidden' || found.kind === 'refused' ? EXIT.notAllowed : EXIT.notFound;
}
