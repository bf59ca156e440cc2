import type { Cause } from '../../../../model/taxonomy.ts';
import { anyOf } from '../../../text/patterns.ts';
import { says } from '../no-memory/speech.ts';
import type { Account, Told } from './account.ts';
import { tellsOfKill } from './ending.ts';
import { BOUND, OF_REQUESTS, OF_STEPS, STAGES } from './subjects.ts';

/** Two ends that are told in order, one of each memory: what the first was at. */
export type Both = { readonly cause: Cause; readonly from: Told };

// What parts one attempt from the next.
const NEXT = anyOf(
  'i',
  /[.;,，。；]\s*(?=(?:then|now|after that|later|day 2|second)\b|但是|之后|然后|后来|结果)|(?=\(\d\))/,
  /\bso (?:the user|he|she|they|we|I)\b|(?=\b(?:attempt|try|run|day) \d)|(?=\b\d\d:\d\d\b)|(?=\bnow\b)/,
  /(?=\bthen\b)|(?:加了|改成)(?=[^，。]{0,40}(?:之后|后))/,
);
const CARD_SHORT =
  /\b(?:no room|too small|not enough|full|fills?|short|out of memory|OOM|lack of (?:\w+ )?(?:space|room|memory)|did not fit|does not fit)\b/i;
const CARD = /\b(?:cards?|GPU|VRAM|device|[34]0[5-9]0)\b/i;
// Its own error, whoever repeats it.
const CARD_ERROR = /\b(?:CUDA|HIP)(?: error:)? (?:out of memory|OOM)\b/i;
const CARD_ZH = /显存[^，。；]{0,4}(?:不够|不足|溢出|爆|满)/;
const RAM_SHORT =
  /\b(?:host|box|machine)'?s?\b[^.;\n]{0,24}\b(?:gone|swaps)\b|\bRAM\b[^.;\n]{0,16}\b(?:full|gone)\b|内存[^，。；]{0,10}(?:打满|爆|不够|不足|满)/i;

/** Reads whether people tell of a lack of one memory, and after it of the other. */
export function readBoth({ prose, rows }: Account): Both | undefined {
  const parts = [...prose, ...rows].flatMap((line) => line.text.split(NEXT).map((text) => ({ text, from: line.from })));
  const lacks = parts.flatMap((part) => {
    const plane = planeOf(part.text);
    return plane === undefined ? [] : [{ ...part, plane }];
  });
  const [first] = lacks;
  if (first === undefined || lacks.every(({ plane }) => plane === first.plane)) return undefined;
  const whole = parts.filter(({ from }) => from.file === first.from.file && from.line === first.from.line);
  const until = parts
    .slice(0, parts.findIndex(({ text }) => text === first.text) + 1)
    .filter((part) => whole.includes(part));
  const said = until.map(({ text }) => text).join(' ');
  return { cause: first.plane === 'gpu' ? causeOfCard(said) : causeOfRam(said), from: first };
}

// What somebody took it for at first.
const THOUGHT = /\b(?:thought|suspected|assumed|looked like|believed)\b/i;

function planeOf(text: string): 'gpu' | 'host' | undefined {
  if (THOUGHT.test(text)) return undefined;
  const card = (CARD.test(text) && says(text, CARD_SHORT)) || says(text, CARD_ERROR) || CARD_ZH.test(text);
  const ram = tellsOfKill(text) || says(text, RAM_SHORT);
  if (card === ram) return undefined;
  return card ? 'gpu' : 'host';
}

function causeOfCard(text: string): Cause {
  const found = [...OF_REQUESTS, ...OF_STEPS].find(({ pattern }) => pattern.test(text));
  return found?.cause ?? 'gpu.startup.weights';
}

function causeOfRam(text: string): Cause {
  return BOUND.test(text) && !STAGES.test(text) ? 'host.startup.limit' : 'host.startup.weight-staging';
}
