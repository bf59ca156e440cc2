import type { EngineArgument, EngineReading } from '../../model/engine-reader.ts';
import { type Placed, parseJsonFile, RevisionsFile } from '../../model/json-file.ts';
import { type Event, Node } from '../../model/kubernetes.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { IncidentFile, parseLogName, type SeriesFile } from '../../model/snapshot.ts';
import { classifyDeath, type DeathClass } from '../../read/cluster/classify-death.ts';
import { type ContainerSpecReading, readContainerSpec } from '../../read/cluster/container-spec.ts';
import { type DeathReading, exitCodeOf, hasFailed, readDeath } from '../../read/cluster/death.ts';
import { firstOf, gatherPod, type PodEvidence } from '../../read/cluster/gather.ts';
import { type LastRollout, readLastRollout } from '../../read/cluster/last-rollout.ts';
import { type NodeReading, readNode } from '../../read/cluster/node.ts';
import { type NodeKills, readNodeKills } from '../../read/cluster/node-kills.ts';
import { readArguments } from '../../read/engine/arguments.ts';
import { printedArguments } from '../../read/engine/figures.ts';
import { type MemoryAccount, readAccount } from '../../read/engine/memory-account.ts';
import {
  namingWords,
  ofEntrypoint,
  type Program,
  readProgramWords,
  splitScripts,
} from '../../read/engine/program-words.ts';
import { type KernelKill, type KernelReading, readKernel, type Whose } from '../../read/kernel/kernel.ts';
import { withoutHandled } from '../../read/log/handled-lines.ts';
import { lastRun } from '../../read/log/last-run.ts';
import type { MetricsTextReading } from '../../read/metrics/metrics-text.ts';
import { readSeriesFile } from '../../read/metrics/series.ts';
import { unknown } from '../../read/reading.ts';
import { readNvidiaSmi, type SmiReading } from '../../read/tools/nvidia-smi.ts';
import { chooseLogs, type LogChoice } from '../log/choose-logs.ts';
import { dateLogs } from '../log/date-logs.ts';
import type { Readings } from '../log/readings.ts';
import { isOnProcessor, type Machine } from './cpu-engine.ts';
import { readEngineOf } from './infer-engine.ts';
import { whoseKill } from './kill-owner.ts';
import { sortNotes } from './line-owners.ts';
import { withoutRefusedEvents } from './refused-events.ts';
import { contentOf, defined, textOf } from './snapshot-files.ts';
import { readOwnMetrics, readStatus, sortLines, withoutOthers } from './status-texts.ts';
import type { Weighing } from './weigh.ts';
import { weigh } from './weighing.ts';

/** What each reader makes of a snapshot; the groups of facts are derived from this and nothing else. */
export type Evidence = {
  readonly readings: Readings;
  readonly incident: IncidentFile | undefined;
  readonly pod: PodEvidence;
  readonly death: DeathReading;
  readonly kubernetes: DeathClass;
  readonly spec: ContainerSpecReading;
  /** What names the program that ran: the words of the container's command and of args.txt, and the image. */
  readonly program: Program;
  readonly node: NodeReading | undefined;
  readonly nodeKills: NodeKills;
  readonly rollout: LastRollout | undefined;
  readonly kernel: KernelReading | undefined;
  readonly smi: SmiReading | undefined;
  readonly metrics: MetricsTextReading | undefined;
  readonly series: SeriesFile | undefined;
  readonly log: LogChoice;
  readonly weighing: Weighing;
  readonly engine: EngineReading;
  readonly args: readonly EngineArgument[];
  readonly account: MemoryAccount | undefined;
};

