import type { LineCitation } from '../../../model/citation.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { tailLines } from '../weigh/tail-lines.ts';
import { lineOfFailure } from '../weigh/weigh.ts';

type Seen = { readonly tokens: number; readonly from: LineCitation };

// What servers print as they take up a prompt: Ollama runner/ollamarunner/cache.go, llama.cpp tools/server.
const PRINTED =
  /\bloading cache slot\b.{0,40}?\bprompt=(\d{1,8})\b|\bnew prompt,.{0,80}?\b(?:n_prompt|task\.n)_tokens = (\d{1,8})\b|\bprompt processing progress, n_(?:past|tokens) = (\d{1,8}), (?:batch\.)?n_tokens\b/;

// `prompt: about 245k tokens`, `a 12k-token prompt`; a number of prompts or a rate is none.
const NOTED =
  /\b(?:prompt|input|context)\b(?!s)[^\n.]{0,24}?\b(\d[\d,]{0,9}(?:\.\d+)?) ?(k)?[- ]?tokens?\b(?! ?(?:\/|per\b))|\b(\d[\d,]{0,9}(?:\.\d+)?) ?(k)?[- ]tokens? (?:long )?(?:prompt|input)\b(?!s)/i;

// `each time a context of about 110k comes`: of what it is a number goes without saying.
const NOTED_SHORT =
  /\b(?:(?:prompts?|inputs?|contexts?) of|(?:prompts|inputs|contexts) (?:up to|as long as|beyond|over)) (?:about |around |some |over |~ ?)?(\d{1,4}(?:\.\d+)?) ?k\b|\b(\d{1,4}(?:\.\d+)?) ?k (?:prompts|inputs|contexts)\b/i;
// What went well is the length of another moment.
const WENT_WELL = /\b(?:fine|ok|okay|answer(?:s|ed)?|works?|worked|pass(?:es|ed)?|succeed\w*)\b/i;

/** The prompt that was taken up last before the failure, else the longest that somebody noted beside it. */
export function derivePromptLength(evidence: Evidence): Group {
  const { log, weighing } = evidence;
  const failed = lineOfFailure(weighing, log.main) ?? Number.POSITIVE_INFINITY;
  const above = log.main === undefined ? [] : tailLines(log.main).filter(({ line }) => line <= failed);
  const noted = [...log.notes.flatMap(tailLines), ...remarkLines(evidence).flatMap(told)];
  const seen = above.flatMap(printedIn).at(-1) ?? longestOf(noted.flatMap(notedIn));
  return { 'requests.prompt-seen': seen && fact(seen.tokens, [seen.from]) };
}

function printedIn(from: LineCitation): Seen[] {
  const [, ...numbers] = PRINTED.exec(from.text) ?? [];
  const tokens = numbers.find((one) => one !== undefined);
  return tokens === undefined ? [] : [{ tokens: Number(tokens), from }];
}

function told({ text, from }: { text: string; from: LineCitation }): LineCitation[] {
  return WENT_WELL.test(text) ? [] : [from];
}

function notedIn(from: LineCitation): Seen[] {
  const [, of, long] = NOTED_SHORT.exec(from.text) ?? [];
  const short = of ?? long;
  if (short !== undefined) return [{ tokens: Math.round(Number(short) * 1000), from }];
  const [, before, thousand, behind, thousands] = NOTED.exec(from.text) ?? [];
  const number = before ?? behind;
  if (number === undefined) return [];
  const factor = (before === undefined ? thousands : thousand) === undefined ? 1 : 1000;
  return [{ tokens: Math.round(Number(number.replaceAll(',', '')) * factor), from }];
}

function longestOf(seen: readonly Seen[]): Seen | undefined {
  return seen.toSorted((a, b) => b.tokens - a.tokens)[0];
}
