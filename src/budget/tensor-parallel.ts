import { layoutOf, type SummedEngine } from './figures.ts';
import { shapeOf } from './kv-bytes.ts';

/** Why the heads of the model cannot be divided among the ranks; undefined where they can, or are not known. */
export function judgeHeads({ engine, figures, settings, knobs }: SummedEngine): string | undefined {
  const { tensorParallel: ranks } = layoutOf(engine, settings);
  const { attentionHeads } = figures;
  const flag = `${knobs.tensorParallel ?? 'tensor parallelism'} ${ranks}`;
  if (attentionHeads !== undefined && attentionHeads % ranks !== 0) {
    return `${flag} does not divide the ${attentionHeads} attention heads of the model`;
  }
  const heads = (shapeOf(figures) ?? []).flatMap((group) => ('kvHeads' in group ? [group.kvHeads] : []));
  // Fewer heads than ranks are repeated.
  const odd = heads.find((count) => Math.max(count, ranks) % Math.min(count, ranks) !== 0);
  return odd === undefined ? undefined : `${flag} does not divide the ${odd} KV heads of the model`;
}
