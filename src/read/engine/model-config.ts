import { z } from 'zod';
import type { KvShape, LayerGroup } from '../../model/model-table.ts';

/** What a model's config.json tells of its memory. */
export type ModelConfig = {
  /** Layers by what they keep; absent where a problem is named. */
  readonly shape?: KvShape | undefined;
  readonly vocabulary?: number | undefined;
  readonly attentionHeads?: number | undefined;
  readonly maxLength?: number | undefined;
  /** Format of the weights, as `quantization_config` names it in any of its forms. */
  readonly quantization?: string | undefined;
  /** What is missing in it or contradicts, in words. */
  readonly problems: readonly string[];
};

const count = z.int().min(1).nullish();
const zeroOrMore = z.int().min(0).nullish();
const width = z.number().gt(0).nullish();

const Fields = z.looseObject({
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
type Fields = z.infer<typeof Fields>;

const Quantization = z.looseObject({
  quant_method: z.string().nullish(),
  quant_algo: z.string().nullish(),
  bits: z.number().nullish(),
  load_in_4bit: z.boolean().nullish(),
  load_in_8bit: z.boolean().nullish(),
  quantization: z.looseObject({ quant_algo: z.string().nullish() }).nullish(),
  config_groups: z
    .record(
      z.string(),
      z.looseObject({
        weights: z.looseObject({ num_bits: z.number().nullish(), type: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
});

const Whole = z.looseObject({ quantization_config: z.unknown().optional() });

// Where models of several parts keep the one that writes text.
const PARTS = ['text_config', 'llm_config', 'language_config', 'thinker_config'] as const;

/** Reads config.json of a model. Never throws: what cannot be read is a problem, and there is no shape then. */
export function readModelConfig(text: string): ModelConfig {
  const json = parsed(text);
  if (typeof json === 'string') return { problems: [json] };
  const outer = Whole.safeParse(json);
  if (!outer.success) return { problems: ['config.json is not a JSON object'] };
  const part = textPart(outer.data);
  const fields = Fields.safeParse(part);
  if (!fields.success) {
    const names = [...new Set(fields.error.issues.map(({ path }) => String(path[0])))];
    return { problems: [`config.json has unexpected values in ${names.join(', ')}`] };
  }
  const format = quantizationOf(outer.data.quantization_config ?? part.quantization_config);
  const layers = shapeOf(fields.data);
  return {
    ...(typeof layers === 'string' ? {} : { shape: layers }),
    vocabulary: fields.data.vocab_size ?? undefined,
    attentionHeads: fields.data.num_attention_heads ?? undefined,
    maxLength: fields.data.max_position_embeddings ?? undefined,
    quantization: format.name,
    problems: [...(typeof layers === 'string' ? [layers] : []), ...format.problems],
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const isCut = !text.trimEnd().endsWith('}');
    return isCut ? 'config.json is cut off: it has no closing brace' : 'config.json is not valid JSON';
  }
}

function textPart(whole: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const name of PARTS) {
    const inner = Whole.safeParse(whole[name]);
    if (inner.success) return { ...textPart(inner.data), architectures: whole.architectures };
  }
  return whole;
}

// A reason in words where the layers cannot be told.
function shapeOf(of: Fields): KvShape | string {
  const layers = of.num_hidden_layers;
  if (layers == null) return missing('num_hidden_layers');
  const kinds = kindsOf(of, layers);
  if (typeof kinds === 'string') return kinds;
  const own = kinds.slice(0, kinds.length - (of.num_kv_shared_layers ?? 0));
  const groups: LayerGroup[] = [];
  for (const [kind, all] of Map.groupBy(own, (one) => one)) {
    if (kind === 'none') continue;
    const group = kind === 'state' ? stateOf(of, all.length) : attentionOf(of, kind, all.length);
    if (typeof group === 'string') return group;
    groups.push(group);
  }
  return groups.length === 0 ? 'config.json names no layer that keeps anything' : groups;
}

const missing = (name: string) => `config.json has no ${name}`;

type Kind = 'full' | 'sliding' | 'chunked' | 'state' | 'none';

const NAMED: Readonly<Record<string, Kind>> = {
  full_attention: 'full',
  attention: 'full',
  sliding_attention: 'sliding',
  chunked_attention: 'chunked',
  linear_attention: 'state',
  mamba: 'state',
  mamba2: 'state',
  moe: 'none',
  mlp: 'none',
};
const PATTERN: Readonly<Record<string, Kind>> = { M: 'state', '*': 'full', '-': 'none', E: 'none' };

function kindsOf(of: Fields, layers: number): readonly Kind[] | string {
  const named = of.layer_types ?? (of.hybrid_override_pattern == null ? undefined : [...of.hybrid_override_pattern]);
  const table = of.layer_types == null ? PATTERN : NAMED;
  if (named !== undefined) {
    const unknown = [...new Set(named.filter((name) => table[name] === undefined))];
    if (unknown.length > 0) return `config.json has layers of unknown type: ${unknown.join(', ').slice(0, 80)}`;
    if (named.length !== layers) {
      return `config.json contradicts itself: ${layers} hidden layers, ${named.length} layer types`;
    }
    return named.flatMap((name) => table[name] ?? []);
  }
  return repeated(of, layers);
}

// What model types do that name no layers one by one.
function repeated(of: Fields, layers: number): readonly Kind[] | string {
  const each = (kind: (i: number) => Kind) => Array.from({ length: layers }, (_, i) => kind(i));
  const type = of.model_type ?? '';
  if (type === 'falcon_h1') return [...each(() => 'state'), ...each(() => 'full')];
  if (of.full_attention_interval != null) {
    const every = of.full_attention_interval;
    return each((i) => ((i + 1) % every === 0 ? 'full' : 'state'));
  }
  if (of.attn_layer_period != null) {
    const { attn_layer_period: period, attn_layer_offset: offset } = of;
    return each((i) => (i % period === (offset ?? 0) ? 'full' : 'state'));
  }
  if (/^(?:mamba|rwkv|qwen3_next|qwen3_5|nemotron_h|jamba|bamba|zamba|recurrent|lfm|minimax|kimi_linear)/.test(type)) {
    return `config.json of ${type} does not tell which layers keep a state`;
  }
  if (of.attention_chunk_size != null) {
    const every = of.no_rope_layer_interval ?? 4;
    return each((i) => ((of.no_rope_layers?.[i] ?? ((i + 1) % every === 0 ? 0 : 1)) === 0 ? 'full' : 'chunked'));
  }
  return windowed(of, each);
}

const PATTERNS: Readonly<Record<string, number>> = { gemma2: 2, gemma3: 6, gemma3_text: 6, cohere2: 4 };
const ALL_SLIDING = /^(?:mistral|mixtral|phi3|phimoe|starcoder2)$/;

function windowed(of: Fields, each: (kind: (i: number) => Kind) => readonly Kind[]): readonly Kind[] | string {
  const type = of.model_type ?? '';
  if (of.sliding_window == null || of.sliding_window === 0 || of.use_sliding_window === false)
    return each(() => 'full');
  const told = of.sliding_window_pattern;
  const every = typeof told === 'number' ? told : PATTERNS[type];
  if (every !== undefined) return each((i) => ((i + 1) % every === 0 ? 'full' : 'sliding'));
  if (ALL_SLIDING.test(type)) return each(() => 'sliding');
  // Qwen2 has windows in the layers from this one on.
  if (of.max_window_layers != null) return each((i) => (i < (of.max_window_layers ?? 0) ? 'full' : 'sliding'));
  return `config.json of ${type || 'an unnamed model type'} has a sliding_window but does not tell in which layers`;
}

function attentionOf(of: Fields, kind: Exclude<Kind, 'state' | 'none'>, layers: number): LayerGroup | string {
  if (of.kv_lora_rank != null) {
    if (of.qk_rope_head_dim == null) return missing('qk_rope_head_dim');
    const index = of.index_head_dim == null ? {} : { indexDim: of.index_head_dim };
    return { kind: 'latent', layers, rank: of.kv_lora_rank, ropeDim: of.qk_rope_head_dim, ...index };
  }
  const heads = of.num_attention_heads;
  const isGlobal = kind === 'full' && of.global_head_dim != null;
  const kvHeads = (isGlobal ? of.num_global_key_value_heads : undefined) ?? of.num_key_value_heads ?? heads;
  const divided = of.hidden_size == null || heads == null ? undefined : of.hidden_size / heads;
  const headDim = (isGlobal ? of.global_head_dim : undefined) ?? of.head_dim ?? divided;
  if (kvHeads == null) return missing('num_key_value_heads');
  if (headDim === undefined) return missing('head_dim');
  if (!Number.isInteger(headDim))
    return `config.json contradicts itself: ${of.hidden_size} is no multiple of ${heads} heads`;
  const attention = { layers, kvHeads, headDim };
  if (kind === 'full') return { kind, ...attention };
  const window = kind === 'sliding' ? of.sliding_window : of.attention_chunk_size;
  if (window == null || window === 0) return missing(kind === 'sliding' ? 'sliding_window' : 'attention_chunk_size');
  return { kind, ...attention, window };
}

const FLOAT32 = /32/;

function stateOf(of: Fields, layers: number): LayerGroup | string {
  if (of.linear_num_value_heads != null) return gatedDelta(of, layers);
  const heads = of.mamba_num_heads ?? of.mamba_n_heads;
  const state = of.ssm_state_size ?? of.mamba_d_state;
  const steps = of.conv_kernel ?? of.mamba_d_conv;
  if (state == null || steps == null) return `${missing('mamba_d_state')} or no mamba_d_conv`;
  const expanded = of.mamba_expand == null || of.hidden_size == null ? undefined : of.mamba_expand * of.hidden_size;
  const common = { kind: 'state', layers, convSteps: steps - 1 } as const;
  if (heads == null) {
    if (expanded === undefined) return missing('mamba_expand');
    return {
      ...common,
      channels: expanded,
      groups: 0,
      groupDim: 0,
      values: expanded * state,
      valueBytes: 2,
      blocks: 2,
    };
  }
  const told = of.mamba_head_dim ?? of.mamba_d_head;
  const headDim = typeof told === 'number' ? told : expanded === undefined ? undefined : expanded / heads;
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

function gatedDelta(of: Fields, layers: number): LayerGroup | string {
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

type Format = { readonly name?: string | undefined; readonly problems: readonly string[] };

// Transformers, compressed-tensors, ModelOpt and bitsandbytes write it in four ways.
function quantizationOf(given: unknown): Format {
  if (given == null) return { problems: [] };
  const read = Quantization.safeParse(given);
  const unknown = { problems: ['config.json has a quantization_config of unknown form'] };
  if (!read.success) return unknown;
  const { quant_method: method, quant_algo, quantization, load_in_4bit, load_in_8bit, bits, config_groups } = read.data;
  if (load_in_4bit === true) return { name: 'bitsandbytes nf4', problems: [] };
  if (load_in_8bit === true) return { name: 'int8', problems: [] };
  const algorithm = quant_algo ?? quantization?.quant_algo;
  if (algorithm != null) return { name: algorithm.toLowerCase(), problems: [] };
  const weights = Object.values(config_groups ?? {})[0]?.weights;
  if (weights?.num_bits != null) {
    return {
      name:
        weights.num_bits === 4
          ? weights.type === 'float'
            ? 'nvfp4'
            : 'w4a16'
          : weights.type === 'float'
            ? 'fp8'
            : 'int8',
      problems: [],
    };
  }
  if (method == null) return unknown;
  return { name: bits != null && method === 'gptq' && bits === 8 ? 'int8' : method.toLowerCase(), problems: [] };
}