/** Reads all files of a snapshot. Never throws: a file that cannot be read gives nothing. */
export function gatherEvidence(given: Readings): Evidence {
  const { texts } = given;
  const incident = contentOf(textOf(texts, 'incident.json', (text) => parseJsonFile(IncidentFile, text)));
  const takenAt = incident?.capture?.takenAt;
  const status = readStatus(given);
  const own = readOwnMetrics(given, status);
  const named = sortLines(given, status, own);
  const pod = gatherPod(status);
  const death = readDeath(pod, takenAt);
  const handled = (log: LogReading) => withoutHandled(log, hasFailed(parseLogName(log.file), death));
  const readings = { ...given, logs: given.logs.map((log) => withoutOthers(handled(log), named.get(log.file))) };
  const kubernetes = classifyDeath(pod, death, takenAt);
  const logs = withoutRefusedEvents(readings.logs, pod, kubernetes);
  const spec = readContainerSpec(pod, containerOf(death));
  const program = readProgram(spec, texts.get('args.txt'));
  const whose = whoseKill({ pod, death, program });
  const kernel = textOf(texts, 'kernel.txt', (text) => readKernel(text, whose));
  const rows = sortNotes({ describeText: texts.get('describe.txt'), whose, kernel, pod, named });
  const log = chooseLogs(dateLogs(logs, death, takenAt), death, rows);
  const told = readArguments({
    commandWords: ofEntrypoint(spec),
    env: spec.env,
    ...defined('argsText', texts.get('args.txt')),
    ...defined('log', log.main),
  });
  const engine = readEngineOf({ incident, pod, spec, program, log, args: told, metrics: own?.metrics });
  return {
    readings,
    incident,
    pod,
    death,
    kubernetes,
    spec,
    program,
    log,
    args: [...told, ...printedArguments(engine, told)],
    ...readSurroundings(readings, {
      events: status.events,
      host: firstOf(pod, (view) => view.node)?.value,
      whose,
    }),
    rollout: rolloutIn(texts, {
      labels: pod.views[0]?.labels,
      container: containerOf(death),
      pod: pod.views[0],
      limit: spec.memoryLimit,
    }),
    ...readTexts(texts),
    metrics: own?.metrics,
    kernel,
    weighing: weigh(log, machineOf({ program, spec, args: told, incident }), exitCodeOf(death)),
    engine,
    account: accountIn(log),
  };
}

// A run that was OOMKilled while it loaded has no account; the run before or after it may have the first cause.
function accountIn({ main, before, next }: LogChoice): MemoryAccount | undefined {
  const runs = [main, before, next].filter((run) => run !== undefined);
  const run = runs.find((one) => readAccount(one) !== undefined) ?? main;
  return run && readAccount(run);
}

/** The same snapshot looked at from another run of the container: its log decides, the status of the death does not. */
export function evidenceOfRun(evidence: Evidence, run: LogReading): Evidence {
  const log: LogChoice = { ...evidence.log, main: lastRun(run), whole: run };
  return {
    ...evidence,
    log,
    death: { kind: 'none', engine: evidence.death.engine, detail: 'of another run' },
    weighing: weigh(log, machineOf(evidence), undefined),
    engine: readEngineOf({ ...evidence, log }),
    kubernetes: { ...evidence.kubernetes, readiness: unknown('not-in-snapshot', 'of another run') },
  };
}

/** Whether the log is that of an instance that runs now. */
export function isRunning({ log, death }: Pick<Evidence, 'log' | 'death'>): boolean {
  return death.kind === 'none' && parseLogName(log.main?.file ?? '')?.instance === 'current';
}

/** Whether vLLM runs on the processor: what it calls device memory is RAM then. */
export function isOfProcessor(evidence: Evidence): boolean {
  const { main, whole } = evidence.log;
  return isOnProcessor((whole ?? main)?.hits ?? [], machineOf(evidence));
}

function machineOf({
  program,
  spec,
  args,
  incident,
}: Pick<Evidence, 'program' | 'spec' | 'args' | 'incident'>): Machine {
  return {
    image: program.image?.value,
    noted: incident?.engine ?? undefined,
    variables: [...spec.env.map(({ name }) => name), ...args.map(({ flag }) => flag)],
  };
}

type Around = {
  readonly events: readonly Placed<Event>[] | undefined;
  readonly host: string | undefined;
  readonly whose: (kill: KernelKill) => Whose;
};

function readSurroundings({ texts }: Readings, { events = [], host, whose }: Around) {
  const node = contentOf(textOf(texts, 'node.json', (text) => parseJsonFile(Node, text)));
  return {
    node: node === undefined ? undefined : readNode(node),
    nodeKills: readNodeKills(events, node?.metadata?.name ?? host, whose),
  };
}

function containerOf(death: DeathReading): string | undefined {
  return death.kind === 'death' ? death.death.container : death.engine;
}

function rolloutIn(texts: Readings['texts'], of: Parameters<typeof readLastRollout>[1]): LastRollout | undefined {
  const revisions = contentOf(textOf(texts, 'revisions.json', (text) => parseJsonFile(RevisionsFile, text)));
  return revisions === undefined ? undefined : readLastRollout(revisions, of);
}

function readTexts(texts: Readings['texts']) {
  return {
    smi: textOf(texts, 'nvidia-smi.txt', readNvidiaSmi),
    series: contentOf(textOf(texts, 'series.json', readSeriesFile)),
  };
}

// What the cluster says goes before args.txt.
function readProgram(spec: ContainerSpecReading, argsText: string | undefined): Program {
  const given = argsText === undefined ? undefined : readProgramWords(argsText);
  return {
    words: [...spec.words, ...(given?.words ?? [])],
    naming: [...namingWords(splitScripts(spec.words)), ...(given?.words ?? [])],
    image: spec.image ?? given?.image,
  };
}
