import { describe, expect, it } from 'vitest';
import { PLAYBOOK_PATHS } from '../../src/model/playbook-paths.ts';
import { signatureExpression } from '../../src/model/signature.ts';
import { unboundedPart } from '../../src/playbook/linear-pattern.ts';
import { filesInForce } from '../../src/playbook/merge.ts';
import { parseSignatures } from '../../src/playbook/signatures.ts';

const SOUND = `- id: a.line
  engine: test
  versions: all
  where: log
  plane: gpu
  phase: any
  causes: []
  weight: proof
  literals: ['pool is empty']
  text: 'the pool is empty'
  must: ['ERROR the pool is empty now']
  source: test
`;

const change = (from: string, to: string) => SOUND.replace(from, to);
const messages = (yaml: string) =>
  parseSignatures([{ path: 'p.yaml', text: yaml }]).problems.map((p) => `${p.file}:${p.line} ${p.message}`);

describe('a sound entry', () => {
  it('is read, with text or with a pattern', () => {
    const pattern = change("text: 'the pool is empty'", "pattern: 'pool is (?<how>empty|full)'");

    expect(parseSignatures([{ path: 'p.yaml', text: SOUND }])).toMatchObject({
      problems: [],
      signatures: [{ id: 'a.line', weight: 'proof' }],
    });
    expect(parseSignatures([{ path: 'p.yaml', text: pattern }]).problems).toEqual([]);
  });

  it('may have a star for what varies', () => {
    const star = SOUND.replace('the pool is empty', 'the * is empty');

    expect(messages(star)).toEqual([]);
  });

  it('may tell the figures of its groups in what it means, and of no others', () => {
    const grouped = change("text: 'the pool is empty'", "pattern: 'the pool is (?<how>empty)'\n  means: It is {how}.");

    expect(messages(grouped)).toEqual([]);
    expect(messages(grouped.replace('{how}', '{size}'))).toEqual(['p.yaml:11 `pattern` has no group called size']);
  });

  it('is kept when its neighbour is not', () => {
    const two = SOUND + change('a.line', 'b.line').replace('weight: proof', 'weight: prof');

    expect(parseSignatures([{ path: 'p.yaml', text: two }]).signatures.map((p) => p.id)).toEqual(['a.line']);
  });
});

it.each([
  ['no YAML', '- id: [', /^p\.yaml:1 not readable as YAML/],
  ['no list', 'id: a.line', /^p\.yaml:1 must be a list of signatures/],
  ['an unknown key', change('source: test', 'sauce: test'), /^p\.yaml:12 .*`sauce` here, did you mean `source`/],
  ['a key twice', change('source: test', 'source: test\n  source: again'), /^p\.yaml:13 .*occurs twice/],
  ['a missing key', change('  versions: all\n', ''), /^p\.yaml:1 `versions` is missing here/],
  ['a word not allowed', change('weight: proof', 'weight: prooof'), /^p\.yaml:8 .*mean proof\?/],
  ['a cause of none', change('causes: []', 'causes: [gpu.burst.logit]'), /^p\.yaml:7 .*mean gpu\.burst\.logits\?/],
  ['an id twice', SOUND + SOUND, /^p\.yaml:13 a\.line is already defined in p\.yaml:1$/],
  ['both text and pattern', change("text: 'the", "pattern: 'x'\n  text: 'the"), /has either `text` or `pattern`/],
  ['neither text nor pattern', change("  text: 'the pool is empty'\n", ''), /has either `text` or `pattern`/],
  ['a literal that is too short', change("['pool is empty']", "['pool']"), /^p\.yaml:9 /],
  ['no match', change('ERROR the pool', 'ERROR a pool'), /^p\.yaml:11 .*does not match a\.line$/],
  ['no literal', change("['pool is empty']", "['pool is full']"), /^p\.yaml:11 .*none of the literals of a\.line/],
  [
    'a forbidden match',
    change('source: test', "mustNot: ['the pool is empty']\n  source: x"),
    /^p\.yaml:12 .*matches a\.line/,
  ],
  ['a pattern that is none', change("text: 'the pool", "pattern: 'pool ( "), /^p\.yaml:10 `pattern` is no/],
  ['an endless pattern', change("text: 'the pool", "pattern: '.* pool"), /^p\.yaml:10 `\.\*` repeats/],
  ['a star at an end', change("text: 'the pool", "text: '* pool"), /^p\.yaml:10 `\*` must be between/],
])('what does not hold is told with file and line: %s', (_, yaml, expected) => {
  const told = messages(yaml);

  expect(
    told.some((message) => expected.test(message)),
    told.join('\n'),
  ).toBe(true);
});

