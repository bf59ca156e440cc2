import type { Facts } from '../../model/fact.ts';
import { formatValue } from '../../model/format-value.ts';
import { formatBytes } from '../../model/quantity.ts';
import { knownNumber, knownValue } from '../words/report-input.ts';
import { clip } from '../words/sentence.ts';

/** `RAM 20 of 64 GiB (31%) · GPU memory 78.4 of 79.2 GiB (99%)`: both are always there, also without data. */
export function memoriesLine(facts: Facts): string {
  const ram = ramUse(facts);
  const gpu = gpuUse(facts);
  const aside = ramNotes(facts, ram !== undefined);
  const shownRam = ram === undefined ? aside : `${ram}${aside === '' ? '' : `, ${aside}`}`;
  const whyRam = whyUnknown(facts, 'ram.used');
  if (ram === undefined && gpu === undefined) {
    return clip(`RAM${aside === '' ? '' : ` (${aside})`} and GPU memory: no data (${whyRam})`, LONGEST);
  }
  if (ram === undefined) {
    return clip(`RAM no data (${aside === '' ? whyRam : aside}) · GPU memory ${gpu}`, LONGEST);
  }
  return clip(`RAM ${shownRam} · GPU memory ${gpu ?? `no data (${whyUnknown(facts, 'gpu.used')})`}`, LONGEST);
}

const LONGEST = 120;

function ramUse(facts: Facts): string | undefined {
  const limit = knownNumber(facts, 'ram.limit');
  const unlimited = knownValue(facts, 'ram.limited') === false ? ', no limit' : '';
  const used = knownNumber(facts, 'ram.used');
  if (used !== undefined) return `${usage(used, limit)}${whenUsed(facts)}${unlimited}`;
  const peak = knownNumber(facts, 'ram.peak');
  return peak === undefined ? undefined : `${usage(peak, limit)} at its peak${unlimited}`;
}

// The kernel prints the use at the kill itself.
function whenUsed(facts: Facts): string {
  if (knownValue(facts, 'death.oom-killed') !== true) return '';
  const used = facts.get('ram.used');
  const isOfKernel = used?.kind === 'known' && used.from.some(({ file }) => file === 'kernel.txt');
  return isOfKernel ? ' at the kill' : ' at the last sample';
}

function ramNotes(facts: Facts, isUseKnown: boolean): string {
  const limit = knownNumber(facts, 'ram.limit');
  const killed = knownValue(facts, 'death.oom-killed');
  // Of two failures the other run may be the one that was.
  const wasKilled = /then/.test(String(knownValue(facts, 'sequence.order')));
  const notes = [
    ...(isUseKnown || limit === undefined ? [] : [`limit ${formatBytes(limit)}`]),
    // That nothing restarted says more.
    ...(killed === false && !wasKilled && knownValue(facts, 'pod.restarting') !== false ? ['not OOMKilled'] : []),
    ...(killed === true && !isUseKnown ? ['OOMKilled'] : []),
  ];
  return notes.join(', ');
}

function gpuUse(facts: Facts): string | undefined {
  const total = knownNumber(facts, 'gpu.total');
  const used = knownNumber(facts, 'gpu.used');
  if (used !== undefined) return usage(used, total);
  const free = knownNumber(facts, 'gpu.free');
  return free === undefined || total === undefined || free > total
    ? undefined
    : `${usage(total - free, total)} at the failure`;
}

function usage(used: number, of: number | undefined): string {
  if (of === undefined || of <= 0) return formatBytes(used);
  const [size, unit] = formatBytes(used).split(' ');
  const [, whole] = formatBytes(of).split(' ');
  return `${unit === whole ? size : formatBytes(used)} of ${formatBytes(of)} (${formatValue('share', used / of)})`;
}

function whyUnknown(facts: Facts, id: string): string {
  const fact = facts.get(id);
  if (fact?.kind !== 'unknown' || fact.reason === 'not-in-snapshot') return 'no memory metrics';
  return clip(fact.detail === '' ? fact.reason.replaceAll('-', ' ') : fact.detail, 60);
}
