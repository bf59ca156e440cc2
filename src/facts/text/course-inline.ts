import type { LineCitation } from '../../model/citation.ts';
import type { Course, Memory } from './course.ts';
import { isLeft, withoutBrackets } from './course-heads.ts';
import { memoryOf } from './course-memory.ts';
import { amountOf } from './course-value.ts';

// `day 1 12.1 GiB -> day 2 29.8 -> day 3 41.9`, `6.1 / 7.4 / 8.8 / 10.2 GiB`: a course in one line.
const FIGURE = String.raw`[~≈]?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,13})(?:\.\d{1,4})?(?:e\+?\d{1,2}|\s?(?:[KMGT]i?B?|%))?(?![\w.])`;
const STEP = String.raw`\s*(?:->|→|,|;|\/|>|\.{2,3}|\|)\s*(?:(?:day|d|hour|h|week|w|run|round|cycle|step|iter(?:ation)?|epoch|turn)\s?\d{1,6}\s?[:=]?\s*|(?:at |@ ?)?\d{1,2}:\d{2} |\d{2}-\d{2} )?`;
const INLINE = new RegExp(`(?<![\\w.,])${FIGURE}(?:${STEP}${FIGURE}){2,60}`, 'gi');
const EACH = new RegExp(`(?:^|${STEP})(${FIGURE})`, 'gi');
// `5.4 GB after start, 9 GB after 300 requests, 16.7 GB after 1,100`.
const SIZE = String.raw`[~≈]?\d[\d,]{0,12}(?:\.\d{1,4})?\s?(?:[KMGT]i?B|%)`;
const AFTER = String.raw`\s(?:after|at)\s[^;>→]{1,30}?`;
const INLINE_AFTER = new RegExp(`(?<![\\w.,])${SIZE}(?:${AFTER}[,;]\\s(?:and |then )?${SIZE}){2,60}`, 'i');
const EACH_AFTER = new RegExp(`(${SIZE})(?![\\w.])`, 'gi');

const OWN_NAME = /\b(?:rss|res|vmrss|vram|ram|%memused|working set)\b[\s:=%]{0,4}$/;
const NAME_REACH = 12;
// `8 GB, 11 GB, 13 GB (three models)`.
const OF_SEVERAL =
  /^[^\n]{0,24}\(?\b(?:two|three|four|five|\d) (?:\w+ )?(?:models|pods|replicas|versions|sizes|cards|workers)\b/i;
// Three numbers without a unit may be anything.
const LEAST_BARE = 4;

/** The courses that stand in one line; `above`: the line over it. */
export function courseIn(from: LineCitation, above: string, unnamed: Memory | undefined): readonly Course[] {
  const rows = [...from.text.matchAll(INLINE)];
  const others = rows.length === 0 ? INLINE_AFTER.exec(from.text) : null;
  return [...rows, ...(others === null ? [] : [others])].flatMap((found) =>
    courseOfLine({ from, above, unnamed, found, isRow: others === null }),
  );
}

type Inline = {
  readonly from: LineCitation;
  readonly above: string;
  readonly unnamed: Memory | undefined;
  readonly found: RegExpExecArray;
  readonly isRow: boolean;
};

function courseOfLine({ from, above, unnamed, found, isRow }: Inline): readonly Course[] {
  const amounts = [...found[0].matchAll(isRow ? EACH : EACH_AFTER)].map(([, amount = '']) =>
    amount.replace(/^[~≈]/, ''),
  );
  const lead = from.text.slice(0, found.index).toLowerCase();
  // What stands right before the figures names them.
  const words = OWN_NAME.test(lead) ? [lead.slice(-NAME_REACH)] : [lead, above.toLowerCase()].map(withoutBrackets);
  const common =
    amounts.map((amount) => /[KMGT]i?B?$|%$/i.exec(amount)?.[0]).find((unit) => unit !== undefined) ??
    /%(?=[^%]{0,24}$)/.exec(words[0] ?? '')?.[0] ??
    // Prometheus writes so what it has in bytes.
    (amounts.every((amount) => /e\+?\d/i.test(amount)) ? 'bytes' : undefined);
  const memory = memoryOf({ words, further: words, rows: [], unnamed });
  const points = amounts.flatMap((amount, at) => {
    const [, digits = '', unit] = /^([\d.,]+(?:e\+?\d+)?)\s?(\S+)?$/i.exec(amount) ?? [];
    const value = amountOf({ digits, unit }, common);
    return value === undefined ? [] : [{ at, value, from }];
  });
  const inOrder = !isRow || isInOrder(from.text, above, found[0]);
  const behind = from.text.slice(found.index + found[0].length);
  const isList = amounts.length >= LEAST_BARE || amounts.every((amount) => /[KMGT]i?B?$|%$|e/i.test(amount));
  if (!isList || OF_SEVERAL.test(behind) || memory === undefined || points.length < amounts.length || !inOrder)
    return [];
  return [{ memory, unit: common === '%' ? 'share' : 'bytes', left: isLeft(words), kind: 'count', points }];
}

// Figures with arrows or dates between them follow each other; a list of them may be of several processes.
const ARROW = /->|→|>|\.{2,3}|\b\d{2}-\d{2} \d/;
const ONE_AFTER_ANOTHER =
  /\b(?:after|over|per|each|every|days?|hours?|weeks?|runs?|rounds?|cycles?|iterations?|steps?|pairs?|uptime|time|later|daily|hourly|log)\b|小时|天|轮|次/i;

function isInOrder(text: string, above: string, found: string): boolean {
  return ARROW.test(found) || ONE_AFTER_ANOTHER.test(`${above} ${text}`);
}
