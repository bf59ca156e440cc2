import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { readLife } from '../life/life.ts';
import { isProved } from '../life/proved.ts';
import type { Life } from '../life/time-of-life.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { leversOf } from './levers/told-lever.ts';
import { lineThatSays, readAccountOf, type Told } from './told/account.ts';
import { HOLDS_CARD, LEFT_BEHIND, OF_RAM, OF_REQUESTS, OF_STEPS, type Subject } from './told/subjects.ts';
import { SIZED } from './told/told.ts';

/**
 * What people note beside a failure that a line or the kernel proves: the setting that made the difference, else what had been
 * sent, which step was under way, or what had been put into RAM. It names a cause that the proof leaves open, and never makes
 * it certain.
 */
export function deriveNotedCauses(evidence: Evidence): Group {
  const found = readLife(evidence);
  const life = found.kind === 'known' ? found.value : undefined;
  const last = lastLine(evidence.log.main);
  const nothing = last && known('nothing', last);
  const { decisive } = evidence.weighing;
  const isOfRam = decisive?.phrase.plane === 'host' || isProved(evidence);
  return {
    'log.noted-gpu-cause': (decisive?.phrase.plane === 'gpu' ? besideGpu(evidence, life) : undefined) ?? nothing,
    'log.noted-host-cause': (isOfRam ? besideKill(evidence, life) : undefined) ?? nothing,
  };
}

function besideGpu(evidence: Evidence, life: Life | undefined): Fact | undefined {
  const lever = byLever(evidence, life, 'gpu');
  if (lever !== undefined) return lever;
  const { prose } = readAccountOf(evidence);
  // How many there were is noted with every failure of a server.
  if (life !== 'starting')
    return named(
      OF_REQUESTS.filter(({ cause }) => !cause.endsWith('.concurrency')),
      prose,
    );
  const held = lineThatSays(prose, LEFT_BEHIND) ?? lineThatSays(prose, HOLDS_CARD);
  return held === undefined ? named(OF_STEPS, prose) : fact<string>('gpu.startup.shared-gpu', [held.from]);
}

function besideKill(evidence: Evidence, life: Life | undefined): Fact | undefined {
  const lever = byLever(evidence, life, 'host');
  if (lever !== undefined) return lever;
  const { prose, rows } = readAccountOf(evidence);
  const figures = [...prose, ...rows.filter(({ from }) => from.file === 'metrics.txt')];
  return named(
    OF_RAM.filter((one) => one.life === undefined || one.life === life),
    figures.filter(({ text }) => SIZED.test(text)),
  );
}

function byLever(evidence: Evidence, life: Life | undefined, plane: 'gpu' | 'host'): Fact | undefined {
  const lever = leversOf(evidence, life).find(({ family }) => family.plane === plane);
  return lever && fact<string>(lever.family[life ?? 'serving'], [lever.from]);
}

function named(subjects: readonly Subject[], lines: readonly Told[]): Fact | undefined {
  for (const { cause, pattern } of subjects) {
    const line = lineThatSays(lines, pattern);
    if (line !== undefined) return fact<string>(cause, [line.from]);
  }
  return undefined;
}
