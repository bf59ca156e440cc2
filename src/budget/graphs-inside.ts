import { compareVersions } from '../model/metric-table.ts';

/**
 * Whether the graph pool of vLLM is counted inside the fraction: from 0.21 with the first model runner, from 0.29 with
 * the second. Which runner a model gets between is its architecture's affair, so 0.22 - 0.28 can not be told.
 */
export function graphsInsideFraction(version: string): boolean | undefined {
  if (compareVersions(version, '0.21') < 0) return false;
  if (compareVersions(version, '0.22') < 0 || compareVersions(version, '0.29') >= 0) return true;
  return undefined;
}
