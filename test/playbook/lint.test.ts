import { describe, expect, it } from 'vitest';
import { oneQuestion, saidAbout, smallText } from './builders.ts';

const YES = '{ fact: gpu.oom-logged, is: true }';

it('a playbook that is sound is taken without a word', () => {
  expect(saidAbout(smallText())).toEqual([]);
});

describe('what a person gets wrong in a playbook is told with its place and the way out', () => {
  const SAYS = '"A small allocation of {{gpu.want}} failed."';
  const EDGE = 'headline: GPU memory is used to the edge';
  const NOTHING = 'plane: unknown\n    phase: n/a\n    cause: unknown\n';
  const OPEN = 'cause-open: nothing names it\n    alternatives: ';

  // ¦ marks where the message must point; without it the place is elsewhere in the file. Of the message, what it holds.
  it.each<[what: string, from: string, to: string, said: string]>([
    ['a misspelt fact', 'fact: kv-cache.used-share, at', 'fact: ¦kv-cache.used-shre, at', 'mean kv-cache.used-share?'],
    ['a misspelt threshold', '$pool-full', '¦$pool-fll', 'no threshold called pool-fll, did you mean pool-full?'],
    ['a misspelt finding', 'finding: gpu-edge', 'finding: ¦gpu-edg', 'finding called gpu-edg, did you mean gpu-edge?'],
    ['a misspelt question', 'ask: gpu-pattern', 'ask: ¦gpu-patern', 'question called gpu-patern, did you mean gpu-pat'],
    ['a start that is no question', 'start: which-memory', 'start: ¦which-memry', 'did you mean which-memory?'],
    ['a misspelt comparison', 'at-least:', '¦atleast:', 'did you mean `at-least`? (allowed: all, any, not, fact, is'],
    ['two comparisons', YES, '¦{ fact: gpu.oom-logged, is: true, in: [true] }', 'this has is and in'],
    ['no comparison', YES, '¦{ fact: gpu.oom-logged }', 'this has none'],
    ['a condition of nothing', YES, '¦{ }', 'one of `all`, `any`, `not` or `fact`; this has none'],
    ['a comparison beside a group', YES, `¦{ is: true, not: ${YES} }`, '`is` compares a fact and cannot be combined'],
    ['an empty group', YES, '{ all: ¦[] }', '`all` must not be empty'],
    ['a share above 1', YES, '{ fact: ram.used-share, above: ¦12 }', 'for 12% write 0.12'],
    ['a threshold that is no share', 'value: 0.95', 'value: 12', '$pool-full does not fit here: kv-cache.used-share'],
    ['a share as a percentage', 'value: 0.95', 'value: 95%', 'for 95% write 0.95'],
    ['a size for a duration', '$startup-window', '¦$small-want', 'death.uptime is a duration such as 10m, and 1GiB'],
    ['a size without a unit', 'value: 1GiB', 'value: 1.5', 'gpu.want is a size such as 16GiB, and 1.5 is not'],
    ['a threshold that is nothing', 'value: 1GiB', 'value: ¦much', 'much is not a threshold'],
    ['a mark without a reason', 'small-want: { value: 1GiB, why', '¦small-want: { value: 1GiB, wy', '`why` is missing'],
    ['a mark without a source', ', source: measured }', ' }', '`source` is missing here'],
    ['a bare number as a mark', '$startup-window', '¦10m', '10m is a threshold without a name'],
    ['an order on text', YES, '{ fact: engine.name, ¦above: 3 }', 'engine.name is text and has no order'],
    ['a time compared', YES, '{ fact: gpu.oom-at, above: ¦0 }', 'the only test is `known`'],
    ['yes for true', 'is: true', 'is: ¦yes', 'write true'],
    ['a word that the fact never has', '[node, unstated]', '[¦nde, unstated]', 'called nde, did you mean node?'],
    ['a missing otherwise', 'otherwise: { finding: gpu-unexplained }', '', '`otherwise` is missing here'],
    ['two ways out', '      - id: edge\n', '      - ¦id: edge\n        ask: gpu-pattern\n', 'exactly one place'],
    ['a circle', 'finding: gpu-edge', 'ask: ¦which-memory', 'which-memory -> gpu-pattern -> which-memory'],
    ['two branches of one name', 'id: edge', 'id: ¦startup', 'a second branch called startup'],
    ['a branch called otherwise', 'id: edge', 'id: ¦otherwise', '`otherwise` is reserved for the last branch'],
    ['a placeholder that is no fact', SAYS, '¦"{{ gpu.wnt }} failed."', 'called gpu.wnt, did you mean gpu.want?'],
    ['braces that are no placeholder', SAYS, '¦"{{gpu.want} failed."', 'double braces without a fact'],
    ['a proof that is no fact', '[gpu.oom-logged, gpu.want]', '[¦gpu.oom-loged, gpu.want]', 'mean gpu.oom-logged?'],
    ['no proof at all', 'proof: [gpu.oom-logged]', '¦proof: []', 'add a fact that proves this finding'],
    ['a cause of another plane', 'cause: gpu.prefix-cache', 'cause: ¦host.offload', 'only host or both or unkn'],
    ['a misspelt cause', 'cause: gpu.prefix-cache', 'cause: ¦gpu.prefix-cash', 'did you mean gpu.prefix-cache?'],
    [
      'a cause that the fact never has',
      'evidence.cause\n      among: [',
      'log.stage\n      among: [¦',
      'log.stage is never gpu.',
    ],
    ['a phase on plane none', NOTHING, 'plane: none\n    phase: ¦burst\n    cause: none.other\n', 'has phase n/a'],
    ['certainty about nothing', NOTHING, `${NOTHING}    certain: ¦true\n`, 'plane unknown is never certain'],
    ['an open cause without others', EDGE, `¦cause-open: nothing names it\n    ${EDGE}`, 'needs `alternatives`'],
    ['an open cause, never certain', NOTHING, `${NOTHING}    ¦${OPEN}[none.other]\n`, 'plane unknown is never certain'],
    ['a phase of an open cause', EDGE, `¦${OPEN}[gpu.burst.logits]\n    ${EDGE}`, 'from an open cause is not proven'],
    ['a headline that fills the card', EDGE, `headline: ¦${'long '.repeat(30)}`, 'at most 120 characters'],
    ['something freed, no fact', 'direction: set', 'direction: set\n    frees: ¦gpu.total-cards', 'gpu.total-cards'],
    ['something freed, in tokens', 'direction: set', 'direction: set\n    frees: ¦engine.max-model-len', 'in tokens'],
    ['an unknown action', 'action: raise-ram', 'action: ¦raise-rm', 'did you mean raise-ram?'],
    ['a bad parameter of an action', 'by: 1.5', 'by: ¦15', 'raise-ram: `by` must be at most 4'],
    ['an unknown parameter of an action', 'by: 1.5', '¦bye: 1.5', 'raise-ram: no key `bye` here, did you mean `by`?'],
    ['a flag without dashes', 'flag: --max-model-len', 'flag: ¦max-model-len', 'is a flag with its dashes'],
    ['an action’s fact that is none', 'was: engine.max-model-len', 'was: engine.max-model-ln', 'engine.max-model-len?'],
    ['an anchor', 'is: true', 'is: &yes ¦true', 'anchors'],
    ['a tag', 'is: true', 'is: !!bool ¦true', 'tags'],
    ['a key that stands twice', EDGE, `headline: twice\n    ¦${EDGE}`, 'occurs twice in the same map'],
    ['a second document', 'thresholds:', '¦---\nthresholds:', 'one document per file'],
    ['a name in capitals', '  gpu-edge:', '  ¦GPU-edge:', '`GPU-edge`: an id has lowercase letters'],
    ['a playbook of a later format', 'schema: 2', 'schema: ¦3', 'in format 3, this oombot reads format 2'],
    ['a playbook of an earlier format', 'schema: 2', 'schema: ¦1', 'in format 1, which this oombot no longer reads'],
  ])('%s', (_, from, to, said) => {
    const text = smallText([from, to]);

    const told = saidAbout(text.replace('¦', '')).filter((line) => !line.startsWith('warning'));

    expect(told.join('\n')).toContain(said);
    if (to.includes('¦')) expect(told.find((line) => line.includes(said))?.split(' ')[0]).toBe(placeOf(text));
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

  const BOTH = `{ all: [${YES}, { fact: log.error-seen, is: true }] }`;
  const share = (order: string) => `{ fact: ram.used-share, ${order} }`;
  const stage = (asked: string) => `{ fact: log.stage, ${asked} }`;
  const ANY = '{ any: [{ fact: gpu.want, known: true }, { fact: gpu.want, known: false }] }';

  it.each([
    ['the same condition twice', YES, YES],
    ['a higher mark below a lower one', share('above: $low'), share('at-least: $high')],
    ['a narrower case below a wider one', YES, BOTH],
    ['one word below a list with it', stage('in: [load, profile]'), stage('is: load')],
    ['a value below the question whether it is known', stage('known: true'), stage('is: load')],
    ['anything below what always holds', ANY, stage('is: load')],
  ])('%s', (_, first, second) => {
    expect(when(yes('a', first), yes('b', second))).toEqual([
      expect.stringMatching(/^warning 8:\d+ branch b is never reached: branch a above it is taken/),
    ]);
  });

  it.each([
    ['two words at once', [stage('is: load'), stage('is: profile')]],
    ['above and below at once', [share('above: $high'), share('below: $low')]],
    ['known and not known', [stage('is: load'), stage('known: false')]],
  ])('a branch that contradicts itself: %s', (_, all) => {
    expect(when(yes('a', `{ all: [${all}] }`))).toEqual([expect.stringContaining('branch a is never taken')]);
  });

  it.each([
    ['a lower mark below a higher one', share('above: $high'), share('above: $low')],
    ['the mark itself below what lies above it', share('above: $low'), share('at-least: $low')],
    ['another fact', YES, '{ fact: log.error-seen, is: true }'],
    ['a wider case below a narrower one', BOTH, YES],
  ])('but not %s', (_, first, second) => {
    expect(when(yes('a', first), yes('b', second))).toEqual([]);
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
