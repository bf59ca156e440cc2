import { z } from 'zod';
import { type CamelKeys, camelKeys, Pattern, Words } from './table-words.ts';

const bytes = z.number().gt(0);
const count = z.int().min(1);

const GpuRow = z.strictObject({
  model: Words,
  'nominal-gb': bytes,
  /** Totals in MiB as nvidia-smi, DCGM and the label nvidia.com/gpu.memory give them. */
  'smi-mib': z.array(bytes),
  /** Smallest and largest total in GiB that PyTorch and vLLM print, one pair per configuration of the GPU. */
  'torch-gib': z.array(z.tuple([bytes, bytes])),
  labels: z.array(Words),
  note: Words.optional(),
  source: Words,
  unverified: z.literal(true).optional(),
});

/** hardware/gpus.yaml */
export const GpusFile = z.strictObject({ gpus: z.array(GpuRow).min(1) });
export type GpusFile = z.infer<typeof GpusFile>;
/** One GPU. */
export type GpuModel = CamelKeys<z.infer<typeof GpuRow>>;

const MigRow = z.strictObject({ profile: Words, parents: z.array(Words).min(1), 'approx-mib': bytes });

/** hardware/mig-profiles.yaml */
export const MigProfilesFile = z.strictObject({ 'mig-profiles': z.array(MigRow).min(1) });
export type MigProfilesFile = z.infer<typeof MigProfilesFile>;
export type MigProfile = CamelKeys<z.infer<typeof MigRow>>;

const InstanceRow = z.strictObject({ type: Words, gpu: Words, count, gb: bytes });
const Cloud = z.strictObject({
  cloud: z.enum(['aws', 'azure', 'gcp']),
  source: Words,
  unverified: z.literal(true).optional(),
  instances: z.array(InstanceRow).min(1),
});

/** hardware/gpu-instances.yaml */
export const GpuInstancesFile = z.strictObject({ 'gpu-instances': z.array(Cloud).min(1) });
/** A cloud instance type; `perGpuNominalGb` is the marketing number. */
export type GpuInstance = {
  readonly cloud: 'aws' | 'azure' | 'gcp';
  readonly type: string;
  readonly gpu: string;
  readonly count: number;
  readonly perGpuNominalGb: number;
  readonly source: string;
  readonly unverified: boolean;
};

const Full = z.strictObject({ kind: z.literal('full'), layers: count, 'kv-heads': count, 'head-dim': count });
/** One compressed vector per token (multi-head latent attention); with sparse attention also a key of the indexer. */
const Latent = z.strictObject({
  kind: z.literal('latent'),
  layers: count,
  rank: count,
  'rope-dim': count,
  'index-dim': count.optional(),
});
/** Attention over the last `window` tokens only. */
const Sliding = Full.extend({ kind: z.literal('sliding'), window: count });
/** Attention within chunks of `window` tokens. */
const Chunked = Full.extend({ kind: z.literal('chunked'), window: count });
/**
 * Mamba and linear attention: a state per sequence, however long it is. `channels` of the convolution, those of its `groups`
 * (of `group-dim` each, twice) in addition; `values` of `value-bytes` each in the state itself.
 */
const State = z.strictObject({
  kind: z.literal('state'),
  layers: count,
  channels: count,
  'conv-steps': count,
  groups: z.int().min(0),
  'group-dim': z.int().min(0),
  values: count,
  'value-bytes': count,
  /** Blocks that one sequence holds in vLLM: one more with Mamba 2. */
  blocks: count,
});

const FamilyRow = z.strictObject({
  family: Words,
  /** Pieces of the name, in lower case, as model makers write them. */
  names: z.array(Words).min(1),
  /** Parameters, all experts counted, in billions (1e9); as the model card states it. */
  billions: bytes,
  /** Of them in the encoder of images or sound, which quantized weights keep at 16 bit. */
  'encoder-billions': bytes.optional(),
  /** What the cache of its outputs takes in GiB. */
  'encoder-cache-gib': bytes.optional(),
  /** Width of embedding and head. */
  hidden: count,
  /** Weights in GiB that an engine printed at one rank, by weight format, where the format does not tell. */
  'loaded-gib': z.record(z.string(), bytes).optional(),
  shape: z.array(z.discriminatedUnion('kind', [Full, Latent, Sliding, Chunked, State])).min(1),
  source: Words,
});

