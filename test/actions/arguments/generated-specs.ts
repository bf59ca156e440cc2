// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell scripts
import fc from 'fast-check';

/** A container as people write them, and one edit of one flag. */
export type Spec = {
  readonly container: {
    readonly command?: string[];
    readonly args?: string[];
    readonly env?: { name: string; value: string }[];
  };
  readonly flag: string;
  readonly to: string;
  /** Whether the flag stands there with a value that is written out. */
  readonly isLiteral: boolean;
};

const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--max-model-len': ['8192', '32768', '8k', '1K', 'auto'],
  '--max-num-seqs': ['256', '64', '1024'],
  '--gpu-memory-utilization': ['0.9', '0.95', '.85'],
  '--max-num-batched-tokens': ['8192', '2048'],
  '--tensor-parallel-size': ['1', '2', '8'],
  '--quantization': ['fp8', 'awq'],
  '--kv-cache-dtype': ['auto', 'fp8_e5m2'],
  '--swap-space': ['4', '0'],
};
const FLAGS = Object.keys(VALUES);
const SHORT: Readonly<Record<string, string>> = { '--tensor-parallel-size': '-tp', '--quantization': '-q' };

const OTHERS: readonly string[][] = [
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

/** One occurrence of a flag as the words it is made of; a part in ⟦⟧ is for the shell or the kubelet to compute. */
type Words = readonly string[];

const occurrence = (flag: string, value: string): fc.Arbitrary<Words> =>
  fc
    .record({ joint: fc.boolean(), name: fc.constantFrom('as-is', 'as-is', 'underscores', 'short') })
    .map(({ joint, name }) => {
      const short = SHORT[flag] ?? flag;
      const spelt =
        name === 'underscores' ? `--${flag.slice(2).replaceAll('-', '_')}` : name === 'short' ? short : flag;
      return joint ? [`${spelt}=${value}`] : [spelt, value];
    });

const flagWords = fc.constantFrom(...FLAGS).chain((flag) =>
  fc.record({
    flag: fc.constant(flag),
    to: fc.constantFrom('4096', '0.8', '1', '16'),
    // Mostly once, sometimes twice, sometimes computed, sometimes not at all.
    uses: fc.oneof(
      {
        weight: 12,
        arbitrary: fc
          .constantFrom(...(VALUES[flag] ?? []))
          .chain((v) => occurrence(flag, v))
          .map((w) => [w]),
      },
      {
        weight: 3,
        arbitrary: fc
          .tuple(occurrence(flag, VALUES[flag]?.[0] ?? '1'), occurrence(flag, VALUES[flag]?.[1] ?? '2'))
          .map((both): Words[] => [...both]),
      },
      {
        weight: 2,
        arbitrary: fc
          .constantFrom('⟦LEN⟧', '⟦LEN:-8192⟧')
          .chain((v) => occurrence(flag, v))
          .map((w) => [w]),
      },
      { weight: 2, arbitrary: fc.constant<Words[]>([]) },
    ),
    others: fc.subarray(OTHERS.filter(([name]) => !name?.startsWith(flag))),
    sibling: fc
      .constantFrom(...FLAGS.filter((one) => one !== flag))
      .chain((one) => occurrence(one, VALUES[one]?.[0] ?? '1')),
    shuffle: fc.infiniteStream(fc.nat(1000)),
  }),
);

const HEADS: readonly Words[] = [
  ['vllm', 'serve'],
  ['/usr/local/bin/vllm', 'serve'],
  ['python3', '-m', 'vllm.entrypoints.openai.api_server', '--model'],
  ['python', '-u', '-m', 'vllm.entrypoints.openai.api_server', '--model'],
];

const argumentsOf = flagWords.chain(({ flag, to, uses, others, sibling, shuffle }) =>
  fc.constantFrom(...HEADS).map((head) => {
    const groups: Words[] = [...others, sibling, ...uses]
      .map((words) => ({ words, at: shuffle.next().value }))
      .sort((a, b) => a.at - b.at)
      .map(({ words }) => words);
    return {
      flag,
      to,
      head,
      model: 'meta-llama/Llama-3.1-8B',
      groups,
      isLiteral: uses.length > 0 && !uses.flat().join(' ').includes('⟦'),
    };
  }),
);

/** Lists of words: command and arguments, parted at any place behind the head. */
export const listSpecs: fc.Arbitrary<Spec> = fc
  .record({
    made: argumentsOf,
    split: fc.constantFrom('head', 'all', 'none'),
    before: fc.constantFrom<Words>([], [], ['tini', '--'], ['env', 'A=b']),
    // A variable whose content nobody knows, at the end: rare.
    tail: fc.oneof(
      { weight: 49, arbitrary: fc.constant<Words>([]) },
      { weight: 1, arbitrary: fc.constant<Words>(['⟦EXTRA⟧']) },
    ),
  })
  .map(({ made, split, before, tail }) => {
    const head = [...before, ...made.head, made.model];
    const rest = [...made.groups.flat(), ...tail].map((word) => word.replaceAll(/⟦(\w+).*?⟧/g, '$($1)'));
    const { flag, to, isLiteral } = made;
    if (split === 'all') return { container: { command: [...head, ...rest] }, flag, to, isLiteral };
    if (split === 'none') return { container: { args: [...head, ...rest] }, flag, to, isLiteral };
    return { container: { command: head, args: rest }, flag, to, isLiteral };
  });

const PRELUDE: readonly string[] = [
  'set -euo pipefail',
  'ulimit -n 65535',
  'export HF_HOME=/data/hf',
  'echo "starting vllm serve"',
  "# what the team's wiki says: vllm serve --max-model-len 1",
  'if [ -z "$POD_NAME" ]; then echo none; fi',
  'nvidia-smi || true',
  'MODEL=${MODEL:-meta}',
  'for i in 1 2; do echo $i; done',
  `python3 -c 'print("hi; there")'`,
  'mkdir -p /tmp/a && cd /tmp/a',
  'EXTRA=(a "b c")',
  'case "$X" in a) echo 1;; *) echo 2;; esac',
  'greet() { echo hi; }',
  'x=$(cat /etc/hostname | tr -d "\\n")',
  'sleep 5 &',
  'y=`date +%s`',
  '( cd /tmp; ls > /dev/null 2>&1 )',
  '[[ $A == b* && -n "$C" ]] && echo yes',
  'z=$((1 + 2))',
];

const AFTER: readonly string[] = [
  '',
  '',
  '',
  ' 2>&1 | tee /var/log/a.log',
  ' > /dev/null 2>&1',
  ' &\nwait',
  '; echo "done: $?"',
  ' # note',
  ' || exit 1',
  '\n',
];

/** What no editor should touch, in one of thirty scripts. */
const HAZARDS: readonly ((script: string) => string)[] = [
  (script) => `cat > /tmp/c.yaml <<EOF\na: 1\nEOF\n${script}`,
  (script) => `echo $'a\\tb'\n${script}`,
  (script) => `${script}\necho "open`,
  (script) => `vllm serve other & ${script}`,
  (script) => `eval "vllm serve x"; ${script}`,
];

type Style = 'plain' | 'single' | 'double' | 'part';
const styles = fc.constantFrom<Style>('plain', 'plain', 'plain', 'single', 'double', 'part');

function writeWord(word: string, style: Style): string {
  if (word.includes('⟦')) return word.replaceAll(/⟦(.*?)⟧/g, style === 'double' ? '"$${$1}"' : '$${$1}');
  const safe = /^[\w@%+:,./=-]+$/.test(word);
  if (style === 'plain' && safe) return word;
  if (style === 'part' && safe && word.includes('='))
    return word.replace(/=(.*)$/, (_, value: string) => `="${value}"`);
  if (style === 'double' || word.includes("'")) return `"${word.replaceAll(/["\\$`]/g, '\\$&')}"`;
  return style === 'part' && safe ? word : `'${word}'`;
}

