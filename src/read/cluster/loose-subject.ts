import { isProgramOfEngine } from '../engine/programs.ts';
import { isHelperName, runsByName } from '../engine/runs-by-name.ts';
import type { TextLine } from '../text/lines.ts';
import type { Sorted } from '../text/sorted.ts';

const TELLS_AN_END = /\bOOM[ -]?Killed\b|\bexit(?:ed|s|[ _]?code)?\b[^\n]{0,40}\d|\b(?:State|Error|Completed)\b/i;

/**
 * Loose lines of an end that name whose it is: rows of any table, `docker inspect`. A line that names nobody is of what is
 * looked at.
 */
export function sortLoose(lines: readonly TextLine[]): Sorted {
  const block = blocksOf(lines);
  const ends = lines.filter(({ text }) => TELLS_AN_END.test(text));
  const blocks = new Set(ends.map(({ n }) => block.get(n)));
  const told = [
    ...ends.filter(({ n }) => !block.has(n)).map((line) => ({ n: line.n, whose: subjectOf(line) })),
    ...[...blocks].flatMap((own = []) => {
      const whose = subjectOfBlock(own);
      return own.map(({ n }) => ({ n, whose }));
    }),
  ];
  const hasOwn = told.some(({ whose }) => whose === 'engine');
  const numbers = (wanted: (whose: Subject) => boolean) =>
    new Set(told.flatMap(({ n, whose }) => (wanted(whose) ? [n] : [])));
  return {
    others: numbers((whose) => whose === 'other'),
    unsure: numbers((whose) => whose === 'beside-other' || (whose === 'named' && hasOwn)),
  };
}

type Subject = 'engine' | 'other' | 'beside-other' | 'named' | 'nobody';

function subjectOf({ text }: TextLine): Subject {
  const words = wordsIn(text);
  const [first = ''] = words;
  const isEngines = words.some((word) => runsByName(word) === 'engine' || isProgramOfEngine(word));
  if (isOther(first) && !isEngines) return 'other';
  if (words.some(isOther)) return 'beside-other';
  if (isEngines) return 'engine';
  return /[-_\d]/.test(first) || /^\W*\S+\s+OOMKilled[=:]/.test(text) ? 'named' : 'nobody';
}

// Words of a line about an end that are names of programs as well.
const NO_SUBJECT =
  /^(?:code|kube\w*|agent|systemd.*|metrics|collector|controller|operator|scheduler|gateway|proxy|router|logger|sidecar|exporter)$/i;

function isOther(word: string): boolean {
  return isHelperName(word) && !NO_SUBJECT.test(word);
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[^\w.-]+/).filter((word) => word !== '');
}

// `"Name": "/redis"`, `"Image": "redis:7"` of `docker inspect`; `"image": { "image": ...` of `crictl inspect`.
const NAMED = /"(?:name|names|image)":\s*"([^"]{1,300})"/i;

const STATUSES = /"containerStatuses":/;

function subjectOfBlock(block: readonly TextLine[]): Subject {
  const names = block.flatMap(({ text }) => NAMED.exec(text)?.[1]?.split(/[/:@]/) ?? []).filter((word) => word !== '');
  // The JSON of a pod has all its containers in one object.
  const hasSeveral = names.some(isOther) && block.some(({ text }) => STATUSES.test(text));
  if (hasSeveral) return names.every(isOther) ? 'other' : 'beside-other';
  if (names.some((word) => runsByName(word) === 'engine' || isProgramOfEngine(word))) return 'engine';
  if (names.some(isOther)) return 'other';
  return names.length > 0 ? 'named' : 'nobody';
}

/** Each line of a JSON object of many lines with the whole of the outermost one. */
function blocksOf(lines: readonly TextLine[]): ReadonlyMap<number, readonly TextLine[]> {
  const found = new Map<number, readonly TextLine[]>();
  let depth = 0;
  let open: TextLine[] = [];
  for (const line of lines) {
    if (depth === 0) open = [];
    depth = Math.max(0, depth + count(line.text, '{') - count(line.text, '}'));
    open.push(line);
    if (depth > 0 || open.length > 1) found.set(line.n, open);
  }
  return found;
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
