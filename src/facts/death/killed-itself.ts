import { known, type Reading } from '../../read/reading.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, isOfEngine } from '../evidence/weigh.ts';

// A step that hung: the watchdog of SGLang ends its scheduler, and the server then its whole tree of processes, itself
// included, by signal 9 (sgl-project/sglang python/sglang/srt/utils/watchdog.py, managers/tokenizer_manager.py).
const ENDS_ITSELF = /^sglang\.run\.watchdog$/;

/** Signal 9 without a reason, unless the engine says that it ends itself so. */
export function readKilledUnexplained({ kubernetes, weighing, log }: Evidence): Reading<boolean> {
  const killed = kubernetes.probablyKilled;
  if (killed.kind !== 'known' || !killed.value) return killed;
  const own = weighing.all.findLast(
    (one) => ENDS_ITSELF.test(one.phrase.id) && isOfEngine(one) && one.file === log.main?.file,
  );
  return own === undefined ? killed : known(false, citeHit(own));
}
