import fc from 'fast-check';

export type Words = readonly string[];

/** What has to become of the words behind the head and the model, by the rule written a second time. */
export type Step =
  | { readonly kind: 'set'; readonly at: number; readonly word: string }
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'add'; readonly words: Words };

/** A part in ⟦⟧ is for the shell or the kubelet to compute. */
export type Made = {
  readonly engine: string;
  readonly flag: string;
  readonly to: string | null;
  readonly head: Words;
  readonly groups: readonly Words[];
  readonly steps: readonly Step[];
  /** Whether the flag stands there, written out. */
  readonly isLiteral: boolean;
  /** Whether its value is for the shell or the kubelet to compute: no word may be put in its place. */
  readonly isComputed: boolean;
};

const VALUES: Readonly<Record<string, Words>> = {
  '--max-model-len': ['8192', '32768', '8k', '1K', 'auto'],
  '--max-num-seqs': ['256', '64', '1024'],
  '--gpu-memory-utilization': ['0.9', '0.95', '.85'],
  '--max-num-batched-tokens': ['8192', '2048'],
  '--tensor-parallel-size': ['1', '2', '8'],
  '--quantization': ['fp8', 'awq'],
  '--kv-cache-dtype': ['auto', 'fp8_e5m2'],
  '--swap-space': ['4', '0'],
};

const OTHERS: readonly Words[] = [
  ['--port', '8000'],
  ['--host=0.0.0.0'],
  ['--served-model-name', 'chat'],
  ['--trust-remote-code'],
  ['--enable-prefix-caching'],
  ['--no-enable-chunked-prefill'],
  ['--enforce-eager'],
  ['--dtype', 'bfloat16'],
  ['--disable-log-stats'],
  ['--chat-template', '/templates/a b.jinja'],
  ['--kv-transfer-config', '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}'],
  ['--limit-mm-per-prompt={"image": 2}'],
  ['--override-generation-config', `{"stop":"it's"}`],
  ['--api-key', 'a$b'],
];

export const VLLM = [
  ['vllm', 'serve', 'meta-llama/Llama-3.1-8B'],
  ['/usr/local/bin/vllm', 'serve', 'meta-llama/Llama-3.1-8B'],
  ['python3', '-m', 'vllm.entrypoints.openai.api_server', '--model', 'meta-llama/Llama-3.1-8B'],
  ['python', '-u', '-m', 'vllm.entrypoints.openai.api_server', '--model', 'meta-llama/Llama-3.1-8B'],
] as const;
const LLAMA = [['/app/llama-server', '-m', '/models/a.gguf']] as const;

/** One use of the flag: `value` is what is written out, undefined for a bare switch. */
export type Use = { readonly words: Words; readonly off?: boolean };
export type Flag = {
  readonly engine: string;
  readonly heads: readonly Words[];
  readonly name: string;
  readonly edit: { readonly flag: string; readonly to: string | null };
  readonly uses: readonly Use[];
};
export type Rule = (flag: Flag, uses: readonly (Use & { readonly at: number })[]) => Step[];

// Others and uses in any order; what has to become of them follows from where they stand.
export function arrange(flags: fc.Arbitrary<Flag>, rule: Rule): fc.Arbitrary<Made> {
  return flags.chain((one) => {
    const free = OTHERS.filter(([name]) => !one.name.startsWith(String(name?.replace('--no-', '--').split('=')[0])));
    const siblings = Object.keys(VALUES).filter((name) => name !== one.name);
    return fc
      .record({
        head: fc.constantFrom(...one.heads),
        others: one.engine === 'vllm' ? fc.subarray(free) : fc.constant<Words[]>([['--port', '8000'], ['--metrics']]),
        sibling:
          one.engine === 'vllm'
            ? fc.constantFrom(...siblings).chain((name) => occurrence(name, VALUES[name]?.[0] ?? '1'))
            : fc.constant<Words>(['--threads', '8']),
        shuffle: fc.array(fc.nat(1000), { minLength: 20, maxLength: 20 }),
      })
      .map(({ head, others, sibling, shuffle }): Made => {
        const all = [...others.map((words) => ({ words })), { words: sibling }, ...one.uses]
          .map((part, i) => ({ part, at: shuffle[i] ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ part }) => part);
        let at = 0;
        const uses = all.flatMap((part) => {
          const use = one.uses.includes(part) ? [{ ...part, at }] : [];
          at += part.words.length;
          return use;
        });
        const isWritten = !one.uses.some(({ words }) => words.join(' ').includes('⟦'));
        const steps = rule(one, uses);
        return {
          engine: one.engine,
          ...one.edit,
          head,
          groups: all.map(({ words }) => words),
          steps,
          isLiteral: uses.length > 0 && isWritten && steps.length > 0,
          isComputed: !isWritten,
        };
      });
  });
}

export const underscored = (name: string): string => `--${name.slice(2).replaceAll('-', '_')}`;

function occurrence(name: string, value: string): fc.Arbitrary<Words> {
  return fc
    .record({ joint: fc.boolean(), spelt: fc.constantFrom(name, name, underscored(name)) })
    .map(({ joint, spelt }) => (joint ? [`${spelt}=${value}`] : [spelt, value]));
}

const targets = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('4096', '0.8', '1', '16', '{"a": 1}') },
  { weight: 2, arbitrary: fc.constant(null) },
);

