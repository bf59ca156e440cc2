import type { LineCitation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { known } from '../../read/reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { LOG } from '../log/needs.ts';
import { lastLine, tailLines } from '../log/tail-lines.ts';
import { isFrame } from '../log/traceback.ts';
import { defineFacts } from './define.ts';
import type { Evidence } from './evidence.ts';
import { lineOfFailure } from './weigh.ts';

// What asks for tokens of the step by intermediate size, and what asks for tokens by tokens or by keys.
const MLP = anyOf(
  'i',
  /silu_and_mul|gelu_and_mul|swiglu|fused_(?:moe|experts)|gate_up|moe_forward|\b_?mlp\b|feed_?forward/,
  /\bffn\b|intermediate_cache|(?:^|\W)self\.(?:gate_proj|up_proj|down_proj|mlp|experts|act_fn)\(/,
  /\/(?:activation|fused_moe|\w{0,20}moe|mlp)\w{0,20}(?:\.py|\/)/,
);
const ATTENTION =
  /attention|\battn\b|_attn|attn_|rotary|(?:^|\W)self\.(?:self_attn|attn|qkv_proj|o_proj|c_attn|rotary_emb)\(|scaled_dot_product|flash_|repeat_kv/i;

// Attention over chosen tokens scores every token of the step against all before it, in 32 bits (DeepGEMM fp8_mqa_logits;
// SGLang srt/layers/attention/nsa/nsa_indexer.py, vLLM v1/attention/ops).
const INDEXER = /\w*mqa_logits\w*/;

// What an adapter adds to a layer is one buffer of the tokens of the step by its rank, in 32 bits (vllm-project/vllm
// vllm/lora/punica_wrapper/punica_gpu.py, add_lora_linear).
const ADAPTER =
  /\badd_(?:lora_(?:linear|logits|embedding)|shrink|expand)\b|\/punica_wrapper\/|\/vllm\/lora\/layers(?:\.py|\/)/;

// Keys and values of one request that are laid out anew in full width, as long as its history (vllm-project/vllm
// vllm/v1/attention/backends/turboquant_attn.py).
const HISTORY = /\b_?continuation_prefill\b/;

// The innermost frames: what stands further out calls layers of both kinds in turn.
const INNERMOST_LINES = 12;
const TRACE_LINES = 60;

// The particular before what it is part of.
const PARTICULAR = [
  ['indexer', INDEXER],
  ['adapter', ADAPTER],
  ['history', HISTORY],
] as const;

/** The kind of layer that was being computed. */
export const LAYER_FACTS = defineFacts(
  {
    'log.layer': {
      unit: 'choice',
      values: ['mlp', 'attention', 'indexer', 'history', 'adapter', 'nothing'],
      says: 'kind of layer that was being computed',
      needs: LOG,
    },
  },
  (evidence) => ({ 'log.layer': readLayer(evidence) }),
);

/** The kind of layer that the innermost frames above the failure work on. */
function readLayer({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Fact | undefined {
  const last = lastLine(log.main);
  const at = lineOfFailure(weighing, log.main);
  if (last === undefined || log.main === undefined || at === undefined) return undefined;
  for (const from of framesAt(at, tailLines(log.main)).toReversed()) {
    const layer = layerIn(cleanLine(from.text).clean);
    if (layer !== undefined) return known(layer, from);
  }
  return known('nothing', last);
}

// A server that tells of the death of its engine prints the error before the trace.
function framesAt(at: number, lines: readonly LineCitation[]): readonly LineCitation[] {
  const above = lines.filter(({ line }) => line < at && at - line <= INNERMOST_LINES);
  const below = lines.filter(({ line }) => line > at && line - at <= TRACE_LINES);
  return [above, below].find((near) => near.some(({ text }) => isFrame(text))) ?? [];
}

function layerIn(text: string): string | undefined {
  const particular = PARTICULAR.find(([, pattern]) => pattern.test(text))?.[0];
  if (particular !== undefined) return particular;
  const mlp = MLP.test(text);
  if (mlp === ATTENTION.test(text)) return undefined;
  return mlp ? 'mlp' : 'attention';
}
