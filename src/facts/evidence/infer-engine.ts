import type { Cited, EngineArgument, EngineReading } from '../../model/engine-reader.ts';
import { entryOf } from '../../model/flag-table.ts';
import { knobOf } from '../../model/knob-table.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { canonicalOf } from '../../model/metric-table.ts';
import type { IncidentFile } from '../../model/snapshot.ts';
import type { ContainerSpecReading } from '../../read/cluster/container-spec.ts';
import type { PodEvidence } from '../../read/cluster/gather.ts';
import { ENGINE_READERS, readEngine } from '../../read/engine/index.ts';
import { startsHelper } from '../../read/engine/program-names.ts';
import { ofEntrypoint, type Program } from '../../read/engine/program-words.ts';
import type { MetricsTextReading } from '../../read/metrics/metrics-text.ts';

export type EngineSources = {
  readonly incident: IncidentFile | undefined;
  readonly pod: PodEvidence;
  readonly spec: ContainerSpecReading;
  readonly program: Program;
  readonly log: { readonly main: LogReading | undefined };
  readonly args: readonly EngineArgument[];
  readonly metrics: MetricsTextReading | undefined;
};

/** The engine by what names it; where nothing does, by its metrics or its flags. */
export function readEngineOf(sources: EngineSources): EngineReading {
  const { incident, pod, spec, program, log } = sources;
  const input = {
    image: program.image?.value,
    imageFrom: program.image?.from,
    command: program.naming.map((word) => word.value),
    labels: pod.views[0]?.labels ?? {},
    declared: incident?.engine ?? undefined,
    logs: log.main === undefined ? [] : [log.main],
    argumentWords: ofEntrypoint(spec),
  };
  const named = readEngine(input);
  const inferred = named.engine === 'unknown' ? inferEngine(sources) : undefined;
  return inferred === undefined ? named : readEngine({ ...input, declared: inferred.value });
}

/** The engine that alone has these metrics, or these flags. */
export function inferEngine(sources: Pick<EngineSources, 'program' | 'args' | 'metrics'>): Cited<string> | undefined {
  return byMetrics(sources.metrics) ?? (isOfHelper(sources.program) ? undefined : byFlags(sources.args));
}

// What is sent to engines names their flags too.
function isOfHelper({ naming }: Program): boolean {
  return naming.some(({ value }) => startsHelper(value));
}

// Names without an engine in front are of libraries that several have.
function byMetrics(metrics: MetricsTextReading | undefined): Cited<string> | undefined {
  const engines = ENGINE_READERS.map(({ engine }) => engine);
  for (const { name, from } of metrics?.samples ?? []) {
    const [known, ...others] = new Set(canonicalOf(name).map(({ series }) => series.engine));
    if (known !== undefined && others.length === 0 && engines.includes(known) && !/^http_/.test(name)) {
      return { value: known, from };
    }
  }
  return undefined;
}

// One flag may be that of any program: two are needed, or one that sets the memory of the engine.
function byFlags(args: readonly EngineArgument[]): Cited<string> | undefined {
  const own = args.flatMap(({ flag, from }) => {
    const [engine, ...others] = ENGINE_READERS.filter(
      (reader) => entryOf(reader.engine, flag)?.engine === reader.engine,
    );
    return engine === undefined || others.length > 0 ? [] : [{ value: engine.engine, from, flag }];
  });
  const [first] = own;
  if (first === undefined || own.some(({ value }) => value !== first.value)) return undefined;
  const isSure = new Set(own.map(({ flag }) => flag)).size > 1 || knobOf(first.value, first.flag) !== undefined;
  return isSure ? { value: first.value, from: first.from } : undefined;
}