// Mostly once, sometimes twice, sometimes computed, sometimes not at all.
const valued = fc.constantFrom(...Object.keys(VALUES)).chain((name) => {
  const written = fc.constantFrom(...(VALUES[name] ?? [])).chain((value) => occurrence(name, value));
  const computed = fc.constantFrom('⟦LEN⟧', '⟦LEN:-8192⟧').chain((value) => occurrence(name, value));
  const uses: fc.Arbitrary<Words[]> = fc.oneof(
    { weight: 12, arbitrary: written.map((words) => [words]) },
    { weight: 3, arbitrary: fc.tuple(written, written).map((both): Words[] => both) },
    { weight: 2, arbitrary: computed.map((words) => [words]) },
    { weight: 2, arbitrary: fc.constant<Words[]>([]) },
  );
  return fc.record({ to: targets, uses }).map(
    ({ to, uses: list }): Flag => ({
      ...{ engine: 'vllm', heads: VLLM, name, edit: { flag: name, to } },
      uses: list.map((words) => ({ words })),
    }),
  );
});

// The last occurrence gets the value in its own form, else one is appended; all are taken out.
const setValue: Rule = ({ engine, edit: { flag, to } }, uses) => {
  const last = uses.at(-1);
  if (to === null) return dropAll(uses);
  if (last === undefined) return [{ kind: 'add', words: engine === 'vllm' ? [`${flag}=${to}`] : [flag, to] }];
  const [word = '', value] = last.words;
  const old = /^(?:[^=]*=|-[Oq](?=[^=]))/.exec(word)?.[0] ?? '';
  if ((value ?? word.slice(old.length)) === to) return [];
  return [
    value === undefined ? { kind: 'set', at: last.at, word: old + to } : { kind: 'set', at: last.at + 1, word: to },
  ];
};

export function dropAll(uses: readonly (Use & { readonly at: number })[]): Step[] {
  return uses.flatMap(({ words, at }) => words.map((_, i): Step => ({ kind: 'drop', at: at + i })));
}

/** A flag with a value, by its long name. */
export const valuedFlags = arrange(valued, setValue);

type Short = { readonly engine: string; readonly flag: string; readonly short: string; readonly values: Words };
const SHORTS: readonly Short[] = [
  { engine: 'vllm', flag: '--tensor-parallel-size', short: '-tp', values: ['1', '2'] },
  { engine: 'vllm', flag: '--pipeline-parallel-size', short: '-pp', values: ['2'] },
  { engine: 'vllm', flag: '--data-parallel-size', short: '-dp', values: ['4'] },
  { engine: 'vllm', flag: '--decode-context-parallel-size', short: '-dcp', values: ['2'] },
  { engine: 'vllm', flag: '--quantization', short: '-q', values: ['fp8', 'awq'] },
  { engine: 'vllm', flag: '--optimization-level', short: '-O', values: ['3', '2'] },
  { engine: 'vllm', flag: '--compilation-config', short: '-cc', values: ['{"mode": 3}', '{"level":0}'] },
  { engine: 'vllm', flag: '--api-server-count', short: '-asc', values: ['2'] },
  { engine: 'llama.cpp', flag: '--ctx-size', short: '-c', values: ['8192', '0'] },
  { engine: 'llama.cpp', flag: '--parallel', short: '-np', values: ['4'] },
  { engine: 'llama.cpp', flag: '--n-gpu-layers', short: '-ngl', values: ['99', '-1'] },
  { engine: 'llama.cpp', flag: '--ubatch-size', short: '-ub', values: ['512'] },
  { engine: 'llama.cpp', flag: '--cache-type-k', short: '-ctk', values: ['f16'] },
];

const shorts = fc
  .constantFrom(...SHORTS)
  .chain((of) =>
    fc.record({
      of: fc.constant(of),
      value: fc.constantFrom(...of.values),
      form: fc.constantFrom('apart', 'joint', 'glued', 'glued'),
      asked: fc.constantFrom(of.flag, of.short),
      to: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom('1', '8', 'q8_0') },
        { weight: 2, arbitrary: fc.constant(null) },
      ),
      isThere: fc.constantFrom(true, true, true, true, false),
    }),
  )
  .map(({ of, value, form, asked, to, isThere }): Flag => {
    // What llama.cpp knows is words apart; of vLLM's only those of one letter may have their value glued on.
    const isGlued = form === 'glued' && /^-[Oq]$/.test(of.short);
    const joint = of.engine === 'vllm' && form !== 'apart' ? `${of.short}=${value}` : undefined;
    const words = isGlued ? [of.short + value] : joint === undefined ? [of.short, value] : [joint];
    return {
      ...{ engine: of.engine, heads: of.engine === 'vllm' ? VLLM : LLAMA, name: of.flag },
      edit: { flag: asked, to },
      uses: isThere ? [{ words }] : [],
    };
  });

const nameOfShort = (flag: string): string => SHORTS.find(({ short }) => short === flag)?.flag ?? flag;

/** A flag with a value, by its short name: apart, behind `=`, or glued on. */
export const shortFlags = arrange(shorts, (flag, uses) =>
  setValue({ ...flag, edit: { ...flag.edit, flag: nameOfShort(flag.edit.flag) } }, uses),
);
