import { type Citation, placeOf } from '../../model/citation.ts';
import type { Cited, DefaultContext, EngineArgument } from '../../model/engine-reader.ts';
import type { Fact, FactValue } from '../../model/fact.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { effectiveArgument, parseCount, parseShare } from '../../read/engine/arguments.ts';
import { readerOf } from '../../read/engine/index.ts';
import type { Wrapper } from '../../read/engine/wrappers.ts';
import { variablesOf } from '../evidence/container-variables.ts';
import { defineFacts } from '../evidence/define.ts';
import { type EngineIdentity, readIdentity } from '../evidence/engine-identity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { RANKS, ranksOf } from '../evidence/ranks.ts';
import { citeHit } from '../evidence/weigh.ts';
import { fact, factOf } from '../log/draft.ts';
import { ARGS } from '../log/needs.ts';
import { gaugedFraction } from './gauges.ts';

type Parse = (text: string | null) => FactValue | undefined;
type Setting = {
  readonly flags: readonly string[];
  readonly parse: Parse;
  /** Where nobody gave it: what is printed that is not the value of such a flag itself. */
  readonly printed?: Cited<number> | undefined;
};

/** Settings in force: as the engine printed them, else as they were given, else the default of its version. */
export const ENGINE_SETTINGS = defineFacts(
  {
    'engine.max-model-len': { unit: 'tokens', says: 'maximum length of a sequence', needs: ARGS },
    'engine.max-num-seqs': { unit: 'count', says: 'maximum sequences per batch', needs: ARGS },
    'engine.max-batched-tokens': { unit: 'tokens', says: 'maximum tokens per step', needs: ARGS },
    'engine.utilization': { unit: 'share', says: 'share of GPU memory that the engine may take', needs: ARGS },
    'engine.ranks': {
      unit: 'count',
      says: 'ranks of the engine on all nodes (tensor, pipeline and sequence parallel)',
      needs: ARGS,
    },
  },
  (evidence) => {
    const { args, engine } = evidence;
    const inForce = settingsInForce(evidence);
    const ranked = args.findLast(({ flag }) => RANKS.test(flag));
    const isSglang = engine.engine === 'sglang';
    return {
      'engine.max-model-len': inForce({
        flags: LENGTHS.filter((flag) => flag !== '--max-total-tokens' || !isSglang),
        parse: parseCount,
        printed: engine.figures.maxModelLen,
      }),
      'engine.max-num-seqs': inForce({
        flags: engine.engine === 'tgi' ? SEQUENCES_OF_TGI : SEQUENCES,
        parse: parseCount,
      }),
      'engine.max-batched-tokens': inForce({ flags: BATCHED, parse: parseCount }),
      'engine.utilization': inForce({
        flags: FRACTIONS,
        parse: parseShare,
        printed: fractionOfKaito(evidence) ?? gaugedFraction(evidence),
      }),
      'engine.ranks': ranked && fact(ranksOf(args), [ranked.from]),
    };
  },
);

const FRACTIONS = [
  ...['--gpu-memory-utilization', '--mem-fraction-static', '--cuda-memory-fraction', '--cache-max-entry-count'],
  ...['--kv-cache-free-gpu-memory-fraction', '--free-gpu-memory-fraction', 'CUDA_MEMORY_FRACTION'],
];

// KAITO measures what is free and hands the engine a fraction of its own where nobody gave one.
function fractionOfKaito({ weighing }: Evidence): Cited<number> | undefined {
  const set = weighing.all.findLast(
    ({ signature, hit }) => signature.engine === 'kaito' && hit.captures.util !== undefined,
  );
  const value = parseShare(set?.hit.captures.util ?? null);
  return set === undefined || value === undefined ? undefined : { value, from: citeHit(set) };
}

