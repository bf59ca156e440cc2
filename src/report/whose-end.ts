import type { Facts } from '../model/fact.ts';
import type { Diagnosis } from '../model/verdict.ts';
import { knownValue } from './report-input.ts';
import { clip } from './sentence.ts';

const OTHERS: Readonly<Record<string, (name: string) => string>> = {
  init: (name) => `It is the init container ${name} that ended; the engine had not started then.`,
  sidecar: (name) => `It is container ${name} that ended, beside the engine; the engine did not.`,
  helper: (name) => `It is container ${name} that ended; no container of this pod is known to run an engine.`,
};

/** What a finding says, behind the name of the container that ended where that is not the engine's and the finding names none. */
export function saysWhose({ says }: Pick<Diagnosis, 'says'>, facts: Facts): string {
  const name = knownValue(facts, 'death.container');
  const tell = OTHERS[String(knownValue(facts, 'death.container-role'))];
  return tell === undefined || name === undefined || says.includes(String(name))
    ? says
    : `${tell(clip(String(name), 63))} ${says}`;
}
