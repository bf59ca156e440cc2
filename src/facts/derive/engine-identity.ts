import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { parseJsonFile } from '../../model/json-file.ts';
import { Pod } from '../../model/kubernetes.ts';
import { readEngine, readerOf } from '../engines/index.ts';
import { type Label, readWrappers, type Wrapper } from '../engines/wrappers.ts';
import { known } from '../pod/finding.ts';
import { fieldOf, pointerWord } from '../pod/pod-view.ts';
import { fact, factOf, type Group } from './draft.ts';
import type { Evidence, Program } from './evidence.ts';

/** Which engine it is, in which version, and what runs it. */
export type EngineIdentity = {
  readonly engine: string;
  readonly version: Cited<string> | undefined;
  readonly wrappers: readonly Cited<Wrapper>[];
};

/** The identity by the engine's own banner, else the image, else what was noted. */
export function readIdentity(evidence: Evidence): EngineIdentity {
  const { engine, program, incident, log } = evidence;
  return {
    engine: engine.engine,
    version: engine.version ?? noted(incident?.engine_version, '/engine_version'),
    wrappers: readWrappers({
      image: program.image,
      words: program.words,
      labels: labelsOf(evidence),
      logs: log.main === undefined ? [] : [log.main],
    }),
  };
}

/** The identity as facts. */
export function deriveIdentity({ engine, incident, log, program }: Evidence, identity: EngineIdentity): Group {
  const { main } = log;
  const first = main?.hits[0];
  const seen =
    engine.version?.from ??
    namesEngine(engine.engine, program) ??
    (main !== undefined && first !== undefined
      ? ({ kind: 'line', file: main.file, line: first.line, text: first.text } as const)
      : undefined);
  const isKnown = readerOf(engine.engine) !== undefined;
  const name =
    factOf(declaredEngine(incident?.engine)) ??
    (isKnown && seen !== undefined ? known(engine.engine, seen) : undefined);
  return {
    'engine.name': name,
    'engine.trial-run': name?.kind === 'known' ? fact(engine.trialRun ?? trialRunOf(name.value), name.from) : undefined,
    'engine.hands-over': name?.kind === 'known' ? fact(handsOver(name.value), name.from) : undefined,
    'engine.version': factOf(identity.version),
    'engine.generation': factOf(engine.generation),
    'engine.wrapper': wrapperFact(identity.wrappers),
  };
}

// Libraries that load a model and hand it each request as it comes, and the servers that are little more than one of them.
const HANDS_OVER =
  /\b(?:transformers|exllama\w*|tabbyapi|text-generation-webui|oobabooga|koboldai|localgpt|h2ogpt|openchatkit|fastchat|ktransformers|candle|mlx[-_ ]?v?ll?m\w*|funasr|diffusers)\b/i;

function trialRunOf(name: unknown): boolean | undefined {
  return readEngine({ ...NO_CLUES, declared: String(name) }).trialRun ?? (handsOver(name) ? false : undefined);
}

function handsOver(name: unknown): boolean | undefined {
  if (HANDS_OVER.test(String(name))) return true;
  return readName(String(name)) === 'unknown' ? undefined : false;
}

const NO_CLUES = { image: undefined, command: [], labels: {}, declared: undefined, logs: [], argumentWords: [] };

function namesEngine(engine: string, { words, image }: Program): Citation | undefined {
  const word = words.find(({ value }) => readEngine({ ...NO_CLUES, command: [value] }).engine === engine);
  if (word !== undefined) return word.from;
  return image !== undefined && readEngine({ ...NO_CLUES, image: image.value }).engine === engine
    ? image.from
    : undefined;
}

// Notes name an engine first and then what is around it (`vllm via KAITO`, `vllm+ray`); what no reader knows stays as it
// was written.
function declaredEngine(name: string | null | undefined): Cited<string> | undefined {
  const cited = noted(name, '/engine');
  if (cited === undefined) return undefined;
  const found = [cited.value, cited.value.split(/[\s+(]+/)[0]].map(readName).find((engine) => engine !== 'unknown');
  return found === undefined ? cited : { ...cited, value: found };
}

function readName(declared: string | undefined): string {
  const read = readEngine({ ...NO_CLUES, declared });
  return readerOf(read.engine) === undefined ? 'unknown' : read.engine;
}

function wrapperFact(wrappers: readonly Cited<Wrapper>[]): Fact | undefined {
  const names = wrappers.map(({ value }) => value).join(', ');
  return fact(
    names === '' ? undefined : names,
    wrappers.map(({ from }) => from),
  );
}

const CITE = fieldOf('incident.json');

function noted(value: string | null | undefined, path: string): Cited<string> | undefined {
  return value === undefined || value === null || value === '' ? undefined : CITE(value, path);
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