/** Words of a vocabulary by pieces of the model's name: columns of its logits. */
const VocabularyRow = z.strictObject({ words: count, names: z.array(Words).min(1) });

/** hardware/models*.yaml */
export const ModelsFile = z.strictObject({
  families: z.array(FamilyRow).default([]),
  vocabularies: z.array(VocabularyRow).default([]),
});

const FormatRow = z.strictObject({ format: Words, bytes: z.tuple([bytes, bytes]), named: Pattern.optional() });

/** hardware/weight-formats.yaml */
export const WeightFormatsFile = z.strictObject({ 'weight-formats': z.array(FormatRow).min(1) });
/** Bytes per parameter, lowest and highest, and the names of models that mean it. */
export type WeightFormat = {
  readonly format: string;
  readonly bytes: readonly [number, number];
  readonly named: RegExp | undefined;
};

const ArchitectureRow = z.strictObject({ architecture: Words, gpus: Pattern });
const QuantizedRow = z.strictObject({ format: Words, on: z.array(Words).min(1), from: Words.optional() });

/** hardware/quantization.yaml */
export const QuantizationFile = z.strictObject({
  architectures: z.array(ArchitectureRow).min(1),
  quantization: z.array(z.strictObject({ engine: Words, source: Words, formats: z.array(QuantizedRow).min(1) })).min(1),
});
/** A format that an engine runs on GPUs of some architectures, `from` the first documented version. */
export type QuantizedFormat = {
  readonly engine: string;
  readonly format: string;
  readonly on: readonly string[];
  readonly from: string | undefined;
};
/** GPUs by a pattern of their names. */
export type GpuArchitecture = { readonly architecture: string; readonly gpus: RegExp };

export function quantizedIn({ quantization }: z.infer<typeof QuantizationFile>): QuantizedFormat[] {
  return quantization.flatMap(({ engine, formats }) => formats.map(({ from, ...row }) => ({ engine, ...row, from })));
}

export function architecturesIn({ architectures }: z.infer<typeof QuantizationFile>): GpuArchitecture[] {
  return architectures.map(({ architecture, gpus }) => ({ architecture, gpus: new RegExp(gpus) }));
}

export function formatsIn(file: z.infer<typeof WeightFormatsFile>): WeightFormat[] {
  return file['weight-formats'].map((row) => ({
    ...row,
    named: row.named === undefined ? undefined : new RegExp(row.named),
  }));
}

/** Layers that keep the same thing per token or per sequence. Heads and dimensions as in the model's config.json. */
export type LayerGroup =
  | CamelKeys<z.infer<typeof Full>>
  | CamelKeys<z.infer<typeof Latent>>
  | CamelKeys<z.infer<typeof Sliding>>
  | CamelKeys<z.infer<typeof Chunked>>
  | CamelKeys<z.infer<typeof State>>;
export type KvShape = readonly LayerGroup[];

/** A family of models with one shape. */
export type ModelFamily = {
  readonly family: string;
  readonly names: readonly string[];
  readonly parametersBillions: number;
  readonly encoderBillions?: number | undefined;
  readonly encoderCacheGib?: number | undefined;
  readonly hidden: number;
  readonly loadedGib?: Readonly<Record<string, number>> | undefined;
  readonly shape: KvShape;
  readonly source: string;
};
export type Vocabulary = Readonly<z.infer<typeof VocabularyRow>>;

export function instancesIn(file: z.infer<typeof GpuInstancesFile>): GpuInstance[] {
  return file['gpu-instances'].flatMap(({ cloud, source, unverified = false, instances }) =>
    instances.map(({ gb, ...row }) => ({ cloud, ...row, perGpuNominalGb: gb, source, unverified })),
  );
}

export function familiesIn({ families }: z.infer<typeof ModelsFile>): ModelFamily[] {
  return families.map((row) => {
    const { billions: parametersBillions, ...rest } = camelKeys(row);
    return { ...rest, parametersBillions, shape: row.shape.map((group) => camelKeys(group) as LayerGroup) };
  });
}
