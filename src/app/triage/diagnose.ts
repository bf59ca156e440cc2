import { ADVICE_FACTS } from '../../budget/advice-facts.ts';
import type { ProfileBook } from '../../budget/profiles.ts';
import type { Readings } from '../../facts/derive-facts.ts';
import { deriveFacts } from '../../facts/derive-facts.ts';
import { readStartupFigures } from '../../facts/engine/startup-figures.ts';
import { variablesOf } from '../../facts/evidence/container-variables.ts';
import { gatherEvidence } from '../../facts/evidence/evidence.ts';
import { readStartTime } from '../../facts/when/start-time.ts';
import type { Facts } from '../../model/fact.ts';
import { parseJsonFile } from '../../model/json-file.ts';
import type { LogReading } from '../../model/log-reading.ts';
import type { NotRead } from '../../model/snapshot.ts';
import { FIXED_FILES, IncidentFile, parseLogName } from '../../model/snapshot.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { readModelConfig } from '../../read/engine/model-config.ts';
import { withoutComments } from '../../read/engine/shell-words.ts';
import type { CompiledSignatures } from '../../read/log/compile.ts';
import { createLogScanner } from '../../read/log/scanner.ts';
import { onlyMetrics } from '../../read/metrics/metrics-text.ts';
import { readSeriesFile } from '../../read/metrics/series.ts';
import type { EngineEvidence } from '../budget/budget.ts';
import { withAdvice } from '../budget/fit-advice.ts';
import { profileOfFinding } from '../budget/profile-of-finding.ts';
import type { SnapshotSource } from '../ports.ts';
import type { Diagnosed } from './investigate.ts';

type Breathe = () => Promise<void>;

// A terminal has nothing else to do meanwhile.
const uninterrupted: Breathe = async () => {};

export type DiagnoseDeps = {
  readonly signatures: CompiledSignatures;
  /** The walk through the playbook in force: facts in, diagnosis out. */
  readonly judge: (facts: Facts, id: string) => Diagnosis;
  /** The profiles in force, which bound what is proposed; without them no value is proposed that has to be computed. */
  readonly book?: ProfileBook | undefined;
  /** Awaited before each piece of heavy work, see `Clock`. */
  readonly breathe?: Breathe | undefined;
};

// People paste lines of a log and notes into these; args.txt only quotes what the engine was told.
const SCANNED_TEXTS = ['metrics.txt', 'nvidia-smi.txt', 'describe.txt', 'kernel.txt'];

/** Reads a snapshot, small files whole and logs as streams, derives the facts and walks the playbook. A strange or empty folder gives plane unknown, never a throw. */
export async function diagnoseSource(source: SnapshotSource, deps: DiagnoseDeps): Promise<Diagnosed> {
  const { breathe = uninterrupted } = deps;
  const readings = await readSnapshot(source, deps.signatures, breathe);
  const evidence = await deriveEvidence(readings, deps.book, breathe);
  const { facts } = evidence;
  const diagnosis = withProfile(deps.judge(facts, source.id), evidence, deps.book);
  return { diagnosis, facts, ...readAside(readings.texts) };
}

function withProfile(diagnosis: Diagnosis, evidence: EngineEvidence, book: ProfileBook | undefined): Diagnosis {
  const profile = book && profileOfFinding(diagnosis.verdict, evidence, book);
  return profile === undefined ? diagnosis : { ...diagnosis, profile };
}

/** The facts of a snapshot, for cases that name a folder. */
export async function readFacts(
  source: SnapshotSource,
  signatures: CompiledSignatures,
  book?: ProfileBook,
): Promise<Facts> {
  return (await readEngineEvidence(source, signatures, book)).facts;
}

/** The facts of a snapshot, the arguments of the engine in it, and what is found in it. */
export async function judgeEngine(source: SnapshotSource, deps: DiagnoseDeps): Promise<EngineEvidence> {
  const evidence = await readEngineEvidence(source, deps.signatures, deps.book, deps.breathe);
  return { ...evidence, verdict: deps.judge(evidence.facts, source.id).verdict };
}

/** The facts of a snapshot, and the arguments of the engine in it. */
export async function readEngineEvidence(
  source: SnapshotSource,
  signatures: CompiledSignatures,
  book?: ProfileBook,
  breathe: Breathe = uninterrupted,
): Promise<EngineEvidence> {
  return deriveEvidence(await readSnapshot(source, signatures, breathe), book, breathe);
}

async function deriveEvidence(
  readings: Readings,
  book: ProfileBook | undefined,
  breathe: Breathe,
): Promise<EngineEvidence> {
  await breathe();
  const evidence = gatherEvidence(readings);
  await breathe();
  const config = readings.texts.get('config.json');
  const told = {
    ...(config === undefined ? {} : { model: readModelConfig(config) }),
    facts: await stepByStep(deriveFacts(readings, evidence, ADVICE_FACTS), breathe),
    args: evidence.args,
    figures: readStartupFigures(evidence),
    variables: variablesOf(evidence),
    start: readStartTime(evidence),
  };
  return book === undefined ? told : { ...told, facts: withAdvice(told, book) };
}

async function stepByStep<T>(steps: Generator<void, T>, breathe: Breathe): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await breathe();
  }
}

async function readSnapshot(
  source: SnapshotSource,
  signatures: CompiledSignatures,
  breathe: Breathe,
): Promise<Readings> {
  const texts = new Map<string, string>();
  const logs: LogReading[] = [];
  const unreadable: NotRead[] = [];
  for (const file of await listFiles(source, unreadable)) {
    try {
      if (parseLogName(file) !== undefined) {
        await breathe();
        logs.push(await scanLog(source, file, signatures));
      } else if (FIXED_FILES.includes(file)) {
        const text = evidenceIn(file, await source.read(file));
        texts.set(file, text);
        if (SCANNED_TEXTS.includes(file)) logs.push(scanText(file, text, signatures));
      }
    } catch {
      unreadable.push({ item: file, reason: 'failed', detail: 'file not readable' });
    }
  }
  return { texts, logs, unreadable };
}

async function listFiles(source: SnapshotSource, unreadable: NotRead[]): Promise<readonly string[]> {
  try {
    return (await source.list()).toSorted();
  } catch {
    unreadable.push({ item: 'all files', reason: 'failed', detail: 'evidence folder not readable' });
    return [];
  }
}

async function scanLog(source: SnapshotSource, file: string, signatures: CompiledSignatures): Promise<LogReading> {
  const scanner = createLogScanner(signatures, { file });
  for await (const chunk of source.open(file)) scanner.push(chunk);
  return scanner.finish();
}

// In all other files a line that begins with `#` is text like any other.
function evidenceIn(file: string, text: string): string {
  if (file === 'metrics.txt') return onlyMetrics(text);
  return file === 'args.txt' ? withoutComments(text) : text;
}

function scanText(file: string, text: string, signatures: CompiledSignatures): LogReading {
  const scanner = createLogScanner(signatures, { file });
  scanner.push(new TextEncoder().encode(text));
  return scanner.finish();
}

// What the report needs besides the diagnosis.
function readAside(texts: ReadonlyMap<string, string>): Pick<Diagnosed, 'capture' | 'series'> {
  const incident = parseJsonFile(IncidentFile, texts.get('incident.json') ?? '');
  const series = readSeriesFile(texts.get('series.json') ?? '');
  return {
    capture: incident.kind === 'value' ? incident.value.capture : undefined,
    series: series.kind === 'value' ? series.value : undefined,
  };
}
