import { anyOf } from '../../../text/patterns.ts';
import { type Clause, clausesOf, isTried, makesNoDifference } from './clauses.ts';
import { GPU_LEVERS } from './gpu-levers.ts';
import { HOST_LEVERS } from './host-levers.ts';
import type { Lever, Way } from './lever.ts';
import { OTHER_LEVERS } from './other-levers.ts';
import type { Outcome } from './outcomes.ts';

/** A lever that a clause names, with its value, and how it went with that. */
export type Mention = {
  readonly lever: Lever;
  readonly value: number | undefined;
  /** What tells this setting from another of the same lever. */
  readonly setting: string;
  /** Which way its value went to make it good, where the clause says that it was moved. */
  readonly moved: Way | undefined;
  readonly went: Outcome['went'] | 'either way' | undefined;
  readonly on: boolean;
  /** Whether the clause makes it what was changed: `with`, `only`, `once`. */
  readonly marked: boolean;
  /** Whether the clause makes it the condition of a failure: `as soon as`. */
  readonly condition: boolean;
  /** Whether what went well was the start. */
  readonly starts: boolean;
};

const LEVERS: readonly Lever[] = [...OTHER_LEVERS, ...HOST_LEVERS, ...GPU_LEVERS];

const NUMBER = String.raw`(\d[\d,]{0,12}(?:\.\d{1,4})?)\s?([kKMGT])?`;
const VALUE = new RegExp(String.raw`^[\s"'=:]{0,4}(?:(?:of|at|to|from|down to|set to|is|was)\s)?["']?${NUMBER}`);
const MOVED_TO = new RegExp(String.raw`^[^\d\n]{0,12}${NUMBER}\w*\s*(?:->|=>|→|to|down to|up to)\s*${NUMBER}`);
const ANY_NUMBER = new RegExp(String.raw`(?<![\w.])${NUMBER}`);
const DOWN =
  /\b(?:lower\w*|reduc\w*|decreas\w*|halv\w*|taken? down|down to|back to|smaller|shorter|less|fewer|drop\w*)\b|调[小低回]|降低|减[少小]/i;
const UP = /\b(?:rais\w*|increas\w*|bump\w*|higher|more|larger|bigger|doubl\w*)\b|调[大高]|增[加大]|加到/i;
const OFF =
  /\b(?:without|w\/o|no|minus|off|disabled?)\s+(?:the |an? |its? )?(?:\w+ )?-{0,2}$|(?:关|去|不)[掉闭加用]?\s*$/i;
const IS_OFF = /^\s*(?:(?:is |was |turned |switched )?off\b|=\s?(?:0|false|off)\b|disabled\b)/i;
const MARK = anyOf(
  'i',
  /\b(?:with|plus|only|once|until|till|unless|after|when|whenever|if|at|on|using|by|set(?:ting)?|put(?:ting)?|as soon as|lower\w*|rais\w*|reduc\w*|increas\w*|disabl\w*|enabl\w*|switch\w*|add\w*|clos\w*|kill\w*|upgrad\w*|remov\w*|without|limiting|back to|export|avoids?|cured|solved|fixed|helps?|of the same|forc(?:e|ing)|brings|restart|shutdown|and it)\b/,
  /=>|->|→|改|换|加|调|设|只有|关|清空|用|后/,
);

const CONDITION = /\b(?:as soon as|once|whenever|when|if|only)\b|一旦|只要/i;
const STARTS =
  /\b(?:starts|started|(?:comes?|came) up|loads|loaded|boots|fits|(?:turns|gets|is|went|becomes) ready|launched)\b|能?起(?:来|$)|启动|加载/i;
// How it was run, and no more.
const LAUNCHED = /\b(?:started|launched|served|serving|running|ran|was run|deployed) (?:\w+ )?(?:with|using)\b/i;
const FEW_WORDS = 4;

// Something else made the difference, whatever they are.
const SAME_SETTINGS =
  /\b(?:the|these|those) (?:very |exact )?same (?:settings?|config\w*|flags|arguments|args|parameters|command)\b/i;

/** What the clauses of a note say of levers, each with the outcome that stands nearest to it. */
export function mentionsIn(note: string): readonly Mention[] {
  if (SAME_SETTINGS.test(note)) return [];
  const clauses = clausesOf(note);
  return clauses.flatMap((clause, index) => {
    if (!isTried(clause)) return [];
    const named = namedIn(clause.text);
    const bare = named.every(({ lever }) => lever.describes) ? bareValues(clauses, index) : [];
    return [...bare, ...named.map((one) => mentionOf(one, clauses, index))];
  });
}

type Named = { readonly lever: Lever; readonly at: number; readonly own: string };

function namedIn(text: string): readonly Named[] {
  return LEVERS.flatMap((lever) => {
    const match = lever.names.exec(text);
    return match === null ? [] : [{ lever, at: match.index, own: match[0] }];
  });
}

