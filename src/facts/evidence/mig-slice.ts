import type { Citation } from '../../model/citation.ts';
import { type MigProfile, migProfile } from '../../model/gpu-table.ts';
import { evidenceLines } from '../../read/text/lines.ts';
import { tailLines } from '../log/tail-lines.ts';
import type { Evidence } from './evidence.ts';
import { notedField } from './snapshot-files.ts';

/** The MIG slice of a GPU that an engine has; the profile if it is a known one. */
export type Slice = { readonly profile: MigProfile | undefined; readonly from: Citation };

/** The name of the resource that asks for a slice, before that of its profile. */
const RESOURCE = /\bnvidia\.com\/mig-(\d+g\.\d+gb)/i;
// The label of the product under strategy `single`, and the name that CUDA gives the device: `… MIG 1g.10gb`; KAITO’s estimator.
const DEVICE = /[- ]MIG[- ](?:profile )?(\d+g\.\d+gb)/i;

type Sources = Pick<Evidence, 'spec' | 'node' | 'args' | 'log' | 'readings' | 'incident'>;

/**
 * The MIG slice that the engine runs on, by what the pod asks for, its devices, its node, a line that names the device, a
 * manifest that was pasted, or a note; undefined where nothing shows one.
 */
export function readSlice(sources: Sources): Slice | undefined {
  return askedFor(sources) ?? ofNode(sources) ?? ofLog(sources) ?? pasted(sources) ?? noted(sources) ?? byUuid(sources);
}

function sliceOf(name: string | undefined, from: Citation | undefined): Slice | undefined {
  return name === undefined || from === undefined ? undefined : { profile: migProfile(name), from };
}

function askedFor({ spec }: Sources): Slice | undefined {
  const [from] = spec.gpuCount.kind === 'known' ? spec.gpuCount.from : [];
  return sliceOf(RESOURCE.exec(spec.gpuResource ?? '')?.[1], from);
}

function ofNode({ node }: Sources): Slice | undefined {
  const product = node?.product.kind === 'known' ? node.product : undefined;
  return sliceOf(DEVICE.exec(product?.value ?? '')?.[1], product?.from[0]);
}

function ofLog({ log: { main } }: Sources): Slice | undefined {
  if (main === undefined) return undefined;
  const hits = main.hits.map(({ line, text }) => ({ kind: 'line' as const, file: main.file, line, text }));
  const line = [...hits, ...tailLines(main)].find(({ text }) => DEVICE.test(text));
  return sliceOf(DEVICE.exec(line?.text ?? '')?.[1], line);
}

function pasted({ readings }: Sources): Slice | undefined {
  const lines = evidenceLines(readings.texts.get('args.txt') ?? '');
  const line = lines.find(({ text }) => RESOURCE.test(text));
  const from: Citation | undefined = line && { kind: 'line', file: 'args.txt', line: line.n, text: line.text };
  return sliceOf(RESOURCE.exec(line?.text ?? '')?.[1], from);
}

function noted({ incident }: Sources): Slice | undefined {
  const model = notedField(incident?.gpu?.model, '/gpu/model');
  return sliceOf(DEVICE.exec(model?.value ?? '')?.[1], model?.from);
}

function byUuid({ spec, args }: Sources): Slice | undefined {
  const told = args.map(({ flag, value, from }) => ({ name: flag, value: { value: value ?? '', from } }));
  const found = [...spec.env, ...told].find(
    ({ name, value }) => OF_DEVICES.test(name) && /^MIG-/.test(value?.value ?? ''),
  );
  return found?.value && { profile: undefined, from: found.value.from };
}

const OF_DEVICES = /^(?:CUDA|NVIDIA)_VISIBLE_DEVICES$/;