/** `sh -c` and `bash -c` scripts. */
export const scriptSpecs: fc.Arbitrary<Spec> = fc
  .record({
    made: argumentsOf,
    prelude: fc.subarray([...PRELUDE], { maxLength: 4 }),
    joint: fc.constantFrom('\n', '\n', '; ', '\n\n  '),
    lead: fc.constantFrom(
      '',
      'exec ',
      'CUDA_VISIBLE_DEVICES=0,1 ',
      'exec env A="b c" ',
      'numactl --cpunodebind=0 ',
      'nohup ',
    ),
    model: fc.constantFrom('meta-llama/Llama-3.1-8B', '$MODEL', '"${MODEL}"', '/models/$NAME'),
    gap: fc.constantFrom(' ', ' ', ' \\\n  ', '  '),
    styles: fc.infiniteStream(styles),
    after: fc.constantFrom(...AFTER),
    tail: fc.oneof(
      { weight: 49, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom(' $EXTRA_ARGS', ' ${A} ${B}') },
    ),
    shell: fc.constantFrom<string[]>(
      ['sh', '-c'],
      ['/bin/bash', '-c'],
      ['bash', '-ec'],
      ['bash', '-euo', 'pipefail', '-c'],
      ['tini', '--', 'sh', '-c'],
    ),
    hazard: fc.oneof(
      { weight: 59, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...HAZARDS) },
    ),
    inArgs: fc.boolean(),
  })
  .map((one) => {
    const { made, gap, joint, shell } = one;
    const write = (word: string) => writeWord(word, one.styles.next().value);
    const lines = one.prelude
      .map((line) => (line.startsWith('#') || line.endsWith('&') ? `${line}\n` : line + joint))
      .join('');
    const groups = made.groups.map((group) => group.map(write).join(' '));
    const engine = [`${one.lead}${made.head.join(' ')} ${one.model}`, ...groups].join(gap);
    const plain = lines + engine + one.tail + one.after;
    const script = one.hazard === undefined ? plain : one.hazard(plain);
    const container = one.inArgs ? { command: shell, args: [script] } : { command: [...shell, script] };
    return { container, flag: made.flag, to: made.to, isLiteral: made.isLiteral };
  });
