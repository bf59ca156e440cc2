import { stateOfFeature } from '../model/feature-table.ts';
import { knobsOf } from './engine-knobs.ts';

/** Whether the graph pool of an engine is counted inside its fraction; undefined where its version does not tell. */
export function graphsInsideFraction(engine: string, version: string | undefined): boolean | undefined {
  const feature = knobsOf(engine)?.graphsInside;
  if (feature === undefined) return false;
  const state = version === undefined ? 'depends' : stateOfFeature(feature, version);
  return state === 'depends' ? undefined : state === 'default' || state === 'always';
}
