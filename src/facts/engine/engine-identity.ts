import type { Citation } from '../../model/citation.ts';
import { generationOf } from '../../model/default-table.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { parseJsonFile } from '../../model/json-file.ts';
import { Pod } from '../../model/kubernetes.ts';
import { fieldOf, pointerWord } from '../../read/cluster/read-pod-json.ts';
import { effectiveArgument, parseSwitch } from '../../read/engine/arguments.ts';
import { readEngine, readerOf } from '../../read/engine/index.ts';
import { serverNamed } from '../../read/engine/other-programs.ts';
import { citeHit as citePlaced } from '../../read/engine/placed-hit.ts';
import type { Program } from '../../read/engine/program-words.ts';
import { type Label, readWrappers, type Wrapper } from '../../read/engine/wrappers.ts';
import { fact, factOf, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { citeHit } from '../evidence/weigh.ts';
import { readHandsOver } from '../when/hands-over.ts';

/** Which engine it is, in which version, and what runs it. */
export type EngineIdentity = {
  readonly engine: string;
  readonly version: Cited<string> | undefined;
  /** Which of the two engines of vLLM. */
  readonly generation: Cited<'V0' | 'V1'> | undefined;
  readonly wrappers: readonly Cited<Wrapper>[];
};

/** The identity by the engine's own banner, else the image, else what was noted. */
export function readIdentity(evidence: Evidence): EngineIdentity {
  const { engine, program, log } = evidence;
  const version = engine.version ?? notedVersion(evidence);
  return {
    engine: engine.engine,
    version,
    generation: engine.generation ?? (engine.engine === 'vllm' ? generationTold(evidence, version) : undefined),
    wrappers: readWrappers({
      image: program.image,
      words: program.words,
      labels: labelsOf(evidence),
      logs: log.main === undefined ? [] : [log.main],
    }),
  };
}

// What was noted beside the name of a server around engines is the server's own version.
function notedVersion({ engine, incident }: Evidence): Cited<string> | undefined {
  const declared = declaredEngine(incident?.engine)?.value;
  const isHosts = declared !== undefined && declared !== engine.engine && readerOf(declared)?.isHost === true;
  return isHosts ? undefined : notedField(incident?.engine_version, '/engine_version');
}

// Where the log does not tell: a version that has but one, else the variable that chooses between them (vllm/envs.py).
function generationTold({ spec, args }: Evidence, version: Cited<string> | undefined): Cited<'V0' | 'V1'> | undefined {
  const only = generationOf(version?.value);
  if (version !== undefined && only !== undefined) return { value: only, from: version.from };
  const typed = effectiveArgument(args, 'VLLM_USE_V1');
  const chosen = spec.env.findLast(({ name }) => name === 'VLLM_USE_V1')?.value ?? typed;
  const isV1 = chosen && parseSwitch(chosen.value);
  return chosen === undefined || isV1 === undefined ? undefined : { value: isV1 ? 'V1' : 'V0', from: chosen.from };
}

/** The identity as facts. */
export function deriveIdentity(evidence: Evidence, identity: EngineIdentity): Group {
  const { engine, incident, log, program } = evidence;
  const { main } = log;
  const first = main?.hits[0];
  const seen =
    engine.version?.from ??
    namesEngine(engine.engine, program) ??
    (main !== undefined && first !== undefined
      ? ({ kind: 'line', file: main.file, line: first.line, text: first.text } as const)
      : labelled(engine.engine, labelsOf(evidence)));
  const isKnown = readerOf(engine.engine) !== undefined;
  const declared = declaredEngine(incident?.engine);
  const shown =
    isKnown && seen !== undefined
      ? { value: engine.engine, from: seen }
      : (unreadServer(evidence) ?? byOwnError(evidence));
  // Notes that name what is around an engine (`xinference`, `triton`) do not gainsay the engine that the log shows.
  const name = declared !== undefined && isEngine(declared.value) ? declared : (shown ?? declared);
  const handsOver = readHandsOver(
    evidence,
    name,
    isKnown || (name !== undefined && readName(name.value) !== 'unknown'),
  );
  return {
    'engine.name': factOf(name),
    'engine.trial-run': trialRun(engine.trialRun, name) ?? (handsOver && turned(handsOver)),
    'engine.hands-over': handsOver,
    'engine.version': factOf(identity.version),
    'engine.generation': factOf(identity.generation),
  };
}

function trialRun(seen: boolean | undefined, name: Cited<string> | undefined): Fact | undefined {
  if (name === undefined) return undefined;
  const runs = seen ?? readEngine({ ...NO_CLUES, declared: name.value }).trialRun;
  return runs === undefined ? undefined : fact(runs, [name.from]);
}

// What hands over from the start has nothing to try.
function turned(handsOver: Fact): Fact | undefined {
  return handsOver.kind === 'known' && handsOver.value === true ? { ...handsOver, value: false } : undefined;
}

const NO_CLUES = { image: undefined, command: [], labels: {}, declared: undefined, logs: [], argumentWords: [] };

function namesEngine(engine: string, { naming, image }: Program): Citation | undefined {
  const word = naming.find(({ value }) => readEngine({ ...NO_CLUES, command: [value] }).engine === engine);
  if (word !== undefined) return word.from;
  return image !== undefined && readEngine({ ...NO_CLUES, image: image.value }).engine === engine
    ? image.from
    : undefined;
}

function labelled(engine: string, labels: readonly Label[]): Citation | undefined {
  return labels.find(({ key, value }) => readEngine({ ...NO_CLUES, labels: { [key]: value } }).engine === engine)?.from;
}

// Notes name an engine first and then what is around it (`vllm via KAITO`, `vllm+ray`); what no reader knows stays as it
// was written.
function declaredEngine(name: string | null | undefined): Cited<string> | undefined {
  const cited = notedField(name, '/engine');
  // What starts containers is no engine.
  if (cited === undefined || /^(?:kubernetes|k8s)$/i.test(cited.value)) return undefined;
  const found = [cited.value, cited.value.split(/[\s+(]+/)[0]].map(readName).find((engine) => engine !== 'unknown');
  return found === undefined ? cited : { ...cited, value: found };
}

function readName(declared: string | undefined): string {
  const read = readEngine({ ...NO_CLUES, declared });
  return readerOf(read.engine) === undefined ? 'unknown' : read.engine;
}

// A server that no reader knows, where the engine was told to be that.
function unreadServer({ engine, program, log }: Evidence): Cited<string> | undefined {
  const named = ({ value }: Cited<string>) => serverNamed(value) === engine.engine;
  const clue = [...program.naming, ...(program.image === undefined ? [] : [program.image])].find(named);
  const line = log.main?.hits.find(({ clean }) => serverNamed(clean) === engine.engine);
  const from = clue?.from ?? (log.main && line && citePlaced({ hit: line, file: log.main.file }));
  return from && { value: engine.engine, from };
}

// Engines that no reader knows, and whose errors are known as theirs.
const UNREAD = /^(?:mlc-llm|mistral\.rs|lightllm|exllamav2|vllm\.rs|ctranslate2)$/;

function byOwnError({ weighing: { decisive } }: Evidence): Cited<string> | undefined {
  const isOwn = decisive !== undefined && UNREAD.test(decisive.phrase.engine);
  return isOwn ? { value: decisive.phrase.engine, from: citeHit(decisive) } : undefined;
}

function isEngine(declared: string): boolean {
  const reader = readerOf(readName(declared));
  return reader !== undefined && reader.isHost !== true;
}

function wrapperFact(wrappers: readonly Cited<Wrapper>[]): Fact | undefined {
  const names = wrappers.map(({ value }) => value).join(', ');
  return fact(
    names === '' ? undefined : names,
    wrappers.map(({ from }) => from),
  );
}

const LABEL = fieldOf('pod.json');

function labelsOf({ readings }: Evidence): readonly Label[] {
  const text = readings.texts.get('pod.json');
  const pod = text === undefined ? undefined : parseJsonFile(Pod, text);
  const labels = pod?.kind === 'value' ? (pod.value.metadata?.labels ?? {}) : {};
  return Object.entries(labels).flatMap(([key, value]) => {
    const cited = LABEL(value, `/metadata/labels/${pointerWord(key)}`);
    return cited === undefined ? [] : [{ key, ...cited }];
  });
}
