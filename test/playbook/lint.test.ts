import { describe, expect, it } from 'vitest';
import { oneQuestion, saidAbout, smallText } from './builders.ts';

describe('a playbook that is sound', () => {
  it('is taken without a word', () => {
    expect(saidAbout(smallText())).toEqual([]);
  });
});

describe('what a person gets wrong in a playbook is told with its place and the way out', () => {
  // ¦ marks where the message must point; without it the place is elsewhere in the file.
  it.each<[what: string, from: string, to: string, said: string | RegExp]>([
    [
      'a misspelt fact',
      'fact: kv-cache.used-share, at',
      'fact: ¦kv-cache.used-shre, at',
      'no fact called kv-cache.used-shre, did you mean kv-cache.used-share?',
    ],
    ['a misspelt threshold', '$pool-full', '¦$pool-fll', 'no threshold called pool-fll, did you mean pool-full?'],
    [
      'a misspelt finding',
      'finding: gpu-edge',
      'finding: ¦gpu-edg',
      'no finding called gpu-edg, did you mean gpu-edge?',
    ],
    [
      'a misspelt question',
      'ask: gpu-pattern',
      'ask: ¦gpu-patern',
      'no question called gpu-patern, did you mean gpu-pattern?',
    ],
    [
      'a start that is no question',
      'start: which-memory',
      'start: ¦which-memry',
      'no question called which-memry, did you mean which-memory?',
    ],
    [
      'a misspelt comparison',
      'at-least:',
      '¦atleast:',
      /^no key `atleast` here, did you mean `at-least`\? \(allowed: all, any, not, fact, is/,
    ],
    [
      'two comparisons',
      '{ fact: gpu.oom-logged, is: true }',
      '¦{ fact: gpu.oom-logged, is: true, in: [true] }',
      /^a fact is compared by exactly one of .*; this has is and in$/,
    ],
    [
      'no comparison',
      '{ fact: gpu.oom-logged, is: true }',
      '¦{ fact: gpu.oom-logged }',
      /^a fact is compared by exactly one of .*; this has none$/,
    ],
    [
      'a condition of nothing',
      '{ fact: gpu.oom-logged, is: true }',
      '¦{ }',
      'a condition is one of `all`, `any`, `not` or `fact`; this has none',
    ],
    [
      'a comparison beside a group',
      '{ fact: gpu.oom-logged, is: true }',
      '¦{ is: true, not: { fact: gpu.oom-logged, is: true } }',
      '`is` compares a fact and has no place beside `not`',
    ],
    ['an empty group', '{ fact: gpu.oom-logged, is: true }', '{ all: ¦[] }', '`all` must not be empty'],
    [
      'a share above 1',
      '{ fact: gpu.oom-logged, is: true }',
      '{ fact: ram.used-share, above: ¦12 }',
      'ram.used-share is a share from 0 to 1, such as 0.95, and 12 is none; for 12 % write 0.12',
    ],
    [
      'a threshold that is no share',
      'value: 0.95',
      'value: 12',
      '$pool-full does not fit here: kv-cache.used-share is a share from 0 to 1, such as 0.95, and 12 is none; for 12 % write 0.12',
    ],
    ['a share as a percentage', 'value: 0.95', 'value: 95 %', /for 95 % write 0\.95$/],
    [
      'a size where a duration is meant',
      '$startup-window',
      '¦$small-want',
      '$small-want does not fit here: death.uptime is a duration such as 10m, and 1GiB is none',
    ],
    [
      'a size without a unit',
      'value: 1GiB',
      'value: 1.5',
      '$small-want does not fit here: gpu.want is a size such as 16GiB, and 1.5 is none',
    ],
    ['a threshold that is nothing', 'value: 1GiB', 'value: ¦much', /^much is no threshold; write a number, a share/],
    [
      'a threshold without a reason',
      '  startup-window: { value: 10m, why: start-up of large models takes minutes,',
      '  ¦startup-window: { value: 10m,',
      '`why` is missing here',
    ],
    [
      'a threshold without a source',
      '  small-want: { value: 1GiB, why: less than this is an edge rather than a lack, source: measured }',
      '  ¦small-want: { value: 1GiB, why: less }',
      '`source` is missing here',
    ],
    [
      'a bare number as a mark',
      '$startup-window',
      '¦10m',
      /^10m is a threshold without a name; give it a name, a reason and a source/,
    ],
    [
      'an order on text',
      '{ fact: gpu.oom-logged, is: true }',
      '{ fact: engine.name, ¦above: 3 }',
      /^engine\.name is text and has no order/,
    ],
    [
      'a time compared',
      '{ fact: gpu.oom-logged, is: true }',
      '{ fact: gpu.oom-at, above: ¦0 }',
      /^gpu\.oom-at is a time; all that can be asked is whether it is `known`$/,
    ],
    ['yes for true', 'is: true', 'is: ¦yes', 'gpu.oom-logged is true or false, and yes is none; write true'],
    [
      'a word that the fact never has',
      '[node, unstated]',
      '[¦nde, unstated]',
      'kernel.oom-kill: no value called nde, did you mean node?',
    ],
    ['a missing otherwise', 'otherwise: { finding: gpu-unexplained }', '', '`otherwise` is missing here'],
    [
      'two ways out of one branch',
      '      - id: edge\n',
      '      - ¦id: edge\n        ask: gpu-pattern\n',
      'leads to exactly one place: either `finding` or `ask`',
    ],
    [
      'a circle of questions',
      'finding: gpu-edge',
      'ask: ¦which-memory',
      'questions that ask each other in a circle never end: which-memory -> gpu-pattern -> which-memory',
    ],
    ['two branches of one name', 'id: edge', 'id: ¦startup', 'a second branch called startup'],
    ['a branch called otherwise', 'id: edge', 'id: ¦otherwise', '`otherwise` is the name of the last way out'],
    [
      'a placeholder that is no fact',
      '"A small allocation of {{gpu.want}} failed."',
      '¦"{{ gpu.wnt }} failed."',
      'no fact called gpu.wnt, did you mean gpu.want?',
    ],
    [
      'braces that are no placeholder',
      '"A small allocation of {{gpu.want}} failed."',
      '¦"{{gpu.want} failed."',
      /^double braces that are no placeholder/,
    ],
    [
      'a proof that is no fact',
      'proof: [gpu.oom-logged, gpu.want]',
      'proof: [¦gpu.oom-loged, gpu.want]',
      'no fact called gpu.oom-loged, did you mean gpu.oom-logged?',
    ],
    [
      'no proof at all',
      'proof: [gpu.oom-logged]',
      '¦proof: []',
      'without a fact that proves it nobody can check this finding',
    ],
    [
      'a cause of another plane',
      'cause: gpu.prefix-cache',
      'cause: ¦host.offload',
      'cause host.offload does not go with plane gpu, only with host or both or unknown',
    ],
    [
      'a misspelt cause',
      'cause: gpu.prefix-cache',
      'cause: ¦gpu.prefix-cash',
      'gpu.prefix-cash is not allowed here, did you mean gpu.prefix-cache?',
    ],
    [
      'a cause from a fact that never has it',
      'fact: evidence.cause\n      among: [',
      'fact: log.stage\n      among: [¦',
      'log.stage is never gpu.startup.weights',
    ],
    [
      'a phase on plane none',
      'plane: unknown\n    phase: n/a\n    cause: unknown',
      'plane: none\n    phase: ¦burst\n    cause: none.other',
      'plane none always has phase n/a',
    ],
    [
      'certainty about nothing',
      'cause: unknown\n',
      'cause: unknown\n    certain: ¦true\n',
      'plane unknown is never certain',
    ],
    [
      'an open cause without others',
      'headline: GPU memory is used to the edge',
      '¦cause-open: nothing names it\n    headline: GPU memory is used to the edge',
      'an open cause needs `alternatives`: what else it could be',
    ],
    [
      'an open cause of a finding that is never certain',
      'plane: unknown\n    phase: n/a\n    cause: unknown\n',
      'plane: unknown\n    phase: n/a\n    cause: unknown\n    ¦cause-open: nothing names it\n    alternatives: [none.other]\n',
      'plane unknown is never certain',
    ],
    [
      'an open cause that a phase is taken from',
      'headline: GPU memory is used to the edge',
      '¦cause-open: nothing names it\n    alternatives: [gpu.burst.logits]\n    headline: GPU memory is used to the edge',
      'a phase that is taken from an open cause is not proved',
    ],
    [
      'a headline that fills the card',
      'headline: GPU memory is used to the edge',
      `headline: ¦${'long '.repeat(30)}`,
      '`headline` must be at most 120 characters',
    ],
    [
      'something freed that is no size',
      'if: { fact: gpu.fragmented, is: true }',
      'if: { fact: gpu.fragmented, is: true }\n    frees: ¦gpu.total-cards',
      /^no fact called gpu\.total-cards/,
    ],
    [
      'something freed in another unit',
      'if: { fact: gpu.fragmented, is: true }',
      'if: { fact: gpu.fragmented, is: true }\n    frees: ¦engine.max-model-len',
      'engine.max-model-len is in tokens, and what is freed is in bytes',
    ],
    [
      'an unknown action',
      'action: raise-ram',
      'action: ¦raise-rm',
      /^raise-rm is not allowed here, did you mean raise-ram\?/,
    ],
    ['a bad parameter of an action', 'by: 1.5', 'by: ¦15', 'raise-ram: `by` must be at most 4'],
    ['an unknown parameter of an action', 'by: 1.5', '¦bye: 1.5', /^raise-ram: no key `bye` here, did you mean `by`\?/],
    [
      'a flag without dashes',
      'flag: --max-model-len',
      'flag: ¦max-model-len',
      /^stop-bleed: is a flag with its dashes/,
    ],
    [
      'a fact of an action that is none',
      'with: { set: [{ flag: --max-model-len, was: engine.max-model-len',
      'with: ¦{ set: [{ flag: --max-model-len, was: engine.max-model-ln',
      'no fact called engine.max-model-ln, did you mean engine.max-model-len?',
    ],
    ['an anchor', 'is: true', 'is: &yes ¦true', /^anchors .* are not allowed here/],
    ['a tag', 'is: true', 'is: !!bool ¦true', /^tags .* are not allowed here/],
    [
      'a key that stands twice',
      'headline: GPU memory is used',
      'headline: twice\n    ¦headline: GPU memory is used',
      /^this key stands twice in the same map/,
    ],
    ['a second document', 'thresholds:', '¦---\nthresholds:', /^one document to a file/],
    [
      'a name in capitals',
      '  gpu-edge:',
      '  ¦GPU-edge:',
      '`GPU-edge`: an id is made of small letters, digits and single dashes',
    ],
    [
      'a playbook of a later format',
      'schema: 2',
      'schema: ¦3',
      /^this playbook is written in format 3, this oombot reads format 2: upgrade/,
    ],
    [
      'a playbook of an earlier format',
      'schema: 2',
      'schema: ¦1',
      /^this playbook is written in format 1, which this oombot no longer reads/,
    ],
  ])('%s', (_, from, to, said) => {
    const text = smallText([from, to]);

    const told = saidAbout(text.replace('¦', '')).filter((line) => !line.startsWith('warning'));

    const messages = told.map((line) => line.slice(line.indexOf(' ') + 1));
    const index = messages.findIndex((message) => (typeof said === 'string' ? message === said : said.test(message)));
    expect(messages[index] ?? messages).toEqual(typeof said === 'string' ? said : expect.stringMatching(said));
    if (to.includes('¦')) expect(told[index]?.split(' ')[0]).toBe(placeOf(text));
  });

  it.each([
    ['nothing', '', '1:1 the file is empty'],
    ['a list', '[1, 2]', '1:1 this must be a map, not [1,2]'],
    ['half a map', '{ a: ', /^1:\d+ not readable as YAML/],
    ['an alias', 'a: &b 1\nc: *b', /aliases/],
    ['a map as a key', '{ a: 1 }: b', '1:1 a key is a plain word'],
    ['a merge key', '<<: { a: 1 }', /merge keys/],
  ])('%s in place of a playbook', (_, text, said) => {
    expect(saidAbout(text)).toContainEqual(typeof said === 'string' ? said : expect.stringMatching(said));
  });
});

function placeOf(marked: string): string {
  const before = marked.slice(0, marked.indexOf('¦')).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

describe('what can never happen in a playbook is a warning', () => {
  const yes = (id: string, fact: string, to = 'gpu'): string => `      - { id: ${id}, if: ${fact}, finding: ${to} }`;
  const when = (...lines: string[]): string[] =>
    saidAbout(
      oneQuestion(lines.join('\n'), {
        thresholds: 'low: { value: 0.5, why: w, source: s }, high: { value: 0.9, why: w, source: s }',
      }),
    ).filter((line) => line.includes('branch ') && !line.includes('no branch leads'));

  it.each([
    ['the same condition twice', ['{ fact: gpu.oom-logged, is: true }', '{ fact: gpu.oom-logged, is: true }']],
    [
      'a higher mark below a lower one',
      ['{ fact: ram.used-share, above: $low }', '{ fact: ram.used-share, at-least: $high }'],
    ],
    [
      'a narrower case below a wider one',
      [
        '{ fact: gpu.oom-logged, is: true }',
        '{ all: [{ fact: gpu.oom-logged, is: true }, { fact: log.error-seen, is: true }] }',
      ],
    ],
    ['one word below a list with it', ['{ fact: log.stage, in: [load, profile] }', '{ fact: log.stage, is: load }']],
    [
      'a value below the question whether it is known',
      ['{ fact: log.stage, known: true }', '{ fact: log.stage, is: load }'],
    ],
    [
      'anything below what always holds',
      ['{ any: [{ fact: gpu.want, known: true }, { fact: gpu.want, known: false }] }', '{ fact: log.stage, is: load }'],
    ],
  ])('%s', (_, [first, second]) => {
    const said = when(yes('a', first ?? ''), yes('b', second ?? ''));

    expect(said).toEqual([
      expect.stringMatching(/^warning 8:\d+ branch b is never reached: branch a above it says yes/),
    ]);
  });

  it.each([
    ['two words at once', '{ all: [{ fact: log.stage, is: load }, { fact: log.stage, is: profile }] }'],
    [
      'above and below at once',
      '{ all: [{ fact: ram.used-share, above: $high }, { fact: ram.used-share, below: $low }] }',
    ],
    ['known and not known', '{ all: [{ fact: log.stage, is: load }, { fact: log.stage, known: false }] }'],
  ])('a branch that contradicts itself: %s', (_, condition) => {
    expect(when(yes('a', condition))).toEqual([expect.stringContaining('branch a can never say yes')]);
  });

  it.each([
    [
      'a lower mark below a higher one',
      ['{ fact: ram.used-share, above: $high }', '{ fact: ram.used-share, above: $low }'],
    ],
    [
      'the mark itself below what lies above it',
      ['{ fact: ram.used-share, above: $low }', '{ fact: ram.used-share, at-least: $low }'],
    ],
    ['another fact', ['{ fact: gpu.oom-logged, is: true }', '{ fact: log.error-seen, is: true }']],
    [
      'a wider case below a narrower one',
      [
        '{ all: [{ fact: gpu.oom-logged, is: true }, { fact: log.error-seen, is: true }] }',
        '{ fact: gpu.oom-logged, is: true }',
      ],
    ],
  ])('but not %s', (_, [first, second]) => {
    expect(when(yes('a', first ?? ''), yes('b', second ?? ''))).toEqual([]);
  });

  it('names thresholds, questions and findings that nothing uses', () => {
    const said = saidAbout(
      smallText(
        ['thresholds:', 'thresholds:\n  spare: { value: 1, why: w, source: s }'],
        ['        ask: gpu-pattern', '        finding: gpu-edge'],
      ),
    );

    expect(said).toEqual([
      'warning 5:3 no condition uses threshold spare',
      expect.stringMatching(/^warning \d+:3 no branch leads to question gpu-pattern$/),
      expect.stringMatching(/no branch leads to finding gpu-startup$/),
      expect.stringMatching(/no branch leads to finding gpu-prefix-cache$/),
      expect.stringMatching(/no branch leads to finding gpu-unexplained$/),
    ]);
  });
});
