import type { LineCitation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import type { Plane } from '../../../model/taxonomy.ts';
import { known } from '../../pod/finding.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { readToldGrowth } from '../growth/told-growth.ts';
import { readLife } from '../life/life.ts';
import { isProved } from '../life/proved.ts';
import type { Life } from '../life/time-of-life.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { isElsewhere } from './denials.ts';
import { type Clause, clausesOf, isTried } from './levers/clauses.ts';
import { leversOf } from './levers/told-lever.ts';
import { says } from './no-memory/speech.ts';
import { remarkLines } from './remark-lines.ts';
import { startedTogether } from './start-order.ts';
import { type Account, readAccountOf, type Told } from './told/account.ts';
import { LEFT_BEHIND, OF_RAM, OF_REQUESTS } from './told/subjects.ts';

/**
 * What people note beside a failure that is proved, where the proof leaves its cause open: the setting that made the
 * difference, what had been sent, who else holds the card, what was put into RAM. It makes nothing certain.
 */
export function deriveNotedCauses(evidence: Evidence): Group {
  const last = lastLine(evidence.log.main);
  const found = readLife(evidence);
  const life = found.kind === 'known' ? found.value : undefined;
  const plane = evidence.weighing.decisive?.phrase.plane;
  const offload = plane === 'host' || isProved(evidence) ? offloadIn(readAccountOf(evidence)) : undefined;
  return {
    'log.noted-gpu-cause': notedOfGpu(evidence, plane, life) ?? (last && known('nothing', last)),
    'ram.offload-noted': offload ? known(true, offload.from) : last && known(false, last),
    'gpu.growth-told': plane === 'gpu' ? growthOfGpu(evidence) : undefined,
    'ram.growth-told': plane === 'host' || isProved(evidence) ? growthOfRam(evidence, last) : undefined,
  };
}

function growthOfRam(evidence: Evidence, last: LineCitation | undefined): Fact | undefined {
  const told = readToldGrowth(remarkLines(evidence)).find(({ family }) => family.serving === 'host.chronic.leak');
  return told ? known(true, told.from) : last && known(false, last);
}

// Beside a line that proves it of the GPU, a memory that nobody names is that one.
function growthOfGpu(evidence: Evidence): Fact | undefined {
  const told = readToldGrowth(remarkLines(evidence), 'gpu').find(({ family }) => family.serving === 'gpu.chronic.leak');
  return told && known(true, told.from);
}

function notedOfGpu(evidence: Evidence, plane: Plane | undefined, life: Life | undefined): Fact | undefined {
  if (plane === 'gpu') return besideGpu(evidence, life);
  // Where no line decides either, who else holds the card says more than the refusal that people retell.
  return plane === undefined && life === 'starting' ? sharedIn(readAccountOf(evidence)) : undefined;
}

function besideGpu(evidence: Evidence, life: Life | undefined): Fact | undefined {
  const levers = leversOf(evidence, life).filter(({ from }) => from.kind !== 'line' || !isElsewhere(from.text));
  const lever = levers.find(({ family }) => family.plane === 'gpu');
  if (lever !== undefined) return fact<string>(lever.family[life ?? 'serving'], [lever.from]);
  const account = readAccountOf(evidence);
  return life === 'starting' ? sharedIn(account) : requestIn(account.prose);
}

// Of another time, another program or nothing at all.
const ASIDE =
  /\b(?:disabled?|off|unused|not used|removed|taken out|planned|will|comes next|next (?:week|month|quarter)|another|other|next door|neighbou?r\w*|earlier|previous|old|tickets?|CVEs?)\b/i;

function isAside({ text, outcomes }: Clause): boolean {
  return ASIDE.test(text) || isElsewhere(text) || outcomes.some(({ went }) => went === 'well');
}

// How many there were is noted with every failure of a server.
const KINDS = OF_REQUESTS.filter(({ cause }) => !cause.endsWith('.concurrency'));

function requestIn(prose: readonly Told[]): Fact | undefined {
  const clauses = prose.flatMap(({ text, from }) => clausesOf(text).map((clause) => ({ clause, from })));
  const own = clauses.filter(({ clause }) => isTried(clause) && !isAside(clause));
  for (const { cause, pattern } of KINDS) {
    const told = own.find(({ clause }) => says(clause.text, pattern));
    if (told !== undefined) return fact<string>(cause, [told.from]);
  }
  return undefined;
}

// So much of this card: that something runs beside the engine says less.
const HELD =
  /\b(?:hold|take|use|occup|eat)\w*\s(?:about |some |around |~)?\d{1,3}(?:\.\d)? ?Gi?B?\b[^.;\n]{0,12}\b(?:of|on) (?:the|that|this|each) (?:card|GPU|VRAM)\b/i;

// Whoever shares cards out put several on one.
const PLACED =
  /\b(?:two|both|three|several) (?:pods|containers|replicas|instances|engines)\b[^.;\n]{0,24}\b(?:on|to|onto) the same (?:card|GPU)\b/i;

function sharedIn(account: Account): Fact | undefined {
  const held = account.prose.find(
    ({ text }) =>
      !isElsewhere(text) &&
      (says(text, LEFT_BEHIND) || ((says(text, HELD) || says(text, PLACED)) && !ASIDE.test(text))),
  );
  const told = held ?? startedTogether(account);
  return told && fact<string>('gpu.startup.shared-gpu', [told.from]);
}

const OFFLOADS = OF_RAM.filter(({ cause }) => cause === 'host.offload').map(({ pattern }) => pattern);
// Its size right behind its name, and not none.
const SIZE_OF_IT = /^[\w-]{0,24}(?: (?:is|was) set to| of| is| was| takes)?[ =:]{1,3}(?!0(?:\.0{1,3})?(?![\d.]))\d/;

function offloadIn({ prose, rows }: Account): Told | undefined {
  const figures = [...prose, ...rows.filter(({ from }) => from.file === 'metrics.txt')];
  return figures.find(
    ({ text }) => !ASIDE.test(text) && !isElsewhere(text) && OFFLOADS.some((one) => isSized(text, one)),
  );
}

function isSized(text: string, offload: RegExp): boolean {
  const found = offload.exec(text);
  return found !== null && SIZE_OF_IT.test(text.slice(found.index + found[0].length)) && says(text, offload);
}
