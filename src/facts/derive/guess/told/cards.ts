import type { Cause } from '../../../../model/taxonomy.ts';
import { anyOf } from '../../../text/patterns.ts';
import type { Account, Told } from './account.ts';

/** A cause that the rows of the cards show, and the row. */
export type Shown = { readonly cause: Cause; readonly from: Told };

// nvidia-smi prints each process with the number of its card, its type and what it holds.
const PROCESS = /^\|\s{1,6}(\d{1,2})\s+N\/A\s+N\/A\s+(\d{1,9})\s+[CG+]{1,3}\s+(\S.{0,120}?)\s+(\d{1,7}) ?MiB \|/;
const CARD = /(?:^|[|\s])(\d{1,7}) ?MiB\s?[/,]\s?(\d{3,7}) ?MiB/;
const OF_ENGINE = /VLLM|EngineCore|python|ray::|sglang|lmdeploy|text-generation|llama|triton|router/i;
const ALIKE = 0.9;
const NEARLY = 0.9;
const EMPTY = 0.6;
// Less than that is a desktop.
const LEAST_MIB = 1024;

/** Processes that stand on one card although they were to share the work of several, and cards of which one is full. */
export function readCards({ rows, prose }: Account): Shown | undefined {
  const lines = [...rows, ...prose];
  return ranksOnOneCard(lines) ?? unevenCards(lines) ?? sliceTooSmall(lines) ?? heldBefore(lines);
}

function ranksOnOneCard(lines: readonly Told[]): Shown | undefined {
  const seen = lines.flatMap((from) => {
    const [, card, , name = '', held] = PROCESS.exec(from.text) ?? [];
    return card === undefined || !OF_ENGINE.test(name) ? [] : [{ card, name, held: Number(held), from }];
  });
  const first = seen[0];
  const same = seen.filter(({ card, name, held }) => {
    return card === first?.card && name === first.name && held >= first.held * ALIKE && held >= LEAST_MIB;
  });
  return same.length > 2 && same.length === seen.length && first
    ? { cause: 'gpu.startup.parallelism', from: first.from }
    : undefined;
}

function unevenCards(lines: readonly Told[]): Shown | undefined {
  const cards = lines.flatMap((from) => {
    const [, used, total] = CARD.exec(from.text) ?? [];
    return used === undefined ? [] : [{ share: Number(used) / Number(total), from }];
  });
  const full = cards.find(({ share }) => share >= NEARLY);
  const others = cards.filter((card) => card !== full);
  if (full !== undefined && others.length > 0 && others.every(({ share }) => share < EMPTY))
    return { cause: 'gpu.startup.parallelism', from: full.from };
  const told = lines.find(({ text }) => UNEVEN.test(text));
  return told && { cause: 'gpu.startup.parallelism', from: told };
}

const UNEVEN = anyOf(
  'i',
  /\b(?:small(?:er)?|12 GB|8 GB|first) (?:card|GPU|one)\b[^\n]{0,24}\b(?:full|dies|fills|out)\b[^\n]{0,80}\b(?:big|bigger|larger|other)s?\b/,
  /\brank on the small\b|\b(?:card|GPU) 0\b[^\n]{0,24}\b(?:fills|climbs|full)\b[^\n]{0,80}/,
  /\b(?:cards?|GPUs?) 1[^\n]{0,12}\bstay\b[^\n]{0,16}\b\d{1,3} ?MiB/,
  /\ball (?:four |two |eight |three )?\w{0,10} ?instances went to GPU 0\b|\b12 GB card that is full\b/,
  /\bonly (?:one|a single|the first) (?:GPU|card) (?:is |was |gets? |of \w+ )?(?:used|runs?|filled|loaded|in use|taken)\b/,
);

const BEFORE = /\bbefore (?:the |each |every )?(?:launch|start|run)\b/i;
const HELD = 0.3;

// What is in use before anything was started belongs to somebody else.
function heldBefore(lines: readonly Told[]): Shown | undefined {
  if (!lines.some(({ text }) => BEFORE.test(text))) return undefined;
  const from = lines.find(({ text }) => {
    const [, used, total] = CARD.exec(text) ?? [];
    return Number(used) / Number(total) >= HELD;
  });
  return from && { cause: 'gpu.startup.shared-gpu', from };
}

const SLICE = /\b\dg\.(\d{1,3})gb\b/gi;
const MODEL = /\b(\d{1,3}(?:\.\d)?) ?B\b/;
const HALF = /\b(?:bf16|bfloat16|fp16|float16|half precision|16[- ]bit)\b/i;
const WHOLE = /\bwhole (?:card|A100|H100|GPU)\b|\bMIG\b|\bmig-/i;
const GB_PER_B = 2;

// Two bytes for each parameter, on a slice of the card whose name says its size.
function sliceTooSmall(lines: readonly Told[]): Shown | undefined {
  const sliced = lines.find(({ text }) => new RegExp(SLICE, 'i').test(text));
  const all = lines.map(({ text }) => text).join('\n');
  const sizes = [...all.matchAll(SLICE)].map(([, size]) => Number(size));
  const billions = Number(MODEL.exec(all)?.[1] ?? Number.NaN);
  const isTooLarge = WHOLE.test(all) && HALF.test(all) && billions * GB_PER_B >= Math.min(...sizes) * NEARLY;
  return sliced !== undefined && isTooLarge ? { cause: 'gpu.startup.parallelism', from: sliced } : undefined;
}
