import { readFileSync } from 'node:fs';
import { isScalar, LineCounter, parseDocument, visit } from 'yaml';

/** Words that nobody searches for, each with what an engineer types instead. */
export const RULES: readonly { readonly not: RegExp; readonly but: string }[] = [
  { not: words('(?:the|a|its|no|this) way back|ways back'), but: 'rollback' },
  { not: words('(?:take|takes|took|taken|taking)(?: (?:it|them|that|this|everything|all))? back'), but: 'roll back' },
  { not: words('(?:go|goes|going|gone|went) back'), but: 'roll back' },
  { not: words('(?:could|can) not be told'), but: 'no data, unknown' },
  { not: words('neighbou?rs?'), but: 'another process on the GPU' },
  { not: words('under (?:its|their|the) marks?'), but: 'below its threshold' },
  { not: words('beside'), but: 'next to' },
  { not: words('anew'), but: 'again' },
  { not: words('mend(?:s|ed|ing)?'), but: 'fix' },
  { not: words('parted'), but: 'separated' },
  { not: words('(?:laid|lay|lays|lies) over'), but: 'overrides' },
  { not: words('suffic(?:e|es|ed|ing)'), but: 'be enough' },
  { not: words('can not'), but: 'cannot' },
  { not: words('start-ups?'), but: 'startup' },
  { not: words('roll-outs?'), but: 'rollout' },
  { not: words('hand-overs?'), but: 'handover' },
  { not: words('(?:fight|fights|fought|fighting)(?: \\w+)? back'), but: 'revert, with the name of the controller' },
  { not: words('puts?(?: (?:it|them|that|this))? back'), but: 'revert, with the name of the controller' },
  { not: words('(?:give|gives|given|gave|giving) back'), but: 'free, release' },
  { not: words('tokens of (?:a|one|the) (?:pass|step)'), but: 'tokens per step' },
  { not: words('trial runs?'), but: 'profile run' },
  { not: words('instance before this one'), but: 'previous container' },
  { not: words('for want of|wants? of'), but: 'too little, out of' },
  { not: words('(?:is|are) wanting'), but: 'is missing' },
  { not: words('(?:tell|tells|told|speak|speaks|spoke) of'), but: 'show, mention' },
  { not: words('stands? (?:there|above|below|behind|idle)'), but: 'is' },
  { not: words('somebody else'), but: 'another process' },
  { not: words('nobody (?:running|runs|waits|waiting)'), but: 'no requests' },
  { not: words('warm-ups?'), but: 'warmup' },
  { not: words('quantis(?:e|ed|es|ing|ation)'), but: 'quantize' },
  { not: words('utilisation'), but: 'utilization' },
];

export type Flaw = { readonly line: number; readonly found: string; readonly but: string };

type Passage = { readonly line: number; readonly text: string };

/** What is wrong with the words of a file, by line (from 1). Ids, code and quoted log lines may say anything. */
export function flawsOf(path: string, text: string = readFileSync(path, 'utf8')): readonly Flaw[] {
  return passagesOf(path, text).flatMap(({ line, text: passage }) =>
    RULES.flatMap(({ not, but }) =>
      [...passage.matchAll(not)].map((hit) => ({
        line: line + passage.slice(0, hit.index).split('\n').length - 1,
        found: hit[0].replace(/\s+/g, ' '),
        but,
      })),
    ),
  );
}

function passagesOf(path: string, text: string): readonly Passage[] {
  if (/\.ya?ml$/.test(path)) return [...yamlComments(text), ...yamlTexts(text)];
  if (path.endsWith('.md')) return [{ line: 1, text: withoutCode(text) }];
  return [{ line: 1, text: text.replace(/^[^\S\n]*(?:\/\/|\*)/gm, (mark) => ' '.repeat(mark.length)) }];
}

// Code spans and fenced blocks quote commands and output; their lines stay counted.
const withoutCode = (text: string): string =>
  text.replace(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, '·'));

const yamlComments = (text: string): readonly Passage[] =>
  text.split('\n').flatMap((line, at) => {
    const comment = /(?:^|\s)#\s(.*)$/.exec(line)?.[1];
    return comment === undefined || /^[^#]*["']/.test(line) ? [] : [{ line: at + 1, text: comment }];
  });

// Log lines and patterns quote an engine, the rest of these keys hold ids and names.
const QUOTED = new Set([
  'pattern',
  'patterns',
  'literals',
  'must',
  'mustNot',
  'shape',
  'id',
  'finding',
  'given',
  'not-ruled-out',
  'code',
]);

function yamlTexts(text: string): readonly Passage[] {
  const lines = new LineCounter();
  const found: Passage[] = [];
  visit(parseDocument(text, { lineCounter: lines }), {
    Pair(_, { key }) {
      return isScalar(key) && QUOTED.has(String(key.value)) ? visit.SKIP : undefined;
    },
    Scalar(_, { value, range }) {
      if (typeof value === 'string' && range) found.push({ line: lines.linePos(range[0]).line, text: value });
    },
  });
  return found;
}

// Not a part of an id or a name: gpu-startup/neighbour, besideThem, left_beside.
function words(pattern: string): RegExp {
  return new RegExp(`(?<![\\w./-])(?:${pattern.replaceAll(' ', '\\s+')})(?![\\w/-]|\\.\\w)`, 'gi');
}
