import { valueAt } from '../../../model/json-patch.ts';
import type { KubeObject } from '../objects/world.ts';

// Custom resources are not looked into.
const BUILT_IN = ['Deployment', 'StatefulSet'];

/** What the API server warns of in a pod template: a variable that is set twice. */
export function warningsOf(object: KubeObject): string[] {
  const containers = BUILT_IN.includes(object.kind) ? valueAt(object, '/spec/template/spec/containers') : undefined;
  return (Array.isArray(containers) ? containers : []).flatMap((container, i) => {
    const env = valueAt(container, '/env');
    const names = (Array.isArray(env) ? env : []).map((one) => String(valueAt(one, '/name')));
    return names.flatMap((name, j) =>
      names.indexOf(name) < j
        ? [
            `spec.template.spec.containers[${i}].env[${j}]: hides previous definition of "${name}", which may be dropped when using apply`,
          ]
        : [],
    );
  });
}