function mentionOf({ lever, at, own }: Named, clauses: readonly Clause[], index: number): Mention {
  const clause = clauses[index];
  const text = clause?.text ?? '';
  const behind = text.slice(at + own.length);
  const went = clause !== undefined && makesNoDifference(clause) ? 'either way' : outcomeAt(clauses, index, lever, at);
  const { value, moved } = readValue(own, behind, text, went);
  const on = !OFF.test(text.slice(0, at)) && !IS_OFF.test(behind);
  return {
    lever,
    value,
    setting: `${on ? 'with' : 'without'} ${value ?? own.toLowerCase()}`,
    on,
    moved,
    went,
    marked:
      (MARK.test(text) && !LAUNCHED.test(text)) || (!lever.describes && text.trim().split(/\s+/).length <= FEW_WORDS),
    condition: CONDITION.test(text.slice(0, at)),
    starts: [text, clauses[index + 1]?.text ?? ''].some((own) => STARTS.test(own)) && went === 'well',
  };
}

function readValue(own: string, behind: string, clause: string, went: Mention['went']) {
  const turned = (way: Way): Way => (went === 'badly' ? (way === 'raised' ? 'lowered' : 'raised') : way);
  const step = MOVED_TO.exec(behind);
  if (step !== null) {
    const [from, to] = [numberOf(step[1], step[2]), numberOf(step[3], step[4])];
    return { value: to, moved: turned(to < from ? 'lowered' : 'raised') };
  }
  const word = NUMBER_WORDS.find(([pattern]) => pattern.test(own))?.[1];
  const match = VALUE.exec(behind) ?? ANY_NUMBER.exec(own);
  const moved = DOWN.test(clause) ? turned('lowered') : UP.test(clause) ? turned('raised') : undefined;
  return { value: match === null ? word : numberOf(match[1], match[2]), moved };
}

const BARE = new RegExp(
  String.raw`(?:^|\b(?:with|at|to|with only)\s|改[成为]|调[回到]|加到|换成)\s*${NUMBER}(?!\s?(?:[GM]i?B?\b|%|s\b|min|h\b|x\b|[a-z]+ed\b))(?!\.)`,
);

// `4096 ok, 16384 not`, `taken back to 8`: the levers are those named before.
function bareValues(clauses: readonly Clause[], index: number): readonly Mention[] {
  const clause = clauses[index];
  const text = clause?.text.trim() ?? '';
  const value = BARE.exec(text);
  const moved = DOWN.test(text) ? 'lowered' : UP.test(text) ? 'raised' : undefined;
  const isNumber = value !== null && value[0].length === text.length;
  const went = clause?.outcomes[0]?.went ?? (isNumber ? clauses[index + 1]?.outcomes[0]?.went : undefined);
  if (went === undefined || (value === null && moved === undefined)) return [];
  const before = new Set(clauses.slice(0, index).flatMap((one) => namedIn(one.text).map(({ lever }) => lever)));
  const number = value === null ? undefined : numberOf(value[1], value[2]);
  // A flag that has values before what only describes.
  const flags = [...before].filter(({ describes }) => !describes);
  return (flags.length > 0 ? flags : [...before]).map((lever) => ({
    lever,
    value: number,
    setting: `with ${number ?? moved}`,
    on: true,
    moved: went === 'well' ? moved : undefined,
    went,
    marked: true,
    condition: false,
    starts: went === 'well' && STARTS.test(text),
  }));
}

// In its own clause; of what only describes in no other. Else where it hangs on it in the one before, else in the next of the
// same sentence, before the lever is named again.
function outcomeAt(clauses: readonly Clause[], index: number, lever: Lever, at: number): Outcome['went'] | undefined {
  const own = clauses[index];
  if (own === undefined) return undefined;
  const near = own.outcomes.toSorted((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at))[0];
  if (near !== undefined || (lever.describes && at > LEADS)) return near?.went;
  const before = clauses[index - 1]?.outcomes.at(-1)?.went;
  if (own.hangsOn && before !== undefined) return before;
  const rest = clauses.slice(index + 1).filter(({ sentence }) => sentence === own.sentence);
  const again = rest.findIndex(({ text }) => lever.names.test(text));
  const until = again === -1 ? rest : rest.slice(0, again);
  return until.find(({ outcomes }) => outcomes.length > 0)?.outcomes[0]?.went;
}

// A clause that begins with it is about it.
const LEADS = 12;

const NUMBER_WORDS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:one|single)\b|[单一]/i, 1],
  [/\btwo\b|[双两]/i, 2],
  [/\bfour\b|四/i, 4],
  [/\beight\b|八/i, 8],
];
const THOUSANDS: Readonly<Record<string, number>> = { k: 1e3, K: 1e3 };

function numberOf(digits: string | undefined, unit: string | undefined): number {
  return Number((digits ?? '').replaceAll(',', '')) * (THOUSANDS[unit ?? ''] ?? 1);
}
