import type { EngineArgument } from '../../model/engine-reader.ts';
import type { Evidence } from './evidence.ts';

/** The variables that the container sets, as arguments under their own names. */
export function variablesOf({ spec }: Pick<Evidence, 'spec'>): EngineArgument[] {
  return spec.env.flatMap(({ name, value }) =>
    value === undefined ? [] : [{ flag: name, value: value.value, from: value.from }],
  );
}
