import { z } from 'zod';
import type { LayerGroup } from '../../model/model-table.ts';

const count = z.int().min(1).nullish();
const zeroOrMore = z.int().min(0).nullish();
const width = z.number().gt(0).nullish();

/** What config.json shows of the layers. */
export const LayerFields = z.looseObject({
  model_type: z.string().nullish(),
  num_hidden_layers: count,
  num_attention_heads: count,
  num_key_value_heads: count,
  head_dim: count,
  hidden_size: count,
  vocab_size: count,
  max_position_embeddings: count,
  layer_types: z.array(z.string()).nullish(),
  sliding_window: zeroOrMore,
  use_sliding_window: z.boolean().nullish(),
  max_window_layers: zeroOrMore,
  sliding_window_pattern: z.union([z.int().min(1), z.string()]).nullish(),
  attention_chunk_size: count,
  no_rope_layers: z.array(z.number()).nullish(),
  no_rope_layer_interval: count,
  kv_lora_rank: count,
  qk_rope_head_dim: count,
  index_head_dim: count,
  num_kv_shared_layers: zeroOrMore,
  global_head_dim: count,
  num_global_key_value_heads: count,
  full_attention_interval: count,
  linear_num_key_heads: count,
  linear_num_value_heads: count,
  linear_key_head_dim: count,
  linear_value_head_dim: count,
  linear_conv_kernel_dim: count,
  mamba_ssm_dtype: z.string().nullish(),
  mamba_ssm_cache_dtype: z.string().nullish(),
  hybrid_override_pattern: z.string().nullish(),
  mamba_num_heads: count,
  mamba_head_dim: count,
  ssm_state_size: count,
  n_groups: count,
  conv_kernel: count,
  mamba_n_heads: count,
  mamba_d_head: z.union([z.int().min(1), z.string()]).nullish(),
  mamba_d_state: count,
  mamba_d_conv: count,
  mamba_n_groups: count,
  mamba_expand: width,
  attn_layer_period: count,
  attn_layer_offset: zeroOrMore,
});
export type LayerFields = z.infer<typeof LayerFields>;

const missing = (name: string) => `config.json has no ${name}`;

/** Attention layers of one kind; a reason in words where their width is not told. */
export function attentionLayers(
  of: LayerFields,
  kind: 'full' | 'sliding' | 'chunked',
  layers: number,
): LayerGroup | string {
  if (of.kv_lora_rank != null) return latentLayers(of, layers, of.kv_lora_rank);
  const isGlobal = kind === 'full' && of.global_head_dim != null;
  const width = widthOf(isGlobal ? { ...of, ...globalWidth(of) } : of);
  if (typeof width === 'string') return width;
  if (kind === 'full') return { kind, layers, ...width };
  const window = kind === 'sliding' ? of.sliding_window : of.attention_chunk_size;
  if (window == null || window === 0) return missing(kind === 'sliding' ? 'sliding_window' : 'attention_chunk_size');
  return { kind, layers, ...width, window };
}

function latentLayers(of: LayerFields, layers: number, rank: number): LayerGroup | string {
  if (of.qk_rope_head_dim == null) return missing('qk_rope_head_dim');
  const index = of.index_head_dim == null ? {} : { indexDim: of.index_head_dim };
  return { kind: 'latent', layers, rank, ropeDim: of.qk_rope_head_dim, ...index };
}

function globalWidth(of: LayerFields): Partial<LayerFields> {
  return {
    head_dim: of.global_head_dim,
    num_key_value_heads: of.num_global_key_value_heads ?? of.num_key_value_heads,
  };
}

function widthOf(of: LayerFields): { readonly kvHeads: number; readonly headDim: number } | string {
  const heads = of.num_attention_heads;
  const kvHeads = of.num_key_value_heads ?? heads;
  if (kvHeads == null) return missing('num_key_value_heads');
  if (of.head_dim != null) return { kvHeads, headDim: of.head_dim };
  if (of.hidden_size == null || heads == null) return missing('head_dim');
  const headDim = of.hidden_size / heads;
  if (Number.isInteger(headDim)) return { kvHeads, headDim };
  return `config.json contradicts itself: hidden_size ${of.hidden_size} is no multiple of ${heads} heads`;
}

const FLOAT32 = /32/;

/** Layers that keep a state; a reason in words where its size is not told. */
export function stateLayers(of: LayerFields, layers: number): LayerGroup | string {
  if (of.linear_num_value_heads != null) return gatedDelta(of, layers);
  const state = of.ssm_state_size ?? of.mamba_d_state;
  const steps = of.conv_kernel ?? of.mamba_d_conv;
  if (state == null || steps == null) return missing(state == null ? 'mamba_d_state' : 'mamba_d_conv');
  const expanded = of.mamba_expand == null || of.hidden_size == null ? undefined : of.mamba_expand * of.hidden_size;
  const common = { kind: 'state', layers, convSteps: steps - 1 } as const;
  const heads = of.mamba_num_heads ?? of.mamba_n_heads;
  if (heads != null) return mamba2({ ...of, heads, state, expanded }, common);
  if (expanded === undefined) return missing('mamba_expand');
  return { ...common, channels: expanded, groups: 0, groupDim: 0, values: expanded * state, valueBytes: 2, blocks: 2 };
}

type Mamba = LayerFields & { readonly heads: number; readonly state: number; readonly expanded: number | undefined };
type Common = { readonly kind: 'state'; readonly layers: number; readonly convSteps: number };

function mamba2({ heads, state, expanded, ...of }: Mamba, common: Common): LayerGroup | string {
  const told = of.mamba_head_dim ?? of.mamba_d_head;
  const divided = expanded === undefined ? undefined : expanded / heads;
  const headDim = typeof told === 'number' ? told : divided;
  if (headDim === undefined) return missing('mamba_d_head');
  const dtype = of.mamba_ssm_cache_dtype ?? (of.model_type === 'nemotron_h' ? 'float32' : 'auto');
  return {
    ...common,
    channels: heads * headDim,
    groups: of.n_groups ?? of.mamba_n_groups ?? 1,
    groupDim: state,
    values: heads * headDim * state,
    valueBytes: FLOAT32.test(dtype) ? 4 : 2,
    blocks: 3,
  };
}

function gatedDelta(of: LayerFields, layers: number): LayerGroup | string {
  const { linear_num_key_heads: keys, linear_num_value_heads: values } = of;
  const { linear_key_head_dim: keyDim, linear_value_head_dim: valueDim, linear_conv_kernel_dim: steps } = of;
  if (keys == null || values == null || keyDim == null || valueDim == null) return missing('linear_key_head_dim');
  return {
    kind: 'state',
    layers,
    channels: 2 * keys * keyDim + values * valueDim,
    convSteps: (steps ?? 4) - 1,
    groups: 0,
    groupDim: 0,
    values: values * keyDim * valueDim,
    valueBytes: FLOAT32.test(of.mamba_ssm_dtype ?? '') ? 4 : 2,
    blocks: 2,
  };
}
