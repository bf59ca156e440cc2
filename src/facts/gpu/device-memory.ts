import type { Cited } from '../../model/engine-reader.ts';
import { currentValues } from '../../read/metrics/metrics-text.ts';
import type { SmiGpu } from '../../read/tools/nvidia-smi.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { samplesBefore } from '../when/series-figures.ts';

/** The driver's table and CUDA differ by what the driver keeps for itself. */
const ABOUT = 0.03;

/** The MIG slice of nvidia-smi whose size is the capacity that the failed allocation names; undefined where none or several fit. */
export function sliceInUse({ smi, account }: Pick<Evidence, 'smi' | 'account'>): SmiGpu | undefined {
  const capacity = account?.total?.value;
  if (capacity === undefined) return undefined;
  const fitting = (smi?.gpus ?? []).filter(
    ({ slice, total }) => slice && total !== undefined && Math.abs(total.value - capacity) <= ABOUT * total.value,
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Of the GPUs or slices that nvidia-smi lists the one with the most in use; the first where it shows no use. */
export function fullestOf(gpus: readonly SmiGpu[] = []): SmiGpu | undefined {
  return gpus.toSorted((a, b) => (b.used?.value ?? 0) - (a.used?.value ?? 0))[0];
}

/** Memory of the fullest GPU as its exporter measures it, in bytes: its own total, else used plus free. */
export function measuredTotal(evidence: Evidence): Cited<number> | undefined {
  const { used, free, total } = {
    used: samplesOf(evidence, 'gpu.framebuffer.used'),
    free: samplesOf(evidence, 'gpu.framebuffer.free'),
    total: samplesOf(evidence, 'gpu.framebuffer.total'),
  };
  const fullest = used[0] ?? total[0];
  if (fullest === undefined) return undefined;
  const own = total.find((one) => isSameGpu(one, fullest));
  if (own !== undefined) return own;
  const left = free.find((one) => isSameGpu(one, fullest));
  return left && { value: fullest.value + left.value, from: fullest.from };
}

type Sampled = Cited<number> & { readonly labels: Readonly<Record<string, string>> };
type Framebuffer = `gpu.framebuffer.${'used' | 'free' | 'total'}`;

// Of several GPUs the one with the most in use comes first.
function samplesOf(evidence: Evidence, id: Framebuffer): readonly Sampled[] {
  const series = samplesBefore(evidence, id);
  const all = series.length > 0 || evidence.metrics === undefined ? series : currentValues(evidence.metrics, id);
  return all.toSorted((a, b) => b.value - a.value);
}

const GPU_LABELS = ['UUID', 'uuid', 'gpu_uuid', 'gpu', 'GPU_I_ID', 'GPU_I_PROFILE'];

function isSameGpu(a: Sampled, b: Sampled): boolean {
  return GPU_LABELS.every((label) => a.labels[label] === b.labels[label]);
}
