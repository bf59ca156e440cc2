import { z } from 'zod';
import type { KvShape } from '../../model/model-table.ts';
import { LayerFields } from './layer-widths.ts';
import { layersOf } from './model-layers.ts';

/** What a model's config.json shows of its memory. */
export type ModelConfig = {
  /** Layers by what they keep; absent where a problem is named. */
  readonly shape?: KvShape | undefined;
  readonly vocabulary?: number | undefined;
  readonly attentionHeads?: number | undefined;
  readonly hidden?: number | undefined;
  readonly maxLength?: number | undefined;
  /** Format of the weights, as `quantization_config` names it in any of its forms. */
  readonly quantization?: string | undefined;
  /** What is missing in it or contradicts, in words. */
  readonly problems: readonly string[];
};

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
  const fields = LayerFields.safeParse(part);
  if (!fields.success) {
    const names = [...new Set(fields.error.issues.map(({ path }) => String(path[0])))];
    return { problems: [`config.json has unexpected values in ${names.join(', ')}`] };
  }
  const format = quantizationOf(outer.data.quantization_config ?? part.quantization_config);
  const layers = layersOf(fields.data);
  return {
    ...(typeof layers === 'string' ? {} : { shape: layers }),
    vocabulary: fields.data.vocab_size ?? undefined,
    attentionHeads: fields.data.num_attention_heads ?? undefined,
    hidden: fields.data.hidden_size ?? undefined,
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

type Format = { readonly name?: string | undefined; readonly problems: readonly string[] };

// Transformers, compressed-tensors, ModelOpt and bitsandbytes write it in four ways.
function quantizationOf(given: unknown): Format {
  if (given == null) return { problems: [] };
  const read = Quantization.safeParse(given);
  const name = read.success ? formatIn(read.data) : undefined;
  return name === undefined
    ? { problems: ['config.json has a quantization_config of unknown form'] }
    : { name: name.toLowerCase(), problems: [] };
}

function formatIn(of: z.infer<typeof Quantization>): string | undefined {
  if (of.load_in_4bit === true) return 'bitsandbytes nf4';
  if (of.load_in_8bit === true) return 'int8';
  const weights = Object.values(of.config_groups ?? {})[0]?.weights;
  if (weights?.num_bits != null) return ofBits(weights.num_bits, weights.type === 'float');
  if (of.quant_method === 'gptq' && of.bits === 8) return 'int8';
  return of.quant_algo ?? of.quantization?.quant_algo ?? of.quant_method ?? undefined;
}

function ofBits(bits: number, isFloat: boolean): string {
  if (bits === 4) return isFloat ? 'nvfp4' : 'w4a16';
  return isFloat ? 'fp8' : 'int8';
}
