import { anyOf } from '../../../text/patterns.ts';
import { isAdvice } from '../words.ts';

// Right before a word: what was looked for in vain, and what did not come to pass.
const DENIED =
  /(?:\b(?:no|not|neither|nor|never|nothing|none|nobody|zero|(?:^|[,;:(]|\b(?:with|and|had|has|shows?|saw|still)) 0|without(?: an?y?)?|free of)|n['’]t)(?: (?:a|an|any|have|has|had|been|be|get|gets|got|once|ever|single|yet|even|really|was|were|is|are|\w+ly|more|new|signs? of)){0,3}[\s:,]*$|(?:没有?|无|未见?|不会?|并非|不是)[^，。；,.;]{0,4}$/i;
// A counter that stands at none, a field that says no: `error rate 0`, `OOMKilled=false`.
const AT_NONE =
  /^\w{0,16}(?: (?:rate|count|counter|errors?|total))?["']?\s?[:= ]\s?["']?(?:0\b(?![.,]\d| ?%? ?of)|false\b|none\b)|^\W{0,3}\?["”')]{0,2} (?:no|nope|not)\b/i;
// Nobody knows whether it is there.
const DOUBTED = /\bwhether (?:\w+ ){0,3}$/i;
// `can't reach`, `could not reach`, `on each try` and `when I try to run it` are no advice.
const NO_ADVICE = anyOf(
  'gi',
  /\b(?:each|every|first|second|third|next|last|per|a) try\b/,
  /\b(?:when(?:ever)?|if|as|once|(?:each|every) time|and) (?:I|we|you|they|one|users?) (?:\w+ )?try\b/,
  /\b(?:can|could|would|should|may|might)(?:not| not|n['’]t)\b|\bcan['’]t\b/,
);

/** Whether a text says this in earnest: it neither denies it nor advises it. */
export function says(text: string, pattern: RegExp): boolean {
  const all = new RegExp(pattern.source, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`);
  return [...text.matchAll(all)].some(({ 0: word, index }) => {
    const before = text.slice(0, index);
    if (DENIED.test(before) || DOUBTED.test(before) || AT_NONE.test(text.slice(index + word.length))) return false;
    return !isAdvice(before.replaceAll(NO_ADVICE, 'not'));
  });
}
