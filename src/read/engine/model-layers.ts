import type { KvShape, LayerGroup } from '../../model/model-table.ts';
import { attentionLayers, type LayerFields, stateLayers } from './layer-widths.ts';

/** Layers by what they keep; a reason in words where they cannot be told. */
export function layersOf(of: LayerFields): KvShape | string {
  const layers = of.num_hidden_layers;
  if (layers == null) return 'config.json has no num_hidden_layers';
  const kinds = kindsOf(of, layers);
  if (typeof kinds === 'string') return kinds;
  const own = kinds.slice(0, kinds.length - (of.num_kv_shared_layers ?? 0));
  const groups: LayerGroup[] = [];
  for (const [kind, all] of Map.groupBy(own, (one) => one)) {
    if (kind === 'none') continue;
    const group = kind === 'state' ? stateLayers(of, all.length) : attentionLayers(of, kind, all.length);
    if (typeof group === 'string') return group;
    groups.push(group);
  }
  return groups.length === 0 ? 'config.json names no layer that keeps anything' : groups;
}

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

function kindsOf(of: LayerFields, layers: number): readonly Kind[] | string {
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
function repeated(of: LayerFields, layers: number): readonly Kind[] | string {
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

function windowed(of: LayerFields, each: (kind: (i: number) => Kind) => readonly Kind[]): readonly Kind[] | string {
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
