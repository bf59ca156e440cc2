import { stateOfFeature } from '../model/feature-table.ts';

/** Whether the graph pool of vLLM is counted inside the fraction; undefined for versions that leave it to the model runner. */
export function graphsInsideFraction(version: string): boolean | undefined {
  const state = stateOfFeature('vllm.graphs-in-fraction', version);
  return state === 'depends' ? undefined : state === 'default' || state === 'always';
}
