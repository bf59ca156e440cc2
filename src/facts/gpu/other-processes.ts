import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { GIB } from '../../model/quantity.ts';
import type { MemoryAccount } from '../../read/engine/memory-account.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { computed, fact, factOf, ratio } from '../log/draft.ts';
import { OOM_LINE, SMI } from '../log/needs.ts';
import { onlyRank, usedGpus } from './idle-gpus.ts';

const LISTED = `${OOM_LINE}, or ${SMI}`;

/** What is in use on the GPU outside PyTorch, and by whom. */
export const GPU_PROCESSES = defineFacts(
  {
    'gpu.unmanaged': {
      unit: 'bytes',
      says: 'in use on the GPU outside PyTorch (total less free, allocated and reserved)',
      needs: OOM_LINE,
    },
    'gpu.unmanaged-share': {
      unit: 'share',
      says: 'in use on the GPU outside PyTorch, as a share of its memory',
      needs: OOM_LINE,
    },
    'gpu.foreign': { unit: 'bytes', says: 'held by other processes on the GPU', needs: LISTED },
    'gpu.taken-by-ranks': {
      unit: 'bytes',
      says: 'held on this GPU by other ranks of the same launch, whose process numbers are close together',
      needs: LISTED,
    },
  },
  (evidence) => {
    const { account } = evidence;
    const { foreign, ranks } = account === undefined ? NOBODY : othersOf(account, usedGpus(evidence)?.value);
    return {
      'gpu.unmanaged': factOf(account?.unmanaged),
      'gpu.unmanaged-share': computed([account?.unmanaged, account?.total], ratio),
      'gpu.foreign': factOf(foreign ?? foreignListed(evidence)),
      'gpu.taken-by-ranks': factOf(ranks) ?? noRanks(evidence),
    };
  },
);

type Others = Pick<MemoryAccount, 'foreign' | 'ranks'>;

const NOBODY: Others = { foreign: undefined, ranks: undefined };

// An engine of one rank has no others: what was started from the same script is another engine.
function othersOf({ foreign, ranks }: MemoryAccount, used: number | undefined): Others {
  if (used !== 1 || foreign === undefined || ranks === undefined) return { foreign, ranks };
  return { foreign: { ...foreign, value: foreign.value + ranks.value }, ranks: { ...ranks, value: 0 } };
}

function noRanks(evidence: Evidence): Fact | undefined {
  const only = onlyRank(evidence);
  return only && fact(0, [only]);
}

// A CUDA context takes 0.3 to 0.6 GiB.
const AT_WORK = GIB;

// What processes of another program hold on a GPU of the engine, by nvidia-smi. Only where the names of the list tell whose
// is whose: one bears the engine's name, the others do not.
function foreignListed({ smi, engine }: Evidence): Cited<number> | undefined {
  const large = (smi?.processes ?? []).flatMap(({ gpu, name, used }) =>
    used === undefined || name === undefined || used.value < AT_WORK ? [] : [{ gpu, name: name.toLowerCase(), used }],
  );
  const isOwn = ({ name }: { readonly name: string }) => name.includes(engine.engine);
  const own = large.find(isOwn);
  const others = large.filter((one) => one.gpu === own?.gpu && one !== own);
  if (own === undefined) return othersListed(large);
  return others.some(isOwn) ? undefined : sumOf(others.map(({ used }) => used));
}

// A bare interpreter may be the engine, and so may what bears the name of one, be it as it restarts.
const MAYBE_ENGINE =
  /(?:^|\/)python[\d.]*$|vllm|sglang|text-generation|tritonserver|trtllm|mpi4py|lmdeploy|ollama|llama|ray::/;

// The engine is gone from the list: what is on it and can be none is another program.
function othersListed(large: readonly { readonly name: string; readonly used: Cited<number> }[]) {
  return large.some(({ name }) => MAYBE_ENGINE.test(name)) ? undefined : sumOf(large.map(({ used }) => used));
}

function sumOf(sizes: readonly Cited<number>[]): Cited<number> | undefined {
  return sizes[0] && { value: sizes.reduce((sum, { value }) => sum + value, 0), from: sizes[0].from };
}
