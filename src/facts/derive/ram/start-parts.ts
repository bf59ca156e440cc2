import type { Cited } from '../../../model/engine-reader.ts';
import { GIB, MIB, parseSize } from '../../../model/quantity.ts';
import { effectiveArgument } from '../../arguments.ts';
import type { Evidence } from '../evidence.ts';
import { readLayers } from '../gpu/gpu-layers.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';

/** A part of what the start takes in host memory, in words and bytes. */
export type StartPart = { readonly says: string; readonly bytes: Cited<number> };

// Processes beside the ranks that import the engine: vllm/entrypoints/cli/serve.py, SGLang srt/server_args.py.
const FRONTS: Readonly<Record<string, { readonly flag: string; readonly says: string }>> = {
  vllm: { flag: '--api-server-count', says: 'API servers' },
  sglang: { flag: '--tokenizer-worker-num', says: 'tokenizer workers' },
};

/** API servers or tokenizer workers, where the arguments say how many, a gibibyte each. */
export function readFronts({ args, engine }: Evidence): StartPart | undefined {
  const front = FRONTS[engine.engine];
  const told = front && effectiveArgument(args, front.flag);
  const count = Number(told?.value ?? Number.NaN);
  if (front === undefined || told === undefined || !Number.isInteger(count) || count < 1) return undefined;
  return { says: `${count} ${front.says}`, bytes: { value: count * GIB, from: told.from } };
}

// Weights that are repacked for the processor, or not mapped, and the buffers of the layers that are not on a card.
const IN_RAM = /^(?:CPU(?!_Mapped)\w*|\w+_Host)$/;
const BUFFERS = ['llamacpp.num.weights', 'llamacpp.num.kv-buffer', 'llamacpp.num.compute'];

/** What llama.cpp takes in RAM by its own lines; before it prints them, the file that is read without mmap. */
export function readBuffers(evidence: Evidence): StartPart | undefined {
  const last = new Map<string, Weighed>();
  for (const weighed of evidence.weighing.all) {
    const buffer = weighed.hit.captures.buf ?? '';
    if (BUFFERS.includes(weighed.phrase.id) && IN_RAM.test(buffer)) last.set(`${weighed.phrase.id} ${buffer}`, weighed);
  }
  const largest = [...last.values()].toSorted((a, b) => mib(b) - mib(a))[0];
  if (largest === undefined) return unmapped(evidence);
  const value = [...last.values()].reduce((sum, one) => sum + mib(one), 0) * MIB;
  return { says: 'buffers in RAM', bytes: { value, from: citeHit(largest) } };
}

function mib({ hit }: Weighed): number {
  return Number(hit.captures.mib);
}

function unmapped(evidence: Evidence): StartPart | undefined {
  const { weighing } = evidence;
  const printed = weighing.all.find(({ phrase }) => phrase.id === 'llamacpp.num.file-size');
  const bytes = parseSize(printed?.hit.captures.size ?? '');
  const share = shareInRam(evidence);
  if (readNoMmap(evidence) === undefined || printed === undefined || bytes === undefined || share === undefined) {
    return undefined;
  }
  const says =
    readLayers(evidence).onGpu === undefined ? 'the file of the model' : 'the layers that are not on the GPU';
  return { says: `${says}, read without mmap`, bytes: { value: Math.round(bytes * share), from: citeHit(printed) } };
}

function shareInRam(evidence: Evidence): number | undefined {
  const { onGpu, all } = readLayers(evidence);
  if (onGpu !== undefined && all !== undefined && all.value > 0) return 1 - onGpu.value / all.value;
  return effectiveArgument(evidence.args, '--n-gpu-layers')?.value === '0' ? 1 : undefined;
}

function readNoMmap({ args, engine }: Evidence): Cited<string> | undefined {
  const told = engine.engine === 'llama.cpp' ? effectiveArgument(args, '--mmap') : undefined;
  const off = effectiveArgument(args, '--no-mmap') ?? (told?.value === 'false' ? told : undefined);
  return engine.engine === 'llama.cpp' && off ? { value: '--no-mmap', from: off.from } : undefined;
}

/** TGI reads each .bin file whole while it converts it; undefined where nothing is converted. `files`: their number, if it is printed. */
export function readConversion({
  weighing,
}: Evidence): { readonly begun: Weighed; readonly files: Cited<number> | undefined } | undefined {
  const begun = weighing.all.find(({ phrase }) => phrase.id === 'tgi.num.converting');
  const counted = weighing.all.find(
    ({ phrase, hit }) => phrase.id === 'tgi.num.converted' && Number(hit.captures.all) > 0,
  );
  if (begun === undefined) return undefined;
  return { begun, files: counted && { value: Number(counted.hit.captures.all), from: citeHit(counted) } };
}

/** What the start takes in RAM and the evidence has no size of. */
export function readUncounted(evidence: Evidence, parts: readonly (StartPart | undefined)[]): readonly Cited<string>[] {
  const says = new Set(parts.map((part) => part?.says));
  const mapped = readNoMmap(evidence);
  const conversion = readConversion(evidence);
  return [
    ...(mapped !== undefined && readBuffers(evidence) === undefined
      ? [{ value: 'the file of the model, which --no-mmap reads into RAM', from: mapped.from }]
      : []),
    ...(conversion !== undefined && !says.has(CONVERTED)
      ? [{ value: 'the .bin file that is converted to safetensors', from: citeHit(conversion.begun) }]
      : []),
  ];
}

/** The words for that file where its size is known. */
export const CONVERTED = 'one .bin file while it is converted';
