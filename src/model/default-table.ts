import type { DefaultContext, EngineDefault } from './engine-reader.ts';
import { stateOfFeature } from './feature-table.ts';
import { entryOf, readVersion } from './flag-table.ts';
import type { DefaultRow } from './flags-file.ts';
import { compareVersions } from './metric-table.ts';
import { fromTables } from './reference-tables.ts';

/** What an engine takes for a flag that is not set; undefined where that depends on what the context does not hold. */
export function defaultOf(engine: string, flag: string, context: DefaultContext): EngineDefault | undefined {
  const { sure, rows } = rowsInForce(engine, flag, context);
  const first = rows[0];
  if (!sure || rows.length > 1 || first?.value === undefined) return undefined;
  return { flag, value: first.value, source: first.source };
}

/** The lowest and the highest number that an engine may take for a flag that is not set; undefined where one of them is not known. */
export function defaultRange(
  of: { readonly engine: string; readonly version: string | undefined; readonly flag: string },
  card: Pick<DefaultContext, 'gpuBytes' | 'gpuName'>,
): { readonly low: number; readonly high: number } | undefined {
  const { rows } = rowsInForce(of.engine, of.flag, { ...card, version: of.version });
  const values = rows.map(({ value, reckoned }) => Number(value ?? reckoned ?? Number.NaN));
  if (values.length === 0 || values.some(Number.isNaN)) return undefined;
  return { low: Math.min(...values), high: Math.max(...values) };
}

const rowsWithFlags = fromTables(({ defaults }) =>
  defaults.map((row) => ({ row, entry: entryOf(row.engine, row.flag) })),
);

type InForce = { readonly sure: boolean; readonly rows: readonly DefaultRow[] };

// Rows are read in order: up to the first that fits, each that cannot be judged may be the one in force. Where none
// fits, what is in force is not in the table.
function rowsInForce(engine: string, flag: string, given: DefaultContext): InForce {
  const context = { ...given, version: readVersion(engine, given.version) };
  const asked = entryOf(engine, flag);
  const rows: DefaultRow[] = [];
  for (const { row, entry } of rowsWithFlags()) {
    if (row.engine !== engine || (row.flag !== flag && (entry === undefined || entry !== asked))) continue;
    const fits = fitsContext(row, context);
    if (fits !== false) rows.push(row);
    if (fits === true) return { sure: true, rows };
  }
  return { sure: false, rows };
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

function fitsGpu({ gpuFrom, gpuNot, gpuIs }: DefaultRow, { gpuBytes, gpuName }: DefaultContext): Answer {
  const name = gpuName?.toLowerCase();
  if (gpuIs !== undefined) return name === undefined ? undefined : gpuIs.some((word) => wordsOf(name).includes(word));
  if (gpuFrom === undefined) return true;
  if (gpuBytes === undefined) return undefined;
  if (gpuBytes < gpuFrom) return false;
  if (gpuNot === undefined || gpuBytes > LARGEST_EXCEPTED) return true;
  return name === undefined ? undefined : !name.includes(gpuNot);
}

// A10 is no A100.
function wordsOf(name: string): readonly string[] {
  return name.split(/[^a-z0-9]+/);
}

// GPUs that an engine excepts by name have at most 80 GB.
const LARGEST_EXCEPTED = 90 * 1024 ** 3;
