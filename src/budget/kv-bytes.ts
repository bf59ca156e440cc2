import type { KvShape, LayerGroup } from '../model/model-table.ts';

export type KvLayout = {
  readonly tensorParallel?: number | undefined;
  readonly pipelineParallel?: number | undefined;
  /** 2 for 16 bit, 1 for fp8, about 0.56 for nvfp4. */
  readonly bytesPerValue?: number | undefined;
};

/** KV bytes of one token on one GPU, with every attention layer at full length: what an engine without a hybrid manager takes. */
export function kvBytesPerToken(shape: KvShape, layout: KvLayout = {}): number {
  return sum(shape, (group) => tokenBytes(group, layout)) / (layout.pipelineParallel ?? 1);
}

function tokenBytes(group: LayerGroup, { tensorParallel = 1, bytesPerValue = 2 }: KvLayout): number {
  switch (group.kind) {
    case 'state':
      return 0;
    case 'latent':
      // Every rank of a tensor-parallel group holds the whole compressed vector.
      return group.layers * (group.rank + group.ropeDim) * bytesPerValue;
    default:
      return 2 * group.layers * Math.max(group.kvHeads / tensorParallel, 1) * group.headDim * bytesPerValue;
  }
}

function sum(shape: KvShape, bytes: (group: LayerGroup) => number): number {
  return shape.reduce((total, group) => total + bytes(group), 0);
}

/** Bytes per value of a `--kv-cache-dtype`; undefined for one that is not known. `auto` follows the model, which is 16 bit. */
export function bytesOfKvDtype(dtype: string | null | undefined): number | undefined {
  if (dtype === undefined || dtype === null || /^(?:auto|bfloat16|float16|half|bf16|fp16|f16)$/.test(dtype)) return 2;
  if (/^fp8|^int8|^q8_0$/.test(dtype)) return 1;
  if (/^nvfp4/.test(dtype)) return 0.56;
  return /^float32$|^f32$/.test(dtype) ? 4 : undefined;
}
