import type { FieldCitation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { parseJsonFile } from '../../model/json-file.ts';
import { Node } from '../../model/kubernetes.ts';
import { MIB } from '../../model/quantity.ts';
import { fieldOf } from '../../read/cluster/read-pod-json.ts';
import { citedNumber, computed, fact } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { readSlice } from '../gpu/slice.ts';

type Told = Readonly<Record<string, Fact | undefined>>;

// vLLM's default fraction: an engine takes no more of the slice, and what it takes has to hold a KV cache as well.
const FILLED_BY_WEIGHTS = 0.9;

/** The weights against the MIG slice; false on a card that is not cut. */
export function migTooSmall(evidence: Evidence, told: Told): Fact | undefined {
  const slice = readSlice(evidence);
  if (slice === undefined) return uncut(evidence);
  const { profile, from } = slice;
  if (profile === undefined) return undefined;
  const weights = [citedNumber(told['engine.weights']), ...loadedSoFar(told)];
  return compare(weights, { value: profile.approxMib * MIB, from });
}

function compare(weights: readonly (Cited<number> | undefined)[], slice: Cited<number>): Fact | undefined {
  const [first] = weights.filter((one) => one !== undefined);
  const share = computed([first, slice], (a, b) => a / b);
  if (share?.kind !== 'known' || typeof share.value !== 'number') return undefined;
  return fact(share.value >= FILLED_BY_WEIGHTS, share.from);
}

// Live tensors of a load that ran out of memory: the weights are at least that.
function loadedSoFar(told: Told): readonly (Cited<number> | undefined)[] {
  const stage = told['log.stage'];
  return stage?.kind === 'known' && stage.value === 'load' ? [citedNumber(told['gpu.allocated'])] : [];
}

function uncut({ node }: Evidence): Fact | undefined {
  const product = node?.product.kind === 'known' ? node.product : undefined;
  const from = product?.from.filter((one) => one.kind === 'field' && one.path.includes('gpu.product')) ?? [];
  return fact(false, from);
}

// Set by the node's own life and by tools that empty it: they come and go, and part no kinds of work.
const PASSING = /^(?:node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io)\/|ClusterAutoscaler|^karpenter\.sh\//;
const LONGEST = 2000;

/** No taint of a GPU node keeps other pods off; unknown for a node that shows no GPU. */
export function nodeMixing({ node, spec, readings }: Evidence): Fact | undefined {
  const isGpuNode = node?.product.kind === 'known' || node?.count.kind === 'known' || spec.gpuCount.kind === 'known';
  const file = parseJsonFile(Node, readings.texts.get('node.json') ?? '');
  if (!isGpuNode || file.kind !== 'value' || file.value.spec === undefined) return undefined;
  const taints = file.value.spec.taints ?? [];
  const kept = taints.findIndex(({ key = '', effect }) => effect !== 'PreferNoSchedule' && !PASSING.test(key));
  const cite = fieldOf('node.json');
  if (kept !== -1) {
    const cited = cite(taints[kept]?.key, `/spec/taints/${kept}/key`);
    return cited && fact(false, [cited.from]);
  }
  return fact(true, [specOf(readings.texts.get('node.json') ?? '')]);
}

// That something is missing is shown by what stands around it, in the order of the file.
function specOf(text: string): FieldCitation {
  const node = JSON.parse(text) as { spec?: unknown };
  return { kind: 'field', file: 'node.json', path: '/spec', text: JSON.stringify(node.spec).slice(0, LONGEST) };
}
