import { ALLOCATOR_VARIABLES } from '../model/allocator-variable.ts';
import { variableOfFlag } from '../model/flag-table.ts';
import type { FlagEntry } from '../model/flags-file.ts';
import { fromTables, type ReferenceTables } from '../model/reference-tables.ts';
import { isProtectedFlag } from './protected-flags.ts';

/** What a button may set: flags in all their spellings, and variables. The guards and the admission policy go by it. */
type OpenSettings = {
  readonly flags: ReadonlySet<string>;
  /** Flags that may be taken away and not be given. */
  readonly away: ReadonlySet<string>;
  readonly variables: ReadonlySet<string>;
};

/** What the tables of flags hold, without what no button may change. */
export const openSettings = fromTables(readOpen);

function readOpen(tables: ReferenceTables): OpenSettings {
  const open = tables.flags.flatMap((entry) =>
    spellingsOf(tables, entry).flatMap((name) => (isProtectedFlag(name, null) ? [] : [{ engine: entry.engine, name }])),
  );
  const all = open.flatMap(({ name }) => (/^-[\w-]+$/.test(name) ? [name] : []));
  const [flags, away] = [false, true].map((isAway) => all.filter((name) => isProtectedFlag(name, '') === isAway));
  const taken = Object.values(tables.takes).flatMap((kinds) => Object.values(kinds).flatMap((names) => names ?? []));
  const variables = [...open.flatMap(({ engine, name }) => variableOfFlag(engine, name) ?? name), ...taken];
  return {
    flags: new Set(flags?.map(positive).toSorted()),
    away: new Set(away?.map(positive).toSorted()),
    variables: new Set([...variables.filter(isOpenVariable), ...ALLOCATOR_VARIABLES, ...HANDED_ON].toSorted()),
  };
}

// What hands arguments to vLLM: KAITO's variable, and NIM's, which reads some settings from variables of its own as well.
const HANDED_ON = `VLLM_ADDITIONAL_ARGS NIM_PASSTHROUGH_ARGS
  NIM_KVCACHE_PERCENT NIM_GPU_MEM_FRACTION NIM_GPU_MEMORY_UTILIZATION NIM_MAX_NUM_SEQS`.split(/\s+/);
// Which GPUs a container sees, and how many processes there are, is no setting of an engine.
const NOT_OF_ENGINE = /^(?:CUDA_VISIBLE_DEVICES|WORLD_SIZE|NCCL_.*|.*(?:API_KEY|PASSWORD|SECRET).*)$/;

function isOpenVariable(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name) && !NOT_OF_ENGINE.test(name);
}

function spellingsOf({ commandLines }: ReferenceTables, { engine, flag, aliases = [] }: FlagEntry): readonly string[] {
  const { values = '', lists = '', negatable = '', switches = '' } = commandLines[engine] ?? {};
  const groups = [values, lists, negatable, switches].flatMap((text) => text.split(/\s+/).map((one) => one.split('=')));
  return [flag, ...aliases].flatMap((name) => groups.find((group) => group.includes(name)) ?? [name]);
}

/** `--no-x` is about `--x`. */
function positive(name: string): string {
  return name.replace(/^--no-/, '--');
}

/** Whether a button may set this flag or variable, or with null take it away. */
export function isOpen(name: string, to: string | null): boolean {
  const { flags, away, variables } = openSettings();
  if (!name.startsWith('-')) return variables.has(name);
  const key = positive(name.replaceAll('_', '-'));
  const has = (set: ReadonlySet<string>): boolean => set.has(positive(name)) || set.has(key);
  return has(flags) || (to === null && has(away));
}
