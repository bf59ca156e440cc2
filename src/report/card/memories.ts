import type { Facts } from '../../model/fact.ts';
import type { Block, Mark } from '../../model/message.ts';
import { formatBytes } from '../../model/quantity.ts';
import type { Verdict } from '../../model/verdict.ts';
import { whoseRam } from '../words/ram-owner.ts';
import { knownNumber, knownValue, shownValue } from '../words/report-input.ts';
import { clip } from '../words/sentence.ts';

// The figures of an OOM line have two decimals, so sums of them are off by some tens of MiB.
const NOISE_BYTES = 256 * 2 ** 20;
// Below this share the kernel can still drop page cache; above it a kill is near.
const RAM_FULL = 0.95;

type Blamed = Pick<Verdict, 'plane' | 'cause' | 'certain'>;
type Side = { readonly mark: Mark; readonly lines: string[] };

/** RAM and GPU memory side by side: both are always there, also where one is not known. */
export function memoriesBlock(facts: Facts, verdict: Blamed): Block {
  return { kind: 'memories', ram: ramSide(facts, verdict), gpu: gpuSide(facts, verdict) };
}

function ramSide(facts: Facts, verdict: Blamed): Side {
  const killed = knownValue(facts, 'death.oom-killed');
  const use = ramUse(facts);
  const status = statusLine(facts, killed);
  const lines = [
    ...(use.known || typeof killed !== 'boolean' ? [use.line, status] : [status, use.line]),
    ...(knownValue(facts, 'ram.oom-logged') === true ? ['a line of the log says that RAM ran out'] : []),
    ...groupLine(facts, verdict),
    ...requestLine(facts),
    ...(whoseRam(verdict, facts) === 'node' ? ['it is the RAM of the node that ran out'] : []),
    ...ramKilledBesideFreeGpu(facts, killed),
  ];
  return { mark: ramMark(facts, verdict, use.known), lines };
}

function groupLine(facts: Facts, { plane }: Blamed): string[] {
  const pod = shownValue(facts, 'group.first-pod', 'text');
  const isKilled = plane === 'host' && knownValue(facts, 'group.first-end') === 'oom-killed';
  return pod !== undefined && isKilled ? [`${clip(pod, 63)} of its group was OOMKilled`] : [];
}

function requestLine(facts: Facts): string[] {
  if (knownValue(facts, 'amplifier.limit-equals-request') === true) return ['limit equals request'];
  const request = knownNumber(facts, 'ram.request');
  return request === undefined ? [] : [`request ${formatBytes(request)}: what the node sets aside for it`];
}

function statusLine(facts: Facts, killed: unknown): string {
  if (killed === true) return 'a container was OOMKilled';
  if (killed === false) return 'not OOMKilled';
  // The status is there and leaves it open: then only the kernel log of the node can tell.
  if (knownValue(facts, 'death.killed-unexplained') === true) {
    return 'ended by signal 9, and nothing says who sent it; the kernel log of the node would tell';
  }
  return 'OOMKilled or not: not known; the pod status would tell';
}

function ramUse(facts: Facts): { readonly known: boolean; readonly line: string } {
  const limit = knownNumber(facts, 'ram.limit');
  const used = knownNumber(facts, 'ram.used');
  const peak = knownNumber(facts, 'ram.peak');
  const words = knownValue(facts, 'ram.limited') === false ? 'no limit set' : 'limit not known';
  if (used !== undefined) return { known: true, line: usage('used', used, limit, words) };
  if (peak !== undefined) return { known: true, line: usage('at its peak', peak, limit, words) };
  const bound = limit === undefined ? '' : ` (limit ${formatBytes(limit)})`;
  const why = whyUnknown(facts, 'ram.used', 'container memory from Prometheus');
  return { known: false, line: `use not known${bound}: ${why}` };
}

// A tick stands only where something was seen; a kill or a full container is never ticked, whichever memory failed first.
function ramMark(facts: Facts, verdict: Blamed, used: boolean): Mark {
  const { plane, certain } = verdict;
  if (whoseRam(verdict, facts) !== 'node' && (plane === 'host' || plane === 'both')) return certain ? 'bad' : 'warn';
  const killed = knownValue(facts, 'death.oom-killed');
  if (killed === true || knownValue(facts, 'ram.oom-logged') === true) return 'warn';
  if ((knownNumber(facts, 'ram.used-share') ?? 0) >= RAM_FULL) return 'warn';
  return used || killed === false ? 'ok' : 'unknown';
}

