import { isRemark } from '../../../model/citation.ts';
import { readFrames } from '../error/frames.ts';
import { type Evidence, isOfProcessor } from '../evidence.ts';
import type { Read } from './family.ts';
import { LACK } from './vocabulary/lack.ts';

/** Below the frames of a step that runs on the device a memory without a name is the device's. */
export function stepOfDevice({ log }: Evidence): 'gpu' | undefined {
  const steps = readFrames(log.main).filter(({ stage }) => stage === 'execute' || stage === 'encoder');
  return steps.length > 0 ? 'gpu' : undefined;
}

// KTransformers computes its experts on the processor, and reads them into RAM: a want of memory that nobody names is of that.
const EXPERTS_IN_RAM = /\bktransformers\b/i;
const OF_DEVICE = /\b(?:cuda|gpus?|vram|hbm|cards?|device)\b|显存|显卡/i;

/** What is read of a memory that nobody names, as that of the memory which this engine fills. */
export function inOwnMemory(evidence: Evidence, read: readonly Read[]): readonly Read[] {
  if (isOfProcessor(evidence)) return read.map(inRam);
  const { program, incident } = evidence;
  const names = [...program.words.map(({ value }) => value), program.image?.value, incident?.engine];
  if (!names.some((name) => EXPERTS_IN_RAM.test(name ?? ''))) return read;
  const ofHost = LACK.find(({ plane }) => plane === 'host');
  return read.map((one) =>
    ofHost !== undefined &&
    LACK.some((family) => family === one.family) &&
    isRemark(one.from) &&
    !OF_DEVICE.test(one.from.text)
      ? { ...one, family: ofHost }
      : one,
  );
}

function inRam(read: Read): Read {
  const { plane } = read.family;
  return plane === 'gpu'
    ? { ...read, family: { plane: 'host', starting: 'host.startup.limit', serving: 'host.startup.limit' } }
    : read;
}
