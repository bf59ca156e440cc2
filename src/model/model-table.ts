import type { KvShape, LayerGroup, ModelFamily } from './hardware-files.ts';
import { tablesInForce } from './reference-tables.ts';

export type { KvShape, LayerGroup, ModelFamily };

/**
 * The family behind a name or path (`meta-llama/Llama-3.1-8B-Instruct`). Only whole pieces of the name count, and names
 * that say that they are something else (distilled into another family, with a vision tower) belong to no family.
 */
export function modelFamily(name: string): ModelFamily | undefined {
  const plain = name.toLowerCase().replaceAll('_', '-');
  if (OTHER_SHAPE.test(plain)) return undefined;
  const found = longestPieces(plain, tablesInForce().families);
  const [own] = found;
  return found.length === 1 && WITH_EYES.test(plain) === own?.names.some((piece) => WITH_EYES.test(piece))
    ? own
    : undefined;
}

/** Parameters in billions as the name gives them, `Qwen3.6-27B-FP8`: the first size that is not that of active experts. */
export function parametersInName(name: string): number | undefined {
  const size = /(?:^|[^a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])/i.exec(name)?.[1];
  return size === undefined || /\d+x\d+(?:\.\d+)?b/i.test(name) ? undefined : Number(size);
}

// Of two pieces that lie one in the other the longer tells.
function longestPieces<T extends { readonly names: readonly string[] }>(
  name: string,
  rows: readonly T[],
): readonly T[] {
  const found = rows
    .flatMap((row) => row.names.map((piece) => ({ piece, row })))
    .filter(({ piece }) => holds(name, piece));
  const whole = found.filter(({ piece }) => !found.some((other) => other.piece !== piece && holds(other.piece, piece)));
  return [...new Set(whole.map(({ row }) => row))];
}

// DeepSeek-R1-Distill-Qwen-7B is a Qwen; Phi-4-mini, -multimodal and -reasoning-vision have shapes of their own.
const OTHER_SHAPE = /distill|phi-4-m(?:ini|ultimodal)|vision|omni/;
// With a vision tower it is another model, unless the table names it so.
const WITH_EYES = /-vl\b/;

/**
 * The words of a model's vocabulary by its name; undefined where no piece of the name tells, or pieces tell different ones.
 */
export function vocabularyOf(name: string): number | undefined {
  const plain = name.toLowerCase().replaceAll('_', '-');
  if (OTHER_WORDS.test(plain)) return undefined;
  const words = new Set(longestPieces(plain, tablesInForce().vocabularies).map((one) => one.words));
  return words.size === 1 ? [...words][0] : undefined;
}

// What embeds and ranks has no logits over words; Phi-4-mini and its kin have words of their own, and so may what was
// distilled into another family.
const OTHER_WORDS = /distill(?!-(?:llama|qwen))|embed|rerank|omni|phi-4-m(?:ini|ultimodal)/;

function holds(name: string, piece: string): boolean {
  const at = name.indexOf(piece);
  if (at === -1) return false;
  return isEdge(name[at - 1]) && isEdge(name[at + piece.length]);
}

function isEdge(character: string | undefined): boolean {
  return character === undefined || /[^a-z0-9.]/.test(character);
}
