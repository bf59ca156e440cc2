import type { Facts } from '../model/fact.ts';
import { SET_BY, type SetBy, takesArguments } from '../model/knob-spelling.ts';
import { textOf } from './engine-figures.ts';

const WHY: Readonly<Record<Exclude<SetBy, 'command-line'>, string>> = {
  build: 'the limits of this engine were fixed when it was built, and change by building it again',
  file: 'a file given with --config (or --extra_llm_api_options) overrides the command line',
  repository: 'Triton reads the limits from config.pbtxt in its model repository',
};

/** Why no argument sets the limits of an engine; undefined where arguments do. */
export function whyFixed(facts: Facts): string | undefined {
  const told = textOf(facts, 'engine.set-by');
  const setBy = SET_BY.find((one) => one === told);
  const engine = textOf(facts, 'engine.name') ?? '';
  if (setBy === 'command-line' || takesArguments({ engine, setBy })) return undefined;
  return setBy === undefined ? 'nothing tells whether its limits are set by arguments of trtllm-serve' : WHY[setBy];
}
