import { bundle, type Figure, holds, runChild } from './harness.ts';

type Cost = { calls: number; logCalls: number; bytes: number; wallMs: number; chainMs: number; sent: number };
type Costs = Record<'plain' | 'few' | 'many' | 'long', Cost>;

/** What one triage costs, with 30 ms a call; in small and large namespaces; and with a log of 50 MB. */
export async function benchTriage(): Promise<Figure[]> {
  const { plain, few, many, long } = runChild<Costs>(await bundle('bench/triage-child.ts'));
  return [
    holds('one triage: API and metrics calls', plain.calls, 24, '', 0),
    holds('one triage: calls for logs', plain.logCalls, 6, '', 0),
    holds('one triage: bytes read', plain.bytes / 1e6, 9, ' MB'),
    holds(
      `one triage: wall time (${plain.wallMs.toFixed(0)} ms) against its longest chain (${plain.chainMs.toFixed(0)} ms)`,
      plain.wallMs / plain.chainMs,
      1.3,
      '',
    ),
    holds('one triage with a log of 50 MB: bytes read', long.bytes / 1e6, 9, ' MB'),
    holds('calls at 10,000 pods against 10', many.sent / few.sent, 1, ''),
    holds('bytes at 10,000 pods against 10', many.bytes / few.bytes, 1.01, '', 3),
  ];
}
