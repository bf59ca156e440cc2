import { generationOf } from '../../model/default-table.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { parseJsonFile } from '../../model/json-file.ts';
import { Pod } from '../../model/kubernetes.ts';
import { fieldOf, pointerWord } from '../../read/cluster/read-pod-json.ts';
import { effectiveArgument, parseSwitch } from '../../read/engine/arguments.ts';
import { readEngine, readerOf } from '../../read/engine/index.ts';
import { type Label, readWrappers, type Wrapper } from '../../read/engine/wrappers.ts';
import type { Evidence } from './evidence.ts';
import { notedField } from './snapshot-files.ts';

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

// A version next to the name of a server that wraps engines is the server's own.
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

/** Nothing that tells an engine: for asking readers about one clue. */
export const NO_CLUES = { image: undefined, command: [], labels: {}, declared: undefined, logs: [], argumentWords: [] };

/** The engine that incident.json names, first where more follows (`vllm via KAITO`, `vllm+ray`); one that no reader knows as it is written. */
export function declaredEngine(name: string | null | undefined): Cited<string> | undefined {
  const cited = notedField(name, '/engine');
  // What starts containers is no engine.
  if (cited === undefined || /^(?:kubernetes|k8s)$/i.test(cited.value)) return undefined;
  const found = [cited.value, cited.value.split(/[\s+(]+/)[0]].map(readName).find((engine) => engine !== 'unknown');
  return found === undefined ? cited : { ...cited, value: found };
}

/** The reader that knows an engine by this name; `unknown` where none does. */
export function readName(declared: string | undefined): string {
  const read = readEngine({ ...NO_CLUES, declared });
  return readerOf(read.engine) === undefined ? 'unknown' : read.engine;
}

const LABEL = fieldOf('pod.json');

/** Labels of the pod. */
export function labelsOf({ readings }: Evidence): readonly Label[] {
  const text = readings.texts.get('pod.json');
  const pod = text === undefined ? undefined : parseJsonFile(Pod, text);
  const labels = pod?.kind === 'value' ? (pod.value.metadata?.labels ?? {}) : {};
  return Object.entries(labels).flatMap(([key, value]) => {
    const cited = LABEL(value, `/metadata/labels/${pointerWord(key)}`);
    return cited === undefined ? [] : [{ key, ...cited }];
  });
}