it.each([
  ['a+b', false],
  ['a{2,}', false],
  ['(?:a{1,3}b){2}', false],
  ['(?:(?:a{1,3})?b){0,3}', false],
  ['(?<=x)a', false],
  ['(?<!x)a', false],
  ['(a)\\1', false],
  ['(?<n>a)\\k<n>', false],
  ['[^\\n]*', false],
  ['a{0,80}', true],
  ['[*+]', true],
  ['\\*\\+', true],
  ['(?<n>[\\d.]{1,24}) GiB', true],
  ['(?: with (?<p>\\d{1,9}))?', true],
  ['x(?!y)', true],
  ['a{0,3}?b', true],
])('what may take more than linear time: %s', (pattern, isLinear) => {
  expect(unboundedPart(pattern) === undefined).toBe(isLinear);
});

describe('in a folder of a team', () => {
  const PATH = 'engines/test/signatures.yaml';
  const AHEAD = change("text: 'the pool is empty'", "pattern: 'pool is (?=empty)'");
  const inForce = (
    own: string,
    { shipped = SOUND, path = 'engines/test/signatures-own.yaml', isChecked = false } = {},
  ) =>
    parseSignatures(
      filesInForce(
        [
          { root: '/shipped', path: PATH, text: shipped },
          { root: '/own', path, text: own, isChecked },
        ],
        PLAYBOOK_PATHS.signatures,
      ),
    );
  const own = (text: string) => text.replace('a.line', 'own.line');
  const isLinear = (read: ReturnType<typeof parseSignatures>, id: string) => {
    const signature = read.signatures.find((one) => one.id === id);
    return signature && !(signatureExpression(signature) instanceof RegExp);
  };

  it.each([
    ['text with stars', own(change('the pool is empty', 'the * is * now').replace("'pool is empty'", "' is empty'"))],
    ['nested repetition', own(change("text: 'the pool is empty'", "pattern: '((\\w+ )+)+empty'"))],
    ['capitals', own(change("text: 'the pool is empty'", "pattern: 'the POOL'\n  flags: i"))],
  ])('%s runs on the linear engine, and the shipped one does not', (_, text) => {
    const read = inForce(text);

    expect(read.problems).toEqual([]);
    expect([isLinear(read, 'a.line'), isLinear(read, 'own.line')]).toEqual([false, true]);
  });

  it.each([
    ['a lookahead', 'pool is (?=empty)', /lookahead/],
    ['a negative one', 'pool is (?!full)', /lookahead/],
    ['a lookbehind', '(?<=the )pool', /lookbehind/],
    ['a backreference', '(p)oo\\1?', /backreference/],
    ['a named one', '(?<a>p)oo\\k<a>?', /backreference/],
    ['a group twice', '(?<a>pool)|(?<a>tool)', /RE2 syntax/],
    ['what fits everything', '(?:pool)?', /empty text/],
  ])('%s is an error of its line, also where the text was found sound before', (_, pattern, words) => {
    const text = own(change("text: 'the pool is empty'", `pattern: '${pattern}'`));

    for (const isChecked of [false, true]) {
      const { problems, signatures } = inForce(text, { isChecked });
      expect(problems).toMatchObject([{ file: '/own/engines/test/signatures-own.yaml', line: 10, severity: 'error' }]);
      expect(problems[0]?.message).toMatch(words);
      expect(signatures.map(({ id }) => id)).toEqual(['a.line']);
    }
  });

  it('a copy of a shipped file keeps the patterns that it has from there, and no others', () => {
    const copy = (text: string) => inForce(text, { shipped: AHEAD, path: PATH });

    expect(copy(AHEAD.replace('weight: proof', 'weight: strong'))).toMatchObject({ problems: [] });
    expect(copy(AHEAD.replace('(?=empty)', '(?=empt)')).problems).toMatchObject([{ line: 10 }]);
  });

  it('has the captures that the other engine has', () => {
    const text = own(change("text: 'the pool is empty'", "pattern: 'pool (?<how>was|is) (?<gone>gone )?empty'"));
    const signature = inForce(text).signatures.find(({ id }) => id === 'own.line');
    if (signature === undefined) throw new Error('not read');
    const { isOwn, ...shipped } = signature;
    const line = 'ERROR the pool is empty now';

    const [linear, backtracking] = [signature, shipped].map((one) => signatureExpression(one).exec(line));

    expect(isOwn).toBe(true);
    expect({ ...linear?.groups }).toEqual({ ...backtracking?.groups });
    expect([linear?.index, linear?.[0]]).toEqual([backtracking?.index, backtracking?.[0]]);
  });

  it('cannot mark itself', () => {
    expect(inForce(own(change('source: test', 'isOwn: false\n  source: test'))).problems).toHaveLength(1);
  });
});
