import fc from 'fast-check';
import { arrange, dropAll, type Flag, type Rule, type Step, type Use, underscored, VLLM } from './generated-words.ts';

const NEGATABLE = [
  '--enable-prefix-caching',
  '--enable-chunked-prefill',
  '--async-scheduling',
  '--enable-log-requests',
];
const PLAIN = ['--enforce-eager', '--enable-sleep-mode', '--disable-log-stats', '--enable-expert-parallel'];

const negated = (name: string): string => `--no-${name.slice(2)}`;

const switches = fc.constantFrom(...NEGATABLE, ...PLAIN).chain((name) => {
  const isNegatable = NEGATABLE.includes(name);
  const spelt = fc.constantFrom(name, name, underscored(name));
  const on = spelt.map((word): Use => ({ words: [word] }));
  const off = spelt.map((word): Use => ({ words: [`--no-${word.slice(2)}`], off: true }));
  const written = fc
    .record({ word: spelt, value: fc.constantFrom('true', 'false', 'True', 'False'), joint: fc.boolean() })
    .map(({ word, value, joint }): Use => ({ words: joint ? [`${word}=${value}`] : [word, value] }));
  const short = fc.constant<Use>({ words: ['-ep'] });
  const use = isNegatable ? fc.oneof(on, off, written) : name === '--enable-expert-parallel' ? fc.oneof(on, short) : on;
  return fc
    .record({
      uses: fc.oneof(
        { weight: 12, arbitrary: use.map((one) => [one]) },
        { weight: 2, arbitrary: fc.tuple(on, isNegatable ? off : on) },
        { weight: 3, arbitrary: fc.constant<Use[]>([]) },
      ),
      asked: isNegatable ? fc.constantFrom(name, name, negated(name)) : fc.constant(name),
      to: fc.constantFrom('true', 'false', 'true', 'false', null),
    })
    .map(({ uses, asked, to }): Flag => ({ engine: 'vllm', heads: VLLM, name, edit: { flag: asked, to }, uses }));
});

const setSwitch: Rule = ({ name, edit: { flag, to } }, uses) => {
  const isNegated = flag.startsWith('--no-');
  if (to === null) return dropAll(uses.filter(({ off = false }) => off || !isNegated));
  const isWanted = (to === 'true') !== isNegated;
  const last = uses.at(-1);
  if (last === undefined) {
    if (isWanted) return [{ kind: 'add', words: [name] }];
    return NEGATABLE.includes(name) ? [{ kind: 'add', words: [negated(name)] }] : [];
  }
  const [word = '', apart] = last.words;
  const value = apart ?? word.split('=')[1];
  if (value !== undefined) return writeOut(last, value, isWanted);
  if ((last.off ?? false) !== isWanted) return [];
  if (last.off) return [{ kind: 'set', at: last.at, word: `--${word.slice(5)}` }];
  return NEGATABLE.includes(name) ? [{ kind: 'set', at: last.at, word: negated(word) }] : dropAll(uses);
};

function writeOut(
  { words: [word = '', apart], at }: Use & { readonly at: number },
  value: string,
  isWanted: boolean,
): Step[] {
  if ((value.toLowerCase() === 'true') === isWanted) return [];
  const [upper, lower] = isWanted ? ['True', 'true'] : ['False', 'false'];
  const next = /^[A-Z]/.test(value) ? upper : lower;
  return [
    apart === undefined
      ? { kind: 'set', at, word: word.replace(/=.*/, `=${next}`) }
      : { kind: 'set', at: at + 1, word: next },
  ];
}

/** A switch: set, negated, written out, or not there; asked for by either name. */
export const switchFlags = arrange(switches, setSwitch);
