import fc from 'fast-check';
import { checkDirection } from '../../src/actions/guards.ts';
import { diagnoseSource } from '../../src/app/triage/diagnose.ts';
import { flagOf } from '../../src/model/flag-table.ts';
import { type Knob, knobOf } from '../../src/model/knob-table.ts';
import type { Diagnosis, Remedy } from '../../src/model/verdict.ts';
import { readerOf } from '../../src/read/engine/index.ts';
import { ENGINES, type Engine, moves, tableName, withoutCommands } from './remedy-engines.ts';
import { aSnapshot, BOOK, COMPILED_SIGNATURES, judge, SIGNATURES } from './shipped.ts';

/** A signature as an engine of some version printed it, with what may stand around it. */
export type Printed = {
  readonly id: string;
  readonly line: string;
  readonly engine: Engine;
  readonly version: string | undefined;
  readonly uptime: string | undefined;
  readonly extra: readonly string[];
};

const OWN_ENGINE: Readonly<Record<string, string>> = { tgi: 'text-generation-inference' };
const FILES = { kernel: 'kernel.txt', 'k8s-event': 'describe.txt', 'k8s-status': 'describe.txt' } as const;

// Every line of every signature that can weigh, with the engine that prints it; a library's with each.
const LINES = SIGNATURES.filter(({ weight, plane }) => weight !== 'context' && plane !== 'unknown').flatMap(
  (signature) => {
    const own = ENGINES.filter(({ name }) => name === (OWN_ENGINE[signature.engine] ?? signature.engine));
    return signature.must.flatMap((line) =>
      (own.length > 0 ? own : ENGINES).map((engine) => ({
        id: signature.id,
        line,
        engine,
        where: signature.where,
      })),
    );
  },
);

// What an account, a measurement of the engine or a killed process adds: it may decide another cause, never another way.
const EXTRAS = [
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.06 GiB is free. Including non-PyTorch memory, this process has 78.18 GiB memory in use. Of the allocated memory 74.90 GiB is allocated by PyTorch, and 1.61 GiB is reserved by PyTorch but unallocated.',
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 23.64 GiB of which 8.50 MiB is free. Including non-PyTorch memory, this process has 23.60 GiB memory in use. Of the allocated memory 23.24 GiB is allocated by PyTorch, and 67.23 MiB is reserved by PyTorch but unallocated.',
  'INFO 09-14 10:01:13 [gpu_model_runner.py:2653] Model loading took 14.9889 GiB and 40.120 seconds',
  'INFO 09-14 10:01:40 [gpu_worker.py:298] Available KV cache memory: 3.18 GiB',
  'INFO:     Application startup complete.',
  'INFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
] as const;

export const aPrinted: fc.Arbitrary<Printed & { readonly file: string }> = fc
  .record({
    of: fc.constantFrom(...LINES),
    versionAt: fc.nat({ max: 7 }),
    uptime: fc.constantFrom(undefined, 'startup', '20 minutes', '3 hours', '5 days'),
    extra: fc.subarray([...EXTRAS], { maxLength: 2 }),
  })
  .map(({ of, versionAt, uptime, extra }) => {
    const { versions } = of.engine;
    const file = FILES[of.where as keyof typeof FILES] ?? 'previous.log';
    return {
      ...of,
      file,
      version: versions[versionAt % versions.length],
      uptime,
      extra,
    };
  });

/** Each line of each signature by itself: of every engine that may print it or of one, in a version that is another for each line. */
export function allPrinted(engines: 'every-engine' | 'one'): readonly (Printed & { readonly file: string })[] {
  const byLine = Map.groupBy(LINES, ({ line }) => line);
  const lines = engines === 'every-engine' ? LINES : [...byLine.values()].flatMap((of, i) => of[i % of.length] ?? []);
  return lines.map((of, i) => ({
    ...of,
    file: FILES[of.where as keyof typeof FILES] ?? 'previous.log',
    version: of.engine.versions[i % of.engine.versions.length],
    uptime: undefined,
    extra: [],
  }));
}

export async function diagnosisOf({
  line,
  engine,
  version,
  uptime,
  extra,
  file,
}: Printed & { file: string }): Promise<Judged> {
  const log = [...extra, ...(file === 'previous.log' ? [line] : [])];
  const files = {
    ...(log.length > 0 && { 'previous.log': `${log.join('\n')}\n` }),
    ...(file !== 'previous.log' && { [file]: `${line}\n` }),
    'args.txt': `${engine.args}\n`,
    'incident.json': JSON.stringify({ engine: engine.name, engine_version: version, uptime }),
  };
  const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), {
    signatures: COMPILED_SIGNATURES,
    judge,
    book: BOOK,
  });
  const named = facts.get('engine.name');
  return { ...diagnosis, ran: named?.kind === 'known' ? String(named.value) : undefined };
}

/** A diagnosis, and the engine that it is of. */
export type Judged = Diagnosis & { readonly ran: string | undefined };

// What an engine prints in the log of a server around it makes it that engine, of a version that nobody told.
function asRan(printed: Printed, ran: string | undefined): Printed {
  const inside = ENGINES.find((engine) => tableName(engine) === ran && engine !== printed.engine);
  const isHost = readerOf(printed.engine.name)?.isHost === true;
  return isHost && inside !== undefined ? { ...printed, engine: inside, version: undefined } : printed;
}

