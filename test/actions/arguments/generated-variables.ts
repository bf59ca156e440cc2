import fc from 'fast-check';
import { expect } from 'vitest';
import type { Env, Spec } from './generated-specs.ts';
import { REFERRED } from './generated-words.ts';

const OTHERS: Env = [
  { name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hf', key: 'token' } } },
  { name: 'HF_HOME', value: '/cache' },
  { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
  { name: 'EMPTY' },
  { name: 'PRICE', value: 'a$b' },
];

/** How a variable is given: written out, twice, from elsewhere, out of another one, without a value, or not at all. */
type Shape = 'literal' | 'twice' | 'elsewhere' | 'composed' | 'empty' | 'absent';

function itemsOf(shape: Shape, name: string, value: string): Env {
  const items: Readonly<Record<Shape, Env>> = {
    literal: [{ name, value }],
    twice: [
      { name, value: '7' },
      { name, value },
    ],
    elsewhere: [{ name, valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }],
    composed: [{ name, value: '$(BASE)' }],
    empty: [{ name }],
    absent: [],
  };
  return items[shape];
}

// Among others, in any place; two of one name keep their order.
const placed = (items: Env): fc.Arbitrary<Env> =>
  fc
    .record({ others: fc.shuffledSubarray([...OTHERS]), places: fc.array(fc.nat(9), { minLength: 2, maxLength: 2 }) })
    .map(({ others, places }) =>
      items.reduceRight<Env>((all, item, i) => all.toSpliced(Math.min(places[i] ?? 0, all.length), 0, item), others),
    )
    .map((env) => {
      const own = env.filter(({ name }) => items.some((item) => item.name === name));
      let next = 0;
      return env.map((one) => (own.includes(one) ? (items[next++] ?? one) : one));
    });

/** Variables as they have to be after one is set, by the rule written a second time: the last of a name counts. */
function setIn(env: Env, name: string, to: string | null): Env {
  if (to === null) return env.filter((one) => one.name !== name);
  const at = env.findLastIndex((one) => one.name === name);
  return at === -1 ? [...env, { name, value: to }] : env.map((one, i) => (i === at ? { ...one, value: to } : one));
}

export type VariableSpec = {
  readonly engine: string;
  readonly container: Spec['container'];
  readonly flag: string;
  readonly name: string;
  readonly to: string | null;
  readonly shape: Shape;
  readonly isLiteral: boolean;
};

const ASKED = [
  { engine: 'ollama', flag: 'OLLAMA_NUM_PARALLEL', name: 'OLLAMA_NUM_PARALLEL', args: undefined },
  { engine: 'vllm', flag: 'PYTORCH_CUDA_ALLOC_CONF', name: 'PYTORCH_CUDA_ALLOC_CONF', args: ['--model', 'm'] },
  { engine: 'nim', flag: '--max-model-len', name: 'NIM_MAX_MODEL_LEN', args: undefined },
  { engine: 'tgi', flag: '--max-total-tokens', name: 'MAX_TOTAL_TOKENS', args: ['--model-id', 'm'] },
  { engine: 'llama.cpp', flag: '--ctx-size', name: 'LLAMA_ARG_CTX_SIZE', args: undefined },
  { engine: 'llama.cpp', flag: '-np', name: 'LLAMA_ARG_N_PARALLEL', args: ['--port', '1'] },
] as const;

/** A variable that an engine reads, asked for by its own name or by the flag that says the same. */
export const variableSpecs: fc.Arbitrary<VariableSpec> = fc
  .record({
    asked: fc.constantFrom(...ASKED),
    shape: fc.constantFrom<Shape>(
      'literal',
      'literal',
      'literal',
      'literal',
      'twice',
      'elsewhere',
      'composed',
      'empty',
      'absent',
    ),
    value: fc.constantFrom('4', 'max_split_size_mb:512', 'a b', '4096'),
    to: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('1', 'expandable_segments:True', '4096') },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
  })
  .chain(({ asked, shape: drawn, value, to }) => {
    // Where the variable is not there, a flag that the command line takes goes onto the command line.
    const isDirect = asked.flag === asked.name || asked.engine === 'nim';
    const shape = drawn === 'absent' && !isDirect ? 'literal' : drawn;
    return placed(itemsOf(shape, asked.name, value)).map((env): VariableSpec => {
      const { engine, flag, name, args } = asked;
      const isThere = shape === 'literal' || shape === 'twice';
      const container = { ...(args && { args: [...args] }), ...(env.length > 0 && { env }) };
      return { engine, flag, name, to, shape, container, isLiteral: isThere && value !== to };
    });
  });

/** Everything but the variables is what it was, and of these exactly the one differs. */
export function checkVariable({ container, name, to, shape }: VariableSpec, after: unknown): void {
  expect(['elsewhere', 'composed']).not.toContain(shape);
  const env = setIn(container.env ?? [], name, to);
  const { env: _, ...rest } = container;
  expect(after).toEqual(env.length === 0 ? rest : { ...rest, env });
}

export function reasonsOfVariable({ shape, to, container, name }: VariableSpec): readonly string[] {
  if (shape === 'elsewhere' || shape === 'composed') return ['variable-from-elsewhere'];
  const now = container.env?.findLast((one) => one.name === name);
  const isSoAlready = to === null ? now === undefined : now?.value === to;
  return isSoAlready ? ['nothing-to-change'] : [];
}

/** `shared` is named a second time, by another variable. */
type Source = Shape | 'shared';
export type ReferenceSpec = Spec & { readonly source: Source };

/** Words of a flag whose value refers to a variable, and the variable. */
export const referenceSpecs = (specs: fc.Arbitrary<Spec>): fc.Arbitrary<ReferenceSpec> =>
  fc
    .record({
      spec: specs,
      source: fc.constantFrom<Source>(
        'literal',
        'literal',
        'literal',
        'literal',
        'literal',
        'twice',
        'elsewhere',
        'composed',
        'absent',
        'shared',
      ),
      value: fc.constantFrom('8192', '0.95', 'auto'),
    })
    .chain(({ spec, source, value }) => {
      const items = itemsOf(source === 'shared' ? 'literal' : source, REFERRED, value);
      return placed(items).map((env): ReferenceSpec => {
        const all = source === 'shared' ? [...env, { name: 'SAME', value: `$(${REFERRED})` }] : env;
        const container = { ...spec.container, ...(all.length > 0 && { env: all }) };
        return { ...spec, container, source, isLiteral: source === 'literal' || source === 'twice' };
      });
    });

/** The words are byte for byte what they were; the variable holds the value. */
export function checkReference({ container, to, isLiteral }: ReferenceSpec, after: unknown): void {
  expect(isLiteral).toBe(true);
  expect(after).toEqual({ ...container, env: setIn(container.env ?? [], REFERRED, to) });
}

/** What can not be seen, and what something else reads too, stays the person's. */
export function reasonsOfReference({ isLiteral }: ReferenceSpec): readonly string[] {
  return ['flag-in-variable', ...(isLiteral ? [] : ['computed-value'])];
}
