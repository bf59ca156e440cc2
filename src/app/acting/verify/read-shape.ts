import { type RequestShape, readRequestShape } from '../../../actions/request-shape.ts';
import type { Store } from '../../ports.ts';
import type { InvestigateDeps } from '../../triage/investigate.ts';

export type ShapeRead =
  | { readonly kind: 'known'; readonly shape: RequestShape }
  | { readonly kind: 'unknown'; readonly why: string };

type Deps = { readonly store: Pick<Store, 'findings' | 'snapshot'> } & Pick<InvestigateDeps, 'source' | 'diagnose'>;

/** The requests of the step that died, out of the newest stored snapshot whose log holds them. */
export async function readShape({ store, source, diagnose }: Deps, incidentId: string): Promise<ShapeRead> {
  for (const { snapshotId } of (await store.findings(incidentId)).toReversed()) {
    const snapshot = await store.snapshot(snapshotId);
    if (snapshot === undefined) continue;
    const { facts } = await diagnose(source(snapshot));
    const step = facts.get('step.scheduled-tokens');
    const from = step?.kind === 'known' ? step.from.find(({ kind }) => kind === 'line') : undefined;
    if (from?.kind !== 'line') continue;
    const line = (await source(snapshot).read(from.file)).split('\n')[from.line - 1] ?? from.text;
    const shape = readRequestShape(line);
    if (shape !== undefined) return { kind: 'known', shape };
  }
  return { kind: 'unknown', why: 'the log does not show the requests of the failed step' };
}