// SGLang calls the size of its pool by the name that TGI has for the length (server_args.py).
const LENGTHS = [
  ...['--max-model-len', '--context-length', '--max-total-tokens', '--session-len', '--ctx-size', '--max-seq-len'],
  ...['LLAMA_ARG_CTX_SIZE', 'OLLAMA_CONTEXT_LENGTH', 'MAX_TOTAL_TOKENS', 'NIM_MAX_MODEL_LEN'],
];
const SEQUENCES = [
  ...['--max-num-seqs', '--max-running-requests', '--max-batch-size', '--parallel'],
  ...['LLAMA_ARG_N_PARALLEL', 'OLLAMA_NUM_PARALLEL', 'MAX_BATCH_SIZE'],
];
// Its `--max-batch-size` bounds no batch that others join (the table of knobs says where); to LMDeploy the name of this flag means another thing.
const SEQUENCES_OF_TGI = ['--max-concurrent-requests', 'MAX_CONCURRENT_REQUESTS'];
const BATCHED = [
  ...['--max-num-batched-tokens', '--chunked-prefill-size', '--max-batch-prefill-tokens', '--max-num-tokens'],
  'MAX_BATCH_PREFILL_TOKENS',
];

/** Looks up a setting among what the engine of a snapshot printed, was given, or takes by default. */
export function settingsInForce(evidence: Evidence): (setting: Setting) => Fact | undefined {
  const identity = readIdentity(evidence);
  const whole = argumentsSeen(evidence, identity);
  const context = contextOf(evidence, identity);
  // Ollama is told by variables alone, llama.cpp, TGI and a NIM also; a flag goes before the variable of the same name.
  const args = [...variablesOf(evidence), ...evidence.args];
  return ({ flags, parse, printed }) =>
    factOf(argumentOf(args, flags, parse)) ??
    factOf(printed) ??
    (whole && byDefault({ flags, parse }, { identity, context, whole }));
}

type Given = Cited<FactValue> & { readonly flag: string; readonly text: string };

function argumentOf(args: readonly EngineArgument[], flags: readonly string[], parse: Parse): Given | undefined {
  for (const flag of flags) {
    const argument = effectiveArgument(args, flag);
    const value = argument && parse(argument.value);
    if (argument !== undefined && value !== undefined)
      return { flag, value, text: argument.value ?? 'true', from: argument.from };
  }
  return undefined;
}

type Whole = { readonly identity: EngineIdentity; readonly context: DefaultContext; readonly whole: Citation };

function byDefault({ flags, parse }: Setting, { identity, context, whole }: Whole): Fact | undefined {
  const reader = readerOf(identity.engine);
  for (const flag of flags) {
    const found = reader?.defaultOf(flag, context);
    const value = found && parse(found.value);
    // The proof is what was given (and does not name the flag) and the version that the default belongs to.
    // One argument of many says less of it than the version does.
    const version = identity.version ? [identity.version.from] : [];
    const told = fact(value, whole.kind === 'line' ? [whole, ...version] : [...version, whole]);
    if (told?.kind === 'known') return { ...told, byDefault: true };
  }
  return undefined;
}

/** These hand the engine arguments of their own, which the pod does not show. */
const SETS_ARGUMENTS: ReadonlySet<Wrapper> = new Set(['kaito', 'kserve', 'nim']);
/** Arguments that stand elsewhere: in a file, a script, a variable. */
const ELSEWHERE = /^--config(?:=|$)|\.(?:sh|ya?ml|json|py)$|\$[({A-Za-z]/;

// A flag that is not seen is only at its default where all that was given can be seen.
function argumentsSeen({ log, spec, args }: Evidence, { wrappers }: EngineIdentity): Citation | undefined {
  const dump = log.main?.hits.find(({ signature }) => hasRole(signature, 'shows-arguments'));
  if (dump !== undefined && log.main !== undefined) {
    return { kind: 'line', file: log.main.file, line: dump.line, text: dump.text };
  }
  if (wrappers.some(({ value }) => SETS_ARGUMENTS.has(value))) return undefined;
  const { words } = spec;
  const flag = args.find(({ from }) => words.some((word) => placeOf(word.from) === placeOf(from)));
  if (flag === undefined || words.some(({ value }) => ELSEWHERE.test(value))) return undefined;
  return flag.from;
}

function contextOf({ engine, account, node, smi, incident }: Evidence, identity: EngineIdentity): DefaultContext {
  const ofNode = node?.gpuMemory.kind === 'known' ? node.gpuMemory.value : undefined;
  const product = node?.product.kind === 'known' ? node.product.value : undefined;
  return {
    version: identity.version?.value,
    generation: identity.generation?.value,
    gpuBytes: engine.figures.totalBytes?.value ?? account?.total?.value ?? smi?.gpus[0]?.total?.value ?? ofNode,
    gpuName: product ?? smi?.gpus[0]?.name?.value ?? incident?.gpu?.model ?? undefined,
  };
}
