import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { SET_BY, spellKnob, type ToldKnob } from '../../model/knob-table.ts';
import { defineFacts, type FactMeaning, type Told } from '../evidence/define.ts';
import { readSlice } from '../evidence/mig-slice.ts';
import { fact } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';

const named = (says: string): FactMeaning => ({
  unit: 'text',
  says: `what this engine calls ${says}`,
  needs: `${LOG}, or the image: it names the engine and its version`,
});

/** What the engine at hand calls each knob. */
export const ENGINE_KNOBS = defineFacts(
  {
    'knob.fraction': named('the share of GPU memory'),
    'knob.length': named('the maximum length'),
    'knob.sequences': named('the sequences in a batch'),
    'knob.batched-tokens': named('the tokens per step'),
    'knob.ranks': named('the number of GPUs that share the model; not known on a MIG slice'),
  },
  (evidence, told) => {
    const spelled = speller(told);
    return {
      'knob.fraction': spelled('fraction'),
      'knob.length': spelled('length'),
      'knob.sequences': spelled('sequences'),
      'knob.batched-tokens': spelled('batched-tokens'),
      'knob.ranks': readSlice(evidence) === undefined ? spelled('ranks') : undefined,
    };
  },
);

function speller(told: Told): (knob: ToldKnob) => Fact | undefined {
  const name = textOf(told['engine.name']);
  if (name === undefined) return () => undefined;
  const spoken = {
    engine: name.value,
    version: textOf(told['engine.version'])?.value,
    named: textOf(told['log.named-flags'])?.value,
    setBy: SET_BY.find((one) => one === textOf(told['engine.set-by'])?.value),
  };
  return (knob) => fact(spellKnob(spoken, knob), [name.from]);
}

function textOf(found: Fact | undefined): Cited<string> | undefined {
  if (found?.kind !== 'known' || typeof found.value !== 'string') return undefined;
  const from = found.from[0];
  return from && { value: found.value, from };
}
