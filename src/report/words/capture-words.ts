import type { Capture, NotRead } from '../../model/snapshot.ts';
import { clip } from './sentence.ts';

/** What the reading has cost and what it could not read, in small print. */
export function captureWords(capture: Capture): string {
  const { cost, notRead } = capture;
  const read = `read ${megabytes(cost.bytes)} in ${cost.calls} calls and ${(cost.wallMs / 1000).toFixed(1)} s`;
  const cuts = capture.logs.flatMap(({ file, cut, keptBytes, totalBytes }) => {
    if (cut === null) return [];
    return [
      `${file}: ${totalBytes === null ? cut : `kept ${megabytes(keptBytes)} of ${megabytes(totalBytes)}; ${cut}`}`,
    ];
  });
  const parts = [read, ...cuts, ...notReadWords(notRead)];
  return clip(parts.join(' · '), 900);
}

/** `not read: node (forbidden), metrics (not configured)`, grouped by reason. */
function notReadWords(notRead: readonly NotRead[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { item, reason } of notRead) byReason.set(reason, [...(byReason.get(reason) ?? []), item]);
  return [...byReason].map(([reason, items]) => {
    const shown = items.slice(0, 5).join(', ') + (items.length > 5 ? ` and ${items.length - 5} more` : '');
    return `not read (${reason.replaceAll('-', ' ')}): ${shown}`;
  });
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
