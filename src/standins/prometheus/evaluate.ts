/** A series as data. Points `[epoch ms, value]`; an end marks that the series went away there, as a scrape that fails does. */
export type StandinSeries = {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [number, number])[];
  readonly endedAt?: number;
};

type Matcher = { readonly label: string; readonly op: string; readonly value: string };
type Selector = { readonly matchers: readonly Matcher[]; readonly overMs: number | undefined };

const LOOKBACK_MS = 5 * 60_000;

/** An expression of the forms that the metrics edge sends: selectors joined by ` or `, each perhaps in last_over_time. Throws an Error with Prometheus' words for others. */
export function parseExpression(text: string): readonly Selector[] {
  const selectors: Selector[] = [];
  let rest = text.trim();
  for (;;) {
    const { selector, length } = rest.startsWith(OVER) ? parseOver(rest) : parseInstant(rest);
    selectors.push(selector);
    rest = rest.slice(length);
    if (rest === '') return selectors;
    if (!rest.startsWith(' or ')) throw unexpected(rest);
    rest = rest.slice(4);
  }
}

const OVER = 'last_over_time(';
type Parsed = { readonly selector: Selector; readonly length: number };

function parseInstant(text: string): Parsed {
  const { matchers, length } = parseSelector(text);
  return { selector: { matchers, overMs: undefined }, length };
}

function parseOver(text: string): Parsed {
  const { matchers, length } = parseSelector(text.slice(OVER.length));
  const end = OVER.length + length;
  const range = /^\[(\d+)s\]\)/.exec(text.slice(end));
  if (range === null) throw unexpected(text.slice(end));
  return { selector: { matchers, overMs: Number(range[1]) * 1000 }, length: end + range[0].length };
}

function unexpected(text: string): Error {
  return new Error(`parse error: unexpected ${text.slice(0, 20)}`);
}

function parseSelector(text: string): { matchers: readonly Matcher[]; length: number } {
  const matchers: Matcher[] = [];
  if (!text.startsWith('{')) throw unexpected(text);
  const one = /([a-zA-Z_][a-zA-Z0-9_]*)(=~|!~|!=|=)("(?:[^"\\\n]|\\.)*")([,}])/y;
  one.lastIndex = 1;
  for (;;) {
    const match = one.exec(text);
    if (match === null) throw new Error('parse error: bad label matcher');
    const [, label = '', op = '', quoted = '""', end] = match;
    matchers.push({ label, op, value: String(JSON.parse(quoted)) });
    if (end === '}') return { matchers, length: one.lastIndex };
  }
}

/** The value of each series at each of the times (epoch ms), as `[time, value]`; a series without any is left out. */
export function evaluate(
  selectors: readonly Selector[],
  series: readonly StandinSeries[],
  times: readonly number[],
): readonly StandinSeries[] {
  const taken = new Set<string>();
  return selectors.flatMap((selector) => {
    const own = series.filter(({ labels }) => selector.matchers.every((matcher) => matches(matcher, labels)));
    const fresh = own.filter(({ labels }) => !taken.has(withoutName(labels)));
    for (const { labels } of own) taken.add(withoutName(labels));
    return fresh.map((one) => ({ labels: one.labels, points: sample(one, times, selector.overMs) })).filter(hasPoints);
  });
}

// `or` compares labels without the name.
function withoutName(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(
    Object.entries(labels)
      .filter(([label]) => label !== '__name__')
      .sort(),
  );
}

function hasPoints({ points }: StandinSeries): boolean {
  return points.length > 0;
}

function matches({ label, op, value }: Matcher, labels: Readonly<Record<string, string>>): boolean {
  const seen = labels[label] ?? '';
  if (op === '=') return seen === value;
  if (op === '!=') return seen !== value;
  const like = new RegExp(`^(?:${value})$`, 's').test(seen);
  return op === '=~' ? like : !like;
}

function sample(series: StandinSeries, times: readonly number[], overMs: number | undefined): StandinSeries['points'] {
  const ended = series.endedAt ?? Number.POSITIVE_INFINITY;
  return times.flatMap((time) => {
    const last = series.points.findLast(([at]) => at <= time);
    const visible =
      last !== undefined && time - last[0] < (overMs ?? LOOKBACK_MS) && (overMs !== undefined || time < ended);
    return visible ? [[time, last[1]] as const] : [];
  });
}
