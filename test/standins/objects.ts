import { valueAt } from '../../src/model/json-patch.ts';
import type { KubeObject } from '../../src/standins/api-server/objects/world.ts';

/** The arguments of the first container of a workload. */
export function argsOf(workload: KubeObject): unknown {
  return valueAt(workload, '/spec/template/spec/containers/0/args');
}
