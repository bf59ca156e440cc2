import type { NotRead } from '../../model/snapshot.ts';
import { sureOf } from '../words/confidence.ts';
import type { ReportInput } from '../words/report-input.ts';
import { clip } from '../words/sentence.ts';

const LONGEST = 160;
const MOST = 2;

// Evidence that is there for who may read it, and waits for it; what is gone is gone for everybody.
const KEPT_FROM: ReadonlySet<NotRead['reason']> = new Set(['forbidden', 'deadline', 'unreachable', 'failed', 'budget']);

/** What oombot was kept from reading and why, where it may have decided: a log while the cause is open, the rest while the memory is. Missing metrics stand next to the memories. A container that was asked for and is not there is always named. */
export function notReadWords({ capture, diagnosis, facts }: ReportInput): string | undefined {
  const { plane, causeCertain } = sureOf(diagnosis, facts);
  const mayDecide = ({ item }: NotRead): boolean =>
    isLog(item) ? !causeCertain : plane === 'unknown' && !/^metrics\b/.test(item);
  const missed = (capture?.notRead ?? [])
    .filter((one) => isAskedContainer(one) || (KEPT_FROM.has(one.reason) && mayDecide(one)))
    .toSorted((a, b) => Number(isLog(b.item)) - Number(isLog(a.item)));
  if (missed.length === 0) return undefined;
  const shown = missed.slice(0, MOST).map(({ item, reason, detail }) => `${item} (${detail || reason})`);
  const more = missed.length > MOST ? ` and ${missed.length - MOST} more` : '';
  return `${clip(shown.join('; '), LONGEST)}${more}.`;
}

// Who asked for a container must not take the answer for one about it.
function isAskedContainer({ item }: NotRead): boolean {
  return item.startsWith('container ');
}

function isLog(item: string): boolean {
  return /\blog\b/.test(item);
}
