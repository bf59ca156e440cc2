// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell scripts
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanScript } from '../../../src/actions/arguments/scan-script.ts';
import { askOracle } from './shell-oracle.ts';

function wordsOf(text: string): { start: number; end: number; value: string | null }[] {
  const scanned = scanScript(text, '/args/0');
  if (scanned.kind === 'unsure') throw new Error(scanned.why);
  return scanned.tokens.flatMap((token) => {
    if (token.kind !== 'word') return [];
    const { start, end, value, computedAt } = token.word;
    return [{ start, end, value: computedAt === null ? value : null }];
  });
}

describe('a shell script', () => {
  it.each<[text: string, values: (string | null)[]]>([
    ['a b\tc', ['a', 'b', 'c']],
    ['a \\\n  b', ['a', 'b']],
    ['a\\\nb', ['ab']],
    ['a\\\n  b', ['a', 'b']],
    ['\'a b\' "c d"', ['a b', 'c d']],
    ['--x="a b"c', ['--x=a bc']],
    ['"a\\"b\\$c\\`d\\\\e\\nf"', ['a"b$c`d\\e\\nf']],
    ['"a\\\nb"', ['ab']],
    ["'a\\b'", ['a\\b']],
    ['a\\ b', ['a b']],
    ['a # b c\nd', ['a', 'd']],
    ['a#b', ['a#b']],
    ['a;#b\nc', ['a', 'c']],
    ['a&&b||c|d;e&f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a 2>&1 3b', ['a', '1', '3b']],
    ['a2>f', ['a2', 'f']],
    ['a &>f', ['a', 'f']],
    ['a <<< b', ['a', 'b']],
    ['a > >(tee b c) d', ['a', null, 'd']],
    ['"" \'\'', ['', '']],
    ['$A ${B:-c d} $(e "f)" g) `h i` $((1 + 2))', [null, null, null, null, null]],
    ['a$ $', ['a$', '$']],
    ['x=(a "b c") d', [null, 'd']],
    ['a* b? c[d] {e,f} ~/g h~', [null, null, null, null, null, 'h~']],
    ["'$(NAME)' '$$' '$A'", [null, null, '$A']],
    ['{ a; }', ['{', 'a', '}']],
    ['"${A:-"b c"}" d', [null, 'd']],
    ['"$(a "b $(c ")") d")" e', [null, 'e']],
  ])('%j has its words', (text, values) => {
    expect(wordsOf(text).map(({ value }) => value)).toEqual(values);
  });

  it.each<[text: string, why: string]>([
    ['cat <<EOF\na\nEOF', 'here-document'],
    ['cat <<-EOF\na\nEOF', 'here-document'],
    ['cat 3<<EOF\na\nEOF', 'here-document'],
    ["a $'b'", 'dollar-quote'],
    ['a $"b"', 'dollar-quote'],
    ["a $(b $'c')", 'dollar-quote'],
    ['a "b', 'unbalanced'],
    ["a 'b", 'unbalanced'],
    ['a $(b', 'unbalanced'],
    ['a ${b', 'unbalanced'],
    ['a `b', 'unbalanced'],
    ['a\r\nb', 'unsupported-shell'],
    ['a\\', 'unsupported-shell'],
    ['a $\\\nb', 'unsupported-shell'],
    ['a @(b|c)', 'unsupported-shell'],
    ['a $(case b in c) d;; esac)', 'unsupported-shell'],
    ["a $(b # it's\n)", 'unsupported-shell'],
    ["a ${b:-'c}'}", 'unsupported-shell'],
    [`a ${'$('.repeat(5000)}`, 'unsupported-shell'],
  ])('%j is not read for certain', (text, why) => {
    expect(scanScript(text, '/args/0')).toEqual({ kind: 'unsure', why });
  });

  it('is parted into the same words as by an independent parser, wherever it is sure', () => {
    // Left out is what the oracle itself reads otherwise than bash: `$A#b`, `"a"1<<<b`.
    const fragment = fc.constantFrom(
      ...['a', 'bc', '--x', '--x=', '8192 ', ' ', ' ', ' ', '\n', ';', ' | ', ' && ', '"', '"', "'", "'", '\\', '\\\n'],
      ...[
        '$A',
        '${B}',
        '$(c d)',
        '`e`',
        ' a#b',
        ' # f\n',
        '>',
        ' 2>&1 ',
        '$ ',
        '$((1))',
        '"g h"',
        "'i j'",
        '\\"',
        '{',
        '}',
      ],
      ...['~', '*', '.', '<<<', '&'],
    );
    let compared = 0;
    fc.assert(
      fc.property(fc.array(fragment, { minLength: 1, maxLength: 14 }), (parts) => {
        const text = `z ${parts.join('')}`;
        const oracle = askOracle(text);
        const scanned = scanScript(text, '');
        if (oracle === undefined || scanned.kind === 'unsure') return;
        compared++;
        const reserved = new Set(['{', '}']);
        // The oracle counts a continued line at the end of a word as part of it.
        const toSpan = ({ start, end }: { start: number; end: number }) => {
          const raw = text.slice(start, end).replace(/(?:\\\n)+$/, '');
          return reserved.has(raw) ? [] : [`${start}-${start + raw.length}`];
        };
        const own = scanned.tokens.flatMap((token) => (token.kind === 'word' ? [token.word] : []));
        const theirs = [...oracle.calls.flat(), ...oracle.words];

        expect(own.flatMap(toSpan).sort(), text).toEqual(theirs.flatMap(toSpan).sort());
        for (const word of own.filter(({ computedAt }) => computedAt === null)) {
          const other = theirs.find(({ start }) => start === word.start);
          if (other !== undefined) expect(word.value, text).toBe(other.value);
        }
      }),
      { seed: 4, numRuns: 800 },
    );
    expect(compared).toBeGreaterThan(250);
  });
});
