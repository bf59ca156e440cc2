import type { LineCitation } from '../../../../model/citation.ts';
import { anyOf } from '../../../text/patterns.ts';
import type { Life } from '../../life/time-of-life.ts';
import { FAILS, type Read } from '../family.ts';
import type { Aim, Lever, Way } from './lever.ts';
import { type Mention, mentionsIn } from './mentions.ts';
import { outcomesIn } from './outcomes.ts';

type Note = { readonly text: string; readonly from: LineCitation };
type Told = Mention & { readonly from: LineCitation };

/** What a lever points to, and in which time of life. */
export type LeverRead = Read & { readonly when: Life };

// What fails otherwise than for want of memory, speed, and what a server answers.
const OTHERWISE = anyOf(
  'i',
  /\bXid\b|illegal (?:memory )?(?:access|instruction|mem\b)|\bmisaligned\b|\bsegfault\w*/,
  /segmentation fault|\bSIG(?:SEGV|ABRT|ILL)\b|\brc 139\b|\bexit(?: code)? 1(?:32|39)\b/,
  /\bdevice-side assert|\bassert\w*\b|\bgarbage\b|\bgibberish\b|\bnonsense\b|\baccuracy\b/,
  /\bwrong answers?\b|\btok(?:ens?)?\/s\b|\bslow(?:er|ly)?\b|\b(?:not|un)[- ]?supported\b/,
  /\bcapability\b|\bno kernel image\b|\bdivisible\b|\b40[01348]\b|\b413\b|\b42[29]\b/,
  /\bConnect\w*Timeout\b|\bconnection refused\b|\bgateway\b|\bunrecogni[sz]ed\b|\bis refused \(/,
  /\bgreater than the derived\b|\bmaximum context length\b|\bAPI allows\b|\bschema error\b/,
  /\bstream is capturing\b/,
  /\b(?:gcc|nvcc|ffmpeg|codec|triton)\b[^\n]{0,24}\b(?:not found|missing|fails?)\b/,
  /\bmissing (?:codec|compiler)\b|\bquota\b|\bnot found\b|\bNo CUDA GPUs\b|\bwas left at 1\b/,
  /\block file\b|\bUUID\b/,
  /(?<!OutOfMemory|Memory|Runtime)\b(?!OutOfMemoryError|MemoryError|RuntimeError|HTTPError)[A-Z]\w+Error\b/,
  /乱码|很慢|变慢/,
);
const WAITS =
  /(?<!\b(?:no|not|never) )\b(?:hang(?:s|ing)?|hung|stuck|deadlock\w*|stands (?:still|here|there)|waits for ever)\b(?! no\b)|卡住|卡死|没有变化|(?:等了|一直是)[^\n，]{0,12}/i;

/**
 * What people changed, and with what it went well: what the lever moves is what was short. A comparison of two settings comes
 * before a lever that merely went well, and a flag before what everybody varies.
 */
export function readLevers(written: readonly Note[], life: Life | undefined): readonly LeverRead[] {
  const notes = written.slice(0, MOST_NOTES);
  const all = notes.map(({ text }) => text).join('\n');
  const told = notes.flatMap(({ text, from }) => mentionsIn(text).map((one) => ({ ...one, from })));
  const outcomes = new Set(notes.flatMap(({ text }) => outcomesIn(text).map(({ went }) => went)));
  const bars = { memory: OTHERWISE.test(all), waits: WAITS.test(all) };
  return [...new Set(told.map(({ lever }) => lever))]
    .filter(({ beside }) => beside === undefined || beside.test(all))
    .flatMap(
      (lever) =>
        weigh(
          lever,
          told.filter((one) => one.lever === lever),
          outcomes,
        ) ?? [],
    )
    .filter(({ aim, lever }) => aim.plane === 'none' || (!bars.memory && (!bars.waits || lever.freesWaits === true)))
    .toSorted((a, b) => b.worth - a.worth)
    .map(({ aim, from, lever, starts }) => {
      const when = starts ? 'starting' : (life ?? lever.when);
      const cause = aim[when];
      return { family: { ...aim, starting: cause, serving: cause }, score: FAILS, from, when };
    });
}

// Whoever writes more than that writes no notes.
const MOST_NOTES = 60;
const WORTH = { compared: 4, cure: 2, culprit: 0 } as const;

function weigh(lever: Lever, told: readonly Told[], outcomes: ReadonlySet<string>) {
  const good = told.find(({ went }) => went === 'well');
  const bad = told.find(({ went }) => went === 'badly');
  const from = good ?? bad;
  if (from === undefined || told.some(({ went }) => went === 'either way')) return undefined;
  const kind = kindOf(lever, told, outcomes);
  const aim = aimOf(lever, wayOf(told));
  if (kind === undefined || aim === undefined) return undefined;
  const starts = good?.starts === true && lever.when === 'starting';
  return { lever, aim, from: from.from, starts, worth: WORTH[kind] - (lever.common ? 3 : 0) };
}

function kindOf(lever: Lever, told: readonly Told[], outcomes: ReadonlySet<string>): keyof typeof WORTH | undefined {
  const good = told.filter(({ went }) => went === 'well');
  const bad = told.filter(({ went }) => went === 'badly');
  const differs = (one: Told, others: readonly Told[]) => others.some(({ setting }) => one.setting !== setting);
  const turned = ({ on }: Told) => told.some((other) => other.went === undefined && other.on !== on);
  if (good.some((one) => differs(one, bad)) || bad.some(turned)) return 'compared';
  // With the same setting it went both ways: something else made the difference.
  if (lever.onlyCompared || (good.length > 0 && bad.length > 0)) return undefined;
  if (good.some(({ marked }) => marked) && (!lever.common || outcomes.has('badly'))) return 'cure';
  if (bad.length > 0 && lever.culprit) return 'culprit';
  const isCondition = bad.some(({ marked, condition }) => (lever.describes ? condition : marked));
  return outcomes.has('well') && isCondition ? 'culprit' : undefined;
}

function wayOf(told: readonly Told[]): Way | undefined {
  const moved = told.find((one) => one.moved !== undefined)?.moved;
  if (moved !== undefined) return moved;
  const good = told.find(({ went, value }) => went !== 'badly' && value !== undefined)?.value;
  const bad = told.find(({ went, value }) => went === 'badly' && value !== undefined)?.value;
  if (good === undefined || bad === undefined || good === bad) return undefined;
  return good > bad ? 'raised' : 'lowered';
}

function aimOf({ aim, raised, lowered }: Lever, way: Way | undefined): Aim | undefined {
  const turned = way === 'raised' ? raised : way === 'lowered' ? lowered : undefined;
  return turned === undefined ? aim : (turned ?? undefined);
}