const KNOB_WORDS: Readonly<Record<'fraction' | 'length', RegExp>> = {
  fraction:
    /gpu[-_]memory[-_]utilization|mem[-_]fraction[-_]static|cuda[-_]memory[-_]fraction|cache[-_]max[-_]entry[-_]count|free[-_]gpu[-_]memory[-_]fraction/i,
  length: /max[-_]model[-_]len|context[-_]length|max[-_]total[-_]tokens|session[-_]len/i,
};
const VERB = /\b(increas|rais|decreas|lower|reduc)\w*/gi;
const REACH = 60;

/** Which way a line itself asks to turn a knob; undefined where it does not say, or says both. */
export function asks(line: string, knob: 'fraction' | 'length'): 'up' | 'down' | undefined {
  const ways = new Set(
    [...line.matchAll(VERB)].flatMap((verb) => {
      const rest = line.slice(verb.index + verb[0].length);
      const next = rest.search(/\b(?:increas|rais|decreas|lower|reduc)|[.;](?:\s|$)/i);
      const reach = rest.slice(0, Math.min(REACH, next === -1 ? REACH : next));
      if (!KNOB_WORDS[knob].test(reach)) return [];
      return [/^(?:increas|rais)/i.test(verb[0]) ? ('up' as const) : ('down' as const)];
    }),
  );
  return ways.size === 1 ? [...ways][0] : undefined;
}

const ACTS = new Set(['stop-bleed', 'set-args', 'set-allocator', 'raise-ram', 'scale-to-zero', 'restart-drained']);
const RUNTIME = new Set(['burst', 'chronic', 'prefix-cache']);
const WAYS = ['fraction', 'length'] as const;

/** Everything that is wrong with the remedies of a diagnosis for what was printed. */
export function faultsOf(asked: Printed, { verdict, next, ran }: Judged): string[] {
  const printed = asRan(asked, ran);
  const engine = tableName(printed.engine);
  const { plane, phase, cause, remedies, finding } = verdict;
  const way = (remedy: Remedy, knob: 'fraction' | 'length') => moves(remedy, engine, knob);
  const isMemory = plane === 'gpu' || plane === 'host' || plane === 'both';
  const faults = [
    ...remedies.flatMap(({ edits, direction }) => checkDirection(edits, direction).map(({ says }) => says)),
    ...remedies.flatMap((remedy) => againstTheWay(remedy, (knob) => way(remedy, knob), { cause, plane, phase })),
    ...(isMemory
      ? []
      : remedies
          .filter(({ action, edits }) => ACTS.has(action) || edits.length > 0)
          .map(({ action }) => `offers ${action} though no memory failed`)),
    ...(printed.extra.length === 0 ? againstTheLine(printed, remedies, way) : []),
    ...remedies.flatMap(({ edits }) => edits.flatMap(({ flag }) => lacking(printed, flag))),
    ...[...remedies.map(({ says }) => says), ...next].flatMap((text) =>
      (withoutCommands(text).match(/(?<=^|[\s`"(])--[a-z][\w-]+/g) ?? []).flatMap((flag) => lacking(printed, flag)),
    ),
  ];
  return faults.map((fault) => `${printed.id} in ${engine} ${printed.version}: ${finding}: ${fault}`);
}

type Where = { readonly cause: string; readonly plane: string; readonly phase: string };

function againstTheWay(
  remedy: Remedy,
  way: (knob: 'fraction' | 'length') => string,
  { cause, plane, phase }: Where,
): string[] {
  const grown =
    plane === 'gpu' &&
    (RUNTIME.has(phase) || cause === 'gpu.startup.utilization' || cause === 'gpu.startup.shared-gpu');
  return [
    ...(cause === 'gpu.startup.kv-room' && way('fraction') === 'down'
      ? ['lowers the fraction where the pool has no room']
      : []),
    ...(grown && way('fraction') === 'up' ? ['raises the fraction where too much is taken'] : []),
    ...(way('length') === 'up' ? ['raises the length'] : []),
    ...growing(remedy),
  ];
}

const MORE: ReadonlySet<Knob> = new Set(['length', 'sequences', 'batched-tokens']);

// No failure of memory is mended by more work at once.
function growing({ edits }: Remedy): string[] {
  return edits.flatMap(({ flag, from, to }) => {
    const isMore = ENGINES.some((engine) => MORE.has(knobOf(tableName(engine), flag) ?? 'fraction'));
    return isMore && from !== null && to !== null && Number(to) > Number(from) ? [`raises ${flag}`] : [];
  });
}

function againstTheLine(
  { line }: Printed,
  remedies: readonly Remedy[],
  way: (remedy: Remedy, knob: 'fraction' | 'length') => string,
): string[] {
  return WAYS.flatMap((knob) => {
    const asked = asks(line, knob);
    const against = asked === 'up' ? 'down' : 'up';
    return asked !== undefined && remedies.some((remedy) => way(remedy, knob) === against)
      ? [`the line asks for the ${knob} ${asked}, a remedy goes ${against}`]
      : [];
  });
}

function lacking({ engine, version, line }: Printed, flag: string): string[] {
  // What the engine's own error names is there, whichever version prints it.
  if (flag === 'resources.limits.memory' || line.includes(flag)) return [];
  const answer = flagOf(tableName(engine), version, flag);
  return answer.kind === 'exists' ? [] : [`names ${flag}, ${answer.kind}`];
}
