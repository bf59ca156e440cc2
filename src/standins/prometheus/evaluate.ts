/** A series as data. Points `[epoch ms, value]`. */
export type StandinSeries = {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [number, number])[];
};

type Matcher = { readonly label: string; readonly op: string; readonly value: string };
type Selector = { readonly matchers: readonly Matcher[]; readonly overMs: number };

const OVER = 'last_over_time(';

/** An expression of the form that the metrics edge sends: last_over_time of selectors, joined by ` or `. Throws an Error with Prometheus' words for others. */
export function parseExpression(text: string): readonly Selector[] {
  return text.split(` or ${OVER}`).map((part, i) => parseOver(i === 0 ? part : `${OVER}${part}`));
}

function parseOver(text: string): Selector {
  if (!text.startsWith(OVER)) throw unexpected(text);
  const { matchers, length } = parseSelector(text.slice(OVER.length));
  const range = /^\[(\d+)s\]\)$/.exec(text.slice(OVER.length + length));
  if (range === null) throw unexpected(text.slice(OVER.length + length));
  return { matchers, overMs: Number(range[1]) * 1000 };
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
    return fresh
      .map((one) => ({ labels: one.labels, points: sample(one, times, selector.overMs) }))
      .filter(({ points }) => points.length > 0);
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

function matches({ label, op, value }: Matcher, labels: Readonly<Record<string, string>>): boolean {
  const seen = labels[label] ?? '';
  if (op === '=') return seen === value;
  if (op === '!=') return seen !== value;
  const like = new RegExp(`^(?:${value})$`, 's').test(seen);
  return op === '=~' ? like : !like;
}

function sample(series: StandinSeries, times: readonly number[], overMs: number): StandinSeries['points'] {
  return times.flatMap((time) => {
    const last = series.points.findLast(([at]) => at <= time);
    return last !== undefined && time - last[0] < overMs ? [[time, last[1]] as const] : [];
  });
}
