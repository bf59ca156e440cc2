import { bytesPerParameter, type WeightFormat } from '../model/weight-format.ts';
import { type Reckoned, reckon } from './reckoned.ts';

export type WeightsInput = {
  /** All experts count, not the active ones. */
  readonly parameters: number | undefined;
  readonly format: WeightFormat | undefined;
  readonly tensorParallel?: number | undefined;
  readonly pipelineParallel?: number | undefined;
};

/** Weights of one GPU in bytes. Embedding and replicated layers make it a little more than the quotient. */
export function weightBytes(input: WeightsInput): Reckoned {
  const { parameters, format, tensorParallel = 1, pipelineParallel = 1 } = input;
  return reckon(
    { parameters, 'weight format': format && bytesPerParameter(format), tensorParallel, pipelineParallel },
    (of) => (of.parameters * of['weight format']) / (of.tensorParallel * of.pipelineParallel),
  );
}
