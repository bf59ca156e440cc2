import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';

/** Whether a line names the release of PyTorch. */
export function namesPytorch({ signature, hit }: Weighed): boolean {
  return signature.engine === 'pytorch' && hit.captures.version !== undefined;
}

// `2.9.1+rocm6.4`.
const BUILT_FOR_ROCM = /[12]\.\d{1,2}\.\d{1,2}\+rocm/;

type Sign = readonly [sign: RegExp, device: string];
// As the device plugins call what they hand out.
const RESOURCES: readonly Sign[] = [
  [/^amd\.com\//, 'HIP'],
  [/^huawei\.com\/Ascend/i, 'NPU'],
  [/^gpu\.intel\.com\//, 'XPU'],
];
// Words of images that are built for one device: `rocm/vllm`, `…:v0.5.10-rocm700-mi30x`, `ascend/vllm-ascend`.
const IMAGES: readonly Sign[] = [
  [/(?:^|[^a-z])rocm(?![a-z])/i, 'HIP'],
  [/(?:^|[^a-z])(?:ascend|cann|npu)(?![a-z])/i, 'NPU'],
];

/** The device that PyTorch was built for, as its allocator calls it (`CUDA`, `HIP`): what it printed goes before what the pod asks for. */
export function readDevice({ weighing, spec, program }: Evidence): Cited<string> | undefined {
  const built = weighing.all.find((one) => namesPytorch(one) && BUILT_FOR_ROCM.test(one.hit.clean));
  if (built !== undefined) return { value: 'HIP', from: citeHit(built) };
  const refused = weighing.all.filter(({ hit }) => hit.captures.backend !== undefined);
  const [first] = refused;
  const device = first?.hit.captures.backend;
  if (first !== undefined && device !== undefined) {
    return refused.every(({ hit }) => hit.captures.backend === device)
      ? { value: device, from: citeHit(first) }
      : undefined;
  }
  const asked = spec.gpuCount.kind === 'known' ? spec.gpuCount.from[0] : undefined;
  return told(RESOURCES, spec.gpuResource, asked) ?? told(IMAGES, program.image?.value, program.image?.from);
}

function told(signs: readonly Sign[], text = '', from?: Citation): Cited<string> | undefined {
  const device = signs.find(([sign]) => sign.test(text))?.[1];
  return device === undefined || from === undefined ? undefined : { value: device, from };
}
