import type { DefaultContext, EngineDefault } from '../../model/engine-reader.ts';
import { stateOfFeature } from '../../model/feature-table.ts';
import { compareVersions } from '../../model/metric-table.ts';
import { DEFAULT_ROWS, type DefaultRow } from './defaults.data.ts';

/** What an engine takes for a flag that is not set; undefined where that depends on what the context does not hold. */
export function defaultOf(engine: string, flag: string, context: DefaultContext): EngineDefault | undefined {
  const rows = DEFAULT_ROWS.filter((row) => row.engine === engine && row.flag === flag);
  const fits = rows.map((row) => ({ row, fits: fitsContext(row, context) }));
  // Rows are read in order: one that can not be judged may be the one in force.
  const first = fits.find(({ fits: answer }) => answer !== false);
  if (first === undefined || first.fits === undefined || first.row.value === undefined) return undefined;
  return { flag, value: first.row.value, source: first.row.source };
}

type Answer = boolean | undefined;

function fitsContext(row: DefaultRow, context: DefaultContext): Answer {
  const answers = [fitsVersion(row, context.version), fitsGeneration(row, context), fitsGpu(row, context)];
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

function fitsVersion({ from, to }: DefaultRow, version: string | undefined): Answer {
  if (from === undefined && to === undefined) return true;
  if (version === undefined) return undefined;
  if (from !== undefined && compareVersions(version, from) < 0) return false;
  return to === undefined || compareVersions(version, to, to.split('.').length) <= 0;
}

function fitsGeneration({ generation }: DefaultRow, context: DefaultContext): Answer {
  if (generation === undefined) return true;
  const known = context.generation ?? generationOf(context.version);
  return known === undefined ? undefined : known === generation;
}

/** Which engine of vLLM a version must be running; undefined where it has two. */
export function generationOf(version: string | undefined): 'V0' | 'V1' | undefined {
  if (version === undefined) return undefined;
  const state = stateOfFeature('vllm.v1', version);
  if (state === 'always') return 'V1';
  // Both were there in between: what runs depends on the model and on VLLM_USE_V1.
  return state === 'no' ? 'V0' : undefined;
}

function fitsGpu({ gpuFrom, gpuNot }: DefaultRow, { gpuBytes, gpuName }: DefaultContext): Answer {
  if (gpuFrom === undefined) return true;
  if (gpuBytes === undefined) return undefined;
  if (gpuBytes < gpuFrom) return false;
  if (gpuNot === undefined) return true;
  return gpuName === undefined ? undefined : !gpuName.toLowerCase().includes(gpuNot);
}