// A sentence that ends the oldest misunderstanding about these incidents.
function ramKilledBesideFreeGpu(facts: Facts, killed: unknown): string[] {
  const share = knownNumber(facts, 'gpu.used-share');
  if (killed !== true || share === undefined || share < 0 || share > 0.8) return [];
  return [`${percent(1 - share)} of GPU memory was free and the container was still OOMKilled`];
}

function gpuSide(facts: Facts, verdict: Blamed): Side {
  const want = knownNumber(facts, 'gpu.want');
  const used = knownNumber(facts, 'gpu.used');
  const logged = knownValue(facts, 'gpu.oom-logged');
  const lines = [
    ...failedAllocation(facts, want),
    ...(logged === true && want === undefined ? ['a line of the log says that it did not suffice'] : []),
    ...clearedLine(logged),
    ...gpuUse(facts, used, want),
    ...holders(facts),
  ];
  // A tick beside an allocation that failed would be no truth, whatever the end was.
  const failed = logged === true || want !== undefined;
  return { mark: gpuMark(verdict, failed, used !== undefined || logged === false), lines };
}

function gpuMark({ plane, certain }: Blamed, failed: boolean, seen: boolean): Mark {
  if (plane === 'gpu' || plane === 'both') return certain ? 'bad' : 'warn';
  if (failed) return 'warn';
  return seen ? 'ok' : 'unknown';
}

function clearedLine(logged: unknown): string[] {
  return logged === false ? ['the error in the log is not about GPU memory'] : [];
}

function failedAllocation(facts: Facts, want: number | undefined): string[] {
  if (want === undefined) return [];
  const free = shownValue(facts, 'gpu.free', 'bytes');
  const total = shownValue(facts, 'gpu.total', 'bytes');
  const left = free === undefined ? '' : `, ${free} free`;
  return [`wanted ${shownValue(facts, 'gpu.want', 'bytes')}${left}${total === undefined ? '' : ` of ${total}`}`];
}

function gpuUse(facts: Facts, used: number | undefined, want: number | undefined): string[] {
  const total = knownNumber(facts, 'gpu.total');
  if (used !== undefined) return [usage('used', used, total, 'total not known')];
  // The line about the failed allocation tells more than this one could.
  if (want !== undefined) return [];
  const bound = total === undefined ? '' : ` (${shownValue(facts, 'gpu.total', 'bytes')} in all)`;
  return [`use not known${bound}: ${whyUnknown(facts, 'gpu.used', 'DCGM metrics or nvidia-smi')}`];
}

function holders(facts: Facts): string[] {
  const above = (id: string): string | undefined => {
    const bytes = knownNumber(facts, id);
    return bytes !== undefined && bytes > NOISE_BYTES ? shownValue(facts, id, 'bytes') : undefined;
  };
  const tensors = above('gpu.allocated');
  const slack = above('gpu.reserved-unallocated');
  const foreign = above('gpu.foreign');
  const before = above('gpu.taken-before-start');
  return [
    ...(tensors === undefined ? [] : [`${tensors} in live tensors of the engine`]),
    ...(slack === undefined ? [] : [`${slack} reserved by PyTorch and unused`]),
    ...(foreign === undefined ? [] : [`${foreign} held by other processes`]),
    ...(before === undefined ? [] : [`${before} in use before the engine started`]),
  ];
}

function usage(name: string, used: number, of: number | undefined, missing: string): string {
  if (of === undefined || of <= 0) return `${name} ${formatBytes(used)}, ${missing}`;
  return `${name} ${formatBytes(used)} of ${formatBytes(of)} (${percent(used / of)})`;
}

function whyUnknown(facts: Facts, id: string, tells: string): string {
  const fact = facts.get(id);
  const given = fact?.kind === 'unknown' && fact.reason !== 'not-in-snapshot' ? fact : undefined;
  if (given === undefined) return `no metrics in the evidence; ${tells} would tell`;
  return given.detail === '' ? given.reason.replaceAll('-', ' ') : clip(given.detail, 120);
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
