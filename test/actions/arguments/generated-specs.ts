// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell scripts
import fc from 'fast-check';
import type { RefusalReason } from '../../../src/actions/arguments/edit-outcome.ts';
import type { Made, Step, Words } from './generated-words.ts';

type Env = readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];

/** A container as people write them, one edit of one flag, and what has to become of its words. */
export type Spec = {
  readonly engine: string;
  readonly container: { readonly command?: string[]; readonly args?: string[]; readonly env?: Env };
  readonly flag: string;
  readonly to: string | null;
  /** Whether the flag stands there, written out, with another value. */
  readonly isLiteral: boolean;
  /** Whether its value is computed: then no word is changed. */
  readonly isComputed: boolean;
  readonly steps: readonly Step[];
  /** How many words stand before those that the steps count: of the list, or of the command in the script at `script`. */
  readonly from: number;
  readonly script: number | null;
};

const common = ({ engine, flag, to, steps, isLiteral, isComputed }: Made) => ({
  ...{ engine, flag, to, steps, isLiteral, isComputed },
});

/** Lists of words: command and arguments, parted at any place behind the head. */
export const listSpecs = (made: fc.Arbitrary<Made>): fc.Arbitrary<Spec> =>
  fc
    .record({
      made,
      split: fc.constantFrom('head', 'all', 'none'),
      before: fc.constantFrom<Words>([], [], ['tini', '--'], ['env', 'A=b']),
      // A variable whose content nobody knows, at the end: rare.
      tail: fc.oneof(
        { weight: 49, arbitrary: fc.constant<Words>([]) },
        { weight: 1, arbitrary: fc.constant<Words>(['⟦EXTRA⟧']) },
      ),
    })
    .map(({ made: one, split, before, tail }): Spec => {
      const head = [...before, ...one.head];
      const rest = [...one.groups.flat(), ...tail].map((word) => word.replaceAll(/⟦(\w+).*?⟧/g, '$($1)'));
      const place = { ...common(one), from: head.length, script: null };
      if (split === 'all') return { ...place, container: { command: [...head, ...rest] } };
      if (split === 'none') return { ...place, container: { args: [...head, ...rest] } };
      return { ...place, container: { command: head, args: rest } };
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

/** What no editor should touch, and why. */
const HAZARDS: readonly (readonly [reason: RefusalReason, (script: string) => string])[] = [
  ['here-document', (script) => `cat > /tmp/c.yaml <<EOF\na: 1\nEOF\n${script}`],
  ['dollar-quote', (script) => `echo $'a\\tb'\n${script}`],
  ['unbalanced', (script) => `${script}\necho "open`],
  ['several-engines', (script) => `vllm serve other & ${script}`],
  ['nested-script', (script) => `eval "vllm serve x"; ${script}`],
  ['unsupported-shell', (script) => `shopt -s extglob; ls @(a|b)\n${script}`],
];

export type HazardSpec = Spec & { readonly reason: RefusalReason };

/** Scripts with something in them that cannot be read with certainty, whatever else they hold. */
export const hazardSpecs = (specs: fc.Arbitrary<Spec>): fc.Arbitrary<HazardSpec> =>
  fc
    .record({ spec: specs, hazard: fc.constantFrom(...HAZARDS) })
    .map(({ spec, hazard: [reason, wrap] }): HazardSpec => {
      const script = spec.script ?? 0;
      const { command = [], args = [] } = spec.container;
      const hidden = (list: string[], at: number): string[] => list.with(at, wrap(list[at] ?? ''));
      const container =
        script < command.length
          ? { ...spec.container, command: hidden(command, script) }
          : { ...spec.container, args: hidden(args, script - command.length) };
      return { ...spec, container, reason };
    });

type Style = 'plain' | 'single' | 'double' | 'part';
const styles = fc.constantFrom<Style>('plain', 'plain', 'plain', 'single', 'double', 'part');

function writeWord(word: string, style: Style): string {
  if (word.includes('⟦')) return word.replaceAll(/⟦(.*?)⟧/g, (_, inner: string) => writeReference(inner, style));
  const safe = /^[\w@%+:,./=-]+$/.test(word);
  if (style === 'plain' && safe) return word;
  if (style === 'part' && safe && word.includes('='))
    return word.replace(/=(.*)$/, (_, value: string) => `="${value}"`);
  if (style === 'double' || word.includes("'")) return `"${word.replaceAll(/["\\$`]/g, '\\$&')}"`;
  return style === 'part' && safe ? word : `'${word}'`;
}

function writeReference(inner: string, style: Style): string {
  if (style === 'double') return `"\${${inner}}"`;
  if (style === 'plain' || inner.includes(':')) return `\${${inner}}`;
  return style === 'part' ? `$${inner}` : `$(${inner})`;
}

// What stands before the engine, and how many words of its command that is.
const LEADS: readonly (readonly [text: string, words: number])[] = [
  ['', 0],
  ['exec ', 1],
  ['CUDA_VISIBLE_DEVICES=0,1 ', 0],
  ['exec env A="b c" ', 3],
  ['numactl --cpunodebind=0 ', 2],
  ['nohup ', 1],
];

/** `sh -c` and `bash -c` scripts. */
export const scriptSpecs = (made: fc.Arbitrary<Made>): fc.Arbitrary<Spec> =>
  fc
    .record({
      made,
      prelude: fc.subarray([...PRELUDE], { maxLength: 4 }),
      joint: fc.constantFrom('\n', '\n', '; ', '\n\n  '),
      lead: fc.constantFrom(...LEADS),
      model: fc.constantFrom(undefined, '$MODEL', '"${MODEL}"', '/models/$NAME'),
      gap: fc.constantFrom(' ', ' ', ' \\\n  ', '  '),
      styles: fc.array(styles, { minLength: 7, maxLength: 7 }),
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
      inArgs: fc.boolean(),
    })
    .map((one): Spec => {
      const { made: of, gap, joint, shell } = one;
      let written = 0;
      const write = (word: string) => writeWord(word, one.styles[written++ % one.styles.length] ?? 'plain');
      const lines = one.prelude
        .map((line) => (line.startsWith('#') || line.endsWith('&') ? `${line}\n` : line + joint))
        .join('');
      const head = [...of.head.slice(0, -1), one.model ?? of.head.at(-1) ?? ''];
      const groups = of.groups.map((group) => group.map(write).join(' '));
      const engine = [one.lead[0] + head.join(' '), ...groups].join(gap);
      const script = lines + engine + one.tail + one.after;
      return {
        ...common(of),
        from: one.lead[1] + head.length,
        script: shell.length,
        container: one.inArgs ? { command: shell, args: [script] } : { command: [...shell, script] },
      };
    });
