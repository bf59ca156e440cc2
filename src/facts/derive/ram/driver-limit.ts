import type { Fact } from '../../../model/fact.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { allLastLines, lastLine } from '../weigh/tail-lines.ts';
import { citeHit } from '../weigh/weigh.ts';

// Seconds since the boot, as dmesg writes them.
const STAMP = /^\[ {0,8}(\d{1,9}\.\d{1,9})\]/;
const NEAR_S = 600;

/**
 * Whether the driver of a device says that it may map no more RAM (torvalds/linux drivers/gpu/drm/amd/amdkfd/kfd_svm.c). The
 * kernel's log goes back to the boot: it counts where little time lies between it and the last line of that log.
 */
export function readDriverLimit({ weighing, log, readings }: Evidence): Fact | undefined {
  const last = lastLine(log.main);
  const met = [...weighing.all, ...weighing.noted].findLast(({ phrase }) => phrase.id === 'amdgpu.svm-limit');
  if (met === undefined) return last && fact(false, [last]);
  const stamps = readings.logs
    .filter(({ file }) => file === met.file)
    .flatMap(allLastLines)
    .flatMap(({ text }) => Number(STAMP.exec(text)?.[1] ?? []));
  const own = Number(STAMP.exec(met.hit.text)?.[1] ?? Number.NaN);
  return fact(!(Math.max(...stamps) - own > NEAR_S), [citeHit(met)]);
}
