import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { ProbeView } from '../../read/cluster/container-states.ts';
import type { Evidence } from '../evidence/evidence.ts';

export type Patience =
  | { readonly kind: 'probe'; readonly waits: Cited<number> }
  | { readonly kind: 'none'; readonly from: Citation }
  | { readonly kind: 'unknown' };

// kubelet defaults, where a probe does not say.
const PERIOD_SEC = 10;
const THRESHOLD = 3;
const TIMEOUT_SEC = 1;

/** How long, in seconds, the kubelet lets the engine start. A liveness probe counts only where no startup probe holds it back. */
export function readPatience({ spec }: Evidence): Patience {
  const probe = spec.startup ?? spec.liveness;
  if (probe?.from !== undefined) return { kind: 'probe', waits: { value: waitsOf(probe), from: probe.from } };
  const { image } = spec;
  // Only pod.json shows that there is none; a piece of `describe` may have been cut.
  if (probe === undefined && image?.from.kind === 'field') return { kind: 'none', from: image.from };
  return { kind: 'unknown' };
}

// At most: the first attempt comes within a period of the delay, and the last one may wait for its answer.
function waitsOf({
  delaySec = 0,
  periodSec = PERIOD_SEC,
  threshold = THRESHOLD,
  timeoutSec = TIMEOUT_SEC,
}: ProbeView): number {
  return delaySec + periodSec * threshold + timeoutSec;
}
