import { knobsOf, PLAIN_KNOBS } from '../../budget/engine-knobs.ts';
import type { EngineState } from '../../budget/outcome.ts';
import { engineKey } from '../../model/engine-names.ts';
import type { EngineArgument } from '../../model/engine-reader.ts';
import { gpuNamed, torchTotal } from '../../model/gpu-table.ts';
import { GIB } from '../../model/quantity.ts';
import type { StartRecord } from '../../model/start-record.ts';
import { splitShell } from '../../read/engine/shell-words.ts';
import { settingsOf } from './budget.ts';

/** What a start record shows of its engine; the pool that it printed is left out, for the estimate to be compared with. */
export function stateOfRecord(record: StartRecord): EngineState {
  const engine = engineKey(record.engine);
  const version = releaseIn(record.version ?? '');
  const isV0 = /\bV0\b/.test(`${record.version ?? ''} ${record.notes ?? ''}`);
  const { weights_gib: weights, max_model_len: length } = record;
  return {
    engine,
    version,
    knobs: knobsOf(engine) ?? PLAIN_KNOBS,
    book: { fractions: [], profiles: [] },
    product: record.gpu,
    utilization: undefined,
    settings: settingsOf([...ranksOf(record), ...argumentsOf(record.args ?? '')]),
    figures: {
      totalBytes: totalOf(record),
      weightsBytes: weights == null ? undefined : weights * GIB,
      maxModelLen: length ?? undefined,
      model: record.model ?? undefined,
      parameters: record.params_b == null ? undefined : record.params_b * 1e9,
      quantization: record.quantization ?? undefined,
      generation: isV0 ? 'V0' : undefined,
    },
  };
}

// A date stands for what was new then; before May 2026 that was 0.20 or less.
const LAST_OLD = '2026-04';

/** `0.26-dev (2026-08-06)` -> `0.26`; undefined where nothing tells more than that it is new. */
function releaseIn(text: string): string | undefined {
  const release = /(?:^|[^\d.-])(0\.\d+(?:\.\d+)?)(?![\dx])/.exec(` ${text}`)?.[1];
  if (release !== undefined && !release.startsWith('0.0')) return release;
  const month = /\b20\d\d-\d\d\b/.exec(text)?.[0];
  return month !== undefined && month <= LAST_OLD ? '0.18.0' : undefined;
}

function totalOf({ gpu, gpu_total_gib: printed }: StartRecord): number | undefined {
  if (printed != null) return printed * GIB;
  const model = gpuNamed(gpu);
  return model && torchTotal(model);
}

const flag = (name: string, value: string | null): EngineArgument => ({
  flag: name,
  value,
  from: { kind: 'line', file: 'args.txt', line: 1, text: name },
});

// Ranks that stand in the record count where the arguments do not name them.
function ranksOf({ engine, tp, pp }: StartRecord): readonly EngineArgument[] {
  const { tensorParallel, pipelineParallel } = knobsOf(engineKey(engine)) ?? {};
  return [
    ...(tp != null && tensorParallel !== undefined ? [flag(tensorParallel, String(tp))] : []),
    ...(pp != null && pipelineParallel !== undefined ? [flag(pipelineParallel, String(pp))] : []),
  ];
}

function argumentsOf(text: string): readonly EngineArgument[] {
  return splitShell(text)
    .filter(({ value }) => value.startsWith('-'))
    .map(({ value: word }) => {
      const at = word.indexOf('=');
      return at < 0 ? flag(word, null) : flag(word.slice(0, at), word.slice(at + 1));
    });
}
